import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { type Account } from '../../../src/domain/resources/account.ts'
import { calculatedKpi } from '../../../src/domain/resources/calculated-kpi.ts'
import { asDraft } from '../../../src/domain/schema.ts'
import { accounts } from '../../../src/service/accounts/accounts.ts'
import { wholeTables } from '../../../src/store/maintenance/table-digest.ts'
import { calculated } from '../../../src/service/definitions/calculated-kpis.ts'
import { post, put } from '../classic.ts'
import { makeKey, type Service } from '../service.ts'
import { IDS } from './ids.ts'

/** A KPI as it is made. */
export const kpi = (name: string, more: object = {}): object => ({
  category_id: IDS.GENERAL,
  icon_id: 1,
  unit_id: IDS.NUMBER,
  frequency_id: 'D',
  name,
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: 1,
  is_active: true,
  ...more,
})

/** A user as they are made. */
export const user = (name: string, more: object = {}): object => ({
  user_type: 'User',
  user_status_id: 'A',
  first_name: name,
  email: `${name.toLowerCase()}@example.com`,
  ...more,
})

const { ANN, LOU, SALES, VISITS, OLD, RATIO, NORTH, REGION } = IDS

type Thing = readonly [path: string, body: object, id: number]

const KPIS: readonly Thing[] = [
  ['/kpicategories', { name: 'Idle' }, IDS.IDLE],
  ['/kpis', kpi('Sales', { description: 'What we sold', target_default: 100 }), SALES],
  ['/kpis', kpi('Visits', { frequency_id: 'W', sort_order: 2 }), VISITS],
  ['/kpis', kpi('Old', { is_active: true, sort_order: 3 }), OLD],
  ['/kpis', kpi('Free', { target_default: 10, sort_order: 5 }), IDS.FREE],
]

const THINGS: readonly Thing[] = [
  ['/users', user('Ann', { last_name: 'Lee' }), ANN],
  ['/users', user('Bob'), IDS.BOB],
  ['/users', user('Lou'), LOU],
  ['/groups', { name: 'Region' }, REGION],
  ['/groups', { name: 'Empty' }, IDS.EMPTY],
  [`/groups/${REGION}/items`, { name: 'North' }, NORTH],
  [`/groups/${REGION}/items`, { name: 'South' }, IDS.SOUTH],
  [`/users/${ANN}/groupitems`, { id: NORTH }, NORTH],
  [`/users/${ANN}/kpis`, { id: SALES, sort_order: 1 }, SALES],
  [`/users/${ANN}/kpis`, { id: VISITS, sort_order: 2 }, VISITS],
  [`/users/${ANN}/kpis`, { id: OLD, sort_order: 3 }, OLD],
  [`/users/${ANN}/kpis`, { id: RATIO, sort_order: 4 }, RATIO],
  [`/users/${LOU}/kpis`, { id: SALES, sort_order: 1 }, SALES],
  [
    '/kpientries',
    { user_id: ANN, kpi_id: SALES, entry_date: '2026-11-20', actual: 5, target: 7, notes: 'n' },
    IDS.ENTRY,
  ],
  ['/kpientries', { user_id: ANN, kpi_id: SALES, entry_date: '2026-11-21', actual: 1.5 }, IDS.TODAY],
]

const make = async (service: Service, path: string, body: object): Promise<string> => {
  const { status, headers, body: told } = await post(service, path, body)
  if (status !== 201) throw new Error(`POST ${path} is ${status}: ${JSON.stringify(told)}`)
  return headers['location'] ?? ''
}

const makeAll = async (service: Service, things: readonly Thing[]): Promise<void> => {
  for (const [path, body, id] of things) {
    expect(await make(service, path, body)).toBe(`/api${path}/${id}`)
  }
}

/** A service, and the account of its credentials. */
export type World = Service & { readonly account: Account }

let made = 0

