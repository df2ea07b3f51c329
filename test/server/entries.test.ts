import { describe, expect, test } from 'vitest'
import {
  assignFirst,
  ENTRY_KEY as KEY,
  KPI,
  otherAccount,
  post,
  put,
  read,
  startWithEntry,
  tell,
  USER,
} from '../support/classic.ts'
import { startService } from '../support/service.ts'

const STAMP = '2026-11-21T12:00:00'
const OF_KEY = '/kpientries?dateFrom=2026-03-01&dateTo=2026-03-01'

describe('an entry', () => {
  test('is made, shown and deleted', async () => {
    await using service = await startService()
    await assignFirst(service)
    const whole = { id: 1, ...KEY, actual: 5.25, target: null, notes: null, created_at: STAMP, updated_at: STAMP }
    const made = await post(service, '/kpientries', { ...KEY, actual: 5.25, target: 9 })
    expect(made).toMatchObject({ status: 201, headers: { location: '/api/kpientries/1' } })
    expect(made.body).toEqual(whole)
    expect(await read(service, '/kpientries/1')).toEqual(whole)
    expect(await tell(service, { method: 'DELETE', path: '/kpientries/1' })).toMatchObject({
      status: 200,
      body: undefined,
    })
    expect(await tell(service, { path: '/kpientries/1' })).toMatchObject({ status: 404 })
    expect(await post(service, '/kpientries', { ...KEY, actual: 1 })).toMatchObject({ body: { id: 2 } })
  })

  const upserts: readonly (readonly [
    sent: object,
    actual: number | null,
    target: number | null,
    notes: string | null,
  ])[] = [
    [{}, 5, 7, 'n'],
    [{ actual: 6 }, 6, 7, 'n'],
    [{ actual: '6.50' }, 6.5, 7, 'n'],
    [{ actual: null }, null, 7, 'n'],
    [{ actual: '' }, null, 7, 'n'],
    [{ target: null, notes: null }, 5, null, null],
    [{ notes: ' a\r\nb ' }, 5, 7, 'a\nb'],
    [{ actual: 6, target: 8, notes: 'm' }, 6, 8, 'm'],
    [{ actual: 6, setActual: false }, 5, 7, 'n'],
    [{ actual: 6, target: 8, setTarget: 'false' }, 6, 7, 'n'],
    [{ notes: null, setNotes: false }, 5, 7, 'n'],
    [{ actual: 6, setActual: null }, 6, 7, 'n'],
    [{ actual: 6, addToActual: true }, 11, 7, 'n'],
    [{ actual: -6, addToActual: 'true' }, -1, 7, 'n'],
    [{ actual: null, addToActual: true }, 5, 7, 'n'],
    [{ actual: 6, addToActual: true, setActual: false }, 5, 7, 'n'],
    [{ actual: 6, addToActual: false }, 6, 7, 'n'],
    [{ user_id: null, email: 'ANN@example.com', actual: 6 }, 6, 7, 'n'],
    [{ email: ' ann@example.com ', actual: 6 }, 6, 7, 'n'],
    [{ entry_date: '2026-03-01T00:00:00', actual: 6 }, 6, 7, 'n'],
    [{ id: 99, created_at: 'x', unknown: {}, actual: 6 }, 6, 7, 'n'],
  ]

  test.each(upserts)(
    'that exists is merged with %j by POST, PUT and batch alike',
    async (sent, actual, target, notes) => {
      const after = { id: 1, ...KEY, actual, target, notes, created_at: STAMP, updated_at: STAMP }
      const body = { ...KEY, ...sent }
      await using posted = await startWithEntry()
      expect(await post(posted, '/kpientries', body)).toMatchObject({
        status: 201,
        headers: { location: '/api/kpientries/1' },
        body: after,
      })
      await using changed = await startWithEntry()
      expect(await put(changed, '/kpientries/1', body)).toMatchObject({ status: 200, body: after })
      await using batched = await startWithEntry()
      expect(await post(batched, '/kpientries/list', { entries: [body] })).toMatchObject({ status: 200 })
      expect(await read(batched, OF_KEY)).toEqual([after])
    },
  )

  test.each([
    [{ actual: null, target: null, notes: ' ' }, 'actual'],
    [{ actual: 99_999_999_999_999, addToActual: true }, 'actual'],
    [{ actual: 'five' }, 'actual'],
    [{ target: 1e15 }, 'target'],
    [{ notes: 'x'.repeat(501) }, 'notes'],
    [{ notes: 5 }, 'notes'],
    [{ setActual: 'maybe' }, 'setActual'],
    [{ addToActual: 2 }, 'addToActual'],
    [{ entry_date: '2026-02-30' }, 'entry_date'],
    [{ entry_date: '1899-12-31' }, 'entry_date'],
    [{ entry_date: '2026-03-01T10:00:00' }, 'entry_date'],
    [{ entry_date: 20_260_301 }, 'entry_date'],
    [{ entry_date: null }, 'entry_date'],
    [{ kpi_id: 99 }, 'kpi_id'],
    [{ kpi_id: 1.5 }, 'kpi_id'],
    [{ kpi_id: null }, 'kpi_id'],
    [{ user_id: 99 }, 'user_id'],
    [{ user_id: 1e300 }, 'user_id'],
    [{ email: 'nobody@example.com' }, 'email'],
    [{ email: 'admin@localhost' }, 'email'],
    [{ email: 'x'.repeat(151) }, 'email'],
    [{ user_id: 1 }, 'kpi_id'],
  ])('is refused with %j by POST, PUT and batch alike, and nothing changes', async (change, field) => {
    await using service = await startWithEntry()
    const before = await read(service, '/kpientries/1')
    const body = { ...KEY, actual: 1, ...change }
    const fault = { field, message: expect.stringMatching(/./) as string }
    const refused = { status: 400, body: { errors: [fault] } }
    expect(await post(service, '/kpientries', body)).toMatchObject(refused)
    expect(await put(service, '/kpientries/1', body)).toMatchObject(refused)
    expect(await post(service, '/kpientries/list', { entries: [{ ...KEY, actual: 1 }, body] })).toMatchObject({
      status: 400,
      body: { errors: [{ index: 1, ...fault }] },
    })
    expect(await read(service, '/kpientries/1')).toEqual(before)
  })

  test('taken back as it was shown stays as it was', async () => {
    await using service = await startWithEntry()
    await service.db.write(async (tx) => {
      await tx.run('update entries set updated_at = 0')
    })
    const before = await read(service, '/kpientries/1')
    expect(before).toMatchObject({ updated_at: '1970-01-01T00:00:00' })
    expect((await put(service, '/kpientries/1', before)).body).toEqual(before)
    expect((await post(service, '/kpientries', before)).body).toEqual(before)
    expect(await post(service, '/kpientries/list', { entries: [before] })).toMatchObject({
      body: { rows_unchanged: 1 },
    })
    expect(await read(service, '/kpientries/1')).toEqual(before)
  })

  test('keeps its place when it is moved onto one that is taken', async () => {
    await using service = await startWithEntry()
    await post(service, '/kpientries', { ...KEY, entry_date: '2026-03-02', actual: 1 })
    expect(await put(service, '/kpientries/2', { entry_date: KEY.entry_date })).toMatchObject({ status: 409 })
    expect(await read(service, '/kpientries/2')).toMatchObject({ entry_date: '2026-03-02' })
    expect(await put(service, '/kpientries/2', { entry_date: '2026-03-03' })).toMatchObject({ body: { id: 2 } })
    expect(await post(service, '/kpientries', { ...KEY, entry_date: '2026-03-02', actual: 1 })).toMatchObject({
      body: { id: 3 },
    })
  })

  test('of another account is nobody’s, and so are its user and KPI', async () => {
    await using service = await startWithEntry()
    const other = await otherAccount(service, 'acme')
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await tell(other, { method, path: '/kpientries/1', body: {} })).toMatchObject({ status: 404 })
    }
    expect(await read(other, OF_KEY)).toEqual([])
    expect(await read(other, `${OF_KEY}&userid=2&kpiid=1`)).toEqual([])
    await post(other, '/kpis', KPI)
    await post(other, '/users', USER)
    const errors = [{ field: 'kpi_id' }]
    expect(await post(other, '/kpientries', { ...KEY, actual: 1 })).toMatchObject({ status: 400, body: { errors } })
    await post(other, '/users/2/kpis', { id: 1, sort_order: 1 })
    expect(await post(other, '/kpientries', { ...KEY, actual: 1 })).toMatchObject({ status: 201, body: { id: 1 } })
    expect(await read(service, '/kpientries/1')).toMatchObject({ actual: 5 })
    expect(await read(other, '/kpientries/1')).toMatchObject({ actual: 1 })
  })
})
