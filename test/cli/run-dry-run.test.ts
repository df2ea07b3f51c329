import { describe, expect, test } from 'vitest'
import { writeFileSync } from 'node:fs'
import type { Scope } from '../../src/domain/scopes.ts'
import { type Fault, faultyProxy, refuse } from '../support/faulty-proxy.ts'
import { errorOf, type Ran } from '../support/kpi.ts'
import { remoteImporter, userNamed } from '../support/import.ts'
import type { Handler } from '../../src/server/wire.ts'
import { embeddedUser, fillShop, newerUser, remoteUser, remoteUserBehind, type User } from '../support/user.ts'

const dryRun = (user: User, steps: string, ...more: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('job.yaml'), `steps:\n${steps}`)
  writeFileSync(user.folder.in('a.csv'), 'user,kpi,date,actual\n2,1,2026-03-02,1\n')
  return user.kpi('run', 'job.yaml', '--dry-run', ...more)
}

/** Returns what a dry run foresees of each command, and what it says at last. */
const foreseen = ({ stdout }: Ran): unknown[] =>
  (JSON.parse(stdout) as { outcome: string; exit_code: number | null }[]).map(({ outcome, exit_code }) =>
    exit_code === null ? outcome : `${outcome} ${exit_code}`,
  )

const EXPORT = '  - export: r.csv\n'
const MISSED = '  - check:\n    flags: { only: missed }\n'
const IMPORT = '  - import: a.csv\n'
const ALL: readonly Scope[] = ['entries:write', 'entries:read', 'users:read', 'kpis:read', 'reports:read']
const without = (...scopes: Scope[]): Scope[] => ALL.filter((scope) => !scopes.includes(scope))

describe('a dry run with a key of the newer interface', () => {
  test.each<[what: string, step: string, scopes: readonly Scope[], code: number, why: string]>([
    ['check, for missing values', '  - check:\n', ALL, 7, '--only missed checks the targets alone'],
    [
      'check',
      MISSED,
      without('reports:read'),
      4,
      'the key does not have the scope reports:read, which this needs; use a key that has it',
    ],
    [
      'check, of names',
      '  - check:\n    flags: { only: missed, kpis: [Visits], users: Ann Lee }\n',
      without('kpis:read', 'users:read'),
      4,
      'the key does not have the scopes kpis:read, users:read',
    ],
    [
      'import',
      IMPORT,
      without('entries:write'),
      4,
      '--scopes kpis:read,entries:read,entries:write,reports:read,users:read',
    ],
    [
      'import that assigns',
      '  - import: a.csv\n    flags: { create-assignments: true }\n',
      ALL,
      7,
      'assign the KPIs in the application, or with a classic profile',
    ],
    ['report', '  - report:\n', without('reports:read'), 4, 'reports:read'],
    [
      'report of what is missing',
      '  - report:\n    flags: { only-missing: true }\n',
      ALL,
      7,
      'has no assignments of KPIs',
    ],
    ['export', EXPORT, without('reports:read'), 4, 'reports:read'],
    ['export by category', `${EXPORT}    flags: { group-by: category }\n`, without('kpis:read'), 4, 'kpis:read'],
    ['export of a category', `${EXPORT}    flags: { category: "1" }\n`, without('kpis:read'), 4, 'kpis:read'],
    ['export_entries', '  - export_entries: e.csv\n', without('entries:read'), 4, 'entries:read'],
    [
      'export_entries with names',
      '  - export_entries: e.csv\n    flags: { names: true }\n',
      without('users:read'),
      4,
      'users:read',
    ],
  ])('finds what %s lacks', async (_what, step, scopes, code, why) => {
    await using user = await newerUser(scopes)
    await fillShop(user)
    const ran = await dryRun(user, `  - verify: old.csv\n    on_failure: continue\n${step}`, '-o', 'json')
    expect([ran.code, ...foreseen(ran)]).toEqual([code, 'failed 1', `failed ${code}`])
    expect(errorOf(ran).message).toContain('the job job.yaml would fail')
    expect(JSON.stringify(errorOf(ran))).toContain(why)
    // The step itself ends so.
    const real = await user.kpi('run', 'job.yaml', '-o', 'json')
    expect(foreseen(real).at(-1)).toBe(`failed ${code}`)
  })

  test.each<[what: string, steps: string, scopes: readonly Scope[]]>([
    ['what it may do', `${IMPORT}${EXPORT}${MISSED}  - export_entries: e.csv\n`, ALL],
    ['names that are ids', '  - check:\n    flags: { only: missed, kpis: [1, 2], users: "2" }\n', ['reports:read']],
    ['a step that does not use the service', '  - webhook: https://a.example.com\n', ['kpis:read']],
    [
      'a file that an earlier step writes',
      `${EXPORT}    flags: { manifest: true }\n  - verify: r.csv\n`,
      ['reports:read'],
    ],
  ])('finds nothing in %s', async (_what, steps, scopes) => {
    await using user = await newerUser(scopes)
    await fillShop(user)
    const ran = await dryRun(user, steps, '-o', 'json')
    expect([ran.code, ...new Set(foreseen(ran))]).toEqual([0, 'planned'])
  })

  test('says what files must hold where the key looks up no names', async () => {
    await using user = await newerUser(['entries:write'])
    const ran = await dryRun(user, IMPORT)
    expect([ran.code, ran.stderr.split('\n')[1]]).toEqual([
      0,
      'step 1, import: without users:read and kpis:read, the key looks up no such names, so its files must hold ids',
    ])
  })
})

