import { accounts } from '../../src/store/tables/accounts.ts'
import { KPI, otherAccount, post, put, type Told } from './classic.ts'
import { sqliteDatabase } from './databases.ts'
import { NOW } from './io.ts'
import { type Asked, askV1, makeKey, type Service, startService } from './service.ts'

/** Asks the newer variant of a service and reads the JSON of its answer. */
const tell = async (service: Service, asked: Asked): Promise<Told> => {
  const { status, headers, body } = await askV1(service, asked)
  return { status, headers, body: body === '' ? undefined : JSON.parse(body) }
}

/** The newer variant, as a test asks it. */
export const v1 = {
  tell,
  /** Sends a body with POST. */
  post: (service: Service, path: string, body: unknown): Promise<Told> => tell(service, { method: 'POST', path, body }),
  /** Sends a body with PUT. */
  put: (service: Service, path: string, body: unknown): Promise<Told> => tell(service, { method: 'PUT', path, body }),
  remove: (service: Service, path: string): Promise<Told> => tell(service, { method: 'DELETE', path }),
  /** The body of an answer to GET. */
  read: async (service: Service, path: string): Promise<unknown> => (await tell(service, { path })).body,
}

/** The people of `startRegions`: ANN reports KPI 1 and has NORTH, BOB reports nothing, LOU is locked. */
export const [ANN, BOB, LOU] = [2, 3, 4]
/** Its items of breakdown 2. */
export const [NORTH, SOUTH] = [5, 6]

/** A service with KPI 1, whose target is 10, three people besides the first user, and the breakdown 2, Region. */
export const startRegions = async (makeDatabase = sqliteDatabase): Promise<Service> => {
  const service = await startService(NOW, makeDatabase)
  await post(service, '/kpis', { ...KPI, target_default: 10 })
  for (const first_name of ['Ann', 'Bob', 'Lou']) {
    const email = `${first_name.toLowerCase()}@example.com`
    await post(service, '/users', { user_type: 'User', user_status_id: 'A', first_name, last_name: 'Lee', email })
  }
  await post(service, `/users/${ANN}/kpis`, { id: 1, sort_order: 1, user_target: 20 })
  await put(service, `/users/${LOU}`, { user_status_id: 'L' })
  await post(service, '/groups', { name: 'Region' })
  for (const name of ['North', 'South']) await post(service, '/groups/2/items', { name })
  await post(service, `/users/${ANN}/groupitems`, { id: NORTH })
  return service
}

/** The same service for another account, with credentials of its own for both variants. */
export const otherAccountV1 = async (service: Service, name: string): Promise<Service> => {
  const other = await otherAccount(service, name)
  const account = await service.db.read((tx) => accounts.findByName(tx, name))
  if (!account) throw new Error(`there is no account ${name}`)
  return { ...other, key: await makeKey(service.db, account) }
}

/** The fields that a refusal of the newer variant blames, as pointers into what was sent. */
export const pointersOf = ({ body }: Told): string[] =>
  (body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer)
