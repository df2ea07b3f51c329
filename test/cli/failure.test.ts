import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { Aborted } from '../../src/client/transport.ts'
import { EXIT, exitOf, IncompleteOutput, UsageError } from '../../src/cli/exit.ts'
import { type ErrorCode, isRefused, isTransient, KpiError } from '../../src/domain/errors.ts'
import { temporaryFolder } from '../support/folder.ts'
import { foreignService } from '../support/foreign.ts'
import { type Ran, shellIn } from '../support/kpi.ts'

const TOKEN = 'kpi_token_hunter2'

/** Runs a command line against a service of somebody else's that answers so. */
const against = async (answer: (response: ServerResponse) => void, ...args: string[]): Promise<Ran> => {
  using home = temporaryFolder()
  const { url } = await foreignService(answer)
  const env = { KPI_BASE_URL: `${url}/api`, KPI_LOGIN: 'ann@example.com', KPI_TOKEN: TOKEN }
  return shellIn({ home: home.path, env })(...args)
}
const answers =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

describe('what a service answers decides the exit code', () => {
  test.each<[status: number, body: string | { message: string }, headers: Record<string, string>, code: number]>([
    [400, { message: 'bad query' }, {}, EXIT.failed],
    [401, { message: 'wrong token' }, {}, EXIT.unauthorized],
    [403, { message: 'the API is not enabled' }, {}, EXIT.unauthorized],
    [403, { message: 'slow down' }, { 'retry-after': '30' }, EXIT.unreachable],
    [404, { message: 'no such path' }, {}, EXIT.failed],
    [405, { message: 'not in this variant' }, { allow: 'GET' }, EXIT.unsupported],
    [409, { message: 'in use' }, {}, EXIT.failed],
    [409, { message: 'still at work on it' }, { 'retry-after': '1' }, EXIT.unreachable],
    [413, { message: 'too large' }, {}, EXIT.failed],
    [422, { message: 'no' }, {}, EXIT.failed],
    [429, { message: 'slow down' }, { 'retry-after': '1' }, EXIT.unreachable],
    [500, { message: 'unforeseen' }, {}, EXIT.unreachable],
    [503, { message: 'stopping' }, { 'retry-after': '1' }, EXIT.unreachable],
    [502, '<html>Bad gateway</html>', { 'content-type': 'text/html' }, EXIT.unreachable],
    [200, '<html>Hello</html>', { 'content-type': 'text/html' }, EXIT.unreachable],
    [301, '', { location: 'https://elsewhere.example.com/' }, EXIT.failed],
  ])('%i %j %j', async (status, body, headers, code) => {
    const ran = await against(answers(status, body, headers), 'kpis', 'list')
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toMatch(/^kpi: [^\n]+\n$/)
    expect(ran.stderr).toContain(typeof body === 'object' ? body.message : 'answered')
    expect(ran.stderr).not.toContain(TOKEN)
  })

  test('a service that fails is named, with its status and what to do', async () => {
    const ran = await against(answers(503, { message: 'down' }, { 'retry-after': '3600' }), 'kpis', 'list')
    expect(ran.stderr).toMatch(/^kpi: http:\/\/[\d.:]+ answered with status 503: down; try again in 60 min\n$/)
  })
})

const ENDS: Readonly<Record<ErrorCode, number>> = {
  malformed: 1,
  invalid: 1,
  not_found: 1,
  conflict: 1,
  too_large: 1,
  too_long: 1,
  head_too_large: 1,
  media_type: 1,
  not_acceptable: 1,
  key_reused: 1,
  unusable: 1,
  unauthorized: 4,
  forbidden: 4,
  too_slow: 5,
  rate_limited: 5,
  unavailable: 5,
  internal: 5,
  method_not_allowed: 7,
  unsupported: 7,
  locked: 8,
}

test.each(Object.entries(ENDS))(
  'an error %s ends a command with %i, and is sent again only where that may help',
  (code, exit) => {
    const error = new KpiError(code as ErrorCode, 'no')
    expect(exitOf(error)).toBe(exit)
    expect(isTransient(error)).toBe(exit === 5)
    expect(isRefused(error)).toBe(['malformed', 'invalid', 'not_found', 'conflict', 'too_large'].includes(code))
    expect(exitOf(new IncompleteOutput(error, { rows: 1, wholeTo: null, text: '1 row' }))).toBe(exit)
  },
)

test('a conflict with a request that is still at work passes', () => {
  const error = new KpiError('conflict', 'still at work', { retryAfter: 1 })
  expect([exitOf(error), isTransient(error), isRefused(error)]).toEqual([5, true, false])
})

test.each([
  [new Aborted('stopped'), 6],
  [new UsageError('no'), 2],
  [new Error('ENOSPC'), 1],
  ['thrown', 1],
])('%s ends a command with %i', (error, exit) => {
  expect(exitOf(error)).toBe(exit)
})

test('a service that does not answer in time cannot be reached', async () => {
  const ran = await against(() => undefined, 'kpis', 'list', '--timeout', '50ms')
  expect(ran).toMatchObject({ code: 5, stdout: '' })
  expect(ran.stderr).toMatch(/^kpi: cannot reach http:\/\/127\.0\.0\.1:\d+: it did not answer in time\n$/)
})

test('what a service says of itself neither breaks the line nor steers the terminal', async () => {
  const body = {
    message: 'first\nsecond \u001b[2Jgone\u0007',
    errors: [
      { field: 'na\nme', message: 'a\rb' },
      { field: 'x', message: 'y' },
    ],
  }
  const { stderr } = await against(answers(400, body), 'kpis', 'list')
  expect(stderr).toBe('kpi: first ⏎ second \ufffd[2Jgone\ufffd\n  na ⏎ me: a ⏎ b\n  x: y\n')
})

test('at most twenty faults are shown, and how many more there are', async () => {
  const errors = Array.from({ length: 23 }, (_, index) => ({ index, field: 'name', message: 'is required' }))
  const { stderr } = await against(answers(400, { message: '23 faults', errors }), 'kpis', 'list')
  const lines = stderr.trimEnd().split('\n')
  expect(lines).toHaveLength(22)
  expect([lines[0], lines[1], lines[20], lines[21]]).toEqual([
    'kpi: 23 faults',
    '  no. 1, name: is required',
    '  no. 20, name: is required',
    '  and 3 more',
  ])
})
