import { describe, expect, test } from 'vitest'
import { createClassicHandler } from '../../src/server/api/classic.ts'
import { assignFirst, KPI, post, put, read, tell } from '../support/classic.ts'
import { ask, type Service, startService } from '../support/service.ts'
import { v1 } from '../support/v1.ts'

const PREFER = { prefer: 'respond-async, dated-targets' }

/** Today is in November 2026: one target holds already, the other will. */
const TARGETS = [
  { from: '2026-01-01', target: 120 },
  { from: '2027-01-01', target: 130.5 },
]

const shown = async (service: Service, path = '/kpis/1'): Promise<Record<string, unknown>> =>
  (await tell(service, { path, headers: PREFER })).body as Record<string, unknown>

const started = async (kpi: object = { target_default: 100, targets: TARGETS }): Promise<Service> => {
  const service = await startService()
  await assignFirst(service, kpi)
  return service
}

describe('dated targets of a KPI', () => {
  test('are shown to clients that ask for them, with the base; others see the target of today, and nothing new', async () => {
    await using service = await started()
    const { headers, body } = await tell(service, { path: '/kpis/1', headers: PREFER })
    expect(headers['preference-applied']).toBe('dated-targets')
    expect(body).toMatchObject({ target_default: 120, target_base: 100, targets: TARGETS })
    const plain = await tell(service, { path: '/kpis/1' })
    expect(plain.headers['preference-applied']).toBeUndefined()
    expect(plain.body).toMatchObject({ target_default: 120 })
    expect(Object.keys(plain.body as object).filter((name) => /target/.test(name))).toEqual(['target_default'])
    expect(await read(service, '/kpis')).toEqual([plain.body])
    expect(await shown(service, '/kpis')).toEqual([body])
    expect(await shown(service, '/kpicategories/1/kpis')).toEqual([body])
  })

  test('are the same in the newer variant', async () => {
    await using service = await started()
    expect((await v1.tell(service, { path: '/kpis/1', headers: PREFER })).body).toEqual(await shown(service))
    expect(await v1.put(service, '/kpis/1', { targets: null })).toMatchObject({
      status: 200,
      body: { target_default: 100 },
    })
  })

  test.each<[what: string, body: object, after: object]>([
    ['what the field shows', { target_default: 120 }, { target_default: 120, target_base: 100, targets: TARGETS }],
    ['another target', { target_default: 90 }, { target_default: 120, target_base: 90, targets: TARGETS }],
    ['the base that is shown today', { target_base: 120 }, { target_default: 120, target_base: 120, targets: TARGETS }],
    ['no target', { target_default: null }, { target_default: null, target_base: null, targets: null }],
    [
      'no target, and dated ones',
      { target_default: null, targets: TARGETS },
      { target_default: 120, target_base: null },
    ],
    ['other targets', { targets: [TARGETS[1]] }, { target_default: 100, targets: [TARGETS[1]] }],
    ['an empty list', { targets: [] }, { target_default: 100, targets: null }],
    [
      'what the field shows, and no list',
      { target_default: 120, targets: [] },
      { target_default: 120, target_base: null, targets: null },
    ],
    ['no list', { targets: null }, { target_default: 100, targets: null }],
    ['a list in another order', { targets: TARGETS.toReversed() }, { targets: TARGETS }],
    [
      'names in another case',
      { Targets: [{ From: '2026-02-01', TARGET: '7' }] },
      { targets: [{ from: '2026-02-01', target: 7 }] },
    ],
  ])('become with %s as they should', async (_, body, after) => {
    await using service = await started()
    expect((await put(service, '/kpis/1', body)).status).toBe(200)
    expect(await shown(service)).toMatchObject(after)
  })

  test('stay as they are where a client sends back what it has read, whatever it has asked for', async () => {
    await using service = await started()
    const before = await shown(service)
    await put(service, '/kpis/1', await read(service, '/kpis/1'))
    await put(service, '/kpis/1', before)
    expect(await shown(service)).toEqual(before)
  })

  test('replace only those that were read, where a body says which these were; what is there already changes nothing', async () => {
    await using service = await started()
    const [first] = TARGETS
    expect(await put(service, '/kpis/1', { targets: [first], targets_before: [TARGETS[1]] })).toMatchObject({
      status: 409,
      body: {
        message: expect.stringContaining(
          'targets: are 120 from 2026-01-01, 130.5 from 2027-01-01 by now, and not 130.5',
        ),
      },
    })
    expect(await shown(service)).toMatchObject({ targets: TARGETS })
    const again = { targets: TARGETS, targets_before: null }
    for (const body of [again, { targets: [first], targets_before: TARGETS }, { name: 'B', targets_before: null }])
      expect(await put(service, '/kpis/1', body)).toMatchObject({ status: 200 })
    expect(await shown(service)).toMatchObject({ name: 'B', targets: [first] })
    expect(await v1.put(service, '/kpis/1', { targets: null, targets_before: null })).toMatchObject({ status: 409 })
    await post(service, '/users/2/kpis', { id: 1, sort_order: 1 })
    const assigned = { targets: [first], targets_before: [first] }
    expect(await put(service, '/users/2/kpis/1', assigned)).toMatchObject({ status: 409 })
  })

  test('are refused with all their faults at once', async () => {
    await using service = await started()
    const targets = [{ from: '2026-02-30', target: 'x' }, { target: null }, 7]
    const { status, body } = await put(service, '/kpis/1', { targets })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      errors: [
        {
          field: 'targets',
          message:
            '[0].from is a date that does not exist; [0].target must be a number; [1].from is required; [1].target is required; [2] must be an object with from and target',
        },
      ],
    })
    const twice = [TARGETS[0], { ...TARGETS[0], target: 1 }]
    expect(await put(service, '/kpis/1', { targets: twice })).toMatchObject({
      body: { errors: [{ message: 'has two targets from 2026-01-01 on' }] },
    })
    expect(await put(service, '/kpis/1', { targets: '120 from 2026-01-01' })).toMatchObject({ status: 400 })
  })

  test('are elements of their own in XML', async () => {
    await using service = await started()
    const headers = { 'content-type': 'application/xml', ...PREFER }
    const { body } = await ask(service, { path: '/kpis/1', headers })
    expect(body).toContain(
      '<targets><DatedTarget><from>2026-01-01</from><target>120.0000</target></DatedTarget><DatedTarget><from>2027-01-01</from><target>130.5000</target></DatedTarget></targets>',
    )
    const sent = body.replace('130.5000', '140').replace('<target_base>100.0000', '<target_base>99')
    expect((await ask(service, { method: 'PUT', path: '/kpis/1', headers, body: sent })).status).toBe(200)
    expect(await shown(service)).toMatchObject({
      target_base: 99,
      targets: [TARGETS[0], { from: '2027-01-01', target: 140 }],
    })
    const cleared = '<KPI><targets i:nil="true" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"/></KPI>'
    expect((await ask(service, { method: 'PUT', path: '/kpis/1', headers, body: cleared })).status).toBe(200)
    expect(await shown(service)).toMatchObject({ targets: null })
  })

  test('give the KPI a target on every day, none of whose days before the first has one', async () => {
    await using service = await started({ targets: [{ from: '2026-03-01', target: 5 }] })
    const entry = { user_id: 2, kpi_id: 1 }
    await post(service, '/kpientries', { ...entry, entry_date: '2026-02-28', actual: 1 })
    await post(service, '/kpientries', { ...entry, entry_date: '2026-02-27', actual: 1, target: 3 })
    await post(service, '/kpientries', { ...entry, entry_date: '2026-03-01', actual: 1 })
    const rows = await read(service, '/reports/AllDataEntries?dateFrom=2026-02-01&dateTo=2026-03-31')
    expect(rows).toMatchObject([
      { entryDate: '2026-02-27', target: 3, hasTarget: 1 },
      { entryDate: '2026-02-28', target: null, hasTarget: 1 },
      { entryDate: '2026-03-01', target: 5, hasTarget: 1 },
    ])
  })

  test('begin with their day, also in an answer that was asked for before', async () => {
    await using service = await started({ target_default: 100, targets: [{ from: '2027-01-01', target: 130 }] })
    let now = Date.UTC(2026, 11, 31, 23, 59, 59) / 1000
    const deps = { db: service.db, version: '1', now: () => now, requestId: () => 'r', onError: () => undefined }
    const later = { ...service, handler: createClassicHandler(deps) }
    const targetNow = async (): Promise<unknown> => {
      const [kpi] = (await read(later, '/kpis')) as { target_default: number }[]
      return kpi?.target_default
    }
    expect(await targetNow()).toBe(100)
    now += 1
    expect(await targetNow()).toBe(130)
  })
})