test('finds what the classic interface lacks', async () => {
  await using user = await remoteUser()
  const ran = await dryRun(
    user,
    `  - check:\n  - export_entries: e.csv\n    flags: { source: North }\n${EXPORT}`,
    '-o',
    'json',
  )
  expect([ran.code, ...foreseen(ran)]).toEqual([7, 'planned', 'failed 7', 'planned'])
})

test('finds nothing on the embedded service, which has both', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const ran = await dryRun(
    user,
    `  - check:\n${IMPORT}    flags: { create-assignments: true }\n${EXPORT}`,
    '-o',
    'json',
  )
  expect([ran.code, ...new Set(foreseen(ran))]).toEqual([0, 'planned'])
})

describe('a dry run asks its service', () => {
  const STEPS = `${IMPORT}${EXPORT}${MISSED}`

  const runBehind = async (fault?: Fault): Promise<{ ran: Ran; reached: readonly string[] }> => {
    let reached: readonly string[] = []
    let isOn = false
    await using user = await remoteUserBehind(async (url) => {
      const proxy = await faultyProxy(
        url,
        () => (isOn ? fault : undefined),
        () => true,
      )
      reached = proxy.reached
      return proxy.url
    })
    await fillShop(user)
    isOn = true
    const before = reached.length
    const ran = await dryRun(user, STEPS, '-o', 'json')
    return { ran, reached: reached.slice(before) }
  }

  test('once what it allows', async () => {
    const { ran, reached } = await runBehind()
    expect([ran.code, reached.filter((path) => path === '/api/kpifrequencies')]).toEqual([0, ['/api/kpifrequencies']])
  })

  test('and says that its token is refused', async () => {
    const { ran } = await runBehind(refuse(401))
    expect([ran.code, ...foreseen(ran)]).toEqual([4, 'failed 4', 'failed 4', 'failed 4'])
  })

  test('and plans all the same where it does not answer', async () => {
    const { ran } = await runBehind((response) => void response.destroy())
    expect([ran.code, ...new Set(foreseen(ran))]).toEqual([0, 'planned'])
    expect(ran.stderr.match(/what the service allows was not looked at: cannot reach/g)).toHaveLength(1)
  })
})

