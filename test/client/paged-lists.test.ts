import { describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { entryPages } from '../../src/client/operations/entry-pages.ts'
import { httpTransport } from '../../src/client/http/http-transport.ts'
import { foreignService } from '../support/foreign.ts'

/** How a service of somebody else says that there is more. */
type Saying = (come: number, total: number, page: number) => Readonly<Record<string, string>>

const group = (id: number): object => ({ id, name: `Group ${id}`, sort_order: id, created_at: null, updated_at: null })
const entry = (id: number): object => ({
  id,
  user_id: id,
  kpi_id: 1,
  entry_date: '2026-03-01',
  actual: id,
  target: null,
  notes: null,
})

/** A service that gives so many of a list at a time. */
const pagedBy = async (size: number, all: readonly object[], says: Saying, ignoresPage = false): Promise<Client> => {
  const { url } = await foreignService((response, { url: target = '' }) => {
    const page = ignoresPage ? 1 : Number(new URL(target, 'http://localhost').searchParams.get('page') ?? '1')
    const come = Math.min(page * size, all.length)
    response.setHeader('content-type', 'application/json')
    for (const [name, value] of Object.entries(says(come, all.length, page))) response.setHeader(name, value)
    response.end(JSON.stringify(all.slice((page - 1) * size, come)))
  })
  const baseUrl = new URL(`${url}/api`)
  return createClient(httpTransport({ baseUrl, login: 'ann', token: 'theirs', timeoutMs: 5000, now: () => 0 }))
}

const BY_TOTAL: Saying = (_, total) => ({ 'x-total-count': String(total) })
const BY_LINK: Saying = (come, total, page) =>
  come < total ? { link: `<https://kpi.example.com/api/groups?page=${page + 1}>; rel="next"` } : {}

const SEVEN = Array.from({ length: 7 }, (_, at) => group(at + 1))
const MANY = Array.from({ length: 230 }, (_, at) => entry(at + 1))

describe('a list that a service gives a page at a time', () => {
  test.each([
    ['says how many there are', BY_TOTAL],
    ['names the next page', BY_LINK],
  ])('comes whole where it %s', async (_, says) => {
    const client = await pagedBy(3, SEVEN, says)
    expect((await client.groups.list()).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(client.requests()).toBe(3)
    await client.close()
    const entries = await pagedBy(100, MANY, says)
    const pages = await Array.fromAsync(entryPages(entries, { from: 20_513, to: 20_513 }))
    expect([pages.flat().length, entries.requests()]).toEqual([230, 3])
    await entries.close()
  })

  test('takes one request where it says nothing, or that this is all', async () => {
    for (const says of [(): Record<string, string> => ({}), BY_TOTAL]) {
      const client = await pagedBy(10, SEVEN, says)
      expect([(await client.groups.list()).length, client.requests()]).toEqual([7, 1])
      await client.close()
    }
  })

  test('is an error, and no loop, where the next page is the same one', async () => {
    const client = await pagedBy(3, SEVEN, BY_TOTAL, true)
    await expect(client.groups.list()).rejects.toThrow('the same page of a list again and again')
    expect(client.requests()).toBe(2)
    await client.close()
  })
})

describe('a service that answers the same page whichever is asked for', () => {
  const held = Array.from({ length: 7 }, (_, at) => ({
    ...entry(at + 1),
    entry_date: `2026-03-0${at + 1}`,
  }))
  const [first, last] = [20_513, 20_519]

  /** It looks at the days that it is asked for, gives so many entries at most, and may begin with the latest. */
  const sameBy = async (size: number, isLatestFirst: boolean): Promise<Client> => {
    const { url } = await foreignService((response, { url: target = '' }) => {
      const { searchParams } = new URL(target, 'http://localhost')
      const [from, to] = [searchParams.get('dateFrom') ?? '', searchParams.get('dateTo') ?? '']
      const found = held.filter(({ entry_date }) => entry_date >= from && entry_date <= to)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify((isLatestFirst ? found.toReversed() : found).slice(0, size)))
    })
    const baseUrl = new URL(`${url}/api`)
    return createClient(httpTransport({ baseUrl, login: 'ann', token: 'theirs', timeoutMs: 5000, now: () => 0 }))
  }

  test.each([false, true])('is read whole where that page is all, the latest first: %j', async (isLatestFirst) => {
    const client = await sameBy(10, isLatestFirst)
    for (const [from, count] of [
      [first, 7],
      [first + 3, 4],
      [first, 7],
    ] as const) {
      const pages = await Array.fromAsync(entryPages(client, { from, to: last }))
      expect(pages.flat()).toHaveLength(count)
    }
    await client.close()
  })

  test.each([false, true])(
    'is an error, not silence, where there is more, the latest first: %j',
    async (isLatestFirst) => {
      const client = await sameBy(3, isLatestFirst)
      // What is not cut off can be read before and after.
      expect((await Array.fromAsync(entryPages(client, { from: first, to: first + 1 }))).flat()).toHaveLength(2)
      await expect(Array.fromAsync(entryPages(client, { from: first, to: last }))).rejects.toThrow(
        'the same 3 entries for every page, though there are more; its list of entries cannot be read completely',
      )
      expect((await Array.fromAsync(entryPages(client, { from: last, to: last }))).flat()).toHaveLength(1)
      await client.close()
    },
  )
})
