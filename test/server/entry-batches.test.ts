import { describe, expect, test } from 'vitest'
import { ENTRY_KEY, post, read, startWithEntry } from '../support/classic.ts'

const STAMP = '2026-11-21T12:00:00'

describe('a batch', () => {
  test.each([
    ['hasActuals', { actual: 5, target: 8, notes: 'm' }],
    ['hasTargets', { actual: 6, target: 7, notes: 'm' }],
    ['hasNotes', { actual: 6, target: 8, notes: 'n' }],
  ])('with %s false keeps what is stored of that kind', async (flag, after) => {
    for (const value of [false, 'false']) {
      await using service = await startWithEntry()
      const entries = [{ ...ENTRY_KEY, actual: 6, target: 8, notes: 'm' }]
      await post(service, '/kpientries/list', { entries, [flag]: value })
      expect(await read(service, '/kpientries/1')).toMatchObject(after)
    }
  })

  test('answers what became of its rows, without a Location', async () => {
    await using service = await startWithEntry()
    const later = { ...ENTRY_KEY, entry_date: '2026-03-02' }
    const entries = [
      { ...ENTRY_KEY, actual: 5 },
      { ...later, actual: 1 },
      { ...later, actual: 2 },
      { ...ENTRY_KEY, actual: 6 },
    ]
    const { status, headers, body } = await post(service, '/kpientries/list', { entries, hasNotes: null })
    expect([status, headers['location']]).toEqual([200, undefined])
    expect(body).toEqual({ rows_added: 3, rows_created: 1, rows_updated: 2, rows_unchanged: 1 })
    expect(await read(service, '/kpientries?dateFrom=2026-03-02&dateTo=2026-03-02')).toMatchObject([{ actual: 2 }])
  })

  test.each([
    ['no list', {}, [{ field: 'entries' }]],
    ['an object for a list', { entries: { 0: ENTRY_KEY } }, [{ field: 'entries' }]],
    ['an empty list', { entries: [] }, [{ field: 'entries' }]],
    ['a row that is no object', { entries: [5] }, [{ index: 0, field: 'entries' }]],
    [
      'a row that is null, among others',
      { entries: [{ ...ENTRY_KEY, actual: 1 }, null] },
      [{ index: 1, field: 'entries' }],
    ],
    [
      'a bad flag, and a bad row beside it',
      { hasActuals: 'maybe', entries: [{ ...ENTRY_KEY, actual: 'x' }] },
      [{ field: 'hasActuals' }, { index: 0, field: 'actual' }],
    ],
    [
      'faults in many rows, in their order',
      {
        entries: [
          { ...ENTRY_KEY, actual: 'x', notes: 1 },
          { ...ENTRY_KEY, actual: 1 },
          { user_id: 9, kpi_id: 9 },
        ],
      },
      [
        { index: 0, field: 'actual' },
        { index: 0, field: 'notes' },
        { index: 2, field: 'entry_date' },
        { index: 2, field: 'user_id' },
        { index: 2, field: 'kpi_id' },
        { index: 2, field: 'actual' },
      ],
    ],
  ])('with %s is refused whole', async (_, body, errors) => {
    await using service = await startWithEntry()
    const refused = await post(service, '/kpientries/list', body)
    expect(refused.status).toBe(400)
    const told = (refused.body as { errors: { index?: number; field: string; message: string }[] }).errors
    expect(told.map(({ message: _message, ...where }) => where)).toEqual(errors)
    expect(await read(service, '/kpientries/1')).toMatchObject({ actual: 5, updated_at: STAMP })
  })

  test('takes 5,000 rows, and no more', async () => {
    await using service = await startWithEntry()
    const rows = Array.from({ length: 5001 }, (_, at) => ({ ...ENTRY_KEY, actual: at }))
    expect(await post(service, '/kpientries/list', { entries: rows })).toMatchObject({ status: 400 })
    expect(await post(service, '/kpientries/list', { entries: rows.slice(1) })).toMatchObject({
      body: { rows_added: 5000, rows_updated: 5000 },
    })
    expect(await read(service, '/kpientries/1')).toMatchObject({ actual: 5000 })
  })
})
