import { describe, expect, test } from 'vitest'
import { formatDay, parseDay } from '../../src/domain/day.ts'
import { type Variant, VARIANTS } from '../../src/domain/variants.ts'
import { errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { startKpi } from '../support/process.ts'
import type { Way } from '../support/service.ts'
import { beforeLook, type Machine, openTwoMachines, type TwoMachines } from '../support/two-machines.ts'
import { changedMeanwhile, heldIn, ID, type Importer, remoteImporter } from '../support/import.ts'
import { some } from '../support/soak/tests.ts'

const HEADER = 'user,kpi,date,actual'
const ROWS = ['Ann Lee,Sales,2026-01-01,1', 'Bob,Sales,2026-01-01,2', 'Ann Lee,Visits,2026-01-01,3']

test.each<[name: string, change: (importer: Importer) => Promise<unknown>, bad: number[], reason: string]>(
  some(2, [
    [
      'a user was locked',
      ({ client }) => client.users.update(ID.bob, { user_status_id: 'L' }),
      [3],
      'user_id: user 3 (Bob) is locked',
    ],
    [
      'a KPI was made inactive',
      ({ client }) => client.kpis.update(ID.sales, { is_active: false }),
      [2, 3],
      'kpi_id: KPI 1 (Sales) is inactive and takes no entries',
    ],
    [
      'an assignment was removed',
      ({ client }) => client.assignments(ID.ann).remove(ID.visits),
      [4],
      'kpi_id: KPI 2 (Visits) is not assigned to user 2 (Ann Lee)',
    ],
    ['a KPI was deleted', ({ client }) => client.kpis.remove(ID.visits), [4], 'kpi_id: there is no KPI 2'],
    ['a user was deleted', ({ client }) => client.users.remove(ID.bob), [3], 'user_id: there is no user 3'],
  ]),
)(
  'rows that are refused because %s meanwhile become rejects with the reasons of the service',
  async (_, change, bad, reason) => {
    await using importer = await changedMeanwhile(change)
    importer.write('data.csv', [HEADER, ...ROWS].join('\n'))
    const ran = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout)).toMatchObject({ read: 3, created: 3 - bad.length, rejected: bad.length, left: 0 })
    expect(importer.read('data.rejects.csv')).toBe(
      [`${HEADER},_line,_reason`, ...bad.map((line) => `${ROWS[line - 2]},${line},${reason}`), ''].join('\n'),
    )
    expect(await heldIn(importer)).toHaveLength(3 - bad.length)
  },
)

test('a whole batch may be refused while the others go', async () => {
  await using importer = await changedMeanwhile(({ client }) => client.users.update(ID.bob, { user_status_id: 'L' }))
  const rows = (user: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `${user},Sales,${formatDay(at)},1`)
  importer.write('data.csv', [HEADER, ...rows('Bob', 6000), ...rows('Ann Lee', 5000)].join('\n'))
  const ran = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 5000, rejected: 6000, left: 0 }])
  const rejects = importer.read('data.rejects.csv').trimEnd().split('\n')
  expect([rejects.length, rejects[1], rejects.at(-1)]).toEqual([
    6001,
    'Bob,Sales,1970-01-01,1,2,user_id: user 3 (Bob) is locked',
    'Bob,Sales,1986-06-05,1,6001,user_id: user 3 (Bob) is locked',
  ])
})

test('a row that was a reject before tells what the service says of the rest of it, too', async () => {
  await using importer = await changedMeanwhile(({ client }) => client.kpis.update(ID.sales, { is_active: false }))
  importer.write('wide.csv', 'date,user,Sales,Visits\n2026-01-01,Ann Lee,1,x\n')
  expect((await importer.kpi('entries', 'import', 'wide.csv')).code).toBe(3)
  expect(importer.read('wide.rejects.csv')).toContain(
    '"Visits ""x"" must be a number; kpi_id: KPI 1 (Sales) is inactive and takes no entries"',
  )
})

