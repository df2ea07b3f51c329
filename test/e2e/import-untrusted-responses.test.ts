import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { type Foreign, foreignService } from '../support/foreign.ts'
import { errorOf, type Ran, shellIn } from '../support/kpi.ts'

type Held = { id: number; user_id: number; kpi_id: number; entry_date: string; actual: number; since?: number }
type Kind = {
  /** What it holds, as users and actuals of 2026-03-10. */
  readonly holds?: readonly (readonly [user: number, actual: number])[]
  /** The first POST of an entry, or of a batch of several, gets no answer, but is done. */
  readonly loses?: boolean
  /** What it answers to what it has stored, where that is not the entry. */
  readonly says?: string
  /** The same of a batch. */
  readonly batchSays?: string | undefined
  /** Of each request it stores only so many entries, whatever it answers. */
  readonly keeps?: number
  /** It refuses this actual in a batch, and stores the others all the same; or says of nothing in it what was wrong. */
  readonly refuses?: { readonly actual: number; readonly isNamed: boolean }
  readonly digits?: number
  /** So many lists do not show yet what was stored last. */
  readonly lag?: number
  /** How it shows what it holds. */
  readonly shows?: (one: Held) => object
  /** An entry that is there stays as it is, whatever is posted. */
  readonly ignores?: boolean
  /** Somebody else enters this for the first entry of a batch, just as it arrives. */
  readonly enters?: number
  /** Batches of more entries get no answer. */
  readonly most?: number
  /** What is answered to a batch without looking at it. */
  readonly batchStatus?: number
  /** What an entry of a batch does to one that is there; without it there are no batches. */
  readonly batches?: 'updates' | 'doubles'
}

const DAY = '2026-03-10'
const AT = '2026-01-01T00:00:00'
const TIMES = { created_at: AT, updated_at: AT }
const USERS = [1, 2, 3].map((id) => ({ id, user_status_id: 'A', first_name: `U${id}`, last_name: 'L', ...TIMES }))
const KPIS = [{ id: 1, frequency_id: 'D', name: 'Sales', is_active: true, is_calculated: false, ...TIMES }]

