import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWell, serve, type Serving, statusOf } from '../support/listening.ts'
import { head, sendThenRead } from '../support/socket.ts'

/** As much as fits into a head of 16 KiB, and into a target that is looked at in full. */
const [HEADER_SIZE, TARGET_SIZE] = [15_500, 8000]
/** Far more than any of these requests needs, far less than one takes that grows with the square of its size. */
const CPU_LIMIT_MS = 500

/** Pieces that separators, quotes and words of headers are made of. */
const UNITS = [
  ',',
  ';',
  '/',
  '/s',
  ' ',
  '\t',
  '=',
  '"',
  '\\',
  '+',
  '.',
  ':',
  '[',
  '%41',
  'a/b,',
  ';a=',
  ';q=0.',
  '*/*,',
  'a/+',
  'kpi_a_',
]

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  Accept: ['a', 'a/b;a="'],
  Authorization: ['Basic ', 'Bearer ', 'a'],
  'Content-Encoding': ['a'],
  'Content-Type': ['a', 'a/b;a="'],
  Host: ['a', '['],
  'Idempotency-Key': ['a'],
  Origin: ['a', 'https://'],
  'Sec-Fetch-Site': ['a'],
  'X-Forwarded-For': ['a', '['],
}

const filled = (lead: string, unit: string, size: number): string =>
  `${lead}${unit.repeat((size - lead.length) / unit.length)}c`

let serving: Serving
beforeAll(async () => {
  serving = await serve({ behindProxy: true })
})
afterAll(() => serving[Symbol.asyncDispose]())

/** Sends a request and answers the processor time that it took, both ends together, beside the status. */
const measure = async (request: string): Promise<{ readonly status: number; readonly milliseconds: number }> => {
  const before = process.cpuUsage()
  const status = statusOf(await sendThenRead(serving.server.url, request))
  const { user, system } = process.cpuUsage(before)
  return { status, milliseconds: (user + system) / 1000 }
}

/** Those of some requests that took longer than they may, with what they were. */
const slowOf = async (requests: readonly (readonly [name: string, request: string])[]): Promise<unknown[]> => {
  const slow: unknown[] = []
  for (const [name, request] of requests) {
    const { status, milliseconds } = await measure(request)
    if (milliseconds > CPU_LIMIT_MS || !(status >= 200 && status < 500)) slow.push({ name, status, milliseconds })
  }
  return slow
}

const headWith = (name: string, value: string, line: string): string =>
  [line, ...(name === 'Host' ? [] : ['Host: localhost']), 'Connection: close', `${name}: ${value}`, '', ''].join('\r\n')

test.each(Object.entries(HEADERS))('%s takes no longer than its size, whatever is in it', async (name, leads) => {
  const requests = leads.flatMap((lead) =>
    UNITS.flatMap((unit) =>
      ['GET /api/health', 'POST /v1/kpis'].map((line) => {
        const value = filled(lead, unit, HEADER_SIZE)
        return [`${line} ${lead}${unit}…`, headWith(name, value, `${line} HTTP/1.1`)] as const
      }),
    ),
  )
  expect(await slowOf(requests)).toEqual([])
  expect(await isWell(serving.server.url)).toBe(true)
})

test.each([
  ['a path', '/api/', HEADER_SIZE],
  ['a whole URL', 'http://a', HEADER_SIZE],
  ['a query', '/api/reports/AllDataEntries?', TARGET_SIZE],
  ['a list of ids', '/api/reports/AllDataEntries?kpiIds=', TARGET_SIZE],
])('%s takes no longer than its size, whatever is in it', async (_, lead, size) => {
  const units = [...UNITS.filter((unit) => !/\s/.test(unit)), '1,', '&', 'a&', 'kpiIds=1&', '?', '#', '@', '//']
  const requests = units.map(
    (unit) => [unit, head(serving.service, `GET ${filled(lead, unit, size)}`, 'Connection: close')] as const,
  )
  expect(await slowOf(requests)).toEqual([])
  expect(await isWell(serving.server.url)).toBe(true)
})
