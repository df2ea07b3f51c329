import { existsSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { DEFAULT_ACCOUNT } from '../../src/service/context.ts'
import { databases } from '../support/databases.ts'
import { ID } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { errorOf, allOf, type Ran, runHere, shellIn } from '../support/kpi.ts'
import { type Doors, openDoors } from '../support/newer-import.ts'
import { makeKey } from '../support/service.ts'

const { ann, bob, sales, visits } = ID
const HEADER = 'user,kpi,date,actual'
const IDS = `${HEADER}\n${ann},${sales},2026-03-01,1.5\n${ann},${visits},2026-03-01,2\n${bob},${sales},2026-03-02,3\n`
const HELD = [
  `user ${ann} ${sales} 2026-03-01 1.5 - -`,
  `user ${ann} ${visits} 2026-03-01 2 - -`,
  `user ${bob} ${sales} 2026-03-02 3 - -`,
]

const summaryOf = ({ stdout }: Pick<Ran, 'stdout'>): unknown => JSON.parse(stdout)

describe.each(databases)('a nightly import with a key that may only write entries, on %s', (_, make) => {
  test('loads a file of ids, again without changing anything, and can read nothing', async () => {
    await using doors = await openDoors(make)
    const { service, folder, url } = doors
    const account = await accounts.get(service.db, DEFAULT_ACCOUNT)
    const key = await makeKey(service.db, account, { scopes: 'entries:write' }, Math.floor(NOW / 1000))
    writeFileSync(folder.in('key'), `${key}\n`, { mode: 0o600 })
    doors.write('night.csv', IDS)
    const kpi = (...args: string[]): Promise<Ran> =>
      runHere(folder, args, { KPI_BASE_URL: `${url}/v1`, KPI_TOKEN_FILE: folder.in('key') })
    const nightly = (): Promise<Ran> => kpi('entries', 'import', 'night.csv', '-o', 'json')

    const first = await nightly()
    expect([first.code, first.stderr]).toEqual([
      0,
      'the key may not read KPIs (kpis:read), users (users:read): only the service can check what the rows say about them\n',
    ])
    expect(summaryOf(first)).toMatchObject({
      created: 3,
      rejected: 0,
      requests: 4,
      unchecked: 'KPIs, users, assignments',
    })
    // What the key may not read is not waited for.
    expect((summaryOf(first) as { seconds: number }).seconds).toBeLessThan(5)
    expect(await doors.held()).toEqual(HELD)
    expect(summaryOf(await nightly())).toMatchObject({ created: 0, updated: 0, unchanged: 3 })

    doors.write('night.csv', `${IDS}${bob},${visits},2026-03-02,4\n99,${sales},2026-03-02,5\nBob,98,2026-03-02,6\n`)
    const partly = await nightly()
    expect([partly.code, summaryOf(partly)]).toMatchObject([3, { created: 0, unchanged: 3, rejected: 3 }])
    expect(doors.read('night.rejects.csv').split('\n').slice(1, 4)).toEqual([
      `${bob},${visits},2026-03-02,4,5,kpi_id: KPI 2 (Visits) is not assigned to user 3 (Bob)`,
      `99,${sales},2026-03-02,5,6,user_id: there is no user 99`,
      'Bob,98,2026-03-02,6,7,"the key may not read users (users:read), so give the id instead of ""Bob"""',
    ])
    expect(await doors.held()).toEqual(HELD)

    for (const args of [['entries', 'list'], ['report'], ['kpis', 'list'], ['users', 'list']]) {
      const refused = await kpi(...args)
      expect([args[0], refused.code, refused.stdout]).toEqual([args[0], 4, ''])
      expect(refused.stderr).toMatch(/the key does not have the scope \w+:read/)
    }
  })
})

describe('a key', () => {
  let doors: Doors
  beforeAll(async () => {
    doors = await openDoors()
  })
  afterAll(async () => {
    await doors[Symbol.asyncDispose]()
  })
  const importWith = async (scopes: string[], text: string, ...args: string[]): Promise<Ran> => {
    doors.write('data.csv', text)
    return (await doors.keyed(...scopes))('entries', 'import', 'data.csv', '-o', 'json', ...args)
  }
  const WRITE = ['entries:write']

  test.each<[name: string, scopes: string[], text: string, args: string[], says: string]>([
    [
      'a user of all rows by name',
      WRITE,
      `kpi,date,actual\n${sales},2026-01-01,1\n`,
      ['--user', 'Bob'],
      '--user: the key may not read users (users:read), so give the id instead of "Bob"',
    ],
    [
      'KPIs by the headers of a wide file',
      WRITE,
      'date,user,Sales\n2026-01-01,3,1\n',
      ['--layout', 'wide'],
      'header: the key may not read KPIs (kpis:read), so give the id instead of "Sales" (to leave the column out, use --ignore)',
    ],
    [
      'KPIs by ids at the head of columns, where nothing says that the file is wide',
      WRITE,
      `date,user,${sales}\n2026-01-01,3,1\n`,
      [],
      'the key may not read KPIs (kpis:read), so the column headers have to be ids, with --layout wide',
    ],
    [
      'users by name in more than twenty rows',
      WRITE,
      `${HEADER}\n${`Bob,${sales},2026-01-01,1\n`.repeat(21)}`,
      [],
      'nothing was sent. The last of them: the key may not read users (users:read), so give the id instead of "Bob"',
    ],
  ])('that cannot look up names is told so before anything is sent: %s', async (_, scopes, text, args, says) => {
    const ran = await importWith(scopes, text, ...args)
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(allOf(errorOf(ran))).toContain(says)
    expect(await doors.held()).toEqual([])
  })

  test('that may read KPIs alone names them, and has them checked', async () => {
    const rows = [`${bob},Sales,2026-02-01,1`, `${bob},Salez,2026-02-01,1`, `${bob},Closed,2026-02-01,1`]
    const ran = await importWith([...WRITE, 'kpis:read'], `${HEADER}\n${rows.join('\n')}\n`)
    expect([ran.code, summaryOf(ran)]).toMatchObject([3, { created: 1, rejected: 2, unchecked: 'users, assignments' }])
    expect(doors.read('data.rejects.csv')).toMatch(
      /no KPI ""Salez""; did you mean ""Sales""\?[^]*KPI 3 \(Closed\) is inactive/,
    )
    expect(await doors.held()).toEqual([`user ${bob} ${sales} 2026-02-01 1 - -`])
  })

  test('that may read all but what is stored is told what could not be checked: no more than assignments', async () => {
    const scopes = [...WRITE, 'kpis:read', 'users:read']
    const ran = await importWith(scopes, `${HEADER}\nAnn Lee,Visits,2026-02-02,7\n`)
    expect(ran.stderr).not.toContain('may not read')
    expect([ran.code, summaryOf(ran)]).toMatchObject([0, { created: 1, unchecked: 'assignments' }])
  })

  test('that may only write loads wide files whose headers are ids', async () => {
    const ran = await importWith(WRITE, `date,user,${sales},${visits}\n2026-02-03,${ann},8,9\n`, '--layout', 'wide')
    expect([ran.code, summaryOf(ran)]).toMatchObject([0, { created: 2 }])
    const byUser = await importWith(WRITE, `date,${ann},${bob}\n2026-02-03,8,9\n`, '--layout', 'wide', '--kpi', '1')
    expect([byUser.code, summaryOf(byUser)]).toMatchObject([0, { created: 1, unchanged: 1 }])
  })

  test('that may only write has a dry run that says what it would send', async () => {
    const before = await doors.held()
    const ran = await importWith(WRITE, `${HEADER}\n${ann},${sales},2026-02-04,1\nAnn,1,2026-02-04,1\n`, '--dry-run')
    expect(ran.code).toBe(3)
    expect(summaryOf(ran)).toMatchObject([
      { line: 2, action: 'send', user_id: ann, source_id: null, kpi_id: sales, actual: 1 },
      { line: 3, action: 'reject' },
    ])
    expect(ran.stderr).toContain('0 unchanged, 1 to send as what is there cannot be read, 1 row to reject')
    expect(ran.stderr).toContain('not checked: KPIs, users, assignments, entries')
    expect(await doors.held()).toEqual(before)
  })

  test('that may read entries but not KPIs has a dry run that tells all that does not depend on the KPI', async () => {
    const stored = [`${ann},${visits},2026-02-08,1,5,`, `${ann},${visits},2026-02-09,1,5,`]
    const head = `${HEADER},target,notes`
    await importWith(WRITE, `${head}\n${stored.join('\n')}\n`)
    const before = await doors.held()
    const rows = [
      stored[0],
      `${ann},${visits},2026-02-09,1,6,`,
      `${ann},${visits},2026-02-10,1,6,`,
      `${ann},${visits},2026-02-11,,6,`,
      `${ann},${visits},2026-02-12,,,note`,
    ]
    const rehearse = (lines: readonly unknown[]): Promise<Ran> =>
      importWith([...WRITE, 'entries:read'], `${head}\n${lines.join('\n')}\n`, '--dry-run')
    const ran = await rehearse(rows)
    expect(ran.code).toBe(0)
    expect(summaryOf(ran)).toMatchObject([
      { line: 2, action: 'unchanged' },
      { line: 3, action: 'send' },
      { line: 4, action: 'create' },
      { line: 5, action: 'send' },
      { line: 6, action: 'create' },
    ])
    expect(ran.stderr).toContain(
      '2 entries to create, 0 to update, 1 unchanged, 2 to send as the KPIs, which may have targets,',
    )
    const changed = await rehearse([`${ann},${visits},2026-02-09,2,6,`])
    expect(summaryOf(changed)).toMatchObject([{ line: 2, action: 'update' }])
    expect(changed.stderr).not.toContain('to send')
    expect(await doors.held()).toEqual(before)
  })

  test('that may only write sends what clears; the service refuses what has nothing to clear', async () => {
    await importWith(WRITE, `${HEADER},notes\n${bob},${sales},2026-02-05,1,x\n`)
    const rows = `${bob},${sales},2026-02-05,,\n${bob},${sales},2026-02-06,,\n`
    const ran = await importWith(WRITE, `user,kpi,date,notes,target\n${rows}`, '--empty', 'clear')
    expect([ran.code, summaryOf(ran)]).toMatchObject([3, { updated: 1, rejected: 1 }])
    expect(doors.read('data.rejects.csv')).toMatch(/2026-02-06,,,3,actual: is required where/)
    expect(await doors.held()).toContain(`user ${bob} ${sales} 2026-02-05 1 - -`)
  })

  test.each([[[]], [['--dry-run']]])('that may only read is refused before the file is checked %j', async (args) => {
    const before = await doors.held()
    const ran = await importWith(
      ['kpis:read', 'users:read', 'entries:read'],
      `${HEADER}\nBob,Nope,2026-02-07,1\n`,
      ...args,
    )
    expect([ran.code, ran.stdout]).toEqual([4, ''])
    expect(errorOf(ran).message).toMatch(
      /^the key does not have the scope entries:write, which this needs; nothing was sent\b/,
    )
    expect(await doors.held()).toEqual(before)
  })
})

describe('a key that may not read breakdown items', () => {
  let doors: Doors
  let items: ReadonlyMap<number, number>
  beforeAll(async () => {
    doors = await openDoors()
    items = new Map((await doors.newer.breakdownItems.list()).map(({ id, user_id }) => [user_id ?? 0, id]))
  })
  afterAll(async () => {
    await doors[Symbol.asyncDispose]()
  })
  const HEAD = 'user,source,kpi,date,actual'
  const importBoth = async (rows: readonly string[], ...args: string[]): Promise<Ran> => {
    doors.write('data.csv', [HEAD, ...rows, ''].join('\n'))
    return (await doors.keyed('entries:write'))('entries', 'import', 'data.csv', '-o', 'json', ...args)
  }
  const itemOf = (user: number): number => items.get(user) ?? 0
  const mixed = (user: number, source: number): string =>
    `the key may not read breakdown items (breakdowns:read), so it cannot be checked whether a user and a source are the same: line ${user} ` +
    `gives only a user, line ${source} only a source; use the same one for all rows (nothing was sent)`

  test.each([['error'], ['first'], ['last'], ['sum']])(
    'is refused a person named as a user and as a source, as it may be the same twice: --on-duplicate %s',
    async (how) => {
      const before = await doors.held()
      const rows = [`${bob},,1,2026-05-01,20`, `,${itemOf(bob)},1,2026-05-01,10`]
      for (const args of [[], ['--dry-run']]) {
        const ran = await importBoth(rows, '--on-duplicate', how, ...args)
        expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, '', expect.stringContaining(mixed(2, 3))])
      }
      expect(await doors.held()).toEqual(before)
    },
  )

  test('is refused that at any distance, also where a user stands beside a source', async () => {
    const many = Array.from({ length: 6000 }, (_, at) => `${bob},${itemOf(bob)},1,2026-05-01,${at}`)
    const ran = await importBoth([...many, `,${itemOf(ann)},1,2026-05-01,1`], '--on-duplicate', 'last')
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(mixed(2, 6002))])
  })

  test('is not refused that for rows that are not sent', async () => {
    const ran = await importBoth([
      `${bob},,1,2026-05-02,1`,
      `,${itemOf(ann)},1,2026-02-30,1`,
      `,${itemOf(ann)},1,2026-05-02,`,
    ])
    expect([ran.code, summaryOf(ran)]).toMatchObject([3, { created: 1, rejected: 1, empty: 1 }])
  })

  test('loads a list that was exported, which names users and their sources, without changing anything', async () => {
    await importBoth([`${bob},,1,2026-06-01,1`, `${ann},,2,2026-06-02,2.5`])
    const all = await doors.keyed()
    const listed = await all('entries', 'list', '--from', '2026-06-01', '--to', '2026-06-30', '-o', 'csv')
    expect(listed.stdout).toContain(`,${ann},${itemOf(ann)},`)
    doors.write('list.csv', listed.stdout)
    const before = await doors.held()
    const ran = await (await doors.keyed('entries:write'))('entries', 'import', 'list.csv', '-o', 'json')
    expect([ran.code, summaryOf(ran)]).toMatchObject([0, { read: 2, created: 0, updated: 0, unchanged: 2 }])
    expect(await doors.held()).toEqual(before)
  })

  test('has the service compare a user with the source beside it, in every row of that user', async () => {
    const { north, south } = doors.items
    const before = await doors.held()
    const ran = await importBoth([
      `${bob},${north},1,2026-05-03,1`,
      `${bob},,1,2026-05-04,2`,
      `${bob},${south},1,2026-05-05,3`,
      `${ann},${itemOf(ann)},1,2026-05-03,4`,
    ])
    expect([ran.code, summaryOf(ran)]).toMatchObject([3, { created: 1, rejected: 3 }])
    const other = `source_id: breakdown item ${north} (North) is not that of user ${bob}`
    expect(doors.read('data.rejects.csv').split('\n').slice(1, 4)).toEqual([
      `${bob},${north},1,2026-05-03,1,2,${other}`,
      `${bob},,1,2026-05-04,2,3,${other}`,
      `${bob},${south},1,2026-05-05,3,4,"user ${bob} cannot be both source ${south} and source ${north}, which another row gives"`,
    ])
    expect(await doors.held()).toEqual([...before, `user ${ann} 1 2026-05-03 4 - -`].toSorted())
  })

  test('takes the last of several rows where some of them name the source, too', async () => {
    const rows = [`${bob},${itemOf(bob)},1,2026-05-06,1`, `${bob},,1,2026-05-06,2`]
    const ran = await importBoth(rows, '--on-duplicate', 'last')
    expect([ran.code, summaryOf(ran)]).toMatchObject([0, { created: 1, rejected: 0 }])
    expect(await doors.held()).toContain(`user ${bob} 1 2026-05-06 2 - -`)
  })
})

