import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Answer, answerOf, jsonAnswer } from '../../support/faulty/answers.ts'
import { type Kind, kinds } from '../../support/faulty/kinds.ts'
import { type Folder, temporaryFolder } from '../../support/folder.ts'
import { openCapabilities } from '../../../src/loading/third-party/capabilities.ts'
import type { TextRequest } from '../../../src/client/http/network-exchange.ts'
import { some } from '../../support/soak/tests.ts'
import { fileOf, losing, openThirdParty, type Wrap } from '../../support/simulation/requests.ts'

const kindNamed = (name: string): Kind => {
  const kind = kinds.find((one) => one.name === name)
  if (!kind) throw new Error(`there is no kind ${name}`)
  return kind
}

const DOUBLES = kindNamed('foreign, POST and batches make doubles')
const SINGLES = kindNamed('foreign, no batches, POST makes doubles')

const namesOf = (some: readonly Kind[]): [name: string, kind: Kind][] => some.map((kind) => [kind.name, kind])

const MANY: readonly (readonly [name: string, rows: number, least: number, share: number, most: number])[] = [
  [DOUBLES.name, 100_000, 20, 0, 1.5],
  [DOUBLES.name, 100_000, 20, 0.02, 1.5],
  [DOUBLES.name, 100_000, 20, 0.2, 3],
]

// The fewest are the batches, or the entries where there are no batches.
test.each<(typeof MANY)[number]>([
  ...some(1, MANY),
  [SINGLES.name, 1000, 1000, 0.02, 1.5],
  [SINGLES.name, 1000, 1000, 0.2, 3],
])(
  'new entries take few requests: %s, %i rows, at least %i requests, %d of the answers lost',
  async (name, rows, least, share, most) => {
    const kind = kindNamed(name)
    using folder = temporaryFolder()
    const { service, importFile, requests } = openThirdParty(kind, folder, { troubles: losing(share, 7) })
    expect(await importFile(fileOf(rows, (row) => row + 0.5))).toMatchObject({ code: 0 })
    expect([service.entries().length, requests() <= most * least || requests()]).toEqual([rows, true])
  },
  60_000,
)

const foreign = kinds.filter(({ isBundled, reads }) => !isBundled && reads)

test.each(some(8, namesOf(foreign)))(
  'imports of other values, and of the same, leave one entry of each key: %s',
  async (_, kind) => {
    using folder = temporaryFolder()
    const { service, importFile } = openThirdParty(kind, folder)
    const first = fileOf(60, (row) => row + 1.2345, 'rain and wind')
    const second = fileOf(60, (row) => row + 2.3456, 'sun all day')
    for (const text of [first, second, second]) {
      expect(await importFile(text)).toMatchObject({ code: 0 })
      expect(service.entries()).toHaveLength(60)
      expect(new Set(service.entries().map(({ user, kpi, date }) => `${user} ${kpi} ${date}`)).size).toBe(60)
    }
  },
)

test.each(['[]', '{}', 'null', '{"status":"ok"}'])(
  'an answer %s to the first batch of a service without batches rejects no row',
  async (body) => {
    using folder = temporaryFolder()
    let batches = 0
    const { service, importFile } = openThirdParty(SINGLES, folder, {
      wrap: (request, now, serve) => {
        const isFirst = request.path.endsWith('/list') && (batches += 1) === 1
        return isFirst
          ? { afterMs: 1, end: { answer: answerOf(200, body, { 'content-type': 'application/json' }) } }
          : serve(request, now)
      },
    })
    expect(await importFile(fileOf(30, (row) => row))).toMatchObject({ code: 0 })
    expect(service.entries()).toHaveLength(30)
  },
)

const dayBefore = (date: string): string => new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)

test.each(namesOf([DOUBLES, SINGLES]))(
  'a service whose list shows each entry a day early is found out with the first one: %s',
  async (_, kind) => {
    using folder = temporaryFolder()
    const { service, importFile } = openThirdParty(kind, folder, {
      wrap: (request, now, serve) => {
        const served = serve(request, now)
        if (request.method !== 'GET' || !request.path.endsWith('/kpientries') || !('answer' in served.end))
          return served
        const { status, body, headers } = served.end.answer
        const list = JSON.parse(body) as { entry_date: string }[]
        const early = list.map((one) => ({ ...one, entry_date: dayBefore(one.entry_date) }))
        return { ...served, end: { answer: jsonAnswer(status, early, headers) } }
      },
    })
    const ended = await importFile(fileOf(30, (row) => row + 0.5))
    expect(ended).toMatchObject({ code: 6, stdout: expect.stringContaining('"rejected": 0') as string })
    expect('stderr' in ended && ended.stderr).toMatch(
      /does not list the entry of 2026-03-01 for KPI 1, although it said that it was stored, and lists one with the same values on 2026-02-28/,
    )
    expect('stderr' in ended && ended.stderr).toMatch(/it was sent at .* and is not sent again for a week/)
    expect(service.entries()).toHaveLength(1)
  },
)

