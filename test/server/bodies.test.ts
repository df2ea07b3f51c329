import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type BodyPlace, createBodyMemory } from '../../src/server/queues/body-memory.ts'
import { basic, startWithEntry } from '../support/classic.ts'
import { bearer } from '../support/newer.ts'
import type { Service } from '../support/service.ts'

const ignore = (): void => undefined
const MIB = 1024 * 1024

/** Large bodies that ask to be let in, and the order in which they are. */
const asking = (lookMs?: number) => {
  const bodies = createBodyMemory(lookMs)
  const order: string[] = []
  const ask = async (name: string, cut: (reason: Error) => void = ignore): Promise<BodyPlace> => {
    const place = bodies.place(() => name.slice(0, 1), cut)
    await place.onAnnounced(2 * MIB)
    order.push(name)
    return place
  }
  return { order, ask }
}

describe('large bodies', () => {
  test('are let in a few at a time, and account by account', async () => {
    const { order, ask } = asking()
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'c2', 'b2', 'd1']
    const asked = new Map(names.map((name) => [name, ask(name)]))
    await setImmediate()
    expect(order).toEqual(['a1', 'a2', 'b1'])
    for (let at = 0; at < names.length; at += 1) {
      const body = await asked.get(order[at] ?? '')
      body?.leave()
      body?.leave()
      await setImmediate()
    }
    expect(order.slice(3)).toEqual(['a3', 'c1', 'b2', 'd1', 'a4', 'c2', 'a5'])
  })

  test('that come too slowly are given up while others wait, and no other is', async () => {
    const { order, ask } = asking(1)
    const cut: unknown[] = []
    const whole = await ask('a1')
    await whole.onWhole()
    const slow = await ask('a2', (reason) => {
      cut.push(reason)
      slow.leave()
    })
    await ask('a3')
    expect([order, cut]).toEqual([['a1', 'a2', 'a3'], [expect.objectContaining({ code: 'too_slow' })]])
  })
})

describe('bodies that are not large', () => {
  /** Has accounts hold so many bodies of 1 MiB, all that they hold still to come to an end. */
  const holding = (held: Readonly<Record<string, number>>) => {
    const bodies = createBodyMemory()
    const of = (account: string) => bodies.place(() => account, ignore)
    for (const [account, count] of Object.entries(held)) {
      for (let at = 0; at < count; at += 1) expect(of(account).onChunk(MIB)).toBeUndefined()
    }
    return of
  }

  test.each([
    ['of an account that holds little', { a: 6 }, 'a', MIB, true],
    ['of an account that holds its share', { a: 8 }, 'a', MIB, false],
    ['of others than that', { a: 8 }, 'b', MIB, true],
    ['of others, when accounts hold too much together', { a: 8, b: 8, c: 8, d: 8 }, 'e', MIB, false],
    ['that are small, whatever is held', { a: 8, b: 8, c: 8, d: 8 }, 'a', 16_384, true],
  ])('%s are read at once, or have to be let in', (_, held, account, bytes, isAtOnce) => {
    const of = holding(held)
    expect(of(account).onAnnounced(bytes) === undefined).toBe(isAtOnce)
    expect(of(account).onChunk(bytes) === undefined).toBe(isAtOnce)
  })

  test('are refused where they fill the memory, those of the account alone that does', () => {
    const of = holding({ a: 8, b: 8 })
    for (let at = 0; at < 112; at += 1) void of('a').onChunk(MIB)
    expect(() => of('a').onChunk(MIB)).toThrow('too many large bodies came at once; send it again later')
    expect(of('a').onChunk(16_384)).toBeUndefined()
    expect(() => of('c').onChunk(MIB)).not.toThrow()
  })

  test('are worked on a few at a time, unless they are small', async () => {
    const bodies = createBodyMemory()
    const begun: string[] = []
    const places = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => {
      const place = bodies.place(() => name.slice(0, 1), ignore)
      void place.onChunk(100_000)
      void place.onWhole()?.then(() => begun.push(name))
      return place
    })
    await setImmediate()
    expect(begun).toEqual(['a1', 'a2', 'b1'])
    const small = bodies.place(() => 'a', ignore)
    void small.onChunk(16_384)
    expect(small.onWhole()).toBeUndefined()
    for (const place of places) place.leave()
    await setImmediate()
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'c1'])
  })
})

