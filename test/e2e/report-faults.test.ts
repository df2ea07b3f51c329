import { readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import { day as dayNumber } from '../support/calendar.ts'
import { type Fault, type FaultyProxy, faultyProxy, hang, lose, refuse, reset, whole } from '../support/faulty-proxy.ts'
import { temporaryFolder } from '../support/folder.ts'
import { errorOf, type Ran, shellIn } from '../support/kpi.ts'
import { type Ended, startKpi } from '../support/process.ts'
import { fillShape } from '../support/report-shapes.ts'
import { some } from '../support/soak/tests.ts'
import { type Service, startService } from '../support/service.ts'

/** Two answers of rows: 36 a day. */
const [ROWS, A_DAY] = [13_140, 36]
const VARIANTS = ['classic', 'v1'] as const
type Variant = (typeof VARIANTS)[number]

const REPORT = ['report', '--from', '2026-01-01', '--to', '2026-12-31']

let service: Service
let server: Listener
let undisturbed: Readonly<Record<Variant, string>>

type Env = Readonly<Record<string, string>>

const envOf = (variant: Variant, url: string): Env => {
  const { login, token, key } = service
  return variant === 'classic'
    ? { KPI_BASE_URL: `${url}/api`, KPI_LOGIN: login, KPI_TOKEN: token }
    : { KPI_BASE_URL: `${url}/v1`, KPI_TOKEN: key }
}

const reportAt = async (variant: Variant, url: string, ...flags: string[]): Promise<Ran> => {
  using folder = temporaryFolder()
  return shellIn({ home: folder.path, env: envOf(variant, url) })(...REPORT, ...flags)
}

/** Starts a proxy whose faults go by the number of the request for a report. */
const proxy = (faultOf: (number: number) => Fault | undefined): Promise<FaultyProxy> => faultyProxy(server.url, faultOf)

beforeAll(async () => {
  service = await startService()
  await fillShape(service, { rows: () => A_DAY, kpis: 10 })
  server = await listen(service.handler, '127.0.0.1', 0)
  const [classic, v1] = await Promise.all(VARIANTS.map((variant) => reportAt(variant, server.url, '-o', 'csv')))
  undisturbed = { classic: classic?.stdout ?? '', v1: v1?.stdout ?? '' }
})
afterAll(async () => {
  await server.close()
  await service[Symbol.asyncDispose]()
})

/** Cuts answers without a word of it, as a service of somebody else. */
const cutAt =
  (rows: number): Fault =>
  async (response, pass) => {
    const { status, headers, body } = await pass()
    const { 'x-total-count': _, server: __, ...others } = headers
    const list = JSON.parse(body.toString()) as unknown[]
    whole(response, { status, headers: others, body: Buffer.from(JSON.stringify(list.slice(0, rows))) })
  }

/** Gives the first rows only, and says how many there are. */
const first =
  (rows: number): Fault =>
  async (response, pass) => {
    const passed = await pass()
    const list = JSON.parse(passed.body.toString()) as unknown[]
    whole(response, { ...passed, body: Buffer.from(JSON.stringify(list.slice(0, rows))) })
  }

/** The exit code of a process as a shell tells it. */
const codeOf = ({ code, signal }: Ended): number | null => (signal === 'SIGINT' ? 128 + constants.signals.SIGINT : code)

const dayOf = (line: string): string => /\d{4}-\d\d-\d\d/.exec(line)?.[0] ?? ''
const rowsIn = (text: string): string[] => text.split('\n').filter((line) => dayOf(line) !== '')

/** Expects the first rows of a report, and a last line on standard error that says how many, and how many days are whole. */
const expectPart = (variant: Variant, { stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): void => {
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  const [, rows, day = ''] = /^incomplete: (\d+) rows were printed; they are whole up to (\S+)$/.exec(last) ?? []
  const printed = rowsIn(stdout)
  expect(printed).toHaveLength(Number(rows))
  // The last day that was printed may lack rows, and the day before it may not.
  expect(day).toBe(formatDay(dayNumber(dayOf(printed.at(-1) ?? '')) - 1))
  const isWhole = (line: string): boolean => dayOf(line) <= day
  expect(printed.filter(isWhole)).toHaveLength(rowsIn(undisturbed[variant]).filter(isWhole).length)
}

/** Presses Ctrl-C once the second request for a report waits for its answer; returns how the process ended. */
const interruptedReport = async (...flags: string[]): Promise<Ended> => {
  using folder = temporaryFolder()
  const between = await proxy((number) => (number === 2 ? hang : undefined))
  const { child, ended } = startKpi(folder, [...REPORT, ...flags], envOf('classic', between.url))
  await between.came(2)
  child.kill('SIGINT')
  return await ended
}

describe.each(VARIANTS)('a report of 13,140 rows, %s,', (variant) => {
  const limit = variant === 'classic' ? 403 : 429

  test('has all of them where nothing is wrong', () => {
    expect(undisturbed[variant].match(/\n/g)).toHaveLength(ROWS + 1)
  })

  const PASSING: readonly (readonly [name: string, fault: Fault])[] = [
    ['a refusal by the rate limit', refuse(limit, { 'retry-after': '1' })],
    ['a service that is busy', refuse(503)],
    ['a connection that is reset in the middle of an answer', reset],
    ['an answer that is lost', lose],
  ]
  test.each(some(2, PASSING))('is the same behind %s, twice in a row', async (_, fault) => {
    const between = await proxy((number) => (number === 2 || number === 3 ? fault : undefined))
    const ran = await reportAt(variant, between.url, '-o', 'csv')
    expect({ code: ran.code, isSame: ran.stdout === undisturbed[variant] }).toEqual({ code: 0, isSame: true })
    expect(between.reached).toHaveLength(4)
  })

  const LASTING: readonly (readonly [name: string, fault: Fault])[] = [
    ['is busy', refuse(503)],
    ['resets every connection', reset],
    ['answers no more', lose],
  ]
  test.each(some(1, LASTING))(
    'prints nothing and ends with 5 where the service %s and never recovers',
    async (_, fault) => {
      const between = await proxy((number) => (number >= 2 ? fault : undefined))
      const ran = await reportAt(variant, between.url, '-o', 'csv')
      expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 5, stdout: '' })
      expect(ran.stderr).toMatch(/^kpi: /m)
    },
  )

  test('prints nothing where the service cuts its answers silently, and says what to do', async () => {
    const between = await proxy(() => cutAt(5000))
    const ran = await reportAt(variant, between.url, '-o', 'csv')
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/cuts reports at 5000 rows and does not say so.*ask for fewer days/)
  })

  const FAILING: readonly (readonly [name: string, code: number, faultOf: (number: number) => Fault | undefined])[] = [
    ['cuts its answers silently', 1, () => cutAt(5000)],
    ['never recovers', 5, (number) => (number >= 2 ? lose : undefined)],
  ]
  test.each(some(1, FAILING))('leaves no file where the service %s', async (_, code, faultOf) => {
    using folder = temporaryFolder()
    const between = await proxy(faultOf)
    const shell = shellIn({ home: folder.path, cwd: folder.path, env: envOf(variant, between.url) })
    const ran = await shell('report', 'export', ...REPORT.slice(1), '--to-file', 'r.csv', '--manifest')
    expect(ran.code).toBe(code)
    expect(readdirSync(folder.path).filter((name) => /r\.csv|^\.kpi-/.test(name))).toEqual([])
  })

  test('is the same in a file behind faults that pass', async () => {
    using folder = temporaryFolder()
    const between = await proxy((number) => (number === 2 ? reset : number === 3 ? refuse(503) : undefined))
    const shell = shellIn({ home: folder.path, cwd: folder.path, env: envOf(variant, between.url) })
    const ran = await shell('report', 'export', ...REPORT.slice(1), '--to-file', 'r.csv')
    expect(ran.code).toBe(0)
    expect(readFileSync(folder.in('r.csv'), 'utf8') === undisturbed[variant]).toBe(true)
  })

  const UNANSWERED: readonly (readonly [what: string, flags: readonly string[]])[] = [
    ['at all', []],
    ['after a name was looked up', ['--kpis', 'KPI 0']],
  ]
  test.each(some(1, UNANSWERED))('ends with 5 after --timeout where a report is not answered %s', async (_, flags) => {
    const between = await proxy(() => hang)
    const ran = await reportAt(variant, between.url, '-o', 'csv', '--timeout', '50ms', ...flags)
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 5, stdout: '' })
    expect(ran.stderr).toContain('it did not answer in time')
  })
})