/** A service that adds whatever it is sent by itself, and does not look at whose entries it is asked for. */
const serviceOf = async (kind: Kind): Promise<Foreign & { readonly entries: Held[] }> => {
  const made = (id: number, user_id: number, actual: number, entry_date = DAY): Held => ({
    id,
    user_id,
    kpi_id: 1,
    entry_date,
    actual: Number(actual.toFixed(kind.digits ?? 4)),
  })
  const entries = (kind.holds ?? []).map(([user, actual], at) => made(at + 1, user, actual))
  let [last, posts, batches, lists] = [entries.length, 0, 0, 0]
  const store = ({ user_id, actual, entry_date }: Held): Held => {
    const known = entries.find((one) => one.user_id === user_id && one.entry_date === entry_date)
    if (kind.ignores && known) return known
    const one = { ...made((last += 1), user_id, actual, entry_date), since: lists }
    entries.push(one)
    return one
  }
  const foreign: Foreign = await foreignService((response, { method, url = '' }) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const path = pathname.replace('/api', '')
    const answer = (status: number, content: unknown): void => void response.writeHead(status).end(content)
    const say = (content: unknown): void => answer(200, JSON.stringify(content))
    const body = (): Held & { entries: Held[] } => JSON.parse(foreign.reached.at(-1)?.body ?? '')
    const at = entries.findIndex(({ id }) => path === `/kpientries/${id}`)
    if (path === '/users') return say(USERS)
    if (path === '/kpis') return say(KPIS)
    if (path.startsWith('/users/')) return say([{ id: 1, user_id: 1, ...TIMES }])
    if (method === 'GET') {
      lists += 1
      const [from, to] = [searchParams.get('dateFrom') ?? '', searchParams.get('dateTo') ?? '']
      const shown = entries
        .filter(
          ({ entry_date, since = -9 }) => entry_date >= from && entry_date <= to && lists - since > (kind.lag ?? 0),
        )
        .map((one) => ({ ...one, ...TIMES, ...kind.shows?.(one) }))
      const page = Number(searchParams.get('page') ?? 1)
      return say(shown.slice((page - 1) * 100, page * 100))
    }
    if (method === 'DELETE') return at < 0 ? answer(404, '') : (entries.splice(at, 1), answer(200, ''))
    const known = entries[at]
    if (method === 'PUT' && known)
      return say(Object.assign(known, made(known.id, known.user_id, body().actual, known.entry_date)))
    if (path.endsWith('/list') && body().entries.length > (kind.most ?? Infinity)) return answer(504, '<html>')
    if (path.endsWith('/list') && kind.batchStatus) return answer(kind.batchStatus, '<html>')
    if (path.endsWith('/list') && kind.batches) {
      const sent = body().entries
      const [firstSent] = sent
      if (kind.enters && firstSent && entries.length === 0) store({ ...firstSent, actual: kind.enters })
      const bad = sent.findIndex(({ actual }) => actual === kind.refuses?.actual)
      for (const one of sent.slice(0, kind.keeps)) {
        if (one === sent[bad]) continue
        const same = entries.find(({ user_id, entry_date }) => user_id === one.user_id && entry_date === one.entry_date)
        if (same && kind.batches === 'updates') same.actual = made(same.id, same.user_id, one.actual).actual
        else store(one)
      }
      batches += sent.length > 1 ? 1 : 0
      const errors = kind.refuses?.isNamed ? [{ index: bad, field: 'actual', message: 'is not wanted' }] : []
      if (bad >= 0) return answer(400, JSON.stringify({ message: 'some are bad', errors }))
      return kind.loses && sent.length > 1 && batches === 1
        ? response.destroy()
        : answer(200, kind.batchSays ?? kind.says ?? '{}')
    }
    if (method !== 'POST' || path !== '/kpientries') return answer(404, '{}')
    posts += 1
    const one = kind.keeps === 0 ? body() : store(body())
    if (kind.loses && posts === 1) return void response.destroy()
    if (kind.says === undefined) return say(one)
    answer(201, kind.says)
  })
  return { ...foreign, entries }
}

type Imported = Ran & { readonly rejects: string }

const importInto = async (service: Foreign, rows: string, ...args: string[]): Promise<Imported> => {
  using folder = temporaryFolder()
  return await importFrom(folder, service, rows, ...args)
}

const importFrom = async (folder: Folder, { url }: Foreign, rows: string, ...args: string[]): Promise<Imported> => {
  writeFileSync(folder.in('data.csv'), `user,kpi,date,actual\n${rows}\n`)
  const env = { KPI_BASE_URL: `${url}/api`, KPI_LOGIN: 'u1@example.com', KPI_TOKEN: 'their-own-token' }
  const shell = shellIn({ home: folder.path, cwd: folder.path, env })
  const ran = await shell('entries', 'import', 'data.csv', '-o', 'json', ...args)
  const rejects = ran.stderr.includes('data.rejects.csv') ? readFileSync(folder.in('data.rejects.csv'), 'utf8') : ''
  return { ...ran, rejects }
}

const held = ({ entries }: { readonly entries: readonly Held[] }): number[][] =>
  entries.map(({ id, user_id, actual }) => [id, user_id, actual])

test.each<[what: string, kind: Kind, row: string, left: number[][]]>([
  [
    'whose users it does not tell apart',
    {
      holds: [
        [2, 7],
        [3, 7],
      ],
    },
    '7',
    [
      [1, 2, 7],
      [2, 3, 7],
      [3, 1, 7],
    ],
  ],
  [
    'which held two entries before',
    {
      holds: [
        [1, 7],
        [1, 9],
      ],
    },
    '7',
    [
      [1, 1, 7],
      [2, 1, 7],
    ],
  ],
  ['which rounds', { holds: [[1, 7]], digits: 2 }, '7.1234', [[1, 1, 7.12]]],
  ['whose list lags behind', { lag: 2 }, '7', [[1, 1, 7]]],
])('a lost answer doubles nothing and removes nothing of others at a service %s', async (_, kind, row, left) => {
  const service = await serviceOf({ ...kind, loses: true })
  const ran = await importInto(service, `1,1,${DAY},${row}`)
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { rejected: 0, left: 0 }])
  expect(held(service)).toEqual(left)
})

