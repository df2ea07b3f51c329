import type { WireResponse } from '../../src/server/wire.ts'
import { accounts } from '../../src/store/tables/accounts.ts'
import type { KeyDraft } from '../../src/domain/resources/key.ts'
import { DEFAULT_ACCOUNT } from '../../src/service/context.ts'
import type { Told } from './classic.ts'
import { type Asked, askV1, makeKey, type Service, textOf } from './service.ts'

/** An answer of the newer variant, its JSON read. An empty body is undefined. */
export const toldBy = ({ status, headers, body }: WireResponse): Told => ({
  status,
  headers,
  body: body === '' ? undefined : JSON.parse(textOf(body)),
})

/** Asks the newer variant of a service and reads the JSON of its answer. */
export const tellV1 = async (service: Service, asked: Asked): Promise<Told> => toldBy(await askV1(service, asked))

/** The Authorization header of a key. */
export const bearer = (key: string): string => `Bearer ${key}`

/** The same service with a key of its own, of an account that is there. */
export const withKey = async <S extends Service>(
  service: S,
  draft: Partial<KeyDraft> = {},
  accountName = DEFAULT_ACCOUNT,
): Promise<S> => {
  const account = await service.db.read((tx) => accounts.findByName(tx, accountName))
  if (!account) throw new Error(`there is no account ${accountName}`)
  return { ...service, key: await makeKey(service.db, account, draft) }
}

/** Revokes a key of the first account, by its name. */
export const revoke = async ({ db }: Service, name: string, at: number): Promise<void> => {
  await db.write((tx) => tx.run('update keys set revoked_at = ? where account_id = 1 and name = ?', [at, name]))
}

/** What is noted of when a key of the first account was used, by its name. */
export const lastUse = async ({ db }: Service, name = 'all'): Promise<number | undefined> => {
  const [row] = await db.read((tx) => tx.all('select last_used_at from keys where account_id = 1 and name = ?', [name]))
  const at = row?.['last_used_at'] ?? undefined
  return at === undefined ? undefined : Number(at)
}