test('what somebody else has stored the same at that moment is nothing that the import takes back', async () => {
  const entry_date = parseDay('2026-01-01') ?? NaN
  const same = [
    { user_id: ID.ann, kpi_id: ID.sales, entry_date, actual: 1_0000n },
    { user_id: ID.bob, kpi_id: ID.sales, entry_date, actual: 2_0000n },
    { user_id: ID.ann, kpi_id: ID.visits, entry_date, actual: 3_0000n },
  ]
  await using importer = await changedMeanwhile(({ client }) => client.entries.addMany(same))
  importer.write('data.csv', [HEADER, ...ROWS].join('\n'))
  const ran = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
  expect([ran.code, jsonOf(ran)]).toMatchObject([0, { created: 0, unchanged: 3, receipt: null }])
  expect(jsonOf(await importer.kpi('entries', 'undo', '-o', 'json'))).toEqual([])
  expect(await heldIn(importer)).toHaveLength(3)
})

test('an assignment that somebody else makes at the same moment is there, which is what was wanted', async () => {
  const somebodyElse: { assigns?: () => Promise<unknown> } = {}
  await using importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (request.method === 'POST' && request.target.endsWith('/users/3/kpis')) await somebodyElse.assigns?.()
      return handler(request)
    },
  })
  somebodyElse.assigns = () => importer.client.assignments(ID.bob).add({ id: ID.visits, sort_order: 1 })
  importer.write('data.csv', `${HEADER}\nBob,Visits,2026-01-01,1\n`)
  const ran = await importer.kpi('entries', 'import', 'data.csv', '--create-assignments', '-o', 'json')
  expect(JSON.parse(ran.stdout)).toMatchObject({ created: 1, assigned: 0, rejected: 0 })
  expect(ran.code).toBe(0)
})

test('what the service refuses to create is named, ends the import, and is created by the same command later', async () => {
  let refused = 2
  await using importer = await remoteImporter({
    wrap: (handler) => (request) =>
      request.method === 'POST' && request.target.endsWith('/kpis') && (refused -= 1) === 0
        ? Promise.resolve({
            status: 422,
            headers: { 'content-type': 'application/json' },
            body: '{"message":"no room"}',
          })
        : handler(request),
  })
  importer.write('data.csv', 'date,user,New,Refused,Newer\n2026-03-01,Bob,1,2,3\n')
  const line = [
    'entries',
    'import',
    'data.csv',
    '--create-missing',
    '--frequency',
    'D',
    '--unit',
    'Number',
    '-o',
    'json',
  ]
  const ran = await importer.kpi(...line)
  expect([ran.code, errorOf(ran).message]).toEqual([1, 'create KPI Refused: no room'])
  const names = async (): Promise<string[]> => (await importer.client.kpis.list()).map(({ name }) => name).slice(4)
  expect([await names(), await heldIn(importer)]).toEqual([['New'], []])
  expect(jsonOf(await importer.kpi(...line))).toMatchObject({ created: 3, left: 0 })
  expect(await names()).toEqual(['New', 'Refused', 'Newer'])
})

