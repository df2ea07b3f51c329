import { describe, expect, test } from 'vitest'
import { batchBody, readBatch } from '../../src/codec/batch.ts'
import { parseExactJson } from '../../src/codec/json-number.ts'
import type { Json } from '../../src/codec/json.ts'
import { sentAt } from '../../src/domain/entry-block.ts'
import { type Issue, KpiError } from '../../src/domain/errors.ts'
import type { EntryDraft } from '../../src/domain/resources/entry.ts'
import { day } from '../support/calendar.ts'

const SENT = { user_id: 1, kpi_id: 2, entry_date: '2026-11-21', actual: 5 }
const READ = { user_id: 1, kpi_id: 2, entry_date: day('2026-11-21'), actual: 5_0000n }

/** What a batch that was read says, entry by entry. */
const readAll = async (...given: Parameters<typeof readBatch>) => {
  const { flags, sent } = await readBatch(...given)
  return { flags, list: Array.from({ length: sent.block.count }, (_, at) => sentAt(sent, at)) }
}

/** What a body is refused for as a whole. */
const refused = async (body: Json): Promise<{ code: string; issues: readonly Issue[] }> => {
  try {
    await readBatch(body, true)
  } catch (error) {
    if (error instanceof KpiError) return { code: error.code, issues: error.issues }
    throw error
  }
  throw new Error('the batch was taken')
}

describe('a batch', () => {
  test('is read entry by entry, with its flags', async () => {
    const body = { entries: [SENT, { ...SENT, setActual: false }], hasTargets: false, hasNotes: true, colour: 'red' }
    expect(await readAll(body, false)).toEqual({
      flags: { values: { hasTargets: false, hasNotes: true }, issues: [] },
      list: [
        { values: READ, issues: [] },
        { values: { ...READ, setActual: false }, issues: [] },
      ],
    })
  })

  test('has numbers and flags as text in the classic interface only', async () => {
    const body = { entries: [{ ...SENT, actual: '5', kpi_id: '2' }], hasActuals: 'true' }
    expect(await readAll(body, true)).toEqual({
      flags: { values: { hasActuals: true }, issues: [] },
      list: [{ values: READ, issues: [] }],
    })
    const { flags } = await readAll({ ...body, entries: [SENT] }, false)
    expect(flags.issues).toEqual([{ field: 'hasActuals', message: 'must be true or false' }])
    const { list } = await readAll({ entries: body.entries }, false)
    expect(list[0]?.issues.map(({ field }) => field)).toEqual(['kpi_id', 'actual'])
  })

  test('keeps the faults of an entry with the entry', async () => {
    const { list } = await readAll({ entries: [SENT, { kpi_id: 'x', entry_date: '2026-02-29' }, {}] }, true)
    expect(list.map(({ issues }) => issues.map(({ field }) => field))).toEqual([
      [],
      ['kpi_id', 'entry_date'],
      ['kpi_id', 'entry_date'],
    ])
  })

  test.each(['null', '5', '"text"', '[]', 'true', '12345678901234567890'])(
    'with %s for an entry blames that entry, and reads the others',
    async (text) => {
      const { list } = await readAll(parseExactJson(`{"entries": [${text}, ${JSON.stringify(SENT)}]}`), true)
      expect(list).toEqual([
        { values: {}, issues: [{ field: 'entries', message: 'must be an object' }] },
        { values: READ, issues: [] },
      ])
    },
  )

  test.each<[Json, string]>([
    [{}, 'must be a list of entries'],
    [{ entries: null }, 'must be a list of entries'],
    [{ entries: {} }, 'must be a list of entries'],
    [{ entries: [] }, 'must hold at least one entry'],
    [{ entries: Array.from({ length: 5001 }, () => ({})) }, 'holds 5001 entries, at most 5000 are allowed'],
  ])('is refused where its entries are no list of 1 to 5000, %#', async (body, message) => {
    expect(await refused(body)).toEqual({ code: 'invalid', issues: [{ field: 'entries', message }] })
  })

  test('may hold 5000 entries', async () => {
    const { list } = await readAll({ entries: Array.from({ length: 5000 }, () => SENT) }, true)
    expect(list).toHaveLength(5000)
  })

  test('must be an object', async () => {
    expect(await refused([SENT])).toEqual({ code: 'malformed', issues: [] })
  })

  test('tells the faults of its flags, its list and its entries at once', async () => {
    expect((await refused({ hasActuals: 'maybe', entries: [] })).issues.map(({ field }) => field)).toEqual([
      'hasActuals',
      'entries',
    ])
    const { flags, list } = await readAll({ hasActuals: 'maybe', entries: [SENT, { ...SENT, actual: 'much' }] }, true)
    expect(flags.issues).toEqual([{ field: 'hasActuals', message: 'must be true or false' }])
    expect(list.map(({ issues }) => issues)).toEqual([[], [{ field: 'actual', message: 'must be a number' }]])
  })

  const drafts: EntryDraft[] = [
    { ...READ, actual: 99_999_999_999_999_9999n, notes: ' trimmed ' },
    { ...READ, target: null, addToActual: true },
    { ...READ, entry_date: day('1899-12-31'), actual: 10n ** 18n },
  ]

  test('is the same whether it goes through text or stays in memory', async () => {
    const body = batchBody(drafts)
    const throughText = await readAll(parseExactJson(JSON.stringify(body)), true)
    expect(await readAll(body, true)).toEqual(throughText)
    expect(throughText.list[0]).toEqual({ values: { ...drafts[0], notes: 'trimmed' }, issues: [] })
    expect(throughText.list[2]?.issues.map(({ field }) => field)).toEqual(['entry_date', 'actual'])
  })
})
