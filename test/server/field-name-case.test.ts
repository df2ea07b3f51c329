import { describe, expect, test } from 'vitest'
import { ENTRY_KEY, startWithEntry } from '../support/classic.ts'
import { ask, askV1 } from '../support/service.ts'

const WAYS = [
  ['classic', ask, 400],
  ['v1', askV1, 422],
] as const

/** The names of an object in other letters. */
const inOtherLetters = (body: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toUpperCase(), value]))

describe.each(WAYS)('fields that are named in other letters, in %s,', (_, asking, invalid) => {
  test('are taken: of an entry, of its flags, and in a batch', async () => {
    await using service = await startWithEntry()
    const post = async (path: string, body: object) => {
      const answer = await asking(service, { method: 'POST', path, body })
      return JSON.parse(answer.body) as Record<string, unknown>
    }
    const added = await post(
      '/kpientries',
      inOtherLetters({ ...ENTRY_KEY, actual: 2, addToActual: true, setNotes: false }),
    )
    expect(added).toMatchObject({ actual: 7, notes: 'n' })
    const sent = inOtherLetters({ ...ENTRY_KEY, entry_date: '2026-03-01 00:00:00.000Z', actual: 9, notes: 'no' })
    expect(await post('/kpientries/list', { ENTRIES: [sent], hasnotes: false })).toMatchObject({ rows_updated: 1 })
    const { body } = await asking(service, { path: '/kpientries/1' })
    expect(JSON.parse(body)).toMatchObject({ actual: 9, notes: 'n', entry_date: '2026-03-01' })
  })

  test('are refused by name where two differ in what they say, and none is spelled as the field is', async () => {
    await using service = await startWithEntry()
    const tell = async (body: object) => {
      const { status, body: text } = await asking(service, { method: 'PUT', path: '/kpientries/1', body })
      return [status, text] as const
    }
    expect((await tell({ Actual: 1, ACTUAL: 2, actual: 3 }))[0]).toBe(200)
    const [status, text] = await tell({ Actual: 1, ACTUAL: 2 })
    expect([status, text]).toEqual([invalid, expect.stringContaining('is given as Actual and as ACTUAL')])
  })
})