test.each(['', 'null', '[]', '"ok"', '{}', '{"id":1}'])(
  'what was done is not done again where %j is answered',
  async (says) => {
    const service = await serviceOf({ says, holds: [[2, 5]] })
    expect((await importInto(service, `1,1,${DAY},7`)).code).toBe(0)
    expect(held(service)).toEqual([
      [1, 2, 5],
      [2, 1, 7],
    ])
  },
)

test.each([
  ['a new entry is seen to be there', [], 0],
  ['of one that was there nobody can tell', [[1, 5] as const], 1],
])('what was added is not added again where the answer cannot be read: %s', async (_, holds, rejected) => {
  const service = await serviceOf({ says: 'OK', holds })
  const ran = await importInto(service, `1,1,${DAY},7`, '--on-conflict', 'add')
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([rejected === 0 ? 0 : 3, { rejected }])
  expect(service.entries).toHaveLength(holds.length + 1)
})

test.each(['{"rows_added":2}', '{}', '{"rows_created":7,"rows_updated":0,"rows_unchanged":0}'])(
  'rows of a batch are counted by what is stored where %s does not add up',
  async (says) => {
    const service = await serviceOf({ says, batches: 'updates' })
    const ran = await importInto(service, `1,1,${DAY},7\n1,1,2026-03-11,8`)
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 2, sent: 0, left: 0 })
  },
)

/** How many batches there were, of how many entries ever. */
const batchesTo = ({ reached }: Foreign): number => reached.filter(({ target }) => target.endsWith('/list')).length

/** How many requests held several entries. */
const together = ({ reached }: Foreign): number =>
  reached.filter(({ body, target }) => target.endsWith('/list') && JSON.parse(body).entries.length > 1).length

test.each([0, 2])('a batch whose answer was lost is not sent again where %i lists do not show it yet', async (lag) => {
  const service = await serviceOf({ batches: 'updates', loses: true, lag })
  const ran = await importInto(service, `1,1,${DAY},7\n1,1,2026-03-11,8\n1,1,2026-03-12,9`)
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { rejected: 0, left: 0 }])
  expect([
    together(service),
    service.entries.map(({ actual }) => actual).toSorted((left, right) => left - right),
  ]).toEqual([1, [7, 8, 9]])
})

const days = (first: number, count: number, actual: number): string =>
  Array.from({ length: count }, (_, at) => `1,1,2026-03-${first + at},${actual}`).join('\n')

const SAYS = [undefined, '{}', '{"rows_created":1,"rows_updated":0,"rows_unchanged":0}']

test.each(SAYS)(
  'a service whose batches make doubles gets new entries in batches, and updates by their ids, where it answers %j',
  async (says) => {
    const holds = [[1, 3] as const]
    const service = await serviceOf({ batches: 'doubles', holds, batchSays: says })
    using folder = temporaryFolder()
    const first = await importFrom(folder, service, days(10, 6, 7))
    expect([first.code, JSON.parse(first.stdout)]).toMatchObject([0, { created: 5, updated: 1, left: 0, rejected: 0 }])
    expect(held(service).map(([, , actual]) => actual)).toEqual([7, 7, 7, 7, 7, 7])
    // One was tried first.
    expect([batchesTo(service), together(service)]).toEqual([2, 1])
    const again = await importFrom(folder, service, days(10, 6, 8))
    expect([again.code, service.entries.map(({ actual }) => actual)]).toEqual([0, [8, 8, 8, 8, 8, 8]])
    const tried = batchesTo(service)
    const third = await importFrom(folder, service, days(10, 6, 9))
    expect([third.code, service.entries.map(({ actual }) => actual)]).toEqual([0, [9, 9, 9, 9, 9, 9]])
    // What a batch makes of what is there was found out with one entry, and is remembered.
    expect([tried, batchesTo(service), together(service)]).toEqual([3, 3, 1])
  },
)

