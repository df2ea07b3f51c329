import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { embeddedImporter, heldIn, type Importer, remoteImporter } from '../support/import.ts'
import { NOW, type World } from '../support/io.ts'
import { type Ran, shellIn } from '../support/kpi.ts'
import { openDoors } from '../support/newer-import.ts'
import { makeKey } from '../support/service.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { DEFAULT_ACCOUNT } from '../../src/service/context.ts'

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\nBob,Sales,2026-03-01,2\n'

type Message = { readonly outcome: string; readonly exit_code: number; readonly steps: readonly object[] }

/** A receiver that answers with these statuses, then with 200; with 0 it never answers. */
const receiver = async (...statuses: number[]) => {
  const taken: Message[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const status = statuses.shift() ?? 200
      if (status === 200) taken.push(JSON.parse(text) as Message)
      if (status !== 0) response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { taken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

/** A folder with a job, and files to import in its inbox. */
const openJob = async (job: string): Promise<Importer & { readonly run: (world?: Partial<World>) => Promise<Ran> }> => {
  const importer = await embeddedImporter()
  mkdirSync(importer.folder.in('inbox'))
  importer.write('job.yaml', job)
  const run = (world: Partial<World> = {}): Promise<Ran> =>
    shellIn({ ...importer.world, ...world })('run', 'job.yaml', '-o', 'json')
  return { ...importer, run }
}

const rowsOf = ({ stdout }: Ran) =>
  JSON.parse(stdout) as { outcome: string; exit_code: number | null; message: string | null }[]

const outcomes = (ran: Ran): unknown => rowsOf(ran).map(({ outcome, exit_code }) => [outcome, exit_code])

/** Two messages that nobody takes: the waits between them take six seconds of the job's clock. */
const SIX_SECONDS = [503, 503]

describe('a webhook', () => {
  test.each([
    { rows: '', outcome: 'done', code: 0 },
    { rows: 'Bob,Sales,2026-03-03,x\n', outcome: 'found', code: 3 },
  ])('is told of $code as $outcome', async ({ rows, outcome, code }) => {
    const { taken, url } = await receiver()
    await using job = await openJob(`steps:\n  - import: inbox/*.csv\n  - webhook: ${url}\n`)
    job.write('inbox/a.csv', FILE + rows)
    expect((await job.run()).code).toBe(code)
    expect(taken).toMatchObject([{ outcome, exit_code: code }])
  })

  test('is told of missed targets as found', async () => {
    const { taken, url } = await receiver()
    await using job = await openJob(
      `steps:\n  - check:\n    flags: { kpis: Visits, from: 2026-03-01, to: yesterday }\n  - webhook: ${url}\n`,
    )
    await job.kpi('assign', 'add', '--users', 'Ann Lee', '--kpis', 'Visits')
    expect((await job.run()).code).toBe(10)
    expect(taken).toMatchObject([{ outcome: 'found', exit_code: 10, steps: [{ outcome: 'found' }] }])
  })

  test('names what a check found: the KPI, the person, the value and the target', async () => {
    const { taken, url } = await receiver()
    const flags = 'flags: { kpis: Visits, from: 2026-03-01, to: 2026-03-02 }'
    await using job = await openJob(`steps:\n  - import: inbox/*.csv\n  - check:\n    ${flags}\n  - webhook: ${url}\n`)
    await job.kpi('kpis', 'update', 'Visits', '--target-default', '100')
    await job.kpi('assign', 'add', '--users', 'Ann', '--kpis', 'Visits')
    job.write('inbox/a.csv', 'user,kpi,date,actual\nAnn Lee,Visits,2026-03-01,80.25\n')
    const ran = await job.run()
    const words =
      'checked 2 values: 1 target missed, 1 value missing; missed: Visits of Ann Lee, 2026-03-01, 80.25 of 100; missing: Visits of Ann Lee, 2026-03-02'
    expect(rowsOf(ran)[1]?.message).toBe(words)
    expect(ran.stderr).toContain(`step 2, check, ended with 10: ${words}`)
    const shared = { kpiName: 'Visits', itemName: 'Ann Lee', target: 100 }
    expect(taken[0]?.steps[1]).toMatchObject({
      message: words,
      problems: [
        { ...shared, problem: 'missed', entryDate: '2026-03-01', actual: 80.25 },
        { ...shared, problem: 'missing', entryDate: '2026-03-02', actual: null },
      ],
    })
    expect(taken[0]?.steps[0]).not.toHaveProperty('problems')
  })

  test('has a bounded length, whatever a check found', async () => {
    const { taken, url } = await receiver()
    const flags = 'flags: { kpis: Visits, from: 2026-03-01, to: 2026-08-31, only: missing }'
    await using job = await openJob(`steps:\n  - check:\n    ${flags}\n  - webhook: ${url}\n`)
    await job.kpi('assign', 'add', '--users', 'Ann', '--kpis', 'Visits')
    const ran = await job.run()
    const message = rowsOf(ran)[0]?.message ?? ''
    expect([message.split('missing: Visits').length - 1, message.endsWith('; and 174 more')]).toEqual([10, true])
    const [first] = (taken[0]?.steps ?? []) as { problems?: unknown[]; more_problems?: number }[]
    expect([first?.problems?.length, first?.more_problems]).toEqual([100, 84])
  })

  test.each([
    ['imports', '  - import: a.csv\n  - import: a.csv\n', 3],
    ['only reads', '  - report:\n  - run: kpis list\n', 0],
    ['cannot be done', '  - run: kpis get 99\n', 1],
  ])(
    'is told of a key that expires soon, of a job that %s; so is standard error under --quiet, once',
    async (_what, steps, code) => {
      const { taken, url } = await receiver()
      await using doors = await openDoors()
      const account = await accounts.get(doors.service.db, DEFAULT_ACCOUNT)
      const key = async (days: number): Promise<string> =>
        makeKey(doors.service.db, account, { name: 'nightly', expires_at: NOW / 1000 + days * 86_400 })
      doors.write('a.csv', `${FILE}Bob,Sales,x,1\n`)
      doors.write('job.yaml', `log: job.log\nsteps:\n${steps}  - webhook: ${url}\n`)
      const runWith = async (KPI_TOKEN: string): Promise<Ran> => {
        const env = { KPI_BASE_URL: `${doors.url}/v1`, KPI_TOKEN }
        return shellIn({ home: doors.folder.path, env })('run', 'job.yaml', '--quiet')
      }
      const ran = await runWith(await key(10))
      const words = /^key \d+ \(nightly\) expires on 2026-12-01, in 10 days; .*kpi service keys rotate \d+$/
      expect([ran.code, taken[0]]).toMatchObject([code, { exit_code: code, warnings: [expect.stringMatching(words)] }])
      expect(ran.stderr.match(/^warning: key \d+ \(nightly\) expires on /gm)).toHaveLength(1)
      expect(doors.read('job.log')).toMatch(/\[1 \w+\] warning: key \d+ \(nightly\) expires on/)
      // It is not what became of the step.
      expect(JSON.stringify(taken[0]?.steps)).not.toContain('expires')
      const later = await runWith(await key(15))
      expect([later.code, later.stderr.includes('expires'), Object.keys(taken[1] ?? {})]).toEqual([
        code,
        false,
        ['outcome', 'exit_code', 'at', 'service', 'steps'],
      ])
    },
  )

  test.each([
    ['the usual folder', {}, '.local/share/kpi (default)'],
    ['the profile that a variable names', { KPI_PROFILE: 'nightly' }, 'shop (profile nightly)'],
    ['a folder', { KPI_DATA_DIR: 'own' }, 'own (KPI_DATA_DIR)'],
  ])('says which service is used, as do the dry run and the log: %s', async (_what, env, shown) => {
    const { taken, url } = await receiver()
    await using job = await openJob(`log: job.log\nsteps:\n  - report:\n  - webhook: ${url}\n`)
    const kpi = shellIn({ home: job.folder.path, env })
    expect(
      (await shellIn({ home: job.folder.path, env: {} })('profiles', 'add', 'nightly', '--data-dir', 'shop')).code,
    ).toBe(0)
    expect((await shellIn({ home: job.folder.path, env: {} })('profiles', 'use', '--none')).code).toBe(0)
    const service = `embedded, in ${job.folder.in(shown)}`
    expect((await kpi('run', 'job.yaml', '--dry-run')).stderr.split('\n')[0]).toBe(`service: ${service}`)
    expect((await kpi('run', 'job.yaml')).code).toBe(0)
    expect(
      job
        .read('job.log')
        .split('\n')[1]
        ?.split(/(?<=Z) /)[1],
    ).toBe(`service: ${service}`)
    expect(taken).toMatchObject([{ service }])
  })

  test('that nobody answers ends with the deadline of the job', async () => {
    const { url } = await receiver(0, 0, 0)
    const alarms: number[] = []
    await using job = await openJob(`deadline: 20s\nsteps:\n  - webhook: ${url}\n`)
    const alarm = (milliseconds: number): AbortSignal => {
      alarms.push(milliseconds)
      return AbortSignal.timeout(milliseconds / 100)
    }
    const ran = await job.run({ alarm })
    expect(rowsOf(ran)).toMatchObject([
      { exit_code: 5, message: expect.stringContaining('it had not answered when its time was over') as string },
    ])
    // The first two are for the reading of the job.
    expect(alarms.slice(2)).toEqual([20_000])
  })

  test('has ten seconds where the deadline has passed', async () => {
    const [first, last] = [await receiver(...SIX_SECONDS), await receiver()]
    const alarms: number[] = []
    await using job = await openJob(
      `deadline: 5s\nsteps:\n  - webhook: ${first.url}\n  - report:\n  - webhook: ${last.url}\n`,
    )
    const alarm = (milliseconds: number): AbortSignal => {
      alarms.push(milliseconds)
      return new AbortController().signal
    }
    const ran = await job.run({ alarm })
    expect([ran.code, outcomes(ran)]).toEqual([
      6,
      [
        ['done', 0],
        ['failed', 6],
        ['done', 0],
      ],
    ])
    expect(alarms.slice(2)).toEqual([10_000, 10_000])
    expect(last.taken).toMatchObject([{ outcome: 'failed', exit_code: 6 }])
  })

  test('has ten seconds once the job is asked to stop', async () => {
    const { url } = await receiver(0, 0, 0)
    await using job = await openJob(`steps:\n  - webhook: ${url}\n`)
    const alarm = (milliseconds: number): AbortSignal => AbortSignal.timeout(Math.min(milliseconds / 100, 2 ** 31))
    const ran = await job.run({ alarm, signal: AbortSignal.timeout(50) })
    expect(rowsOf(ran)).toMatchObject([{ exit_code: 5 }])
  })
})

describe('the deadline of the command line', () => {
  const jobUntil = async (deadline: string) => {
    const { url } = await receiver(...SIX_SECONDS)
    return openJob(`deadline: ${deadline}\nsteps:\n  - webhook: ${url}\n  - report:\n`)
  }

  test('wins over an earlier one of the file', async () => {
    await using job = await jobUntil('5s')
    expect((await job.run()).code).toBe(6)
    await using again = await jobUntil('5s')
    expect(await again.kpi('run', 'job.yaml', '--deadline', '1h')).toMatchObject({ code: 0 })
  })

  test('wins over a later one of the file', async () => {
    await using job = await jobUntil('1h')
    expect(await job.kpi('run', 'job.yaml', '--deadline', '5s')).toMatchObject({ code: 6 })
  })
})

describe('days', () => {
  const EXPORT =
    'steps:\n  - webhook: URL\n  - export_entries: "{date}.csv"\n    flags: { from: this-month, to: this-month }\n'

  test('are those of the moment at which the job began, also after midnight', async () => {
    const { url } = await receiver(...SIX_SECONDS)
    await using job = await openJob(EXPORT.replace('URL', url))
    const ran = await job.run({ now: Date.parse('2026-11-30T23:59:57Z') })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('2026-12-01T00:00:')
    expect(ran.stderr).toContain('of 2026-11-01 to 2026-11-30 to 2026-11-30.csv')
  })

  test('are those of the time zone that the command line names', async () => {
    const { url } = await receiver()
    await using job = await openJob(EXPORT.replace('URL', url))
    const world = { ...job.world, now: Date.parse('2026-11-30T12:00:00Z') }
    const { stderr } = await shellIn(world)('run', 'job.yaml', '--time-zone', 'Pacific/Kiritimati')
    expect(stderr).toContain('of 2026-12-01 to 2026-12-31 to 2026-12-01.csv')
  })
})

test('a folder for imported files that cannot be made is a failure of its step, before anything is sent', async () => {
  const { taken, url } = await receiver()
  await using job = await openJob(
    `steps:\n  - export_entries: done.csv\n  - import: inbox/*.csv\n    move_to: done.csv\n  - report:\n  - webhook: ${url}\n`,
  )
  job.write('inbox/a.csv', FILE)
  const ran = await job.run()
  expect([ran.code, outcomes(ran)]).toEqual([
    1,
    [
      ['done', 0],
      ['failed', 1],
      ['skipped', null],
      ['done', 0],
    ],
  ])
  const message =
    'nothing was sent, as no file could be moved afterwards: cannot write done.csv: a file is in its place'
  expect(rowsOf(ran)[1]).toMatchObject({ message })
  expect(taken).toMatchObject([{ outcome: 'failed', exit_code: 1, steps: [{}, { outcome: 'failed', message }, {}] }])
  expect([await heldIn(job), readdirSync(job.folder.in('inbox'))]).toEqual([[], ['a.csv']])
})

test('a step tells what each of its files said that was not whole, and a check how many targets it found missed', async () => {
  await using job = await openJob(
    'steps:\n  - import: inbox/*.csv\n    on_failure: continue\n  - check:\n    flags: { kpis: Sales, from: 2026-03-01, to: yesterday }\n',
  )
  job.write('inbox/a.csv', 'name,x,date\nb,c,d\n')
  job.write('inbox/b.csv', FILE)
  job.write('inbox/c.csv', 'who,what,when\nBob,Sales,2026-03-01\n')
  const ran = await job.run()
  const [imported, checked] = rowsOf(ran)
  expect(imported?.exit_code).toBe(1)
  expect(imported?.message).toMatch(
    /^inbox\/a\.csv: the header .* is; user: no column is the user; .*; inbox\/c\.csv.*cannot understand/,
  )
  expect(checked?.message).toMatch(/^checked \d+ values?: \d+ /)
})

test('a job runs where --lock names its own lock', async () => {
  await using job = await openJob('lock: nightly\nsteps:\n  - report:\n')
  expect(await job.kpi('run', 'job.yaml', '--lock', 'nightly')).toMatchObject({ code: 0 })
})

test('help and the example list all codes that a job may end with, in one order', async () => {
  await using importer = await embeddedImporter()
  const ORDER = '130, 6, 5, 4, 7, 8, 2, 1, 3, 10'
  expect((await importer.kpi('run', '--help', '--all')).stdout.replaceAll(/\s+/g, ' ')).toContain(ORDER)
  expect(readFileSync('examples/nightly/README.md', 'utf8')).toContain(ORDER)
})

describe('steps in another folder than that of the command line', () => {
  /** Where the job was run, with the flags and variables given: the store is made at first use. */
  const foldersOf = async (env: object, ...flags: string[]): Promise<string[][]> => {
    await using importer = await embeddedImporter()
    mkdirSync(importer.folder.in('jobs'))
    importer.write('jobs/job.yaml', 'steps:\n  - report:\n')
    const kpi = shellIn({ ...importer.world, env: { ...importer.world.env, ...env } })
    expect((await kpi('run', 'jobs/job.yaml', ...flags)).code).toBe(0)
    const names = ['jobs', '.'].map((name) => readdirSync(importer.folder.in(name)))
    return names.map((all) => all.filter((name) => name === 'other'))
  }

  test('use the data directory that --data-dir names from there', async () => {
    expect(await foldersOf({}, '--data-dir', 'other')).toEqual([[], ['other']])
  })

  test('use the data directory that the environment names from there', async () => {
    expect(await foldersOf({ KPI_DATA_DIR: 'other' })).toEqual([[], ['other']])
  })
})

test.each([
  ['--timeout', '7x', '--timeout 7x is not a time'],
  ['--ca-file', 'none.pem', '--ca-file none.pem: cannot read it'],
])('a wrong %s is told before anything runs', async (flag, value, told) => {
  await using job = await openJob('log: job.log\nsteps:\n  - report:\n')
  const { code, stderr } = await job.kpi('run', 'job.yaml', flag, value)
  expect([code, stderr]).toEqual([2, expect.stringContaining(`kpi run: ${told}`)])
  expect(readdirSync(job.folder.path)).not.toContain('job.log')
})

test.runIf(existsSync('/dev/full'))(
  'a job goes on where the disk of its log is full, says so, and ends with 1',
  async () => {
    await using job = await openJob('log: /dev/full\nsteps:\n  - import: inbox/*.csv\n')
    job.write('inbox/a.csv', FILE)
    const ran = await job.run()
    const full = 'cannot write /dev/full: the disk is full'
    expect(JSON.parse(ran.stderr)).toMatchObject({
      error: { code: 'job', exit_code: 1, message: `the job job.yaml failed; ${full}; the log lacks lines` },
      notes: expect.arrayContaining([`warning: ${full}; the job goes on, and its log lacks lines`]) as string[],
    })
    expect(outcomes(ran)).toEqual([['done', 0]])
  },
)

test('steps have the timeout of the command line', async () => {
  await using importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      await new Promise((resolve) => void setTimeout(resolve, 1000))
      return handler(request)
    },
  })
  importer.write('job.yaml', 'steps:\n  - report:\n')
  const { code, stderr } = await importer.kpi('run', 'job.yaml', '--timeout', '50ms')
  expect([code, stderr]).toEqual([5, expect.stringContaining('did not answer in time')])
})

test.each([
  ['another file', 'steps:\n  - import: [a.csv, b.csv]\n', [['failed', 6]]],
  [
    'a later step',
    'steps:\n  - import: a.csv\n  - report:\n',
    [
      ['done', 0],
      ['failed', 5],
    ],
  ],
] as const)('a job that has loaded a file leaves work where its service fails with %s', async (_, job, ends) => {
  let isDown = false
  await using importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (isDown) return { status: 503, headers: {}, body: '' }
      const answer = await handler(request)
      isDown ||= request.target.endsWith('/kpientries/list')
      return answer
    },
  })
  importer.write('a.csv', FILE)
  importer.write('b.csv', FILE.replaceAll('-03-', '-04-'))
  importer.write('job.yaml', job)
  const ran = await importer.kpi('run', 'job.yaml', '-o', 'json')
  expect([ran.code, outcomes(ran)]).toEqual([6, ends])
})
