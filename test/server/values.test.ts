import { describe, expect, test } from 'vitest'
import { KPI, post, put, read, tell } from '../support/classic.ts'
import { ask, startService } from '../support/service.ts'

describe('the classic interface', () => {
  test('takes numbers and booleans as strings, as older clients send them', async () => {
    await using service = await startService()
    const body = { ...KPI, icon_id: '2', unit_id: ' 1 ', sort_order: '-3', is_active: 'false', target_default: '-0.50' }
    expect(await post(service, '/kpis', body)).toMatchObject({
      status: 201,
      body: { icon_id: 2, unit_id: 1, sort_order: -3, is_active: false, target_default: -0.5 },
    })
  })

  test('keeps every digit of a decimal', async () => {
    await using service = await startService()
    const body = JSON.stringify({ ...KPI, target_default: 0 }).replace(':0', ':99999999999999.99989')
    const { status } = await post(service, '/kpis', body)
    expect(status).toBe(201)
    expect((await ask(service, { path: '/kpis/1' })).body).toContain('"target_default":99999999999999.9999,')
  })

  test.each([
    [{ is_active: 'yes' }, 'is_active'],
    [{ is_active: 1 }, 'is_active'],
    [{ sort_order: '1.5' }, 'sort_order'],
    [{ sort_order: 32_768 }, 'sort_order'],
    [{ icon_id: '1e0' }, 'icon_id'],
    [{ target_default: '1,5' }, 'target_default'],
    [{ target_default: 1e14 }, 'target_default'],
    [{ target_default: {} }, 'target_default'],
    [{ name: 5 }, 'name'],
    [{ name: ['x'] }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ name: '\ud800' }, 'name'],
    [{ frequency_id: 'd' }, 'frequency_id'],
    [{ value_direction: 'Up' }, 'value_direction'],
    [{ aggregate_function: 'MAX' }, 'aggregate_function'],
    [{ category_id: 99 }, 'category_id'],
    [{ unit_id: 1e300 }, 'unit_id'],
  ])('refuses %j and names the field', async (change, field) => {
    await using service = await startService()
    const errors = [{ field, message: expect.stringMatching(/./) as string }]
    expect(await post(service, '/kpis', { ...KPI, ...change })).toMatchObject({ status: 400, body: { errors } })
    await post(service, '/kpis', KPI)
    expect(await put(service, '/kpis/1', change)).toMatchObject({ status: 400, body: { errors } })
    expect(await read(service, '/kpis')).toMatchObject([KPI])
  })

  test('tells all faults of a body at once', async () => {
    await using service = await startService()
    const { body } = await post(service, '/users', { user_type: 'King', email: 'x', password: 'p'.repeat(21) })
    const { errors } = body as { errors: { field: string }[] }
    expect(errors.map(({ field }) => field)).toEqual(['user_type', 'user_status_id', 'first_name', 'email', 'password'])
  })

  test('asks for a category where the account has none to fall back on', async () => {
    await using service = await startService()
    await tell(service, { method: 'DELETE', path: '/kpicategories/1' })
    expect(await post(service, '/kpis', KPI)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'category_id' }] },
    })
  })

  test.each([
    '</script><b>',
    "'; drop table kpis; --",
    '__proto__',
    '../../etc/passwd',
    '%00%0a',
    '\u202eabc',
    '👩‍👩‍👧',
    '{{x}}',
  ])('keeps the name %j as it is', async (name) => {
    await using service = await startService()
    expect(await post(service, '/kpis', { ...KPI, name })).toMatchObject({ status: 201 })
    expect(await read(service, '/kpis/1')).toMatchObject({ name })
  })
})
