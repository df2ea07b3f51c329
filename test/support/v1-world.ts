import { assignFirst, post } from './classic.ts'
import { sqliteDatabase } from './databases.ts'
import { NOW } from './io.ts'
import { type Asked, askV1, type Service, startService } from './service.ts'
import type { Description } from './description.ts'
import type { Placed } from './described.ts'

/** The newer variant's description of itself. */
export const readV1Description = async (): Promise<Description> => {
  await using service = await startService()
  return JSON.parse(
    (await askV1(service, { path: '/openapi.json', headers: { authorization: '' } })).body,
  ) as Description
}

const KPI = {
  category_id: 1,
  icon_id: 1,
  unit_id: 1,
  frequency_id: 'D',
  name: 'Visits',
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: 1,
  is_active: true,
}
/** An entry as it is made. */
export const ENTRY = { user_id: 2, kpi_id: 1, entry_date: '2026-03-02', actual: 1.5 }

/** What makes something at each path. */
const GOOD: Readonly<Record<string, object>> = {
  '/kpis': KPI,
  '/kpicategories': { name: 'Shops' },
  '/kpicategories/{category_id}/kpis': KPI,
  '/kpiunits': { name: 'Metre', entry_format: '#.0', display_format: '#.0 m', is_percentage: false },
  '/kpientries': ENTRY,
  '/kpientries/{id}': { actual: 5 },
  '/kpientries/list': { entries: [{ ...ENTRY, entry_date: '2026-03-05' }], hasNotes: false },
  '/kpientries/runs/{run}/undo': { dry_run: true },
  '/kpientries/runs/{run}/delete': { count: 0 },
  '/breakdownitems': { breakdown_id: 2, name: 'South' },
}

/** What makes something at a path, or changes one. */
export const goodFor = (path: string): object => GOOD[path] ?? GOOD[path.replace('/{id}', '')] ?? {}

/** The breakdown item that is no person: users 1 and 2 are the items before it. */
export const NORTH = 3

/** The run that made entry 2. */
const RUN = 'nightly-7'

/** A path with ids of what is there, or with one that nobody has. */
export const filled = (path: string, id?: number): string => {
  const there = path.startsWith('/kpifrequencies') ? 'D' : path.startsWith('/breakdownitems') ? NORTH : 1
  return path
    .replace('{category_id}', String(id ?? 1))
    .replace('{id}', String(id ?? there))
    .replace('{run}', RUN)
}

/** A service with KPI 1, user 2 who has it, entry 1 of theirs, breakdown 2 and its item 3, which entry 2 belongs to. */
export const startWorld = async (make = sqliteDatabase): Promise<Service> => {
  const service = await startService(NOW, make)
  await assignFirst(service, { target_default: 10 })
  await post(service, '/groups', { name: 'Region' })
  await post(service, '/groups/2/items', { name: 'North' })
  await post(service, '/kpientries', { ...ENTRY, entry_date: '2026-03-01' })
  await askV1(service, {
    method: 'POST',
    path: '/kpientries/list',
    headers: { 'kpi-run': RUN },
    body: { entries: [{ source_id: NORTH, kpi_id: 1, entry_date: '2026-03-01', actual: 2 }] },
  })
  return service
}

/** What asks for an operation: with ids of what is there, and a body that is good. */
export const askedFor = ({ method, path, operation: { requestBody } }: Placed, more: Partial<Asked> = {}): Asked => ({
  method,
  path: filled(path),
  ...(requestBody && { body: goodFor(path) }),
  ...more,
})