test('each request that was sent is counted, also those whose answers were lost', async () => {
  using folder = temporaryFolder()
  let [sent, reads] = [0, 0]
  const { importFile } = openThirdParty(DOUBLES, folder, {
    wrap: (request, now, serve) => {
      sent += 1
      const isLost = request.method === 'GET' && (reads += 1) % 4 === 3
      return isLost ? { afterMs: 1, end: { answer: answerOf(502, '') } } : serve(request, now)
    },
  })
  const ended = await importFile(fileOf(60, (row) => row))
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(`"requests": ${sent},`) as string })
  expect(reads).toBeGreaterThan(12)
})

test.each([403, 404, 501])('a service whose list of entries is answered with %i gets all the same', async (status) => {
  using folder = temporaryFolder()
  const { service, importFile } = openThirdParty(kindNamed('foreign'), folder, {
    wrap: (request, now, serve) =>
      request.method === 'GET' && /kpientries|reports/.test(request.path)
        ? { afterMs: 1, end: { answer: jsonAnswer(status, { status, message: 'no' }) } }
        : serve(request, now),
  })
  expect(await importFile(fileOf(60, (row) => row))).toMatchObject({ code: 0 })
  expect(service.entries()).toHaveLength(60)
})

test.each([
  [20, 6],
  [0, 5],
])('404 to new entries after %i of them says nothing of their rows: exit code %i', async (taken, code) => {
  using folder = temporaryFolder()
  let posts = 0
  const { importFile } = openThirdParty(SINGLES, folder, {
    wrap: (request, now, serve) =>
      request.method === 'POST' && request.path.endsWith('/kpientries') && (posts += 1) > taken
        ? { afterMs: 1, end: { answer: jsonAnswer(404, { status: 404, message: 'Not found' }) } }
        : serve(request, now),
  })
  const ended = await importFile(fileOf(60, (row) => row))
  expect(ended).toMatchObject({ code })
  expect('stderr' in ended && ended.stderr).not.toContain('rejected')
})

const isList = ({ method, path }: TextRequest): boolean => method === 'GET' && path.endsWith('/kpientries')

/** Answers the list of entries in another form. */
const listing =
  (change: (list: Record<string, unknown>[]) => unknown[]): Wrap =>
  (request, now, serve) => {
    const served = serve(request, now)
    if (!isList(request) || !('answer' in served.end)) return served
    const { status, body, headers } = served.end.answer
    const list = JSON.parse(body) as Record<string, unknown>[]
    return { ...served, end: { answer: jsonAnswer(status, change(list), headers) } }
  }

/** Lists an entry only so long after it was added. */
const listingLate = (lagMs: () => number, stored: () => readonly { readonly id: number }[]): Wrap => {
  const addedAt = new Map<unknown, number>()
  return (request, now, serve) => {
    const late = listing((list) => list.filter(({ id }) => now - (addedAt.get(id) ?? now) >= lagMs()))
    const served = late(request, now, serve)
    for (const { id } of stored()) if (!addedAt.has(id)) addedAt.set(id, lagMs() === 0 ? -Infinity : now)
    return served
  }
}

test.each([500, 1500, 5000, 12_000, 40_000])(
  'a second import at once adds nothing twice where the list is late by %i ms',
  async (lagMs) => {
    using folder = temporaryFolder()
    const wrap: Wrap = (request, now, serve) => late(request, now, serve)
    const { service, importFile } = openThirdParty(DOUBLES, folder, { wrap })
    const late = listingLate(() => lagMs, service.entries)
    for (const times of [1, 2]) {
      const ended = await importFile(fileOf(40, (row) => row + 0.5))
      expect([times, service.entries().length, ended]).toMatchObject([times, 40, { code: 0 }])
    }
  },
)

