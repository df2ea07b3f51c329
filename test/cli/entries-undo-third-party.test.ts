import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Kept } from '../support/faulty/account.ts'
import { kinds } from '../support/faulty/kinds.ts'
import { faultyService } from '../support/faulty/service.ts'
import type { Loss, Trouble } from '../support/faulty/trouble.ts'
import { temporaryFolder } from '../support/folder.ts'
import { slidingLimiter } from '../support/limiters.ts'
import { jsonOf } from '../support/kpi.ts'
import { runIn } from '../support/simulation/run.ts'
import { environmentOf } from '../support/simulation/simulate.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const KIND = kinds.find(({ name }) => name === 'foreign')
const DATES = ['2026-03-01', '2026-03-02', '2026-03-03']
const ENTRIES: readonly Kept[] = DATES.map((date, at) => ({
  id: at + 1,
  user: 2,
  kpi: 1,
  date,
  actual: BigInt(at + 1) * 10_000n,
  target: null,
  notes: null,
}))

/** Imports other values into a third-party service, and takes them back while its writes go wrong as they are listed. */
const undoAmid = async (troubles: readonly (Trouble | undefined)[]) => {
  if (!KIND) throw new Error('there is no such kind')
  using folder = temporaryFolder()
  const home = folder.in('home')
  mkdirSync(home)
  writeFileSync(`${home}/data.csv`, `user,kpi,date,actual\n${DATES.map((date) => `2,1,${date},9\n`).join('')}`)
  const clock = createVirtualClock()
  let left: (Trouble | undefined)[] = []
  const service = faultyService({
    kind: KIND,
    account: {
      kpis: [{ id: 1, name: 'Sales', target: null, isActive: true }],
      users: [{ id: 2, name: 'Ann', isLocked: false, kpis: [1] }],
      entries: ENTRIES,
    },
    troubles: (isWrite) => (isWrite ? left.shift() : undefined),
    limiter: slidingLimiter(600),
    telling: { headers: 'none', status: 403, retryAfter: 'seconds' },
    latencyMs: () => 10,
  })
  const machine = { env: environmentOf({ kind: KIND }), clock, service, newHome: () => folder.in('other') }
  const kpi = async (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
    const ended = await clock.run(() => runIn(machine, home, args, undefined))
    if (ended.code === undefined) throw new Error('nobody killed it')
    return ended
  }
  const { receipt } = jsonOf(await kpi('entries', 'import', 'data.csv', '-o', 'json')) as { receipt: string }
  left = [...troubles]
  const before = service.writes()
  const { code, stdout, stderr } = await kpi('entries', 'undo', receipt, '--yes', '-o', 'json')
  const reasons = code === 0 || code === 3 ? (JSON.parse(stdout) as { reason: string }[]).map((one) => one.reason) : []
  const stored = service.entries().toSorted((one, other) => one.date.localeCompare(other.date))
  const actuals = stored.map(({ actual }) => Number(actual) / 10_000)
  return { code, stderr, reasons, actuals, writes: service.writes() - before }
}

const lost = (how: Loss, isDone: boolean): Trouble => ({ what: 'lost', how, isDone })

test.each(['an object with 200', 'a list with 200'] as const)(
  'a change that a third-party service answers with %s is put back, and repeated only where it was not done',
  async (how) => {
    expect(await undoAmid([lost(how, false), undefined, lost(how, true)])).toEqual({
      code: 0,
      stderr: 'put back 3 entries\n',
      reasons: [],
      actuals: [1, 2, 3],
      writes: 3,
    })
  },
)

test('a change that a third-party service never makes is left alone, and the others are put back', async () => {
  const never = lost('an object with 200', false)
  expect(await undoAmid([never, undefined, undefined, never, never, never])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('put back 2 entries; 1 left alone') as unknown,
    reasons: ['the service answered something else than what was done, but did not store it'],
    actuals: [9, 2, 3],
  })
})

test('what is put back before a third-party service is gone is counted', async () => {
  expect(await undoAmid([undefined, { what: 'down', forMs: 3_600_000 }])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('put back 1 entry; 2 entries left; run the same command to continue') as unknown,
    actuals: [1, 9, 9],
  })
})