test('Ctrl-C ends a report with 130, and prints nothing', async () => {
  const ended = await interruptedReport('-o', 'csv')
  expect({ code: codeOf(ended), stdout: ended.stdout }).toEqual({ code: 130, stdout: '' })
})

describe('a report that is streamed', () => {
  test('ends with 130 after Ctrl-C, and says how much is there', async () => {
    const ended = await interruptedReport('-o', 'csv', '--stream')
    expect(codeOf(ended)).toBe(130)
    expectPart('classic', ended)
    expect(ended.stderr.trimEnd().split('\n').at(-2)).toBe('kpi: interrupted')
  })

  const failing = (): Promise<FaultyProxy> => proxy((number) => (number >= 2 ? refuse(503) : undefined))

  test.each(some(2, ['csv', 'ndjson', 'json', 'table']))('has the same rows in the end, as %s', async (format) => {
    const flags = ['--rows', '-o', format, '--to', '2026-01-31']
    const held = await reportAt('classic', server.url, ...flags)
    expect(await reportAt('classic', server.url, ...flags, '--stream')).toEqual({ ...held, code: 0 })
  })

  test('has the same rows where something fails in between', async () => {
    const between = await proxy((number) => (number === 2 ? reset : undefined))
    const { code, stdout } = await reportAt('classic', between.url, '-o', 'csv', '--stream')
    expect({ code, isSame: stdout === undisturbed.classic }).toEqual({ code: 0, isSame: true })
  })

  test.each<[format: string, variant: Variant]>([
    ['csv', 'classic'],
    ['csv', 'v1'],
    ['table', 'classic'],
  ])('says how much is there where the service fails for good, as %s, %s', async (format, variant) => {
    const between = await failing()
    const ran = await reportAt(variant, between.url, '--rows', '-o', format, '--stream')
    expect(ran.code).toBe(5)
    expectPart(variant, ran)
  })

  test('prints the rows that a table held back for its widths', async () => {
    const between = await proxy((number) => (number === 1 ? first(500) : refuse(503)))
    const ran = await reportAt('classic', between.url, '--rows', '-o', 'table', '--stream')
    expectPart('classic', ran)
    expect(rowsIn(ran.stdout).length).toBeGreaterThan(400)
  })

  test.each(['json', 'ndjson'])('says it in fields of the error, as %s', async (format) => {
    const between = await failing()
    const ran = await reportAt('classic', between.url, '-o', format, '--stream')
    expect(ran.code).toBe(5)
    const whole_to = expect.stringMatching(/^2026-\d\d-\d\d$/) as string
    expect(errorOf(ran)).toMatchObject({ exit_code: 5, rows_printed: rowsIn(ran.stdout).length, whole_to })
    expect(ran.stdout.endsWith(']\n')).toBe(false)
  })

  test('says that nothing was printed where the first answer fails', async () => {
    const between = await proxy(() => refuse(503))
    const ran = await reportAt('classic', between.url, '--rows', '-o', 'table', '--stream')
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 5, stdout: '' })
    expect(ran.stderr).toMatch(/\nincomplete: no rows were printed\n$/)
  })

  test('calls no day whole where the service cuts its answers silently', async () => {
    const between = await proxy(() => cutAt(5000))
    const ran = await reportAt('classic', between.url, '-o', 'csv', '--stream')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(
      /\nincomplete: 5000 rows were printed, up to 2026-\S+; whether any day is whole was not checked yet\n$/,
    )
  })

  test.each<[flags: string, message: RegExp]>([
    ['-o table', /^kpi report: --stream prints rows as they come; the overview needs all: add --rows/],
    ['-o csv --total', /^kpi report: --stream prints rows as they come; a question is answered when all are read/],
  ])('is a wrong use where there are no rows to print as they come: %s', async (flags, message) => {
    const ran = await reportAt('classic', server.url, ...flags.split(' '), '--stream')
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(message)
    expect(ran.stderr).not.toContain('incomplete')
  })
})
