import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { ROOT } from '../support/documents.ts'
import { embeddedImporter, heldIn, type Importer, remoteImporter } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { jsonOf, type Ran, runHere, shellIn } from '../support/kpi.ts'
import { KPI, runKpi, startKpi, startProgram } from '../support/process.ts'
import { startService } from '../support/service.ts'

const DAY_MS = 86_400_000
const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\nBob,Sales,2026-03-01,2\n'
const JOB = 'steps:\n  - import: [inbox/*.csv, inbox/*.CSV]\n    move_to: done/{date}\n'

/** A service that keeps what is asked until it is let go, and says when it was asked first. */
const holding = () => {
  const [came, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const wrap =
    (handler: Handler): Handler =>
    async (request) => {
      if (!request.target.endsWith('/kpientries/list')) return handler(request)
      came.resolve()
      await leave.promise
      return handler(request)
    }
  return { wrap, came: came.promise, letGo: () => leave.resolve() }
}

/** A folder with a job, and what is in its folders. */
const jobIn = (importer: Importer, job = JOB) => {
  const { folder } = importer
  mkdirSync(folder.in('inbox'))
  importer.write('job.yaml', job)
  return {
    inbox: () => readdirSync(folder.in('inbox')).toSorted(),
    /** The files that are done, night by night. */
    done: () =>
      readdirSync(folder.in('done'))
        .toSorted()
        .map((night) => readdirSync(folder.in(`done/${night}`)).toSorted()),
  }
}

const outcomes = ({ stdout }: Ran): unknown =>
  (JSON.parse(stdout) as { outcome: string; exit_code: number }[]).map(({ outcome, exit_code }) => [outcome, exit_code])

describe('a job', () => {
  test('that is told to stop, with all of its processes, ends once what was sent is answered, and goes on later', async () => {
    const { wrap, came, letGo } = holding()
    await using importer = await remoteImporter({ wrap })
    const { inbox, done } = jobIn(importer)
    importer.write('inbox/a.csv', FILE)
    importer.write('inbox/b.csv', FILE.replaceAll('03-01', '03-02'))
    const start = () =>
      startProgram(importer.folder, ['setsid', ...KPI, 'run', 'job.yaml'], importer.world.env as Record<string, string>)
    const { child, ended, says } = start()
    await came
    process.kill(-(child.pid ?? NaN), 'SIGTERM')
    await says(/asked to stop/)
    letGo()
    const { code, stderr } = await ended
    expect([code, stderr.includes('not started: inbox/b.csv; the next run goes on with it')]).toEqual([6, true])
    expect(await heldIn(importer)).toHaveLength(2)
    expect([inbox(), done()]).toEqual([['b.csv'], [['a.csv']]])
    expect(await start().ended).toMatchObject({ code: 0 })
    expect([inbox(), done()]).toEqual([[], [['a.csv', 'b.csv']]])
    expect(await heldIn(importer)).toHaveLength(4)
  })

  test('that is told to stop while the service does not answer has work left, and says so', async () => {
    const { wrap, came, letGo } = holding()
    await using importer = await remoteImporter({ wrap })
    jobIn(importer)
    importer.write('inbox/a.csv', FILE)
    const env = importer.world.env as Record<string, string>
    const { child, ended } = startProgram(importer.folder, [...KPI, 'run', 'job.yaml', '--timeout', '1s'], env)
    await came
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(6)
    expect(stderr).toContain('kpi: the job job.yaml was asked to stop, and has work left; the next run goes on')
    letGo()
  })

  test('begins no file once its time is up', async () => {
    await using importer = await remoteImporter()
    const { inbox } = jobIn(importer, `deadline: 1h\n${JOB}`)
    for (const name of ['a', 'b']) importer.write(`inbox/${name}.csv`, FILE)
    // The first alarms are for the reading of the job, and for the search of its files.
    let asked = 0
    const alarm = (): AbortSignal => ((asked += 1) > 3 ? AbortSignal.abort() : new AbortController().signal)
    const ran = await shellIn({ ...importer.world, alarm })('run', 'job.yaml')
    expect([ran.code, inbox()]).toEqual([6, ['a.csv', 'b.csv']])
    expect(ran.stderr).toContain('not started: inbox/b.csv; the next run goes on with it\n')
  })

  test('loads other files where one cannot be read', async () => {
    await using importer = await remoteImporter()
    const { inbox, done } = jobIn(importer)
    importer.write('inbox/a.csv', `${FILE}Bob,Sales,2026-03-03,x\n`)
    importer.write('inbox/b.csv', 'who,what,when\nBob,Sales,2026-03-01\n')
    importer.write('inbox/Web2.CSV', FILE.replaceAll('03-01', '03-02'))
    const { code, stderr } = await importer.kpi('run', 'job.yaml')
    expect([code, stderr.includes('it is in inbox/a.rejects.csv ')]).toEqual([1, true])
    expect([inbox(), done()]).toEqual([['a.rejects.csv', 'b.csv'], [['Web2.CSV', 'a.csv']]])
    expect(await heldIn(importer)).toHaveLength(4)
  })

  test('leaves the files of other nights, with their rejects, whatever tonight brings under their names', async () => {
    await using importer = await remoteImporter()
    const { inbox, done } = jobIn(importer)
    for (const night of [1, 2, 3, 3]) {
      importer.write('inbox/a.csv', `${FILE}Bob,Sales,2026-03-03,x${night}\n`)
      const ran = await shellIn({ ...importer.world, now: NOW + night * DAY_MS })('run', 'job.yaml')
      expect(ran.code).toBe(3)
    }
    expect(inbox()).toEqual(['a.rejects.1.csv', 'a.rejects.2.csv', 'a.rejects.csv'])
    expect(done()).toEqual([['a.csv'], ['a.csv'], ['a.1.csv', 'a.csv']])
    expect((await importer.kpi('run', 'job.yaml')).code).toBe(0)
  })

  test('ends at the first file where a key is refused', async () => {
    await using importer = await remoteImporter({
      wrap: (handler) => async (request) => {
        const answer = await handler(request)
        return request.target.includes('/api/') ? { ...answer, status: 401 } : answer
      },
    })
    const { inbox } = jobIn(importer)
    for (const name of ['a', 'b', 'c']) importer.write(`inbox/${name}.csv`, FILE)
    const { code, stderr } = await importer.kpi('run', 'job.yaml')
    // What follows is named, as it was not even tried.
    expect(stderr.match(/inbox.[b-z]\.csv/g)).toHaveLength(4)
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/not started: inbox.b\.csv, inbox.c\.csv; the next run goes on with them/),
    ])
    expect(inbox()).toEqual(['a.csv', 'b.csv', 'c.csv'])
  })

  test('runs once at a time under its lock, and writes one log that only its owner reads', async () => {
    const { wrap, came, letGo } = holding()
    await using importer = await remoteImporter({ wrap })
    jobIn(importer, `lock: nightly\nlog: nightly.log\n${JOB}`)
    importer.write('inbox/a.csv', FILE)
    const env = importer.world.env as Record<string, string>
    const first = startProgram(importer.folder, [...KPI, 'run', 'job.yaml'], env)
    await came
    const second = await runKpi(importer.folder, ['run', 'job.yaml'], env)
    expect([second.code, second.stderr]).toEqual([8, expect.stringContaining('another command holds the lock nightly')])
    letGo()
    expect((await first.ended).code).toBe(0)
    const log = readFileSync(importer.folder.in('nightly.log'), 'utf8')
    expect(log.split('\n').filter((line) => line !== '' && !/^\d{4}-\d\d-\d\dT[\d:.]+Z /.test(line))).toEqual([])
    expect(log).toContain('[1 import] kpi entries import')
    expect(statSync(importer.folder.in('nightly.log')).mode & 0o777).toBe(0o600)
  })

  test('goes on after rejected rows and missed targets, and ends with the gravest; a step that fails ends it', async () => {
    await using importer = await embeddedImporter()
    jobIn(
      importer,
      `${JOB}  - check:\n    flags: { kpis: Visits, from: 2026-03-01, to: yesterday }\n  - report:\n  - export: there-{date}.csv\n  - report:\n`,
    )
    importer.write('inbox/a.csv', `${FILE}Bob,Sales,2026-03-03,x\n`)
    importer.write('there-2026-11-21.csv', 'of somebody else')
    const ran = await importer.kpi('run', 'job.yaml', '-o', 'json')
    expect([ran.code, outcomes(ran)]).toEqual([
      1,
      [
        ['found', 3],
        ['found', 10],
        ['done', 0],
        ['failed', 1],
        ['skipped', null],
      ],
    ])
    importer.write('job.yaml', `${JOB}  - export: there-{date}.csv\n    on_failure: continue\n  - report:\n`)
    const on = await importer.kpi('run', 'job.yaml', '-o', 'json')
    expect([on.code, outcomes(on)]).toEqual([
      1,
      [
        ['done', 0],
        ['failed', 1],
        ['done', 0],
      ],
    ])
  })

  test('tells a webhook how it went, in any case, with a secret that nobody else sees', async () => {
    const taken: { token: string | undefined; body: unknown }[] = []
    let answers = [503, 200, 200]
    const receiver = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk: Buffer) => (text += chunk.toString()))
      request.on('end', () => {
        const status = answers.shift() ?? 500
        if (status === 200) taken.push({ token: request.headers.authorization, body: JSON.parse(text) as unknown })
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    await using importer = await embeddedImporter()
    const hook = `  - webhook: http://127.0.0.1:${port}/canary-path?key=canary-query\n    token_env: HOOK\n`
    jobIn(importer, `log: job.log\nsteps:\n  - verify: none.csv\n  - report:\n${hook}`)
    const run = () =>
      shellIn({ ...importer.world, env: { ...importer.world.env, HOOK: 'canary-token' } })(
        'run',
        'job.yaml',
        '-o',
        'json',
        '--debug',
      )
    const ran = await run()
    expect([ran.code, outcomes(ran)]).toEqual([
      1,
      [
        ['failed', 1],
        ['skipped', null],
        ['done', 0],
      ],
    ])
    expect(taken).toMatchObject([
      {
        token: 'Bearer canary-token',
        body: { outcome: 'failed', exit_code: 1, steps: [{ exit_code: 1 }, { outcome: 'skipped' }] },
      },
    ])
    answers = [403]
    const refused = await run()
    expect(outcomes(refused)).toEqual([
      ['failed', 1],
      ['skipped', null],
      ['failed', 5],
    ])
    const all = [ran, refused].flatMap(({ stdout, stderr }) => [stdout, stderr]).join('')
    expect(all + readFileSync(importer.folder.in('job.log'), 'utf8')).not.toMatch(/canary/)
    expect(ran.stderr).toContain(`[3 webhook] webhook http://127.0.0.1:${port}/…`)
    answers = [200, 200]
    writeFileSync(importer.folder.in('url'), `http://127.0.0.1:${port}/canary-path\n`, { mode: 0o600 })
    const named = '  - webhook:\n    url_env: HOOK_URL\n  - webhook:\n    url_file: url\n'
    importer.write('job.yaml', `steps:\n${named}`)
    const HOOK_URL = `http://127.0.0.1:${port}/canary-path`
    const told = await shellIn({ ...importer.world, env: { ...importer.world.env, HOOK_URL } })('run', 'job.yaml')
    expect([told.code, taken.length, answers]).toEqual([0, 3, []])
    expect(told.stderr).toContain('webhook at the address in HOOK_URL\n')
    expect(told.stdout + told.stderr).not.toMatch(/canary/)
    receiver.close()
  })

  test('is checked as a whole before anything runs', async () => {
    await using importer = await embeddedImporter()
    const text = [
      'lok: x',
      'steps:',
      '  - import: inbox/*.csv',
      '    flags: { create-assignment: true, user: true, empty: nothing }',
      '  - chekc:',
      '  - check: hm',
      '  - import: a',
      '    export: b',
      '    on_failure: maybe',
      '  - webhook:',
    ].join('\n')
    jobIn(importer, text)
    importer.write('inbox/a.csv', FILE)
    const ran = await importer.kpi('run', 'job.yaml')
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr.split('\n').map((line) => line.trim())).toEqual([
      'kpi run: job.yaml is not a job that can run',
      'line 1: lok is no part of a job; did you mean lock?',
      "line 4: option '--empty <what>' argument 'nothing' is invalid. Allowed choices are keep, clear.",
      "line 4: option '--user <user>' argument missing",
      "line 4: unknown option '--create-assignment' (Did you mean --create-assignments?); kpi entries import --help shows what there is",
      'line 5: chekc is no step and no part of one; did you mean check?',
      'line 6: check takes nothing but flags: leave out "hm"',
      'line 7: a step is one of import, export, not several',
      'line 10: webhook needs an https address',
      '',
    ])
    expect(await heldIn(importer)).toEqual([])
    importer.write('job.yaml', `${JOB}  - report:\n    flags: { from: yesterday }\n`)
    expect(jsonOf(await importer.kpi('run', 'job.yaml', '--dry-run', '-o', 'json'))).toMatchObject([
      { step: 1, command: 'entries import inbox/a.csv', outcome: 'planned' },
      { step: 2, command: 'report --from 2026-11-20', outcome: 'planned' },
    ])
    expect(await heldIn(importer)).toEqual([])
  })
})

