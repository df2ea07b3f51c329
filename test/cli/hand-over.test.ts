import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { Assignment } from '../../src/domain/resources/assignment.ts'
import type { Entry } from '../../src/domain/resources/entry.ts'
import type { Handler } from '../../src/server/wire.ts'
import {
  asThirdParty,
  embeddedImporter,
  type Importer,
  kpiNamed,
  remoteImporter,
  userNamed,
} from '../support/import.ts'
import { parseDay } from '../../src/domain/day.ts'
import { newerUser } from '../support/user.ts'

/** Ann has Sales with a target of her own, Visits and Calls, North and West; Bob has Sales with another target, and South. */
const fill = async (client: Client): Promise<void> => {
  const kpi = async (name: string, more = {}): Promise<number> => (await client.kpis.add(kpiNamed(name, more))).id
  const [sales, visits, calls] = [
    await kpi('Sales', { target_default: 100_0000n }),
    await kpi('Visits'),
    await kpi('Calls'),
  ]
  const person = async (name: string): Promise<number> =>
    (await client.users.add({ ...userNamed(name), email: `${name.toLowerCase()}@example.com` })).id
  const [ann, bob, cy] = [await person('Ann'), await person('Bob'), await person('Cy')]
  const group = await client.groups.add({ name: 'Region' })
  const [north, south] = [
    await client.groupItems(group.id).add({ name: 'North' }),
    await client.groupItems(group.id).add({ name: 'South' }),
  ]
  const shop = await client.groups.add({ name: 'Shop' })
  const west = await client.groupItems(shop.id).add({ name: 'West' })
  await client.assignments(ann).add({ id: sales, user_target: 120_0000n, sort_order: 3 })
  await client.assignments(ann).add({ id: visits, sort_order: 7 })
  await client.assignments(ann).add({ id: calls, sort_order: 9 })
  await client.assignments(bob).add({ id: sales, user_target: 90_0000n, sort_order: 1 })
  await client.userGroupItems(ann).add({ id: north.id })
  await client.userGroupItems(ann).add({ id: west.id })
  await client.userGroupItems(bob).add({ id: south.id })
  await client.users.update(cy, { user_status_id: 'L' })
  await client.entries.add({ user_id: ann, kpi_id: sales, entry_date: parseDay('2026-11-20') ?? 0, actual: 5_0000n })
}

/** All links of the account, and who is locked, by names. */
const linksOf = async ({ client }: Pick<Importer, 'client'>): Promise<string[]> => {
  const kpis = new Map((await client.kpis.list()).map(({ id, name }) => [id, name]))
  const lines: string[] = []
  for (const { id, first_name: name, user_status_id: status } of await client.users.list()) {
    for (const { id: kpi, user_target: target, sort_order: place } of await client.assignments(id).list())
      lines.push(`${name}: ${kpis.get(kpi)} ${target === null ? '-' : target / 10_000n} ${place}`)
    for (const { name: item } of await client.userGroupItems(id).list()) lines.push(`${name}: ${item}`)
    if (status === 'L') lines.push(`${name}: locked`)
  }
  return lines.toSorted()
}

const BEFORE = [
  'Ann: Calls - 9',
  'Ann: North',
  'Ann: Sales 120 3',
  'Ann: Visits - 7',
  'Ann: West',
  'Bob: Sales 90 1',
  'Bob: South',
  'Cy: locked',
]
const BOB_AFTER = ['Bob: Calls - 9', 'Bob: Sales 90 1', 'Bob: South', 'Bob: Visits - 7', 'Bob: West']
const ANN_BEFORE = BEFORE.filter((line) => line.startsWith('Ann'))

const WAYS: readonly (readonly [string, () => Promise<Importer>])[] = [
  ['embedded', () => embeddedImporter({ fill })],
  ['over HTTP', () => remoteImporter({ fill })],
  ['on a third-party service', () => remoteImporter({ fill, wrap: asThirdParty })],
]

const LINE = ['users', 'hand-over', 'ann@example.com', '--to', 'Bob'] as const