/** Answers to what is written say nothing of it. */
const silently =
  (wrap: Wrap): Wrap =>
  (request, now, serve) => {
    const served = wrap(request, now, serve)
    if (request.method !== 'POST' || !('answer' in served.end) || served.end.answer.status > 299) return served
    return { ...served, end: { answer: jsonAnswer(served.end.answer.status, {}) } }
  }

test.each(
  namesOf([DOUBLES, SINGLES]).flatMap(([name, kind]) =>
    [3000, 12_000, 20_000].map((lagMs) => [name, lagMs, kind] as const),
  ),
)('so does one of other values, also where answers say nothing: %s, late by %i ms', async (_, lagMs, kind) => {
  using folder = temporaryFolder()
  const wrap: Wrap = (request, now, serve) => silently(late)(request, now, serve)
  const { service, importFile } = openThirdParty(kind, folder, { wrap })
  const late = listingLate(() => lagMs, service.entries)
  for (const add of [0.5, 0.5, 1.5, 1.5]) {
    const ended = await importFile(fileOf(40, (row) => row + add))
    expect([add, service.entries().length, ended]).toMatchObject([add, 40, { code: 0 }])
  }
})

test('a list that becomes late from one run to the next makes nothing twice', async () => {
  using folder = temporaryFolder()
  let lagMs = 0
  const wrap: Wrap = (request, now, serve) => late(request, now, serve)
  const { service, importFile } = openThirdParty(DOUBLES, folder, { wrap })
  const late = listingLate(() => lagMs, service.entries)
  expect(await importFile(fileOf(40, (row) => row + 0.5))).toMatchObject({ code: 0 })
  lagMs = 15_000
  for (const times of [1, 2])
    expect([times, await importFile(fileOf(200, (row) => row + 0.5)), service.entries().length]).toMatchObject([
      times,
      { code: 0 },
      200,
    ])
})

test('a run on the next day does not wait for long where a list showed nothing before', async () => {
  using folder = temporaryFolder()
  let isShown = false
  const wrap: Wrap = (request, now, serve) => listing((list) => (isShown ? list : []))(request, now, serve)
  const { service, importFile, clock } = openThirdParty(DOUBLES, folder, { wrap })
  expect(await importFile(fileOf(40, (row) => row))).toMatchObject({ code: 6 })
  isShown = true
  await clock.run(() => clock.sleep(86_400_000))
  const before = clock.elapsed()
  for (const add of [0, 1]) expect(await importFile(fileOf(40, (row) => row + add))).toMatchObject({ code: 0 })
  expect([service.entries().length, clock.elapsed() - before < 600_000]).toEqual([40, true])
})

const refusing =
  (method: string, status: number): Wrap =>
  (request, now, serve) =>
    request.method === method
      ? { afterMs: 1, end: { answer: jsonAnswer(status, { status, message: 'no' }) } }
      : serve(request, now)

test.each([
  ['refuses to remove entries', refusing('DELETE', 405)],
  ['forbids to remove entries', refusing('DELETE', 403)],
  ['lists no notes', listing((list) => list.map((one) => ({ ...one, notes: null })))],
])('a second import with other values leaves one entry of each key at a service that %s', async (_, wrap) => {
  using folder = temporaryFolder()
  const { service, importFile } = openThirdParty(DOUBLES, folder, { wrap })
  for (const add of [0.5, 1.5, 1.5])
    expect(await importFile(fileOf(40, (row) => row + add, 'seen'))).toMatchObject({ code: 0 })
  expect(service.entries()).toHaveLength(40)
})

test.each([
  ['changes no entry', refusing('PUT', 405)],
  [
    'neither changes nor removes one',
    (request, now, serve) => refusing('PUT', 405)(request, now, (one, at) => refusing('DELETE', 403)(one, at, serve)),
  ],
] satisfies [string, Wrap][])('a service that %s is said to be that, and holds one of each key', async (_, wrap) => {
  using folder = temporaryFolder()
  const { service, importFile } = openThirdParty(DOUBLES, folder, { wrap })
  expect(await importFile(fileOf(300, (row) => row + 0.5))).toMatchObject({ code: 0 })
  expect(await importFile(fileOf(300, (row) => (row === 7 ? 7.5 : row + 1.5)))).toMatchObject({ code: 7 })
  expect(service.entries()).toHaveLength(300)
})

