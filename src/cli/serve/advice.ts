import { DEFAULT_ACCOUNT } from '../../service/names.ts'
import { accounts } from '../../store/accounts.ts'
import type { Db } from '../../store/db.ts'
import type { Cli } from '../cli.ts'
import { placeWords } from '../place-words.ts'

/** Says what is still to be done before the interface answers. */
export const adviseAccess = async (cli: Cli, db: Db): Promise<void> => {
  const place = placeWords(cli.flags)
  const [all, known] = await db.read(async (tx) => [
    await accounts.list(tx),
    await accounts.findByName(tx, DEFAULT_ACCOUNT),
  ])
  if (all.length === 0) {
    return cli.note(`There is no account yet. Make one, in another terminal:
  kpi service accounts create ${DEFAULT_ACCOUNT} --login you@example.com${place}`)
  }
  if (!known || known.api_enabled) return
  await cli.note(`The API of account ${DEFAULT_ACCOUNT} is not enabled. Enable it, in another terminal, and make a token for /api, or
a key for the newer interface at /v1:
  kpi service accounts enable-api ${DEFAULT_ACCOUNT}${place}
  kpi service token create${place}
  kpi service keys create NAME --user USER --scopes entries:write${place}`)
}