const receiptOf = ({ stdout }: { readonly stdout: string }): string =>
  String((JSON.parse(stdout) as { receipt: unknown }).receipt)

describe.each(WAYS)('kpi users hand-over, %s', (_, open) => {
  test.each<[flags: string[], after: string[], counts: object]>([
    [[], [...BOB_AFTER, 'Cy: locked'], { added: 3, removed: 5, updated: 0, skipped: 2, left: 0 }],
    [['--keep'], [...ANN_BEFORE, ...BOB_AFTER, 'Cy: locked'], { added: 3, removed: 0, updated: 0, skipped: 2 }],
    [['--lock-leaver'], ['Ann: locked', ...BOB_AFTER, 'Cy: locked'], { added: 3, removed: 5, updated: 1, skipped: 2 }],
  ])('%j does what its dry run shows, and kpi undo takes it back', async (flags, after, counts) => {
    await using importer = await open()
    const { kpi } = importer
    const dry = await kpi(...LINE, ...flags, '--dry-run', '-o', 'json', '--summary-only')
    const { left: _left, ...planned } = { left: 0, ...counts }
    expect([dry.code, JSON.parse(dry.stdout)]).toEqual([0, planned])
    expect(await linksOf(importer)).toEqual(BEFORE)
    const ran = await kpi(...LINE, ...flags, '--yes', '-o', 'json')
    expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)])
    expect(JSON.parse(ran.stdout)).toMatchObject(counts)
    expect(await linksOf(importer)).toEqual(after.toSorted())
    const again = await kpi(...LINE, ...flags, '--yes')
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining(
        flags.includes('--keep') ? '5 that Bob has already, or otherwise' : 'nothing to hand over',
      ),
    ])
    expect((await kpi('undo', receiptOf(ran), '--yes')).code).toBe(0)
    expect(await linksOf(importer)).toEqual(BEFORE)
  })
})

