import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Kept } from '../support/faulty/account.ts'
import { kinds } from '../support/faulty/kinds.ts'
import { faultyService } from '../support/faulty/service.ts'
import type { Loss, Trouble } from '../support/faulty/trouble.ts'
import { temporaryFolder } from '../support/folder.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { slidingLimiter } from '../support/limiters.ts'
import { runIn } from '../support/simulation/run.ts'
import { environmentOf } from '../support/simulation/simulate.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

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

type Amid = {
  /** What becomes of the writes of the undo, one after another. */
  readonly troubles?: readonly (Trouble | undefined)[]
  /** Stops the undo once it has made so many requests. */
  readonly stopAt?: number
}

/** Imports other values into a service of a kind, and takes them back; returns what came of it, and how often it wrote. */
const undoAmid = async (kindName: string, { troubles = [], stopAt }: Amid) => {
  const kind = kinds.find(({ name }) => name === kindName)
  if (!kind) throw new Error(`there is no kind ${kindName}`)
  using folder = temporaryFolder()
  const home = folder.in('home')
  mkdirSync(home)
  writeFileSync(`${home}/data.csv`, `user,kpi,date,actual\n${DATES.map((date) => `2,1,${date},9\n`).join('')}`)
  const clock = createVirtualClock()
  let left: (Trouble | undefined)[] = []
  const service = faultyService({
    kind,
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
  const machine = { env: environmentOf({ kind }), clock, service, newHome: () => folder.in('other') }
  const kpi = async (args: readonly string[], atRequest?: number): Promise<Ran> => {
    const interruption = atRequest === undefined ? undefined : ({ how: 'stop', atRequest, isAfter: true } as const)
    const ended = await clock.run(() => runIn(machine, home, args, interruption))
    if (ended.code === undefined) throw new Error('nobody killed it')
    return ended
  }
  const { receipt } = jsonOf(await kpi(['entries', 'import', 'data.csv', '-o', 'json'])) as { receipt: string }
  left = [...troubles]
  const before = service.writes()
  const { code, stdout, stderr } = await kpi(['entries', 'undo', receipt, '--yes'], stopAt)
  const [listed] = jsonOf(await kpi(['entries', 'undo', '-o', 'json'])) as { left_entries: number | null }[]
  const stored = service.entries().toSorted((one, other) => one.date.localeCompare(other.date))
  const actuals = stored.map(({ actual }) => Number(actual) / 10_000)
  return { code, stdout, stderr, actuals, writes: service.writes() - before, left: listed?.left_entries }
}

const lost = (how: Loss, isDone: boolean): Trouble => ({ what: 'lost', how, isDone })

test.each(['an object with 200', 'a list with 200'] as const)(
  'a change that a third-party service answers with %s is put back, and repeated only where it was not done',
  async (how) => {
    expect(await undoAmid('foreign', { troubles: [lost(how, false), undefined, lost(how, true)] })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'put back 3 entries\n',
      actuals: [1, 2, 3],
      writes: 3,
      left: null,
    })
  },
)

test('a change that a third-party service never makes is left alone, and the others are put back', async () => {
  const never = lost('an object with 200', false)
  expect(await undoAmid('foreign', { troubles: [never, undefined, undefined, never, never, never] })).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/leave .*2026-03-01 .*the service answered something else than what was/) as unknown,
    stderr: '2 of 3 entries are taken back\nput back 2 entries; 1 left alone\n',
    actuals: [9, 2, 3],
  })
})

test('what is put back before a third-party service is gone is counted, and the list says what is left', async () => {
  const { code, stderr, actuals, left } = await undoAmid('foreign', {
    troubles: [undefined, { what: 'down', forMs: 3_600_000 }],
  })
  expect([code, actuals, left]).toEqual([6, [1, 9, 9], 2])
  expect(stderr).toContain('put back 1 entry; 2 entries left; run the same command to continue')
})

test.each([
  ['plans', 2, 6, 'nothing was changed; run the same command again', [9, 9, 9]],
  [
    'looks at what it changes',
    6,
    6,
    'nothing was changed; 3 entries left; run the same command to continue',
    [9, 9, 9],
  ],
  ['puts back the last of it', 7, 0, 'put back 3 entries\n', [1, 2, 3]],
])('an undo that is stopped while it %s says what is done', async (_, stopAt, exit, words, held) => {
  const { code, stderr, actuals, left } = await undoAmid('ours', { stopAt })
  expect([code, actuals, left]).toEqual([exit, held, null])
  expect(stderr).toContain(words)
})
