import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { day } from '../support/calendar.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { fillShop, newerUser, type User, users } from '../support/user.ts'

describe.each([...users, ['through the newer interface', newerUser] as const])(
  '%s, entries add --dry-run',
  (_, open) => {
    let user: User
    beforeEach(async () => {
      user = await open()
      await fillShop(user)
    })
    afterEach(() => user[Symbol.asyncDispose]())

    const dry = (...line: string[]): Promise<Ran> => user.kpi('entries', 'add', '--user', '2', ...line, '--dry-run')
    const said = 'dry run, nothing was sent: '

    test('shows the fields of a new entry', async () => {
      const ran = await dry('--kpi', 'Visits', '--date', '2026-11-01', '--actual', '3', '--notes', 'two', '-o', 'json')
      expect(ran.stderr).toContain(`${said}1 entry to create`)
      const row = {
        action: 'create',
        id: null,
        name: expect.stringMatching(/^Visits of .+ on 2026-11-01: .*3/),
        old: null,
      }
      expect(jsonOf(ran)).toEqual([
        { ...row, field: 'user_id', new: expect.anything() },
        { ...row, field: 'kpi_id', new: 'Visits' },
        { ...row, field: 'entry_date', new: '2026-11-01' },
        { ...row, field: 'actual', new: '3' },
        { ...row, field: 'notes', new: 'two' },
      ])
      const all = await user.client.entries.list({ from: day('2026-11-01'), to: day('2026-11-30') })
      expect(all.map(({ id }) => id)).toEqual([1, 2, 3])
    })

    test('refuses the values of a locked user, even those that are stored, as the run does', async () => {
      await user.client.users.update(2, { user_status_id: 'L' })
      const line = ['entries', 'add', '--user', '2', '--kpi', 'Revenue', '--date', '2026-11-19', '--actual', '40']
      for (const flags of [['--dry-run'], []]) {
        const ran = await user.kpi(...line, ...flags)
        expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('user 2 (Ann Lee) is locked')])
      }
    })

    test('shows the old and the new values of one that is there', async () => {
      const line = ['--kpi', 'Revenue', '--date', '2026-11-19', '--actual', '2', '--target', '90']
      const ran = await dry(...line, '--add-to-actual', '-o', 'json')
      expect(ran.stderr).toContain(`${said}1 entry to update, 0 unchanged`)
      expect(jsonOf(ran)).toMatchObject([
        { action: 'update', id: 1, field: 'actual', old: '40', new: '42' },
        { action: 'update', id: 1, field: 'target', old: null, new: '90' },
      ])
      expect(await user.client.entries.get(1)).toMatchObject({ actual: 40_0000n, target: null })
    })

    test('says that nothing would change', async () => {
      const ran = await dry('--kpi', 'Revenue', '--date', '2026-11-19', '--actual', '40', '-o', 'json')
      expect(ran.stderr).toContain(`${said}0 entries to update, 1 unchanged`)
      expect(jsonOf(ran)).toMatchObject([{ action: 'unchanged', id: 1, field: null }])
    })

    test('refuses what the service would refuse', async () => {
      await user.client.kpis.update(1, { is_active: false })
      const ran = await dry('--kpi', '1', '--date', '2026-11-19', '--actual', '41')
      expect([ran.code, ran.stdout]).toEqual([1, ''])
      expect(ran.stderr).toContain('KPI 1 (Revenue) is inactive and takes no entries')
      const empty = await dry('--kpi', 'Visits', '--actual', '')
      expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('actual: is required')])
    })
  },
)

test('entries add --dry-run over the newer interface says what it cannot check', async () => {
  await using user = await newerUser()
  await fillShop(user)
  const ran = await user.kpi('entries', 'add', '--user', '2', '--kpi', 'Visits', '--actual', '3', '--dry-run')
  expect(ran.stderr).toContain('not checked before an entry is sent: assignments')
})

test('entries add --dry-run with a key that may not read entries says so', async () => {
  await using user = await newerUser(['entries:write', 'kpis:read'])
  await fillShop(user)
  const ran = await user.kpi('entries', 'add', '--user', '2', '--kpi', '1', '--actual', '3', '--dry-run')
  expect([ran.code, ran.stdout]).toEqual([4, ''])
  expect(ran.stderr).toContain('whether the entry would be created or updated')
})
