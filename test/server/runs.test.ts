import { describe, expect, test } from 'vitest'
import { ENTRY_KEY, post, startWithEntry } from '../support/classic.ts'
import { ask, askV1 } from '../support/service.ts'
import { withKey } from '../support/newer.ts'

const BATCH = { entries: [{ ...ENTRY_KEY, actual: 9 }] }
const json = (text: string): unknown => JSON.parse(text)

describe('a batch of a run', () => {
  test.each(['', 'a b', 'a/b', 'x'.repeat(65), 'é'])('is refused where its id is %j', async (run) => {
    await using service = await startWithEntry()
    const headers = { 'kpi-run': run }
    const { status, body } = await ask(service, { method: 'POST', path: '/kpientries/list', body: BATCH, headers })
    expect([status, body]).toEqual([400, expect.stringContaining('Kpi-Run must have 1 to 64 letters')])
  })

  test('is taken back in XML, too', async () => {
    await using service = await startWithEntry()
    await ask(service, { method: 'POST', path: '/kpientries/list', body: BATCH, headers: { 'kpi-run': 'a' } })
    const { status, body } = await ask(service, {
      method: 'POST',
      path: '/kpientries/runs/a/undo',
      headers: { 'content-type': 'application/xml' },
      body: '<KPIRunUndo><dry_run>false</dry_run></KPIRunUndo>',
    })
    expect([status, body]).toEqual([200, expect.stringContaining('<restored>1</restored>')])
  })

  test('answers an undo that was sent again under its key once more, and takes nothing else back', async () => {
    await using service = await startWithEntry()
    for (const actual of [8, 9]) {
      const body = { entries: [{ ...ENTRY_KEY, actual }] }
      await ask(service, { method: 'POST', path: '/kpientries/list', body, headers: { 'kpi-run': 'a' } })
    }
    const undo = { method: 'POST', path: '/kpientries/runs/a/undo', body: { dry_run: false } }
    const keyed = { ...undo, headers: { 'idempotency-key': 'one' } }
    const [first, again] = [await ask(service, keyed), await ask(service, keyed)]
    expect(json(first.body)).toMatchObject({ restored: 1, batches: 1 })
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true'])
    expect(json((await ask(service, { path: '/kpientries/1' })).body)).toMatchObject({ actual: 8 })
  })
})

test('a key that may only write takes its own run back, and reads nothing by it', async () => {
  await using service = await startWithEntry()
  const writer = await withKey(service, { scopes: 'entries:write' })
  const headers = { 'kpi-run': 'a' }
  await askV1(writer, { method: 'POST', path: '/kpientries/list', body: BATCH, headers })
  await post(service, '/kpientries', { ...ENTRY_KEY, actual: 77 })
  const asked = { method: 'POST', path: '/kpientries/runs/a/undo', body: { dry_run: true } }
  const told = await askV1(writer, asked)
  expect(json(told.body)).toMatchObject({ left: 1, reasons: '1 was changed since' })
  expect(told.body).not.toContain('77')
  await post(service, '/kpientries', { ...ENTRY_KEY, actual: 9 })
  expect(json((await askV1(writer, { ...asked, body: { dry_run: false } })).body)).toMatchObject({ restored: 1 })
  expect((await askV1(writer, { path: '/kpientries/runs/a/entries' })).status).toBe(403)
  const reader = await withKey(service, { name: 'reader', scopes: 'entries:read' })
  expect((await askV1(reader, asked)).status).toBe(403)
  expect((await askV1(reader, { path: '/kpientries/runs/a/entries' })).status).toBe(200)
})

test('a key that may only write takes back no run of another key, nor is it told whose runs there are', async () => {
  await using service = await startWithEntry()
  const one = await withKey(service, { scopes: 'entries:write' })
  const other = await withKey(service, { name: 'other', scopes: 'entries:write' })
  const both = await withKey(service, { name: 'both', scopes: 'entries:read,entries:write' })
  const send = (as: typeof one, run: string, actual: number) =>
    askV1(as, {
      method: 'POST',
      path: '/kpientries/list',
      body: { entries: [{ ...ENTRY_KEY, actual }] },
      headers: { 'kpi-run': run },
    })
  await send(one, 'mine', 8)
  await send(other, 'theirs', 9)
  const undo = (run: string, dry_run: boolean) => ({
    method: 'POST',
    path: `/kpientries/runs/${run}/undo`,
    body: { dry_run },
  })
  expect(json((await askV1(one, undo('mine', true))).body)).toMatchObject({ left: 1, held_by: null })
  for (const dry of [true, false]) {
    const { status, body } = await askV1(one, undo('theirs', dry))
    expect([status, body]).toEqual([403, expect.stringContaining('run theirs is not of this key')])
  }
  const added = await send(one, 'theirs', 7)
  expect([added.status, added.body]).toEqual([409, expect.stringContaining('run theirs is of other credentials')])
  expect(json((await askV1(both, undo('mine', true))).body)).toMatchObject({ left: 1, held_by: 'theirs' })
  expect(json((await askV1(both, undo('theirs', false))).body)).toMatchObject({ restored: 1 })
})