test('what may be there twice is told where a service has no list of its entries', async () => {
  using folder = temporaryFolder()
  const wrap: Wrap = (request, now, serve) =>
    request.method === 'GET' && /kpientries|reports/.test(request.path)
      ? { afterMs: 1, end: { answer: jsonAnswer(404, { status: 404, message: 'no' }) } }
      : serve(request, now)
  const { importFile } = openThirdParty(DOUBLES, folder, { wrap })
  for (const text of [fileOf(40, (row) => row), fileOf(40, (row) => row)]) {
    const ended = await importFile(text)
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/warning: .*does not list its entries/) as string,
    })
  }
})

test('a service that rounds is told of, in each run', async () => {
  using folder = temporaryFolder()
  const { importFile } = openThirdParty(kindNamed('foreign, rounds to whole numbers'), folder, { isQuiet: false })
  const told = []
  for (const add of [0.6, 1.6]) told.push(await importFile(fileOf(5, (row) => row + add)))
  expect(told).toMatchObject([
    {
      code: 0,
      stderr: expect.stringContaining('rounds numbers as it stores them: 0.6 was sent, and 0 is stored') as string,
    },
    { code: 0, stderr: expect.stringContaining('rounds numbers as it stores them') as string },
  ])
})

test('entries that stand beside each other for one key are told of', async () => {
  using folder = temporaryFolder()
  const twice = listing((list) => list.flatMap((one) => [one, { ...one, id: Number(one['id']) + 1000 }]))
  let isTwice = false
  const wrap: Wrap = (request, now, serve) => (isTwice ? twice : serve)(request, now, serve)
  const { importFile } = openThirdParty(DOUBLES, folder, { wrap, isQuiet: false })
  expect(await importFile(fileOf(5, (row) => row))).toMatchObject({ code: 0 })
  isTwice = true
  expect(await importFile(fileOf(5, (row) => row))).toMatchObject({
    stderr: expect.stringMatching(/holds 2 entries for the same user and KPI 1 on 2026-03-01 \(1, 1001\)/) as string,
  })
})

test.each<[what: string, answer: Answer, minutes: number, most: number]>(
  some(1, [
    ['a page instead of an answer', answerOf(200, '<html>', { 'content-type': 'text/html' }), 4, 1500],
    ['404 to a batch, as while it is brought up to date', answerOf(404, 'gone'), 4, 1500],
    ['503', answerOf(503, ''), 4, 1500],
    ['504', answerOf(504, ''), 1, 400],
  ]),
)(
  'a service that gives %s for some minutes gets batches again',
  async (_, answer, minutes, most) => {
    using folder = temporaryFolder()
    let begun: number | undefined
    const wrap: Wrap = (request, now, serve) => {
      const isBatch = request.method === 'POST' && request.path.endsWith('/list')
      if (isBatch) begun ??= now
      const isOver = now - (begun ?? now) >= minutes * 60_000
      return isBatch && !isOver ? { afterMs: 50, end: { answer } } : serve(request, now)
    }
    const { service, importFile, requests } = openThirdParty(DOUBLES, folder, { wrap })
    expect(await importFile(fileOf(20_000, (row) => row + 0.5))).toMatchObject({ code: 0 })
    expect([service.entries().length, requests() < most || requests()]).toEqual([20_000, true])
  },
  60_000,
)

test.each<[what: string, answer: Answer]>(
  some(1, [
    ['refuses', jsonAnswer(422, { status: 422, message: 'not now' })],
    ['gives no word on', answerOf(502, '')],
  ]),
)('a service that %s batches of changes in one run gets them in the next', async (_, answer) => {
  using folder = temporaryFolder()
  let isRefusing = false
  const wrap: Wrap = (request, now, serve) =>
    isRefusing && request.method === 'POST' && request.path.endsWith('/list')
      ? { afterMs: 1, end: { answer } }
      : serve(request, now)
  const { service, importFile, requests } = openThirdParty(kindNamed('foreign'), folder, { wrap })
  const taken: number[] = []
  for (const add of [0.5, 1.5, 2.5]) {
    const before = requests()
    isRefusing = add === 1.5
    expect(await importFile(fileOf(1000, (row) => row + add))).toMatchObject({ code: 0 })
    taken.push(requests() - before)
  }
  expect(service.entries()).toHaveLength(1000)
  const [, single = 0, again = Infinity] = taken
  expect([single > 1000, again < 100, taken]).toEqual([true, true, taken])
})