describe('what two machines create at the same moment', () => {
  const LINE = ['--create-missing', '--frequency', 'D', '--category', 'New', '-o', 'json']
  const namesIn = async ({ client, newer }: Way): Promise<Record<string, string[]>> => ({
    kpis: (await client.kpis.list()).map(({ name }) => name),
    units: (await client.units.list()).map(({ name }) => name).slice(4),
    categories: (await client.categories.list()).map(({ name }) => name).slice(1),
    users: (await client.users.list()).map(({ email }) => email).slice(1),
    items: (await newer.breakdownItems.list()).flatMap(({ name, user_id }) => (user_id === null ? name : [])),
  })
  const storedIn = async ({ client }: Way): Promise<number> =>
    (await client.entries.list({ from: 0, to: 40_000 })).length
  const text = (owner: string, name: string, day: number): string =>
    `${owner},date,Sales,Visits\n${name},2026-03-0${day},€1,2\n${name},2026-03-1${day},€3,4\n`
  /** A file of each machine, and the flags to import it with. */
  const prepare = async ({ machines, way }: TwoMachines, variant: Variant): Promise<string[]> => {
    const { id } = await way.client.groups.add({ name: 'Region' })
    const [owner, name] = variant === 'v1' ? ['Region', 'North'] : ['user', 'ann@example.com']
    machines.forEach(({ write }, at) => write('data.csv', text(owner, name, at + 2)))
    return variant === 'v1' ? [...LINE, '--group', String(id)] : LINE
  }
  const importFile = ({ kpi, folder }: Machine, line: readonly string[]): Promise<Ran> =>
    kpi('entries', 'import', folder.in('data.csv'), ...line)
  const ALL = (variant: Variant): Record<string, string[]> => ({
    kpis: ['Sales', 'Visits'],
    units: ['EUR'],
    categories: ['New'],
    users: variant === 'v1' ? [] : ['ann@example.com'],
    items: variant === 'v1' ? ['North'] : [],
  })

  test.each(VARIANTS)('is there once, and both use it (%s)', async (variant) => {
    await using world = await openTwoMachines(variant)
    const { machines, way, count } = world
    const line = await prepare(world, variant)
    const [first, second] = await Promise.all([importFile(machines[0], line), importFile(machines[1], line)])
    for (const ran of [first, second]) expect(jsonOf(ran)).toMatchObject({ created: 4, rejected: 0, left: 0 })
    expect([await namesIn(way), await storedIn(way)]).toEqual([ALL(variant), 8])
    // To know what is there, to create what is not, and to look whether another has.
    for (const path of ['/kpis', '/kpiunits', '/kpicategories'])
      expect(count(0, 'GET', path)).toBe({ '/kpis': 3, '/kpiunits': 3 }[path] ?? 2)
    // What the other machine made and uses is none of what is taken back.
    const { receipt } = jsonOf(second) as { receipt: string }
    expect(jsonOf(await machines[1].kpi('entries', 'undo', receipt, '--yes', '-o', 'json'))).toEqual([])
    expect([await namesIn(way), await storedIn(way)]).toEqual([ALL(variant), 4])
  })

  const KILLED = { signal: 'SIGKILL' }
  const LEFT = { code: 6, stdout: '', stderr: expect.stringContaining('run the same command') as string }
  test.each<[path: string, signal: NodeJS.Signals, kind: string, twice: string[], ending: object]>(
    some(2, [
      ['/kpis', 'SIGKILL', 'kpis', ['Sales', 'Sales'], KILLED],
      ['/kpis', 'SIGINT', 'kpis', ['Sales', 'Sales'], LEFT],
      ['/kpiunits', 'SIGKILL', 'units', ['EUR', 'EUR'], KILLED],
      ['/breakdownitems', 'SIGKILL', 'items', ['North', 'North'], KILLED],
      ['/breakdownitems', 'SIGINT', 'items', ['North', 'North'], LEFT],
    ]),
  )(
    'is there once after the second machine, about to look again at %s, got %s',
    async (path, signal, kind, twice, ending) => {
      let kill = (): unknown => undefined
      await using world = await openTwoMachines(
        'v1',
        beforeLook(path, () => kill()),
      )
      const { machines, way } = world
      const line = await prepare(world, 'v1')
      const [first, second] = machines
      const { child, ended } = startKpi(
        second.folder,
        ['entries', 'import', second.folder.in('data.csv'), ...line],
        second.env,
      )
      kill = () => child.kill(signal) && world.part()
      const [ran, killed] = await Promise.all([importFile(first, line), ended])
      expect(jsonOf(ran)).toMatchObject({ created: 4 })
      expect(killed).toMatchObject(ending)
      // Of several KPIs, the second machine may have made one or all by then.
      expect((await namesIn(way))[kind]).toEqual(expect.arrayContaining(twice))
      expect((await namesIn(way))[kind]?.length).toBeGreaterThan(ALL('v1')[kind]?.length ?? 0)
      expect(jsonOf(await importFile(second, line))).toMatchObject({ created: 4, rejected: 0, left: 0 })
      expect([await namesIn(way), await storedIn(way)]).toEqual([ALL('v1'), 8])
    },
  )

  test('stays twice where it cannot be removed, and the run says what to do', async () => {
    await using world = await openTwoMachines('classic', async (machine, { method, target }, answer) =>
      machine === 1 && method === 'DELETE' && target.includes('/kpis/')
        ? { status: 403, headers: { 'content-type': 'application/json' }, body: '{"message":"not you"}' }
        : answer(),
    )
    const { machines, way } = world
    const line = await prepare(world, 'classic')
    const [first, second] = await Promise.all([importFile(machines[0], line), importFile(machines[1], line)])
    expect(jsonOf(first)).toMatchObject({ created: 4 })
    expect(second).toMatchObject({ code: 4 })
    expect(errorOf(second).message).toBe(
      'two machines created the KPI "Sales" at the same moment: there are 1 and 2, and 2 stays, as it could not be removed: not you; remove the one without entries (kpi kpis delete 2), then run the same command again; the same holds for "Visits" (3 and 4)',
    )
    expect(await storedIn(way)).toBe(4)
    for (const id of ['2', '4']) expect(await machines[0].kpi('kpis', 'delete', id, '--yes')).toMatchObject({ code: 0 })
    expect(jsonOf(await importFile(machines[1], line))).toMatchObject({ created: 4 })
  })

  test.each<[noun: string, variant: Variant, header: string, names: string[], lists: number]>(
    some(3, [
      ['kpis', 'classic', 'name,frequency,unit,category', ['Sales,D,Number,General', 'Visits,D,Number,General'], 4],
      ['kpis', 'v1', 'name,frequency,unit,category', ['Sales,D,Number,General', 'Visits,D,Number,General'], 4],
      ['users', 'classic', 'first name,email', ['Ann,ann@example.com', 'Bob,bob@example.com'], 1],
      ['categories', 'classic', 'name', ['New', 'Newer'], 1],
      ['units', 'v1', 'name,display format', ['EUR,#.00 EUR', 'km,#.00 km'], 1],
      ['groups', 'classic', 'name', ['Team', 'Shift'], 1],
      ['group-items', 'classic', 'group,name', ['Region,North', 'Region,South'], 3],
      ['breakdown-items', 'v1', 'breakdown,name', ['Region,North', 'Region,South'], 1],
    ]),
  )(
    'is there once after both imported %s (%s), and changes as the second file says',
    async (noun, variant, header, rows, lists) => {
      await using world = await openTwoMachines(variant)
      const { machines, way } = world
      const { id } = await way.client.groups.add({ name: 'Region' })
      const before = jsonOf(await machines[0].kpi(noun, 'list', '-o', 'json')) as unknown[]
      const lines = [header, ...rows].map((line) => (variant === 'v1' ? line.replace('Region', String(id)) : line))
      machines.forEach(({ write }, at) =>
        write('data.csv', `${lines.join('\n')}\n`.replace('Sales,D', at === 0 ? 'Sales,D' : 'Sales,W')),
      )
      const ran = await Promise.all(
        machines.map(({ kpi, folder }) => kpi(noun, 'import', folder.in('data.csv'), '-o', 'json')),
      )
      for (const one of ran) {
        const { created, unchanged, updated } = jsonOf(one) as Record<string, number>
        expect([created, unchanged, updated].reduce<number>((sum, count = 0) => sum + count, 0)).toBe(2)
      }
      const after = jsonOf(await machines[0].kpi(noun, 'list', '-o', 'json')) as unknown[]
      expect(after).toHaveLength(before.length + 2)
      expect(
        jsonOf(await machines[1].kpi(noun, 'import', machines[1].folder.in('data.csv'), '-o', 'json')),
      ).toMatchObject({
        unchanged: 2,
        requests: lists,
      })
    },
  )

  const KPI_FILE = 'name,frequency,unit,category\nSales,D,Number,General\n'
  /** Ends the second machine's import of a KPI as it looks again; the first one's is done. */
  const cutOff = async (
    signal: NodeJS.Signals,
    line: readonly string[] = ['kpis', 'import'],
    file = KPI_FILE,
    path = '/kpis',
    variant: Variant = 'classic',
  ) => {
    let stop = (): unknown => undefined
    const world = await openTwoMachines(
      variant,
      beforeLook(path, () => stop()),
    )
    const [first, second] = world.machines
    for (const { write } of world.machines) write('data.csv', file)
    const words = ({ folder }: Machine): string[] => [...line, folder.in('data.csv'), '-o', 'json']
    const { child, ended } = startKpi(second.folder, words(second), second.env)
    stop = () => child.kill(signal) && world.part()
    const [ran, cut] = await Promise.all([first.kpi(...words(first)), ended])
    return { ...world, ran, cut, again: () => second.kpi(...words(second)) }
  }

  const STOPPED = {
    code: 6,
    stdout: expect.stringMatching(/"created": 0,[^]*"left": 1,/) as string,
    stderr: expect.stringContaining('run the same command') as string,
  }
  test.each<[signal: NodeJS.Signals, ending: object]>(
    some(1, [
      ['SIGKILL', KILLED],
      ['SIGINT', STOPPED],
      ['SIGTERM', STOPPED],
    ]),
  )(
    'is there once after an import of KPIs that %s ended before it looked again is continued',
    async (signal, ending) => {
      await using world = await cutOff(signal)
      const { way, cut, again } = world
      expect(cut).toMatchObject(ending)
      expect((await way.client.kpis.list()).map(({ id, name }) => [id, name])).toEqual([
        [1, 'Sales'],
        [2, 'Sales'],
      ])
      expect(jsonOf(await again())).toMatchObject({ created: 0, unchanged: 1, rejected: 0, left: 0 })
      expect((await way.client.kpis.list()).map(({ id }) => id)).toEqual([1])
      expect(jsonOf(await again())).toMatchObject({ created: 0, unchanged: 1 })
    },
  )

  test('is there once after an apply that was killed before it looked again is continued', async () => {
    const file = 'kpis:\n  - { name: Sales, frequency: D, unit: Number, category: General }\n'
    await using world = await cutOff('SIGKILL', ['apply', '--yes'], file)
    const { way, cut, again } = world
    expect(cut).toMatchObject(KILLED)
    expect((await way.client.kpis.list()).map(({ id }) => id)).toEqual([1, 2])
    expect(jsonOf(await again())).toMatchObject({ created: 0, unchanged: 1, left: 0 })
    expect((await way.client.kpis.list()).map(({ id }) => id)).toEqual([1])
  })

  test('is named, and stays, where the younger one has entries by then', async () => {
    await using world = await cutOff('SIGKILL')
    const { way, again } = world
    await way.client.assignments(1).add({ id: 2, sort_order: 1 })
    await way.client.entries.add({ user_id: 1, kpi_id: 2, entry_date: 20_000, actual: 10_000n })
    const ran = await again()
    expect(ran).toMatchObject({ code: 1 })
    expect(errorOf(ran).message).toContain(
      'two machines created the KPI "Sales" at the same moment: there are 1 and 2, and 2 stays, as it ',
    )
    expect((await way.client.kpis.list()).map(({ id }) => id)).toEqual([1, 2])
  })

  const NEW_KPI = '--frequency D --unit Number --category General --name Sales'
  const REMOVED =
    /^another machine created the same .* at the same moment, which stays: ".*" \(\d+\); what this command created beside it is removed, and kpi [a-z-]+ update \d+ changes the other$/
  test.each<[noun: string, variant: Variant, flags: string, said?: RegExp]>(
    some(3, [
      ['kpis', 'classic', NEW_KPI],
      ['kpis', 'v1', NEW_KPI],
      ['categories', 'classic', '--name New'],
      ['categories', 'v1', '--name New'],
      ['units', 'classic', '--name EUR --display-format #.00'],
      ['groups', 'classic', '--name Team'],
      ['group-items', 'classic', '--group Region --name North'],
      ['breakdown-items', 'v1', '--breakdown REGION --name North'],
      ['users', 'classic', '--first-name Ann --email ann@example.com', /email/],
    ]),
  )('is there once after both ran kpi %s create (%s)', async (noun, variant, flags, said = REMOVED) => {
    await using world = await openTwoMachines(variant)
    const { machines, way } = world
    const { id } = await way.client.groups.add({ name: 'Region' })
    const before = jsonOf(await machines[0].kpi(noun, 'list', '-o', 'json')) as unknown[]
    const words = flags.replace('REGION', String(id)).split(' ')
    const [first, second] = await Promise.all(machines.map(({ kpi }) => kpi(noun, 'create', ...words, '-o', 'json')))
    expect(first).toMatchObject({ code: 0 })
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(errorOf(second as Ran).message).toMatch(said)
    const after = jsonOf(await machines[0].kpi(noun, 'list', '-o', 'json')) as unknown[]
    expect(after).toHaveLength(before.length + 1)
  })

  test('is made twice where that is asked for', async () => {
    await using world = await openTwoMachines('classic')
    const words = ['categories', 'create', '--name', 'New', '--allow-duplicate', '-o', 'json']
    const ran = await Promise.all(world.machines.map(({ kpi }) => kpi(...words)))
    expect(ran.map(({ code }) => code)).toEqual([0, 0])
    expect((await world.way.client.categories.list()).map(({ name }) => name)).toEqual(['General', 'New', 'New'])
  })

  test('is created once from a list, and the rest of the list stays', async () => {
    await using world = await openTwoMachines('classic')
    const { machines, way } = world
    machines.forEach(({ write }, at) => write('new.json', JSON.stringify([{ name: 'New' }, { name: `Of ${at}` }])))
    const [first, second] = await Promise.all(
      machines.map(({ kpi, folder }) =>
        kpi('categories', 'create', '--from-json', folder.in('new.json'), '-o', 'json'),
      ),
    )
    expect(first).toMatchObject({ code: 0 })
    expect(second).toMatchObject({ code: 1 })
    expect(JSON.parse((second as Ran).stdout)).toMatchObject([{ name: 'Of 1' }])
    expect((await way.client.categories.list()).map(({ name }) => name).toSorted()).toEqual([
      'General',
      'New',
      'Of 0',
      'Of 1',
    ])
  })

  test('is there once after both applied the same file, with all that belongs to it', async () => {
    await using world = await openTwoMachines('classic')
    const { machines, way } = world
    const file = `categories:
  - name: New
units:
  - name: EUR
    display_format: '#.00 EUR'
groups:
  - name: Region
group_items:
  - { group: Region, name: North }
kpis:
  - { name: Sales, category: New, unit: EUR, frequency: D }
assignments:
  - { user: admin@localhost, kpi: Sales }
`
    for (const { write } of machines) write('account.yaml', file)
    const apply = ({ kpi, folder }: Machine): Promise<Ran> =>
      kpi('apply', folder.in('account.yaml'), '--yes', '-o', 'json')
    const [first, second] = await Promise.all(machines.map(apply))
    expect([first?.code, second?.code]).toEqual([0, 0])
    expect((second as Ran).stderr).toMatch(/another machine created the KPI Sales at the same moment: it is \d+ now/)
    expect((await way.client.kpis.list()).map(({ name }) => name)).toEqual(['Sales'])
    expect((await way.client.categories.list()).map(({ name }) => name)).toEqual(['General', 'New'])
    expect((await way.client.units.list()).map(({ name }) => name).slice(4)).toEqual(['EUR'])
    expect((await way.client.groups.list()).map(({ name }) => name)).toEqual(['Region'])
    expect((await way.newer.breakdownItems.list()).filter(({ user_id }) => user_id === null)).toHaveLength(1)
    for (const machine of machines)
      expect(jsonOf(await apply(machine))).toMatchObject({ created: 0, updated: 0, unchanged: 6, left: 0 })
  })
})

test('an undo of what an older service does not show for a while is still to be done once it shows it', async () => {
  let isHidden = false
  await using importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      // A day long before all entries.
      const hidden = request.target.replaceAll(/=20\d\d-/g, '=1990-')
      const answer = await handler(isHidden && request.method === 'GET' ? { ...request, target: hidden } : request)
      const { 'x-runs-kept': _keptByNewerOnes, ...headers } = answer.headers
      return { ...answer, headers }
    },
  })
  importer.write('data.csv', [HEADER, ...ROWS].join('\n'))
  const { receipt } = jsonOf(await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')) as { receipt: string }
  isHidden = true
  expect(await importer.kpi('entries', 'undo', receipt, '--yes')).toMatchObject({
    code: 0,
    stderr: 'nothing was changed; 3 as before already\n',
  })
  isHidden = false
  expect(await importer.kpi('entries', 'undo', receipt, '--yes')).toMatchObject({ stderr: 'removed 3 entries\n' })
  expect(await heldIn(importer)).toEqual([])
})