describe('kpi users hand-over', () => {
  test('shows each change, and what the successor keeps', async () => {
    await using importer = await embeddedImporter({ fill })
    const dry = await importer.kpi(...LINE, '--lock-leaver', '--dry-run')
    expect(dry.stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'action | section | name | field | old | new',
      'create | assignments | Visits of bob@example.com | sort_order | 7',
      'create | assignments | Calls of bob@example.com | sort_order | 9',
      'create | user_group_items | Shop / West of bob@example.com',
      'delete | user_group_items | Shop / West of ann@example.com',
      'delete | user_group_items | Region / North of ann@example.com',
      'delete | assignments | Calls of ann@example.com',
      'delete | assignments | Visits of ann@example.com',
      'delete | assignments | Sales of ann@example.com',
      'update | users | ann@example.com | user_status | active | locked',
      'keep | assignments | Sales of bob@example.com | user_target | 90 | 120',
      'keep | user_group_items | Region / South of bob@example.com | group_item | South | North',
      '',
    ])
    expect(dry.stderr).toContain('Bob keeps the target of Sales: 90, where Ann has 120\n')
    expect(dry.stderr).toContain('Bob keeps Region / South alone of its group, where Ann has North\n')
    expect(dry.stderr).toContain('past reports would show 100 instead of 120 for it; with --keep-history')
    const { code, stderr } = await importer.kpi(...LINE, '--keep-history', '--yes')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('past reports show')])
    const kept: readonly Entry[] = await importer.client.entries.list({ from: 20_000, to: 30_000 })
    expect(kept.map(({ target }) => target)).toEqual([120_0000n])
  })

  test.each<[line: string[], code: number, said: string]>([
    [['Ann', '--to', 'ann@example.com', '--yes'], 2, '--to ann@example.com is the same user; name the successor'],
    [['Ann', '--yes'], 2, '--to <user>'],
    [['Anne', '--to', 'Bob', '--yes'], 2, 'there is no user "Anne"; did you mean "Ann"?'],
    [['Ann', '--to', 'Cy', '--yes'], 1, "Cy is locked, and can be nobody's successor; kpi users update "],
    [['Ann', '--to', 'Bob'], 2, 'hand over from Ann to Bob needs --yes where nobody can be asked; --dry-run shows'],
    [['Ann', '--to', 'Bob', '--summary-only'], 2, '--summary-only goes with --dry-run'],
  ])('%j is refused', async (line, code, said) => {
    await using importer = await embeddedImporter({ fill })
    const ran = await importer.kpi('users', 'hand-over', ...line)
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(said)])
    expect(await linksOf(importer)).toEqual(BEFORE)
  })

  test('hands over targets that begin on days, says which the successor keeps, and keeps past reports', async () => {
    await using importer = await embeddedImporter({ fill })
    const { kpi, client } = importer
    const date = async (user: string, name: string, target: string, from: string): Promise<void> => {
      const line = ['assign', 'update', '--kpis', name, '--users', user, '--target', target, '--from', from]
      expect(await kpi(...line)).toMatchObject({ code: 0 })
    }
    await kpi('kpis', 'update', 'Calls', '--target-default', '10')
    await date('Ann', 'Calls', '30', '2027-01-01')
    await date('Ann', 'Sales', '130', '2026-11-01')
    await date('Bob', 'Sales', '95', '2027-01-01')
    await client.entries.add({ user_id: 2, kpi_id: 1, entry_date: parseDay('2026-10-20') ?? 0, actual: 5_0000n })
    const dry = await kpi(...LINE, '--dry-run')
    const rows = dry.stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))
    expect(rows).toContain('create | assignments | Calls of bob@example.com | targets | 30 from 2027-01-01')
    expect(rows.filter((row) => row.includes(' | targets | '))).toHaveLength(2)
    const keeps = 'keeps the target of Sales: 90, 95 from 2027-01-01, where Ann has 120, 130 from 2026-11-01\n'
    expect(dry.stderr).toContain(keeps)
    expect((await kpi(...LINE, '--keep-history', '--yes')).code).toBe(0)
    const bob: readonly Assignment[] = await client.assignments(3).list()
    expect(bob.map(({ id, targets }) => [id, targets])).toEqual([
      [1, '95 from 2027-01-01'],
      [2, null],
      [3, '30 from 2027-01-01'],
    ])
    const kept: readonly Entry[] = await client.entries.list({ from: 20_000, to: 30_000 })
    expect(kept.map(({ target }) => target)).toEqual([120_0000n, 130_0000n])
  })

  test('the successor is completed from the names that are known', async () => {
    await using importer = await embeddedImporter({ fill })
    await importer.kpi('users', 'list')
    const { stdout } = await importer.kpi('__complete', '=zsh', 'users', 'hand-over', 'ann@example.com', '--to', 'bo')
    expect(stdout).toContain('bob@example.com\t')
  })

  test('the newer interface has no assignments', async () => {
    await using newer = await newerUser()
    expect((await newer.kpi('users', 'hand-over', '1', '--to', '2', '--yes')).code).toBe(7)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((at) => [[at, true] as const, [at, false] as const]))(
    'goes on where change %i was cut off, done: %j',
    async (at, isDone) => {
      let [seen, isCut] = [0, false]
      const wrap =
        (handler: Handler): Handler =>
        async (request) => {
          if (request.method === 'GET' || (seen += 1) < at) return handler(request)
          if (isCut) return handler(request)
          if (isDone) await handler(request)
          return { status: 503, headers: {}, body: '' }
        }
      await using importer = await remoteImporter({ fill, wrap: (handler) => asThirdParty(wrap(handler)) })
      const first = await importer.kpi(...LINE, '--lock-leaver', '--yes', '-o', 'json', '--deadline', '1s')
      expect(first.code).not.toBe(0)
      isCut = true
      const second = await importer.kpi(...LINE, '--lock-leaver', '--yes', '-o', 'json')
      expect([second.code, second.stderr]).toEqual([0, expect.any(String)])
      expect(await linksOf(importer)).toEqual(['Ann: locked', ...BOB_AFTER, 'Cy: locked'].toSorted())
      expect((await importer.kpi('undo', receiptOf(second), '--yes')).code).toBe(0)
      expect(await linksOf(importer)).toEqual(BEFORE)
    },
  )
})