const isAdd = ({ method, path }: TextRequest): boolean => method === 'POST' && path.endsWith('/kpientries')

test('a row that is answered with another actual is looked up, and rejected where it is not stored', async () => {
  using folder = temporaryFolder()
  const wrap: Wrap = (request, now, serve) =>
    isAdd(request)
      ? {
          afterMs: 1,
          end: { answer: jsonAnswer(201, { id: 1, ...(JSON.parse(request.body ?? '') as object), actual: 77 }) },
        }
      : serve(request, now)
  const { service, importFile } = openThirdParty(SINGLES, folder, { wrap })
  expect(await importFile(fileOf(1, () => 6))).toMatchObject({ code: 3 })
  expect(service.entries()).toEqual([])
  expect(readFileSync(folder.in('home/data.rejects.csv'), 'utf8')).toContain('answered the actual 77')
})

const ADD = ['--on-conflict', 'add']

test('a service that says only later that it takes no batches is tried with one stored entry, in one run', async () => {
  using folder = temporaryFolder()
  let [isGone, tried] = [false, 0]
  const wrap: Wrap = (request, now, serve) => {
    const isBatch = request.method === 'POST' && request.path.endsWith('/list')
    if (!isGone || !isBatch) return serve(request, now)
    tried += 1
    return { afterMs: 1, end: { answer: jsonAnswer(404, { status: 404, message: 'no such path' }) } }
  }
  const { service, importFile } = openThirdParty(DOUBLES, folder, { wrap })
  expect(await importFile(fileOf(30, (row) => row))).toMatchObject({ code: 0 })
  isGone = true
  for (const add of [1, 2]) expect(await importFile(fileOf(30, (row) => row + add))).toMatchObject({ code: 0 })
  expect([service.entries().length, tried]).toEqual([30, 1])
})

test('a run that goes on counts the rows that it skipped before', async () => {
  using folder = temporaryFolder()
  let large = 0
  const wrap: Wrap = (request, now, serve) => {
    large += request.method === 'POST' && (request.body ?? '').length > 5000 ? 1 : 0
    if (large !== 2) return serve(request, now)
    large += 1
    return { afterMs: 1, end: { answer: jsonAnswer(401, { message: 'log in again' }) } }
  }
  const { importFile } = openThirdParty(DOUBLES, folder, { wrap })
  expect(await importFile(fileOf(10, (row) => row))).toMatchObject({ code: 0 })
  const all = fileOf(5200, (row) => row % 100)
  const stopped = { code: 4, stdout: expect.stringContaining('"skipped": 10') as string }
  expect(await importFile(all, '--on-conflict', 'skip')).toMatchObject(stopped)
  const ended = await importFile(all, '--on-conflict', 'skip')
  expect('stdout' in ended && JSON.parse(ended.stdout)).toMatchObject({ read: 5200, created: 5190, skipped: 10 })
})