describe('dated targets of an assignment', () => {
  const PATH = '/users/2/kpis/1'

  test('win over those of the KPI from their day on, and a base of the user on all days before', async () => {
    await using service = await started()
    await put(service, PATH, { targets: [{ from: '2026-03-01', target: 60 }] })
    for (const entry_date of ['2025-12-31', '2026-02-28', '2026-03-01'])
      await post(service, '/kpientries', { user_id: 2, kpi_id: 1, entry_date, actual: 1 })
    const targets = async (): Promise<unknown[]> => {
      const rows = await read(service, '/reports/AllDataEntries?dateFrom=2025-12-01&dateTo=2026-03-31')
      return (rows as { target: number }[]).map(({ target }) => target)
    }
    expect(await targets()).toEqual([100, 120, 60])
    await put(service, PATH, { target_base: 50 })
    expect(await targets()).toEqual([50, 50, 60])
    expect(await shown(service, PATH)).toMatchObject({ user_target: 60, target_base: 50 })
    await put(service, PATH, { user_target: null })
    expect(await targets()).toEqual([100, 120, 120])
  })

  test('are hidden while the KPI has no target, and refused', async () => {
    await using service = await started({ ...KPI, target_default: 10 })
    const targets = [{ from: '2026-03-01', target: 60 }]
    await put(service, PATH, { user_target: 7, targets })
    await put(service, '/kpis/1', { target_default: null })
    expect(await shown(service, PATH)).toMatchObject({ user_target: null, target_base: null, targets: null })
    const { body } = await put(service, PATH, { targets })
    expect(body).toMatchObject({ errors: [{ field: 'targets', message: expect.stringContaining('has no target') }] })
    await put(service, '/kpis/1', { targets })
    expect(await shown(service, PATH)).toMatchObject({ target_base: 7, targets })
  })
})
