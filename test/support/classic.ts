import { randomBytes } from 'node:crypto'
import { accounts } from '../../src/service/accounts/accounts.ts'
import type { Account } from '../../src/domain/resources/account.ts'
import { ask, type Asked, type Service, startService } from './service.ts'

/** An answer of the classic interface, its JSON read. An empty body is undefined. */
export type Told = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Asks a service and reads the JSON of its answer. */
export const tell = async (service: Service, asked: Asked): Promise<Told> => {
  const { status, headers, body } = await ask(service, asked)
  return { status, headers, body: body === '' ? undefined : JSON.parse(body) }
}

/** Sends a body with POST. */
export const post = (service: Service, path: string, body: unknown): Promise<Told> =>
  tell(service, { method: 'POST', path, body })

/** Sends a body with PUT. */
export const put = (service: Service, path: string, body: unknown): Promise<Told> =>
  tell(service, { method: 'PUT', path, body })

/** The body of an answer to GET. */
export const read = async (service: Service, path: string): Promise<unknown> => (await tell(service, { path })).body

/** What makes a KPI, as older clients send it: without a category or an aggregate function. */
export const KPI = {
  icon_id: 1,
  unit_id: 1,
  frequency_id: 'D',
  name: 'Sales',
  value_direction: 'U',
  sort_order: 1,
  is_active: true,
}

/** What makes a user. */
export const USER = { user_type: 'User', user_status_id: 'A', first_name: 'Ann', email: 'ann@example.com' }

/** Makes KPI 1 and user 2 of a fresh account (user 1 is its first), and assigns the one to the other. */
export const assignFirst = async (service: Service, kpi: object = {}): Promise<void> => {
  await post(service, '/kpis', { ...KPI, ...kpi })
  await post(service, '/users', USER)
  await post(service, '/users/2/kpis', { id: 1, sort_order: 1 })
}

/** The key of the entry that `startWithEntry` makes. */
export const ENTRY_KEY = { user_id: 2, kpi_id: 1, entry_date: '2026-03-01' }

/** A service whose KPI 1 has a target and is assigned to user 2, who has entry 1: actual 5, target 7, notes "n". */
export const startWithEntry = async (): Promise<Service> => {
  const service = await startService()
  await assignFirst(service, { target_default: 10 })
  await post(service, '/kpientries', { ...ENTRY_KEY, actual: 5, target: 7, notes: 'n' })
  return service
}

/** The same service for another account, whose API is enabled, with credentials of its own. */
export const otherAccount = async (
  service: Service,
  name: string,
  plan: Account['plan'] = 'team',
): Promise<Service> => {
  const { db } = service
  await accounts.create(db, { name, login: `boss@${name}.example.com`, plan }, 0)
  await accounts.setApiEnabled(db, name, true)
  return { ...service, ...(await accounts.createToken(db, name, randomBytes)) }
}

/** The Authorization header of a login name and a token. */
export const basic = (login: string, token: string): string =>
  `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`