describe('what is known of a service', () => {
  const MINUTE = 60_000
  const open = (path?: string) => {
    const clock = { now: 1000 }
    return { clock, capabilities: openCapabilities(path, () => clock.now) }
  }

  test('has batches sent again a minute after the first that was refused, then after twice as long each time', () => {
    const { clock, capabilities } = open()
    const { maySendBatch, avoidBatches, doubtsBatches, noteBatch } = capabilities
    expect([maySendBatch(), doubtsBatches()]).toEqual([true, false])
    for (const minutes of [1, 2, 4, 8, 16, 16]) {
      avoidBatches()
      expect([maySendBatch(), doubtsBatches()]).toEqual([false, true])
      clock.now += minutes * MINUTE - 1
      expect(maySendBatch()).toBe(false)
      clock.now += 1
      expect([maySendBatch(), doubtsBatches()]).toEqual([true, true])
    }
    noteBatch(1)
    expect(doubtsBatches()).toBe(false)
    avoidBatches()
    clock.now += MINUTE
    expect(maySendBatch()).toBe(true)
    avoidBatches()
    // The clock was set back.
    clock.now -= 1
    expect(maySendBatch()).toBe(true)
  })

  test('has larger batches tried after ten of the most, then after twice as many', () => {
    const { mostInBatch, halveBatches, noteBatch } = open().capabilities
    const note = (size: number, times: number): number => {
      for (let at = 0; at < times; at += 1) noteBatch(size)
      return mostInBatch()
    }
    expect([mostInBatch(), note(5000, 50)]).toEqual([5000, 5000])
    halveBatches(5000)
    halveBatches(2500)
    expect([mostInBatch(), note(1249, 50), note(1250, 9), note(1250, 1)]).toEqual([1250, 1250, 1250, 2500])
    expect([note(2500, 19), note(2500, 1)]).toEqual([2500, 5000])
    halveBatches(3)
    expect([mostInBatch(), note(2, 39), note(2, 1)]).toEqual([2, 2, 4])
    note(4, 79)
    halveBatches(8)
    expect([mostInBatch(), note(4, 79), note(4, 1)]).toEqual([4, 4, 8])
  })

  test('is kept for a week; that batches update nothing as far as was tried, for a quarter of an hour', () => {
    using folder = temporaryFolder()
    const path = folder.in('known/service.json')
    const first = open(path)
    const { known, learn, assumeNoUpdates } = first.capabilities
    learn({ takesBatches: false, updatesInBatches: true, lagMs: 300, wroteAt: 900, isRecognised: true })
    assumeNoUpdates()
    expect(known()).toMatchObject({ updatesInBatches: false, isRecognised: true })
    first.clock.now += 16 * MINUTE
    expect(known()).toMatchObject({ updatesInBatches: true })
    const knownAt = (now: number) => openCapabilities(path, () => now)
    const kept = { takesBatches: false, updatesInBatches: true, lagMs: 300, wroteAt: 900 }
    const week = 7 * 24 * 60 * MINUTE
    expect(knownAt(week + 999).known()).toEqual(kept)
    expect(knownAt(week + 1000).known()).toEqual({})
    expect([knownAt(week).maySendBatch(), knownAt(week + 1000).maySendBatch()]).toEqual([false, true])
    expect([knownAt(2000).settledAt, knownAt(500).settledAt]).toEqual([1500, 1100])
    writeFileSync(path, '{"at":1000,"takesBatches":true,"updatesInBatches":1,"isRounding":"yes","lagMs":300}')
    expect(knownAt(2000).known()).toEqual({})
  })
})

