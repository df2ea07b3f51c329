import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accountsWith, dumped, hasIds, linesOf, make, nameOf } from '../support/drawn-accounts.ts'
import { type Fault, faultyProxy, lose, refuse, reset } from '../support/faulty-proxy.ts'
import { jsonOf } from '../support/kpi.ts'
import { remoteUser, remoteUserBehind, type User } from '../support/user.ts'

const CLASSIC = { formulas: false, archive: false }
const MEANT = ['--by-name', 'categories,units,groups,group_items,kpis,users']

const FAULTS: readonly Fault[] = [
  lose,
  reset,
  refuse(503, { 'retry-after': '1' }),
  refuse(403, { 'x-rate-limit-remaining': '0', 'retry-after': '1' }),
  (response) => void response.destroy(),
]

/** Returns the dump of an account whose service has made commands wait, which they tell. */
const dumpAfter = async (user: User): Promise<string> => {
  const { code, stdout, stderr } = await user.kpi('dump')
  expect(code, stderr).toBe(0)
  return stdout
}

/** What becomes of requests one after another, again and again: a fault, or none. */
const faultsOf = fc
  .array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined }), { minLength: 2, maxLength: 7 })
  .filter((some) => some.includes(undefined))

test(
  'an apply and its undo come to the same, whatever becomes of their requests, and nothing is there twice',
  { timeout: 120_000 },
  async () => {
    const accounts = accountsWith(nameOf(0))
    await fc.assert(
      fc.asyncProperty(accounts, accounts, faultsOf, async (before, after, faults) => {
        await using other = await remoteUser()
        await make(other, after, CLASSIC)
        const text = await dumped(other)
        fc.pre(!hasIds(text))
        await using whole = await remoteUser()
        await make(whole, before, CLASSIC)
        writeFileSync(whole.folder.in('kpi.yaml'), text)
        fc.pre((await whole.kpi('apply', 'kpi.yaml', ...MEANT)).code === 0)

        let isTroubled = false
        await using user = await remoteUserBehind(async (url) => {
          const faultOf = (number: number): Fault | undefined =>
            isTroubled ? faults[number % faults.length] : undefined
          return (await faultyProxy(url, faultOf, () => true)).url
        })
        await make(user, before, CLASSIC)
        const earlier = await dumped(user)
        writeFileSync(user.folder.in('kpi.yaml'), text)
        isTroubled = true
        const applied = await user.kpi('apply', 'kpi.yaml', ...MEANT, '-o', 'json')
        expect(applied.code, applied.stderr).toBe(0)
        isTroubled = false
        expect(await dumpAfter(user)).toBe(await dumped(whole))
        const again = await user.kpi('apply', 'kpi.yaml', ...MEANT, '-o', 'json')
        expect(jsonOf(again)).toMatchObject({ created: 0, updated: 0, deleted: 0 })
        const { receipt } = jsonOf(applied) as { receipt: string | null }
        isTroubled = true
        const undone = receipt === null ? undefined : await user.kpi('undo', receipt, '--yes')
        expect(undone?.code ?? 0, undone?.stderr).toBe(0)
        isTroubled = false
        expect(linesOf(await dumpAfter(user))).toEqual(linesOf(earlier))
      }),
      { numRuns: 15, endOnFailure: true },
    )
  },
)