/** A service for an account of its own, which holds nothing yet; its API is on. */
export const emptyAccount = async (
  service: Service,
  kind: 'team' | 'individual' | 'off' = 'team',
  name = `suite-${(made += 1)}`,
): Promise<World> => {
  const { db } = service
  const login = `boss@${name}.example.com`
  const account = await accounts.create(db, { name, login, plan: kind === 'individual' ? 'individual' : 'team' }, 0)
  await accounts.setApiEnabled(db, name, kind !== 'off')
  return {
    ...service,
    account,
    key: await makeKey(db, account),
    ...(await accounts.createToken(db, name, randomBytes)),
  }
}

/** Calculated KPIs are the operator's work. */
const addRatio = async ({ db, account }: World): Promise<void> => {
  const record = asDraft(calculatedKpi, {
    ...kpi('Ratio', { frequency_id: 'W', sort_order: 5 }),
    formula: `[${VISITS}] / 2`,
    over: 'results',
    target_from: 'default',
  })
  const { id } = await calculated.add({ db: db.ofAccount(account.id), account, now: 0 }, record)
  expect(id).toBe(RATIO)
}

/** A service for an account of its own, which holds what every account of the suite holds. */
export const worldOf = async (service: Service, name?: string): Promise<World> => {
  const world = await emptyAccount(service, 'team', name)
  await makeAll(world, KPIS)
  await addRatio(world)
  await makeAll(world, THINGS)
  await put(world, `/kpis/${OLD}`, { is_active: false })
  await put(world, `/users/${LOU}`, { user_status_id: 'L' })
  return world
}

/** What an account has of its own from the start on. */
const OWN = new Set(['accounts', 'keys', 'idempotent_requests', 'runs', 'run_batches'])

/** Returns the statements that give an account the rows of another one, but for those that it has already. */
const copyingTo = async (account: number, from: number): Promise<readonly string[]> => [
  `delete from counters where account_id = ${account}`,
  ...(await wholeTables())
    .filter(({ name }) => !OWN.has(name))
    .map(({ name, columns }) => {
      const others = columns.map((column) => column.name).filter((column) => column !== 'account_id')
      return `insert into ${name} (account_id, ${others.join(', ')})
        select ${account}, ${others.join(', ')} from ${name} where account_id = ${from} on conflict do nothing`
    }),
]

/** Another account of the same content, which is made in a tenth of the time. */
export const copyOfWorld = async (world: World): Promise<World> => {
  const copy = await emptyAccount(world)
  const copying = await copyingTo(copy.account.id, world.account.id)
  await world.db.write(async (tx) => {
    for (const sql of copying) await tx.run(sql)
  })
  return copy
}

/** The account `neighbour` of the same service. It holds the ids FOREIGN and FOREIGN_ITEM, as nobody else does. */
export const neighbour = async (service: Service): Promise<void> => {
  const own = await emptyAccount(service, 'team', 'neighbour')
  const { FOREIGN, FOREIGN_ITEM } = IDS
  const entry = { kpi_id: 1, user_id: 1, entry_date: '2026-11-21', actual: 1 }
  await make(own, '/kpis', kpi('First'))
  await make(own, '/users/1/kpis', { id: 1, sort_order: 1 })
  await make(own, '/kpientries', { ...entry, entry_date: '2026-11-20' })
  await own.db.write((tx) => tx.run('update counters set last = ? where account_id = ?', [FOREIGN - 1, own.account.id]))
  const things = [
    ['/kpicategories', { name: 'Theirs' }, FOREIGN],
    ['/kpiunits', { name: 'Theirs', entry_format: '#', display_format: '#', is_percentage: false }, FOREIGN],
    ['/kpis', kpi('Theirs'), FOREIGN],
    ['/users', user('Theirs'), FOREIGN],
    [`/users/${FOREIGN}/kpis`, { id: FOREIGN, sort_order: 1 }, FOREIGN],
    ['/kpientries', entry, FOREIGN],
    ['/groups', { name: 'Theirs' }, FOREIGN],
    [`/groups/${FOREIGN}/items`, { name: 'Theirs' }, FOREIGN_ITEM],
  ] as const
  await makeAll(own, things)
}
