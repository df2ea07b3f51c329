import type { Client } from '../../client/client.ts'
import type { Context } from '../../service/context.ts'
import type { Cli } from '../cli.ts'
import { withStore } from '../operator.ts'

/** Runs `work` on one account of the bundled service, with a client that finds there what is named. */
export const withAccount = <T>(
  cli: Cli,
  name: string,
  work: (ctx: Context, client: Client) => Promise<T>,
): Promise<T> =>
  withStore(cli, async (db) => {
    const [{ accounts }, { inProcessTransport }, { createClient }] = await Promise.all([
      import('../../service/accounts.ts'),
      import('../embedded.ts'),
      import('../../client/client.ts'),
    ])
    const account = await accounts.get(db, name)
    const ctx = { db: db.ofAccount(account.id), account, now: Math.floor(cli.io.now() / 1000) }
    return work(ctx, createClient(inProcessTransport(db, account, cli.io.now)))
  })