test('a service whose batches make doubles of what is new gets it once, as well', async () => {
  const service = await serviceOf({ batches: 'doubles' })
  const ran = await importInto(service, days(10, 4, 7))
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { created: 4, left: 0, rejected: 0 }])
  expect(service.entries.map(({ entry_date }) => entry_date)).toHaveLength(4)
})

test.each(SAYS)('what batches do is found out with one entry, and remembered, where %j is answered', async (says) => {
  const service = await serviceOf({ batches: 'updates', batchSays: says })
  using folder = temporaryFolder()
  const batches: number[] = []
  for (const actual of [7, 8, 9]) {
    const before = batchesTo(service)
    await importFrom(folder, service, days(10, 5, actual))
    batches.push(batchesTo(service) - before)
    expect(held(service).map(([, , one]) => one)).toEqual([actual, actual, actual, actual, actual])
  }
  // With the first entry it is found out whether what is sent is recognised, with the next whether batches update: the
  // second time it is one that is updated by its id.
  expect(batches).toEqual([2, 2, 1])
})

test.each([true, false])(
  'what a refused batch has stored all the same is not sent again, where it is %j that it names the bad row',
  async (isNamed) => {
    const rows = [10, 11, 12, 13, 14, 15].map((day) => `1,1,2026-03-${day},${day}`)
    const service = await serviceOf({ batches: 'updates', refuses: { actual: 12, isNamed } })
    const ran = await importInto(service, rows.join('\n'))
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { rejected: 1, left: 0 }])
    expect(service.entries.map(({ actual }) => actual).toSorted((left, right) => left - right)).toEqual([
      10, 11, 13, 14, 15,
    ])
    const sent = service.reached
      .filter(({ target }) => target.endsWith('/list'))
      .flatMap(({ body }) => JSON.parse(body).entries)
    expect(sent.filter(({ actual }) => actual > 12)).toHaveLength(3)
  },
)

/** Answers that tell of a fault, and those that only prove nothing. */
const FAULTS = ['{"rows_added":0}', '{"error":"quota exceeded"}', '{"message":"queued"}']
const NO_PROOFS = ['{"success":false,"reason":"quota exceeded"}', '{"id":901,"status":"queued"}', '{}', '[]', '']

test.each(FAULTS)('rows that are not stored are rejects where %j is answered to a batch', async (batchSays) => {
  const service = await serviceOf({ batches: 'updates', keeps: 0, batchSays })
  const ran = await importInto(service, days(10, 4, 7))
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { sent: 0, created: 0, rejected: 4, left: 0 }])
  expect(ran.rejects).toContain('but did not store it')
  // Each was tried twice by itself.
  expect([batchesTo(service), together(service)]).toEqual([8, 0])
})

test('a service that stores nothing, and tells of a fault each time, is left alone after a few entries', async () => {
  const service = await serviceOf({ batches: 'updates', keeps: 0, batchSays: '{"message":"queued"}' })
  const ran = await importInto(service, days(1, 28, 7))
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([6, { rejected: 5, left: 23 }])
  expect(ran.stderr).toContain('and stored none of them; nothing more is sent')
})

test.each(NO_PROOFS)('nothing is sent twice where %j is answered, and the list does not show it', async (says) => {
  for (const kind of [{ batches: 'updates', batchSays: says } as const, { says }]) {
    const service = await serviceOf({ ...kind, keeps: 0 })
    const ran = await importInto(service, days(10, 4, 7))
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([6, { sent: 0, created: 0, rejected: 0, left: 4 }])
    expect(ran.stderr).toContain('does not list the entry of 2026-03-10')
    const sent = service.reached.filter(({ method, body }) => method === 'POST' && body.includes('2026-03-'))
    // One that has no batches is asked for them first.
    expect(sent.length).toBeLessThan(3)
  }
})

test.each([...FAULTS.slice(1), ...NO_PROOFS])(
  'a row that is not added is a reject where %j is answered to it alone',
  async (says) => {
    const service = await serviceOf({ keeps: 0, says })
    const ran = await importInto(service, days(10, 2, 7), '--on-conflict', 'add')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { sent: 0, created: 0, rejected: 2, left: 0 }])
    expect(ran.rejects).toContain('but did not store it')
  },
)