test('the example, killed in the middle of an outage: the same command later ends it, and each row is there once', async () => {
  const service = await startService()
  let [isOut, batches, kill] = [false, 0, (): void => undefined]
  /** Stores the first batch and loses its answer; from then on nothing is answered, and what asks again is killed. */
  const failing: Handler = async (request) => {
    if (isOut) {
      kill()
      return { status: 503, headers: {}, body: '' }
    }
    if (request.target.endsWith('/kpientries/list') && (batches += 1) === 1) {
      await service.handler(request)
      isOut = true
      return { status: 503, headers: {}, body: '' }
    }
    return service.handler(request)
  }
  const server = await listen(failing, '127.0.0.1', 0)
  await using importer = await embeddedImporter()
  const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: service.login, KPI_TOKEN: service.token }
  cpSync(join(ROOT, 'examples/nightly'), importer.folder.in('nightly'), { recursive: true })
  const kpi = (...args: string[]) => runHere(importer.folder, args, env)
  await kpi('users', 'create', '--first-name', 'Ann', '--last-name', 'Lee', '--email', 'ann@example.com')
  for (const name of ['Visits', 'Sales'])
    await kpi('kpis', 'create', '--name', name, '--frequency', 'D', '--target-default', '100')
  await kpi('assign', 'add', '--users', 'Ann Lee', '--kpis', 'Visits,Sales')
  const { child, ended } = startKpi(importer.folder, ['run', 'nightly/nightly.yaml'], env)
  kill = () => void child.kill('SIGKILL')
  expect((await ended).signal).toBe('SIGKILL')
  isOut = false
  const ran = await kpi('run', 'nightly/nightly.yaml', '-o', 'json')
  expect(outcomes({ ...ran, code: 0 })).toEqual([
    ['found', 3],
    ['done', 0],
    ['done', 0],
    ['found', 10],
  ])
  expect(ran.code).toBe(3)
  const held = JSON.parse((await kpi('entries', 'list', '--from', '2026-01-01', '-o', 'json')).stdout) as object[]
  expect(held).toHaveLength(3)
  await server.close()
  await service[Symbol.asyncDispose]()
})
