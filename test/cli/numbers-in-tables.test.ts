import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, fillShop, newerUser, remoteUser, type User } from '../support/user.ts'

const WAYS = [
  { name: 'on the embedded service', open: () => embeddedUser(), isClassic: true },
  { name: 'through a profile to a server', open: () => remoteUser(), isClassic: true },
  { name: 'through a profile of the newer interface', open: () => newerUser(), isClassic: false },
]

const DAYS = ['--from', '2026-02-16', '--to', '2026-02-17']

describe.each(WAYS)('$name', ({ open, isClassic }) => {
  let user: User
  beforeAll(async () => {
    user = await open()
    await fillShop(user)
    const { client } = user
    const { id } = await client.units.add({
      name: 'Euro',
      entry_format: '#.00',
      display_format: '€ #,##0.00',
      is_percentage: false,
    })
    await client.kpis.update(1, { unit_id: id, target_default: 1234_5000n })
    for (const [entry_date, actual] of [
      [20_500, 9_1234n],
      [20_501, 12_345_6000n],
    ] as const) {
      await client.entries.add({ user_id: 2, kpi_id: 1, entry_date, actual })
    }
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  test.each<[args: string[], shown: string[]]>([
    [
      ['kpis', 'list', '--columns', 'target_default', '--filter', 'name=Revenue'],
      ['target_default', '    € 1,234.50'],
    ],
    [
      ['kpis', 'list', '-o', 'markdown', '--columns', 'target_default', '--filter', 'name=Revenue'],
      ['| target\\_default |', '| ---: |', '| € 1,234.50 |'],
    ],
    [
      ['entries', 'list', ...DAYS, '--columns', 'actual', '--sort', 'actual'],
      ['     actual', '   € 9.1234', '€ 12,345.60'],
    ],
    [
      ['report', '--rows', ...DAYS, '--kpis', 'Revenue', '-o', 'markdown'],
      [
        expect.stringContaining('actual') as string,
        expect.stringContaining('---') as string,
        expect.stringContaining('| € 9.1234 |') as string,
        expect.stringContaining('| € 12,345.60 |') as string,
      ],
    ],
    [
      ['report', '--by', 'M', '--from', '2026-02-01', '--to', '2026-02-28', '--kpis', 'Revenue'],
      [expect.stringContaining('actual') as string, expect.stringContaining('€ 12,354.72') as string],
    ],
  ])('%j shows values by the pattern of their unit, and rounds none that is stored', async (args, shown) => {
    const { stdout } = await user.kpi(...args)
    expect(stdout.trimEnd().split('\n')).toEqual(shown)
  })

  test('one record shows them, too, and programs get plain numbers', async () => {
    expect((await user.kpi('kpis', 'get', 'Revenue')).stdout).toContain('target_default      € 1,234.50\n')
    expect(jsonOf(await user.kpi('kpis', 'get', 'Revenue', '-o', 'json'))).toMatchObject({ target_default: 1234.5 })
    const csv = await user.kpi('entries', 'list', ...DAYS, '-o', 'csv', '--columns', 'actual')
    expect(csv.stdout).toBe('actual\n9.1234\n12345.6\n')
  })

  test('so do assignments, and what a dry run would make of them, where there are any', async () => {
    const list = await user.kpi('assign', 'list', '--columns', 'kpi,target', '--filter', 'kpi=Revenue')
    const line = ['assign', 'update', '--users', 'Ann Lee', '--kpis', 'Revenue', '--target', '2000', '--dry-run']
    const dry = await user.kpi(...line)
    expect([list.code, dry.code]).toEqual(isClassic ? [0, 0] : [7, 7])
    expect(list.stdout).toMatch(isClassic ? /Revenue {2}€ 1,234\.50\n/ : /^$/)
    expect(dry.stdout).toMatch(isClassic ? /Revenue +€ 2,000\.00\n$/ : /^$/)
  })

  test.each([
    [{}, '€ 12,345.60'],
    [{ LANG: 'C.UTF-8' }, '€ 12,345.60'],
    [{ LANG: 'de_DE.UTF-8' }, '€ 12.345,60'],
    [{ LANG: 'de_DE.UTF-8', LC_ALL: 'en_US.UTF-8' }, '€ 12,345.60'],
    [{ LANG: 'C', LC_NUMERIC: 'fr_FR' }, '€ 12\u202f345,60'],
    [{ LANG: 'hi_IN' }, '€ 12,345.60'],
    [{ LANG: 'no such language' }, '€ 12,345.60'],
  ])('a terminal with %j shows %s', async (env, shown) => {
    const line = ['entries', 'list', ...DAYS, '--columns', 'actual', '--no-color']
    expect((await user.kpiIn({ terminal: 120, env }, ...line)).stdout).toContain(shown)
    expect((await user.kpiIn({ env }, ...line)).stdout).toContain('€ 12,345.60')
  })

  test('a sentence says values so, old and new', async () => {
    const line = ['entries', 'add', '--user', '2', '--kpi', 'Revenue', '--date', '2026-02-18', '--actual']
    const said = async (actual: string): Promise<string> =>
      (await user.kpiIn({ terminal: 120 }, ...line, actual)).stderr
    expect(await said('1000')).toContain('2026-02-18: € 1,000.00')
    expect(await said('1000.5')).toContain('2026-02-18: € 1,000.50 (was € 1,000.00)')
  })

  test('an entry that was added is shown with names where nobody is at a terminal', async () => {
    const line = ['entries', 'add', '--user', '2', '--kpi', 'Revenue', '--date', '2026-02-19', '--actual', '7']
    const { stdout } = await user.kpi(...line)
    expect(stdout).toMatch(/^user +Ann Lee$/m)
    expect(stdout).toMatch(/^actual +€ 7\.00$/m)
  })
})
