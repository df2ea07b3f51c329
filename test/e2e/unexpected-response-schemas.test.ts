import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { foreignService } from '../support/foreign.ts'
import { type Ran, shellIn } from '../support/kpi.ts'
import { runs } from '../support/soak/tests.ts'

type Body = Readonly<Record<string, unknown>>

const AT = '2026-01-01T00:00:00'
const USER: Body = {
  id: 2,
  first_name: 'Ann',
  last_name: 'Lee',
  user_status_id: 'A',
  user_type: 'User',
  created_at: AT,
}
const KPI: Body = { id: 1, name: 'Sales', frequency_id: 'D', is_active: true, is_calculated: false, target_default: 5 }
const ENTRY: Body = {
  id: 7,
  user_id: 2,
  kpi_id: 1,
  entry_date: '2026-03-10',
  actual: 4,
  target: null,
  notes: 'a',
  created_at: AT,
}
const ROW: Body = {
  kpiId: 1,
  kpiName: 'Sales',
  itemId: 2,
  itemName: 'Ann Lee',
  periodId: 'D',
  direction: 'U',
  entryDate: '2026-03-10',
  actual: 4,
  target: 5,
}

/** What a stranger's service may write in place of a value: nothing, the same as text or number, another form, something odd. */
const OTHERWISE: readonly ((value: unknown) => unknown)[] = [
  () => undefined,
  () => null,
  () => '',
  (value) => JSON.stringify(value)?.replaceAll(`"`, ``),
  (value) => (Number.isNaN(Number(value)) ? value : Number(value)),
  (value) => (typeof value === 'string' && /^\d{4}-/.test(value) ? `${value.slice(0, 10)}T00:00:00Z` : value),
  (value) => (typeof value === 'string' && /^\d{4}-/.test(value) ? `${value.slice(0, 10)} 00:00:00.000` : value),
  (value) =>
    typeof value === 'string' && /^\d{4}-/.test(value) ? value.slice(0, 10).split('-').toReversed().join('.') : value,
  (value) => (typeof value === 'boolean' ? Number(value) : value),
  () => 'n/a',
  () => ({}),
]

/** A record as a stranger's schema has it: one or a few fields written otherwise. */
const strange = (body: Body): fc.Arbitrary<Body> =>
  fc
    .array(fc.tuple(fc.constantFrom(...Object.keys(body)), fc.constantFrom(...OTHERWISE)), { maxLength: 2 })
    .map((changes) => ({ ...body, ...Object.fromEntries(changes.map(([name, other]) => [name, other(body[name])])) }))

/** The commands, and the fields of what they list that must not be blank where the service says something. */
const COMMANDS: readonly (readonly string[])[] = [
  ['kpis', 'list'],
  ['users', 'list'],
  ['entries', 'list', '--from', '2026-03-01', '--to', '2026-03-31'],
  ['report', '--from', '2026-03-01', '--to', '2026-03-31', '--rows'],
  ['report', '--from', '2026-03-01', '--to', '2026-03-31', '--by', 'W', '--compare', 'previous'],
  ['entries', 'import', 'data.csv', '--dry-run'],
  ['entries', 'import', 'data.csv', '--only-changes'],
  ['entries', 'import', 'data.csv', '--verify'],
  ['profiles', 'check'],
]

/** Exit codes of what was done, refused, or left: none of a crash. */
const EXITS = [0, 1, 3, 5, 6, 7]

const blanksIn = (ran: Ran, body: Body, names: readonly string[]): string[] => {
  const [record] = JSON.parse(ran.stdout) as Body[]
  return names.filter((name) => ![undefined, null, ''].includes(body[name] as null) && record?.[name] === null)
}

const LISTED: Readonly<Record<string, readonly string[]>> = {
  'kpis list': ['id', 'name', 'frequency_id', 'is_active', 'target_default'],
  'users list': ['id', 'first_name', 'last_name', 'user_status_id'],
  'entries list': ['id', 'user_id', 'kpi_id', 'entry_date', 'actual', 'target', 'notes'],
}

test('a service of a strange schema is read rightly, or refused by name, and never shown as blank', async () => {
  const schema = fc.record({ user: strange(USER), kpi: strange(KPI), entry: strange(ENTRY), row: strange(ROW) })
  await fc.assert(
    fc.asyncProperty(schema, fc.constantFrom(...COMMANDS), async (service, command) => {
      using folder = temporaryFolder()
      writeFileSync(folder.in('data.csv'), 'user,kpi,date,actual\n#2,#1,2026-03-10,4\n#2,#1,2026-03-11,5\n')
      let stored = [service.entry]
      const foreign = await foreignService((response, { method, url = '' }) => {
        const { pathname } = new URL(url, 'http://localhost')
        const path = pathname.replace('/api', '')
        const say = (content: unknown): void =>
          void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content))
        if (path === '/users') return say([service.user])
        if (path === '/kpis') return say([service.kpi])
        if (path.endsWith('/kpis')) return say([{ id: 1, user_id: 2 }])
        if (path.startsWith('/reports')) return say([service.row])
        if (method === 'GET' && path === '/kpientries')
          return say(new URL(url, 'http://a').searchParams.get('page') === '2' ? [] : stored)
        if (method === 'POST' && path === '/kpientries') {
          const one = {
            ...service.entry,
            ...(JSON.parse(foreign.reached.at(-1)?.body ?? '{}') as Body),
            id: 8 + stored.length,
          }
          stored = [...stored, one]
          return say(one)
        }
        if (method === 'PUT') return say(service.entry)
        response.writeHead(404).end('{}')
      })
      const env = { KPI_BASE_URL: `${foreign.url}/api`, KPI_LOGIN: 'ann@example.com', KPI_TOKEN: 'their-own-token' }
      const ran = await shellIn({ home: folder.path, cwd: folder.path, env })(...command, '-o', 'json')
      expect(EXITS).toContain(ran.code)
      expect(ran.stderr).not.toMatch(/Cannot read|undefined|TypeError|NaN|\[object|at file:/)
      const names = LISTED[command.slice(0, 2).join(' ')]
      const body = { kpis: service.kpi, users: service.user, entries: service.entry }[command[0] ?? '']
      expect(names && body && ran.code === 0 ? blanksIn(ran, body, names) : []).toEqual([])
      // What is refused is refused by name.
      const isNamed =
        ran.code === 0 || /id|date|target|actual|user|kpi|entr|row|name|active|status|reports?|list/i.test(ran.stderr)
      expect(isNamed).toBe(true)
    }),
    { numRuns: runs(50, 2000) },
  )
}, 240_000)
