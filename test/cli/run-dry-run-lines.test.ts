import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { embeddedUser, fillShop, type User, users } from '../support/user.ts'

/** What a line of a job comes to, as a dry run foresees it, and as the run ends. */
type Case = readonly [line: string, code: number, told: string]

/** Lines that are refused as the job is read. */
const WRONG: readonly Case[] = [
  ['kpis list --columns id,nmae', 2, 'kpis have no field "nmae"; did you mean name?'],
  ['entries list --columns id,nope', 2, 'entries have no field "nope"'],
  ['users list --filter nope=1', 2, 'users have no field "nope"'],
  ['users list --filter user_status_id', 2, '--filter user_status_id has no value'],
  ['users list --sort -nope', 2, 'users have no field "nope"'],
  ['kpis list --limit many', 2, '--limit many is not a number of rows'],
  ["kpis list --jq '.[] |'", 2, '--jq .[] | is not a filter'],
  ['kpis list --jq . -o csv', 2, '--jq filters JSON'],
  ['kpis delete Visits', 2, 'kpi kpis delete needs --yes, as a job can ask nobody'],
  ['entries delete --from 2026-03-01 --to 2026-03-02', 2, 'kpi entries delete needs --yes, as a job can ask nobody'],
  ['undo', 2, 'kpi undo needs --yes, as a job can ask nobody'],
  ['users list --lock night', 2, '--lock night is the lock that the job holds, so that this step would end with 8'],
]

/** Lines that a dry run tries. */
const TRIED: readonly Case[] = [
  ['kpis get Nope', 2, '"Nope"'],
  ['kpis delete Nope --yes', 2, '"Nope"'],
  ['entries delete --from 2026-03-01 --to 2026-03-02 --user Nobody --yes', 2, '"Nobody"'],
  ['entries list --kpi Nope', 2, '"Nope"'],
  ['assign add --users Nobody --kpis Visits', 2, '"Nobody"'],
  ['users import gone.csv', 1, 'gone.csv'],
  ['plan gone.yaml', 1, 'gone.yaml'],
  ['users list --filter user_status_id=A --sort -last_name --columns id,first_name --limit 2', 0, ''],
  ['kpis list --jq .[].name --to-file names.json', 0, ''],
  ['kpis delete Visits --yes', 0, ''],
  ['kpis delete Visits --dry-run', 0, ''],
  ['entries list --columns id,kpi,user', 0, ''],
  ['users create --first-name Cy --email cy@example.com', 0, ''],
]

const jobOf = (user: User, steps: readonly string[]): void =>
  writeFileSync(
    user.folder.in('job.yaml'),
    `lock: night\nsteps:\n${steps.map((line) => `  - run: ${JSON.stringify(line)}\n`).join('')}`,
  )

describe.each(users)('%s, a line of a job', (_, open) => {
  test.each([...WRONG, ...TRIED])('%s: the dry run ends as the run, and changes nothing', async (line, code, told) => {
    await using user = await open()
    await fillShop(user)
    mkdirSync(user.folder.in('state'), { recursive: true })
    jobOf(user, [line])
    const before = await user.client.kpis.list()
    const dry = await user.kpi('run', 'job.yaml', '--dry-run')
    expect([dry.code, dry.stderr]).toEqual([code, expect.stringContaining(told)])
    expect(dry.stderr).not.toContain('not tried')
    expect([await user.client.kpis.list(), await user.client.users.list()]).toEqual([before, expect.anything()])
    expect(readdirSync(user.folder.path)).not.toContain('names.json')
    const ran = await user.kpi('run', 'job.yaml')
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(told)])
  })
})

describe('what earlier lines may change', () => {
  test.each([
    [
      ['users create --first-name Cy --email cy@example.com', 'users get Cy'],
      'step 2, run: not tried: an earlier step may change',
    ],
    [['users list --to-file people.csv --columns email', 'users import people.csv'], 'step 2, run: not tried'],
    [['kpis list', 'kpis get Nope'], 'step 2, run, would end with 2'],
  ])('%j is not missed', async (lines, told) => {
    await using user = await embeddedUser()
    jobOf(user, lines)
    expect((await user.kpi('run', 'job.yaml', '--dry-run')).stderr).toContain(told)
  })

  test('a report that is verified changes nothing, and names behind it are looked up', async () => {
    await using user = await embeddedUser()
    const steps =
      '  - export: r.csv\n    flags: { manifest: true }\n  - verify: r.csv\n  - check:\n    flags: { kpis: Nope }\n'
    writeFileSync(user.folder.in('job.yaml'), `steps:\n${steps}`)
    expect((await user.kpi('run', 'job.yaml', '--dry-run')).stderr).toContain('step 3, check, would end with 2')
  })

  test('a line that takes back what an earlier step imports is not tried', async () => {
    await using user = await embeddedUser()
    await fillShop(user)
    writeFileSync(user.folder.in('a.csv'), 'user,kpi,date,actual\nAnn Lee,Visits,2026-03-02,1\n')
    const steps = 'steps:\n  - import: a.csv\n  - run: undo --yes\n'
    writeFileSync(user.folder.in('job.yaml'), steps)
    const dry = await user.kpi('run', 'job.yaml', '--dry-run')
    expect([dry.code, dry.stderr]).toEqual([0, expect.stringContaining('step 2, run: not tried: an earlier step may')])
  })
})

test('a lock of the command line is the lock of the job, too, and others are free', async () => {
  await using user = await embeddedUser()
  jobOf(user, ['users list --lock other', 'users list'])
  expect((await user.kpi('run', 'job.yaml')).code).toBe(0)
  expect((await user.kpi('run', 'job.yaml', '--lock', 'other')).stderr).toContain(
    'line 3: --lock other is the lock that the job holds',
  )
  writeFileSync(user.folder.in('job.yaml'), 'lock: a\nsteps:\n  - report:\n    flags: { rows: true, lock: a }\n')
  expect((await user.kpi('run', 'job.yaml')).stderr).toContain('line 4: --lock a is the lock that the job holds')
})