test('an account without access is not taken for a key that may only write', async () => {
  await using doors = await openDoors()
  await accounts.setApiEnabled(doors.service.db, DEFAULT_ACCOUNT, false)
  doors.write('data.csv', `${HEADER}\nBob,Sales,2026-02-07,1\n`)
  for (const args of [[], ['--dry-run']]) {
    const ran = await (await doors.keyed())('entries', 'import', 'data.csv', ...args)
    expect([ran.code, ran.stdout]).toEqual([4, ''])
    expect(ran.stderr).toMatch(/enable-api|API.*; nothing was sent/)
  }
  expect(existsSync(doors.folder.in('data.rejects.csv'))).toBe(false)
})

test('a limit that answers 403 is not taken for a scope that is missing', async () => {
  const limited = {
    status: 403,
    headers: { 'content-type': 'application/problem+json', 'retry-after': '5' },
    body: '{"title":"Not now","status":403}',
  }
  await using doors = await openDoors(
    undefined,
    (handler) => async (request) => (request.target.endsWith('/users') ? limited : handler(request)),
  )
  doors.write('data.csv', IDS)
  const ran = await (await doors.keyed())('entries', 'import', 'data.csv')
  expect([ran.code, ran.stderr]).toEqual([5, expect.stringContaining('Not now')])
  expect(await doors.held()).toEqual([])
})