describe('--on-conflict add', () => {
  const sums = (service: ReturnType<typeof openThirdParty>['service']): number[] =>
    service
      .entries()
      .map(({ actual }) => Number(actual) / 10_000)
      .toSorted((left, right) => left - right)
  const rejects = (folder: Folder): string => readFileSync(folder.in('home/data.rejects.csv'), 'utf8')
  const first = fileOf(20, (row) => row + 0.5)
  const second = fileOf(20, (row) => row + 1)
  const added = Array.from({ length: 20 }, (_, row) => 2 * row + 1.5)

  test.each([
    ['foreign', { created: 20 }, { updated: 20 }],
    ['foreign, no batches (404)', { created: 20 }, { updated: 20 }],
    ['foreign, newer', { created: 20 }, { updated: 20 }],
    ['foreign, newer, a key that only writes', { sent: 20 }, { sent: 20 }],
  ])('adds each row once to what is there: %s', async (name, ofFirst, ofSecond) => {
    using folder = temporaryFolder()
    const { service, importFile } = openThirdParty(kindNamed(name), folder)
    const ended = [await importFile(first, ...ADD), await importFile(second, ...ADD, '--add-again')]
    expect(ended).toMatchObject([{ code: 0 }, { code: 0 }])
    expect(ended.map((one) => 'stdout' in one && (JSON.parse(one.stdout) as unknown))).toMatchObject([
      ofFirst,
      ofSecond,
    ])
    expect(sums(service)).toEqual(added)
  })

  test.each(namesOf([DOUBLES, SINGLES]))('leaves nothing beside what is there: %s', async (_, kind) => {
    using folder = temporaryFolder()
    const { service, importFile } = openThirdParty(kind, folder)
    await importFile(first, ...ADD)
    const before = service.entries()
    const ended = await importFile(second, ...ADD, '--add-again')
    expect([ended, service.entries()]).toMatchObject([{ code: 3 }, before])
    expect('stdout' in ended && ended.stdout).toContain('"rejected": 20')
    expect(rejects(folder).match(/the service stores a second entry instead of adding/g)).toHaveLength(20)
  })

  test('says so where what stands beside it then has other values, and removes nothing', async () => {
    using folder = temporaryFolder()
    let isOther = false
    const wrap: Wrap = (request, now, serve) =>
      isOther && isAdd(request)
        ? serve({ ...request, body: request.body?.replace(/"actual":[\d.]+/, '"actual":77') ?? null }, now)
        : serve(request, now)
    const { service, importFile } = openThirdParty(SINGLES, folder, { wrap })
    await importFile(
      fileOf(1, () => 5),
      ...ADD,
    )
    isOther = true
    const ended = await importFile(
      fileOf(1, () => 6),
      ...ADD,
      '--add-again',
    )
    expect(ended).toMatchObject({ code: 3 })
    expect(rejects(folder)).toContain('answered entry 2, which has other values and exists beside 1 for')
    expect(sums(service)).toEqual([5, 77])
  })

  test.each([
    ['was stored, once', true],
    ['was not stored, again', false],
  ])('sends what is lost on the way, and %s', async (_, isStored) => {
    using folder = temporaryFolder()
    let sent = 0
    const wrap: Wrap = (request, now, serve) => {
      if (!isAdd(request) || (sent += 1) % 5 !== 1) return serve(request, now)
      if (isStored) serve(request, now)
      return { afterMs: 1, end: { answer: answerOf(502, '') } }
    }
    const { service, importFile } = openThirdParty(kindNamed('foreign'), folder, { wrap })
    const ended = await importFile(first, ...ADD)
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('"created": 20,') as string })
    expect(sums(service)).toEqual(added.map((_one, row) => row + 0.5))
  })

  test('rejects a row whose answer is lost where an entry was there, as nobody can tell', async () => {
    using folder = temporaryFolder()
    let sent = 0
    const wrap: Wrap = (request, now, serve) =>
      isAdd(request) && (sent += 1) === 25 ? { afterMs: 1, end: { answer: answerOf(502, '') } } : serve(request, now)
    const { importFile } = openThirdParty(kindNamed('foreign'), folder, { wrap })
    expect(await importFile(first, ...ADD)).toMatchObject({ code: 0 })
    const ended = await importFile(second, ...ADD, '--add-again')
    expect(ended).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/"updated": 19,[^}]*"rejected": 1,/) as string,
    })
    expect(rejects(folder)).toContain('the answer was lost')
  })

  test.each([
    ['nothing was there, and the row was stored', false, true, 0],
    ['nothing was there, and the row was not stored', false, false, 0],
    ['something was there', true, true, 1],
  ])('goes on once a run was cut off in a row without an answer; %s', async (_, isThere, isStored, rejected) => {
    using folder = temporaryFolder()
    let [sent, isDown] = [isThere ? -20 : 0, false]
    const wrap: Wrap = (request, now, serve) => {
      if (isAdd(request)) sent += 1
      const isLost = isAdd(request) && sent === 10
      isDown ||= isLost
      if (!isDown || (isLost && isStored)) {
        const served = serve(request, now)
        if (!isLost) return served
      }
      return {
        afterMs: 1,
        end: { answer: isLost ? answerOf(502, '') : jsonAnswer(401, { status: 401, message: 'no' }) },
      }
    }
    const { service, importFile } = openThirdParty(kindNamed('foreign'), folder, { wrap })
    if (isThere) await importFile(first, ...ADD)
    const flags = isThere ? [...ADD, '--add-again'] : ADD
    expect(await importFile(second, ...flags)).toMatchObject({ code: 4 })
    isDown = false
    const ended = await importFile(second, ...flags)
    expect(ended).toMatchObject({ code: rejected === 0 ? 0 : 3 })
    expect('stdout' in ended && (JSON.parse(ended.stdout) as unknown)).toMatchObject({
      [isThere ? 'updated' : 'created']: 20 - rejected,
      rejected,
      left: 0,
    })
    expect(sums(service)).toEqual(isThere ? added : added.map((_one, row) => row + 1))
  })

  test('ends where the answers to some rows in a row were lost', async () => {
    using folder = temporaryFolder()
    let isLosing = false
    const wrap: Wrap = (request, now, serve) =>
      isLosing && isAdd(request) ? { afterMs: 1, end: { answer: answerOf(502, '') } } : serve(request, now)
    const { importFile } = openThirdParty(kindNamed('foreign'), folder, { wrap })
    await importFile(first, ...ADD)
    isLosing = true
    const ended = await importFile(second, ...ADD, '--add-again')
    expect('stderr' in ended && ended.stderr).toMatch(/the answers to \d+ entries in a row were lost/)
  })
})