test.each(['', 'deadline: 1h\n', 'deadline: 1h\nretry: until-deadline\n'])(
  'a dry run of a job with "%s" waits a few seconds for a service that stops to answer well, and says which step fails',
  async (head) => {
    let asked = 0
    const wrap =
      (handler: Handler): Handler =>
      (request) =>
        (asked += 1) <= 1 ? handler(request) : Promise.resolve({ status: 503, headers: {}, body: '' })
    await using importer = await remoteImporter({ wrap })
    importer.write('a.csv', 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\n')
    importer.write('job.yaml', `${head}steps:\n${IMPORT}`)
    const ran = await importer.kpi('run', 'job.yaml', '--dry-run', '-o', 'json')
    expect([ran.code, ...foreseen(ran)]).toEqual([5, 'failed 5'])
    expect(errorOf(ran).message).toMatch(
      /step 1, import, would end with 5: .* answered with status 503; try again later$/,
    )
    // One that waits until a deadline, or a quarter of an hour, sends more than 30.
    expect(asked).toBeLessThan(12)
  },
)

describe('a dry run ends as the job would at once', () => {
  const WIDE = '  - import: wide.csv\n    flags: { user: "2", date: 2026-03-02 }\n'
  const CREATES = '  - import: long.csv\n    flags: { create-missing: kpis, frequency: D, create-assignments: true }\n'

  test.each<[what: string, steps: string, isFilled: boolean, ends: string[]]>([
    ['a file that is not there', '  - import: gone.csv\n', true, ['failed 1']],
    ['files of which one is not there', '  - import: [a.csv, gone.csv]\n', true, ['planned', 'failed 1']],
    ['a pattern that finds none', '  - import: gone-*.csv\n', true, ['failed 1']],
    ['a verified file that is not there', '  - verify: gone.csv\n', true, ['failed 1']],
    ['a verified file without a manifest', '  - verify: a.csv\n', true, ['failed 1']],
    [
      'a query on a store that is not there',
      '  - import:\n    flags: { sql: select 1, from-db: gone.db }\n',
      true,
      ['failed 1'],
    ],
    ['columns of KPIs that are not there', WIDE, false, ['failed 1']],
    ['rows of KPIs that are not there', '  - import: long.csv\n', false, ['found 3']],
    ['a KPI in the flags that is not there', '  - check:\n    flags: { kpis: Sales }\n', true, ['failed 2']],
    [
      'a user in the flags that is not there',
      '  - export_entries: e.csv\n    flags: { user: Nobody }\n',
      true,
      ['failed 2'],
    ],
  ])('with %s', async (_what, steps, isFilled, ends) => {
    await using user = await embeddedUser()
    await (isFilled ? fillShop(user) : user.client.users.add(userNamed('Ann')))
    writeFileSync(user.folder.in('long.csv'), 'user,kpi,date,actual\n2,Sales,2026-03-02,1\n')
    writeFileSync(user.folder.in('wide.csv'), 'Sales,Costs\n1,2\n')
    const ran = await dryRun(user, steps, '-o', 'json')
    expect(foreseen(ran)).toEqual(ends)
    const real = await user.kpi('run', 'job.yaml', '-o', 'json')
    expect(ran.code).toBe(real.code)
    expect(ran.code).not.toBe(0)
  })

  test.each<[what: string, steps: string]>([
    ['a pattern whose files are moved may find none', '  - import: gone-*.csv\n    move_to: done\n'],
    ['its flags create the KPIs', CREATES],
    ['an earlier step creates the KPIs', `${CREATES}  - import: later.csv\n  - check:\n    flags: { kpis: Sales }\n`],
  ])('and finds nothing where %s', async (_what, steps) => {
    await using user = await embeddedUser()
    await user.client.users.add(userNamed('Ann'))
    writeFileSync(user.folder.in('long.csv'), 'user,kpi,date,actual\n2,Sales,2026-03-02,1\n')
    writeFileSync(user.folder.in('later.csv'), 'user,kpi,date,actual\n2,Sales,2026-03-03,1\n')
    const ran = await dryRun(user, steps, '-o', 'json')
    expect([ran.stderr, ran.code]).toEqual([expect.stringContaining('dry run, nothing was done'), 0])
    expect(await user.client.kpis.list()).toEqual([])
  })
})