test('warns of a key that ends within 14 days, however the import ends, and also where nothing else is said', async () => {
  await using doors = await openDoors()
  const { service, folder, url } = doors
  const account = await accounts.get(service.db, DEFAULT_ACCOUNT)
  const DAY = 86_400
  const importWith = async (days: number, ...flags: string[]): Promise<Ran> => {
    const draft = { name: 'nightly', scopes: 'entries:write', expires_at: NOW / 1000 + days * DAY }
    const KPI_TOKEN = await makeKey(service.db, account, draft)
    const env = { KPI_BASE_URL: `${url}/v1`, KPI_TOKEN }
    return shellIn({ home: folder.path, env })('entries', 'import', 'night.csv', '--quiet', ...flags)
  }
  const warned =
    /^warning: key \d+ \(nightly\) expires on 2026-12-01, in 10 days; unless it has been replaced already, rotate it on the service: .*\n$/
  doors.write('night.csv', IDS)
  const [loaded, rehearsed] = [await importWith(10), await importWith(10, '--dry-run')]
  expect([loaded.code, rehearsed.code]).toEqual([0, 0])
  for (const { stderr } of [loaded, rehearsed]) expect(stderr).toMatch(warned)
  expect(await importWith(15)).toMatchObject({ code: 0, stderr: '' })

  doors.write('night.csv', `${HEADER}\nBob,1,2026-03-02,6\n`)
  const [line = '', ...more] = (await importWith(10)).stderr.split('\n')
  expect(`${line}\n`).toMatch(warned)
  expect(more).toEqual([expect.stringContaining('1 row was rejected'), ''])
})
