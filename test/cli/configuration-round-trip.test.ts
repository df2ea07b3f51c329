import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accountsWith, dumped, hasIds, linesOf, make, nameOf } from '../support/drawn-accounts.ts'
import { jsonOf } from '../support/kpi.ts'
import { runs } from '../support/soak/tests.ts'
import { embeddedUser, newerUser, remoteUser } from '../support/user.ts'

/** Ways to an account, and what of it can be made there. */
const WAYS = [
  ['on the embedded service', embeddedUser, { formulas: true, archive: true }, runs(8, 100)],
  ['through the classic interface', remoteUser, { formulas: false, archive: false }, runs(3, 30)],
  ['through the newer interface', newerUser, { formulas: false, archive: true }, runs(3, 30)],
] as const

test.each(WAYS)(
  'the plan of a dump is empty, for any account %s',
  { timeout: 120_000 },
  async (_, open, has, numRuns) => {
    await fc.assert(
      fc.asyncProperty(accountsWith(nameOf(4)), async (account) => {
        await using user = await open()
        await make(user, account, has)
        writeFileSync(user.folder.in('kpi.yaml'), await dumped(user))
        const ran = await user.kpi('plan', 'kpi.yaml', '--exit-code', '-o', 'json')
        expect(ran.stderr).toMatch(/^nothing to do/)
        expect(jsonOf(ran)).toEqual([])
      }),
      { numRuns },
    )
  },
)

test('a formula holds the id of one of two KPIs whose name is like an id', async () => {
  await using user = await embeddedUser()
  for (const name of ['#2', '#2', '#3'])
    expect(
      (await user.kpi('kpis', 'create', `--name=${name}`, '--allow-duplicate', '--unit=1', '--icon=1', '--frequency=D'))
        .code,
    ).toBe(0)
  await user.kpi('service', 'calculated', 'add', '--name', 'Half', '--frequency', 'D', '--formula', '[2] / [3]')
  const text = await dumped(user)
  expect(text).toContain('formula: "[2] / [#3]"')
  writeFileSync(user.folder.in('kpi.yaml'), text)
  expect((await user.kpi('plan', 'kpi.yaml')).stderr).toMatch(/^nothing to do/)
})

test('a dump without ids makes another account the same', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(accountsWith(nameOf(0)), async (account) => {
      await using user = await embeddedUser()
      await using other = await embeddedUser()
      await make(user, account)
      const text = await dumped(user)
      fc.pre(!hasIds(text))
      writeFileSync(other.folder.in('kpi.yaml'), text)
      // Drawn names may be signs alone.
      const meant = ['--by-name', 'categories,units,groups,group_items,kpis,calculated,users']
      expect(await other.kpi('apply', 'kpi.yaml', ...meant)).toMatchObject({ code: 0 })
      expect(linesOf(await dumped(other))).toEqual(linesOf(text))
    }),
    { numRuns: runs(5, 50) },
  )
})
