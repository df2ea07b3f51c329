import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accountsWith, dumped, hasIds, linesOf, make, nameOf } from '../support/drawn-accounts.ts'
import { jsonOf } from '../support/kpi.ts'
import { runs } from '../support/soak/tests.ts'
import { embeddedUser, remoteUser, type User } from '../support/user.ts'

const MEANT = ['--by-name', 'categories,units,groups,group_items,kpis,calculated,users']
const TODAY = 20_500

/** Returns the receipt of the apply that deleted something, or of the only one. */
const latest = async (user: User): Promise<string> => {
  const all = jsonOf(await user.kpi('history', '-o', 'json')) as { receipt: string; command: string; deleted: number }[]
  const applies = all.filter(({ command }) => command === 'apply')
  return (applies.find(({ deleted }) => deleted > 0) ?? applies[0])?.receipt ?? ''
}

/** Takes back the latest run; returns what was said, if anything is left. */
const undo = async (user: User): Promise<string> => {
  const { code, stdout, stderr } = await user.kpi('undo', await latest(user), '--yes')
  return code === 0 ? '' : stderr + stdout
}

/** Stores an entry for each daily KPI of each of its users; ids are left out of what is returned. */
const entriesOf = async ({ client }: User): Promise<string[]> => {
  const kpis = new Map((await client.kpis.list()).map(({ id, name }) => [id, name]))
  const users = new Map((await client.users.list()).map(({ id, email }) => [id, email]))
  const list = await client.entries.list({ from: TODAY - 10, to: TODAY })
  return list
    .map(({ kpi_id, user_id, entry_date, actual, target, notes }) =>
      [kpis.get(kpi_id), users.get(user_id ?? 0), entry_date, actual, target, notes].join(' | '),
    )
    .toSorted()
}

const fillEntries = async ({ client }: User): Promise<void> => {
  const kpis = new Map((await client.kpis.list()).map((one) => [one.id, one]))
  for (const user of await client.users.list())
    for (const { id } of await client.assignments(user.id).list()) {
      const kpi = kpis.get(id)
      if (kpi?.frequency_id !== 'D' || !kpi.is_active || kpi.is_calculated || user.user_status_id !== 'A') continue
      await client.entries.add({ user_id: user.id, kpi_id: id, entry_date: TODAY - 1, actual: 70_000n, notes: 'a' })
    }
}

describe.each([
  ['on the embedded service', embeddedUser, { formulas: true, archive: true }],
  ['through the classic interface', remoteUser, { formulas: false, archive: false }],
] as const)('undo of an apply %s', (_, open, has) => {
  test('makes any account what it was before', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(accountsWith(nameOf(0)), accountsWith(nameOf(0)), async (before, after) => {
        await using other = await open()
        await make(other, after, has)
        const text = await dumped(other)
        fc.pre(!hasIds(text))
        await using user = await open()
        await make(user, before, has)
        await fillEntries(user)
        const [dump, entries] = [await dumped(user), await entriesOf(user)]
        writeFileSync(user.folder.in('kpi.yaml'), text)
        const applied = await user.kpi('apply', 'kpi.yaml', ...MEANT, '-o', 'json')
        fc.pre(applied.code === 0)
        const { created, updated } = jsonOf(applied) as { created: number; updated: number }
        expect(created + updated > 0 ? await undo(user) : '').toBe('')
        expect(await dumped(user)).toBe(dump)
        expect(await entriesOf(user)).toEqual(entries)
      }),
      { numRuns: runs(4, 40) },
    )
  })

  test('creates again what it deleted, with all that went with it', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(accountsWith(nameOf(0)), async (account) => {
        await using other = await open()
        await make(other, account, has)
        const text = await dumped(other)
        fc.pre(!hasIds(text))
        await using user = await open()
        writeFileSync(user.folder.in('kpi.yaml'), text)
        expect(await user.kpi('apply', 'kpi.yaml', ...MEANT)).toMatchObject({ code: 0 })
        await fillEntries(user)
        const [dump, entries] = [await dumped(user), await entriesOf(user)]
        writeFileSync(user.folder.in('kpi.yaml'), 'categories: []\n')
        const pruned = await user.kpi('apply', 'kpi.yaml', '--prune', '--yes', '-o', 'json')
        fc.pre(pruned.code === 0)
        expect((jsonOf(pruned) as { deleted: number }).deleted > 0 ? await undo(user) : '').toBe('')
        expect(linesOf(await dumped(user))).toEqual(linesOf(dump))
        expect(await entriesOf(user)).toEqual(entries)
      }),
      { numRuns: runs(4, 40) },
    )
  })
})