test.each(FAULTS.slice(1))('a row that is not stored is a reject where %j is answered to it alone', async (says) => {
  const service = await serviceOf({ keeps: 0, says })
  const ran = await importInto(service, days(10, 2, 7))
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { sent: 0, created: 0, rejected: 2, left: 0 }])
  expect(ran.rejects).toContain('but did not store it')
})

test('what a batch has left out is sent again where the answer tells of fewer rows', async () => {
  const service = await serviceOf({ batches: 'updates', keeps: 3, batchSays: '{"rows_added":3}' })
  const ran = await importInto(service, days(10, 6, 7))
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { created: 6, rejected: 0, left: 0 }])
  expect(service.entries.map(({ entry_date }) => entry_date).toSorted()).toEqual(
    ['10', '11', '12', '13', '14', '15'].map((day) => `2026-03-${day}`),
  )
})

const THANKS = ['', '{}', 'null', '[{"status":"stored"}]', '{"message":"ok"}', '{"entry":{"kept":true}}']

test.each(THANKS)('a service that answers %j to what it stores is looked at once, and believed', async (says) => {
  const gets = ({ reached }: Foreign): number => reached.filter(({ method }) => method === 'GET').length
  const some = await serviceOf({ says })
  expect(JSON.parse((await importInto(some, days(1, 20, 7))).stdout)).toMatchObject({ created: 20, rejected: 0 })
  const many = await serviceOf({ says })
  expect(JSON.parse((await importInto(many, days(1, 31, 7))).stdout)).toMatchObject({ created: 31, rejected: 0 })
  expect(gets(many)).toBe(gets(some))
})

test('an add whose answers are lost ends after a few, and the rest is left unsent', async () => {
  const days = Array.from({ length: 28 }, (_, day) => `1,1,2026-02-${String(day + 1).padStart(2, '0')},1`)
  const service = await serviceOf({ says: 'OK', holds: [] })
  for (const row of days)
    service.entries.push({
      ...JSON.parse(`{"entry_date":"${row.slice(4, 14)}"}`),
      id: service.entries.length + 1,
      user_id: 1,
      kpi_id: 1,
      actual: 5,
    })
  const ran = await importInto(service, days.join('\n'), '--on-conflict', 'add')
  const { rejected, left } = JSON.parse(ran.stdout) as { rejected: number; left: number }
  expect([ran.code, rejected + left, service.entries.length - days.length]).toEqual([6, 28, rejected])
  expect(rejected).toBeLessThan(12)
  expect(ran.stderr).toContain('entries in a row were lost')
})

test('what is there is skipped where pages are short and nothing says how many there are', async () => {
  const service = await serviceOf({
    batches: 'updates',
    holds: Array.from({ length: 150 }, (_, at) => [at < 149 ? 2 : 1, 5]),
  })
  const ran = await importInto(service, `1,1,${DAY},7`, '--on-conflict', 'skip')
  expect(JSON.parse(ran.stdout)).toMatchObject({ skipped: 1, left: 0 })
  expect(service.entries).toHaveLength(150)
})

const MIDNIGHTS = ['', 'T00:00:00', 'T00:00:00Z', ' 00:00:00', 'T00:00:00.000', 'T00:00:00+01:00', ' 00:00']

test.each(MIDNIGHTS)('what is there is known by days that are written with %j behind them', async (behind) => {
  const shows = ({ entry_date }: Held): object => ({ entry_date: `${entry_date}${behind}` })
  const service = await serviceOf({ batches: 'doubles', shows, holds: [[1, 7]] })
  const ran = await importInto(service, days(10, 3, 8))
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { created: 2, updated: 1, rejected: 0 }])
  expect(service.entries.map(({ actual }) => actual)).toEqual([8, 8, 8])
  const skipped = await importInto(service, days(10, 3, 9), '--on-conflict', 'skip')
  expect(JSON.parse(skipped.stdout)).toMatchObject({ skipped: 3 })
})

