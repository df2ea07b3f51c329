import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accountsWith, dumped, hasIds, linesOf, make, nameOf } from '../support/drawn-accounts.ts'
import { type Fault, faultyProxy, lose, refuse, reset } from '../support/faulty-proxy.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { runs } from '../support/soak/tests.ts'
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
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' })
  return stdout
}

/** Runs a command again while it ends as the service was away for too long, with nothing or some of it done. */
const persist = async (user: User, ...line: string[]): Promise<Ran> => {
  for (let times = 1; ; times += 1) {
    const ran = await user.kpi(...line)
    if (![5, 6].includes(ran.code) || times === 20) return ran
  }
}

/** What becomes of the first requests of a command, one after another: a fault, or none. */
const faultsOf = fc.array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 2 }), {
  minLength: 5,
  maxLength: 60,
})

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

        let ahead: (Fault | undefined)[] = []
        await using user = await remoteUserBehind(async (url) => {
          return (
            await faultyProxy(
              url,
              () => ahead.shift(),
              () => true,
            )
          ).url
        })
        await make(user, before, CLASSIC)
        const earlier = await dumped(user)
        writeFileSync(user.folder.in('kpi.yaml'), text)
        ahead = [...faults]
        const applied = await persist(user, 'apply', 'kpi.yaml', ...MEANT, '-o', 'json')
        expect({ code: applied.code, said: applied.code === 0 ? '' : applied.stderr }).toEqual({ code: 0, said: '' })
        ahead = []
        expect(await dumpAfter(user)).toBe(await dumped(whole))
        const again = await user.kpi('apply', 'kpi.yaml', ...MEANT, '-o', 'json')
        expect(jsonOf(again)).toMatchObject({ created: 0, updated: 0, deleted: 0 })
        const { receipt } = jsonOf(applied) as { receipt: string | null }
        ahead = [...faults]
        const undone = receipt === null ? undefined : await persist(user, 'undo', receipt, '--yes')
        expect(undone && undone.code !== 0 ? undone : undefined).toBeUndefined()
        ahead = []
        expect(linesOf(await dumpAfter(user))).toEqual(linesOf(earlier))
      }),
      { numRuns: runs(4, 40), endOnFailure: true },
    )
  },
)
