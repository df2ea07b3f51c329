import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { fillShop, type User, users } from '../support/user.ts'

describe.each(users)('%s, update', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const active = async (): Promise<(boolean | null)[]> =>
    (await user.client.kpis.list()).map(({ is_active }) => is_active)

  test('changes all that are named, by id or name', async () => {
    const ran = await user.kpi('kpis', 'update', 'Revenue', '2', '--is-active', 'false', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject([
      { name: 'Revenue', is_active: false },
      { name: 'Visits', is_active: false },
    ])
    expect(await active()).toEqual([false, false])
  })

  test('names all that it does not find, and changes nothing then', async () => {
    const ran = await user.kpi('kpis', 'update', 'Revenu', 'Visits', 'Nothing', '--is-active', 'false')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'kpi kpis update: there is no KPI "Revenu"; did you mean "Revenue"?; there is no KPI "Nothing"\n',
    ])
    expect(await active()).toEqual([true, true])
  })

  test('refuses in a dry run what the service would: the e-mail address of somebody else', async () => {
    const [one, other] = await user.client.users.list()
    const line = ['users', 'update', String(one?.id), '--email', other?.email ?? '']
    const said = /e-mail address of user \d+.* already/
    for (const flags of [['--dry-run'], []]) {
      const ran = await user.kpi(...line, ...flags)
      expect(ran.code).toBe(1)
      expect(ran.stderr).toMatch(said)
    }
    expect((await user.kpi('users', 'update', String(one?.id), '--email', one?.email ?? '', '--dry-run')).code).toBe(0)
  })

  test('shows old and new values in a dry run, a summary first, and sends nothing', async () => {
    const ran = await user.kpi(
      'kpis',
      'update',
      'Revenue',
      'Visits',
      '--frequency',
      'monthly',
      '--target-default',
      '100',
      '--dry-run',
    )
    expect([ran.code, ran.stderr]).toEqual([0, 'dry run, nothing was sent: 2 KPIs to update, 0 unchanged\n'])
    expect(ran.stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'action  id  name     field           old    new',
      'update   1  Revenue  frequency_id    daily  monthly',
      'update   2  Visits   frequency_id    daily  monthly',
      'update   2  Visits   target_default         100',
      '',
    ])
    expect((await user.client.kpis.list()).map((one) => one.frequency_id)).toEqual(['D', 'D'])
    const same = await user.kpi('kpis', 'update', 'Revenue', '--frequency', 'D', '--dry-run', '-o', 'json')
    expect(jsonOf(same)).toEqual([{ action: 'unchanged', id: 1, name: 'Revenue', field: null, old: null, new: null }])
  })

  test('shows only the counts of a dry run with --summary-only, which goes with nothing else', async () => {
    const line = ['kpis', 'update', 'Revenue', '2', '--is-active', 'false', '--summary-only']
    expect(await user.kpi(...line, '--dry-run')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'dry run, nothing was sent: 2 KPIs to update, 0 unchanged\n',
    })
    expect(await user.kpi(...line)).toMatchObject({
      code: 2,
      stderr: 'kpi kpis update: --summary-only goes with --dry-run\n',
    })
    expect(await active()).toEqual([true, true])
  })

  test('refuses one name for several', async () => {
    const ran = await user.kpi('kpis', 'update', '1', '2', '--name', 'Same')
    expect([ran.code, ran.stderr]).toEqual([2, 'kpi kpis update: --name would give 2 KPIs the same name\n'])
  })

  test('refuses what is named twice, before anything is sent', async () => {
    const ran = await user.kpi('kpis', 'update', 'Revenue', '2', '1', 'visits', '--is-active', 'false')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'kpi kpis update: nothing was sent: no. 1 (Revenue) and no. 3 (1) are the same KPI; no. 2 (2) and no. 4 (visits) are the same KPI; name each once\n',
    ])
    const changes = [
      { id: 2, is_active: false },
      { id: 1, is_active: false },
      { id: 'Visits', description: 'again' },
    ]
    writeFileSync(user.folder.in('twice.json'), JSON.stringify(changes))
    for (const more of [[], ['--dry-run'], ['--force']]) {
      const listed = await user.kpi('kpis', 'update', '--from-json', 'twice.json', ...more)
      expect([listed.code, listed.stdout]).toEqual([1, ''])
      expect(listed.stderr).toBe('kpi: no. 3, id: is that of no. 1, too: put the changes to one KPI into one object\n')
    }
    expect(await active()).toEqual([true, true])
  })

  test('overwrites nothing that has changed after its file was read, unless it is told to', async () => {
    const read = jsonOf(await user.kpi('kpis', 'list', '-o', 'json')) as Record<string, unknown>[]
    const edited = read.map((one) => ({ ...one, description: 'mine', updated_at: '2026-01-01T00:00:00' }))
    writeFileSync(user.folder.in('edited.json'), JSON.stringify(edited))
    for (const more of [[], ['--dry-run']]) {
      const ran = await user.kpi('kpis', 'update', '--from-json', 'edited.json', ...more)
      expect([ran.code, ran.stdout]).toEqual([1, ''])
      expect(ran.stderr).toMatch(
        /^kpi: KPI 1, Revenue was changed at .* UTC; KPI 2, Visits was changed at .* UTC: after the file was read; read it again, or --force overwrites what has changed\n$/,
      )
    }
    expect((await user.client.kpis.list()).map(({ description }) => description)).toEqual([null, null])
    expect((await user.kpi('kpis', 'update', '--from-json', 'edited.json', '--force')).code).toBe(0)
    const fresh = (await user.client.kpis.list()).map((one) => one.description)
    expect(fresh).toEqual(['mine', 'mine'])
    const own = await user.kpi('kpis', 'list', '-o', 'json')
    writeFileSync(user.folder.in('own.json'), own.stdout)
    expect((await user.kpi('kpis', 'update', '--from-json', 'own.json')).code).toBe(0)
  })
})