test.each<[what: string, shows: (one: Held) => object]>([
  ['a time of the day', ({ entry_date }) => ({ entry_date: `${entry_date}T22:00:00Z` })],
  ['ids of letters', ({ id }) => ({ id: `a-${id}` })],
  ['no ids', () => ({ id: undefined })],
  ['ids without end', ({ id }) => ({ id: `90071992547409931234${id}` })],
])('nothing is sent where what is there cannot be read for %s', async (_, shows) => {
  const service = await serviceOf({ batches: 'doubles', shows, holds: [[1, 7]] })
  for (const args of [[], ['--on-conflict', 'skip'], ['--dry-run']]) {
    const ran = await importInto(service, days(10, 3, 8), ...args)
    expect([ran.code, held(service)]).toEqual([1, [[1, 1, 7]]])
    expect(errorOf(ran).message).toContain('the service lists entries that cannot be read')
  }
})

test('a service whose batches leave what is there as it is gets updates by their ids', async () => {
  const service = await serviceOf({ batches: 'doubles', ignores: true, batchSays: '{"rows_added":1}' })
  using folder = temporaryFolder()
  for (const actual of [5, 8]) {
    const ran = await importFrom(folder, service, days(10, 5, actual))
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { rejected: 0, left: 0 }])
    expect(service.entries.map((one) => one.actual)).toEqual([actual, actual, actual, actual, actual])
  }
})

test('an entry that a POST leaves as it is, and shows so, is changed by a PUT', async () => {
  const service = await serviceOf({ ignores: true, holds: [[1, 5]] })
  const ran = await importInto(service, days(10, 3, 8))
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { created: 2, updated: 1, rejected: 0 }])
  expect(service.entries.map(({ actual }) => actual)).toEqual([8, 8, 8])
})

test.each([500, 501])(
  'entries go one at a time where a batch is always answered with %i',
  async (batchStatus) => {
    const service = await serviceOf({ batchStatus })
    const ran = await importInto(service, days(10, 3, 8))
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { created: 3, left: 0, rejected: 0 }])
  },
  60_000,
)

test.each<[what: string, kind: Kind]>([
  ['batches', { batches: 'updates', batchSays: '{"success":true}' }],
  ['entries', { says: '{"success":true}' }],
])('%s are taken for stored at a service that rounds, whatever it answers', async (_, kind) => {
  const service = await serviceOf({ ...kind, digits: 0 })
  const ran = await importInto(service, days(10, 3, 7.4))
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { rejected: 0, left: 0 }])
  expect(service.entries.map(({ actual }) => actual)).toEqual([7, 7, 7])
})

test.each(['{"success":true}', '', '{"id":1}'])(
  'what a POST leaves as it is, and answers %j to, is changed by a PUT, and what is the same is not sent',
  async (says) => {
    const service = await serviceOf({ ignores: true, says, holds: [[1, 7]] })
    await importInto(service, days(11, 2, 5))
    const ran = await importInto(service, `${days(10, 1, 7)}\n${days(11, 2, 8)}`)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { unchanged: 1, updated: 2, rejected: 0 }])
    expect(service.entries.map(({ actual }) => actual)).toEqual([7, 8, 8])
  },
  30_000,
)

test.each(['skip', 'error'])(
  'with --on-conflict %s what somebody else enters as a batch is sent is not written over',
  async (onConflict) => {
    const service = await serviceOf({ batches: 'updates', keeps: 0, batchSays: '{"success":true}', enters: 777 })
    const ran = await importInto(service, days(10, 1, 7), '--on-conflict', onConflict)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { rejected: 1, left: 0 }])
    expect(service.entries.map(({ actual }) => actual)).toEqual([777])
    expect(ran.rejects).toContain('someone else added this entry')
  },
)

test('a batch that is too large for what is between is divided, and so are those after it', async () => {
  const service = await serviceOf({ batches: 'updates', most: 100 })
  const row = (at: number): string => `1,1,${new Date(at * 86_400_000).toISOString().slice(0, 10)},7`
  const ran = await importInto(service, Array.from({ length: 150 }, (_, at) => row(at)).join('\n'))
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { rejected: 0, left: 0 }])
  expect(service.entries).toHaveLength(150)
}, 90_000)