const COUNT = 5000
const bad = { user_id: 'x', kpi_id: 'x', entry_date: 'x', actual: 'x', target: 'x', notes: 5, setActual: 'x' }
const batch = (entry: (at: number) => object): string =>
  JSON.stringify({ entries: Array.from({ length: COUNT }, (_, at) => entry(at)) })
const dayOf = (at: number): string => new Date(Date.UTC(2010, 0, 1 + at)).toISOString().slice(0, 10)
const xmlOf = (json: string): string => {
  const { entries } = JSON.parse(json) as { entries: object[] }
  const items = entries.map((entry) => Object.entries(entry).map(([name, value]) => `<${name}>${value}</${name}>`))
  return `<KPIEntryList><entries>${items.map((item) => `<KPIEntry>${item.join('')}</KPIEntry>`).join('')}</entries></KPIEntryList>`
}

const GOOD = batch((at) => ({ user_id: 2, kpi_id: 1, entry_date: dayOf(at), actual: at }))
const BAD = batch(() => bad)
const UNKNOWN = batch((at) => ({ email: `nobody${at}@example.com`, kpi_id: 1, entry_date: dayOf(at), actual: 1 }))
const MANY = `{${Array.from({ length: 190_000 }, (_, at) => `"k${at}":1`).join(',')}}`

/**
 * What is sent, how often it pauses for others at least, how often others have their turn besides, in the transaction, and
 * what is answered.
 */
const BODIES: readonly (readonly [
  what: string,
  path: string,
  body: string,
  pauses: number,
  scheduler: number,
  status: number,
])[] = [
  ['a batch', '/kpientries/list', GOOD, COUNT, 20, 200],
  ['a batch of faults', '/kpientries/list', BAD, COUNT + 150, 10, 400],
  ['a batch of unknown names', '/kpientries/list', UNKNOWN, COUNT, 30, 400],
  ['a batch in XML', '/kpientries/list', xmlOf(GOOD), 5 * COUNT, 20, 200],
  ['a batch of faults in XML', '/kpientries/list', xmlOf(BAD), 8 * COUNT, 10, 400],
  ['190,000 keys', '/kpicategories', MANY, 100, 0, 400],
]

/** How often others may have their turn while a request is answered, and how often they have it in any case. */
const pausesDuring = async ({ handler, login, token, key }: Service, v1: boolean, path: string, body: string) => {
  const headers = {
    authorization: v1 ? bearer(key) : basic(login, token),
    'content-type': body.startsWith('<') ? 'application/xml' : 'application/json',
  }
  const request = { method: 'POST', target: `${v1 ? '/v1' : '/api'}${path}`, address: '127.0.0.1', headers }
  let [pauses, scheduler] = [0, 0]
  const pause = (): undefined => {
    pauses += 1
  }
  const answering = handler({ ...request, pause, body: () => Promise.resolve(Buffer.from(body)) })
  const done = answering.then(() => true)
  while (!(await Promise.race([done, setImmediate(false)]))) scheduler += 1
  return { status: (await answering).status, pauses, scheduler }
}

test.each(BODIES)('others have their turn during %s', async (_, path, body, pauses, scheduler, status) => {
  await using service = await startWithEntry()
  for (const v1 of body.startsWith('<') ? [false] : [false, true]) {
    const answered = await pausesDuring(service, v1, path, body)
    expect(answered.status).toBe(v1 && status === 400 ? 422 : status)
    expect(answered.pauses).toBeGreaterThanOrEqual(pauses)
    expect(answered.scheduler).toBeGreaterThanOrEqual(scheduler)
  }
})
