import type { FaultyAccount } from '../faulty/account.ts'
import { type Kind, kinds } from '../faulty/kinds.ts'
import type { TroublePlan } from '../faulty/trouble.ts'
import type { Random } from '../random.ts'
import { createAccount } from './accounts.ts'
import { createSheet, type Sheet } from './sheet.ts'

export type OnConflict = 'update' | 'skip' | 'error' | 'add'
export type OnDuplicate = 'error' | 'first' | 'last' | 'sum'

/** How a run is interrupted: asked to stop, or killed, at which request, before that reaches the service or after it. */
export type Interruption = { readonly how: 'stop' | 'kill'; readonly atRequest: number; readonly isAfter: boolean }

/** All that is drawn from a seed: who loads what, where, how, and what comes between. */
export type Job = {
  readonly kind: Kind
  readonly account: FaultyAccount
  readonly sheet: Sheet
  readonly onConflict: OnConflict
  readonly onDuplicate: OnDuplicate
  readonly onlyChanges: boolean
  readonly clear: boolean
  readonly troubles: TroublePlan
  /** What interrupts each of the first runs. */
  readonly interruptions: readonly (Interruption | undefined)[]
}

const drawTroubles = ({ pick, whole, chance }: Random, mayDouble: boolean): TroublePlan => ({
  share: pick([0, 0.02, 0.1, 0.3]),
  most: whole(1, 20),
  mayLockOut: chance(0.15),
  mayDouble,
})

/** Draws what interrupts a run of so many requests; nothing, more often than not. */
export const drawInterruption = ({ chance, whole }: Random, requests: number): Interruption | undefined => {
  if (chance(0.4)) return undefined
  return { how: chance(0.7) ? 'kill' : 'stop', atRequest: whole(1, requests), isAfter: chance(0.5) }
}

/** How entries that are there are met; only who may read can tell them apart, and elsewhere than here adding is no upsert. */
const drawConflict = ({ pick, chance }: Random, { reads }: Kind): OnConflict => {
  if (chance(0.5)) return 'update'
  return reads ? pick(['skip', 'error', 'add'] as const) : pick(['update', 'add'] as const)
}

/** Small enough that keys come again, and meet what is there already. */
const [ROWS, DAYS] = [60, 20]

/** Draws an account of a size to which files of jobs are drawn. */
export const drawAccount = (random: Random): FaultyAccount => createAccount(random, DAYS)

/** Draws who loads what how, on a service of a kind with an account; without a sheet that is drawn, too. */
export const drawJobOn = (random: Random, kind: Kind, account: FaultyAccount, given?: Sheet): Job => {
  const { chance, pick, whole } = random
  const onConflict = drawConflict(random, kind)
  const clear = onConflict !== 'add' && kind.reads && chance(0.2)
  const alwaysActual = onConflict === 'add'
  const wants = { rows: [1, ROWS], days: DAYS, hasUnlucky: true, namesById: !kind.reads, alwaysActual } as const
  const sheet = (!alwaysActual && given) || createSheet(random, account, wants)
  const requests = 6 + (kind.batch === 'taken' ? 4 : sheet.rows.length + 4)
  return {
    kind,
    account,
    sheet,
    onConflict,
    onDuplicate: pick(['error', 'error', 'first', 'last', 'sum']),
    onlyChanges: onConflict === 'update' && kind.reads && chance(0.25),
    clear,
    troubles: drawTroubles(random, kind.isBundled || (onConflict !== 'add' && kind.post !== 'double')),
    interruptions: Array.from({ length: whole(0, 4) }, () => drawInterruption(random, requests)),
  }
}

/** Draws a job. */
export const drawJob = (random: Random): Job => drawJobOn(random, random.pick(kinds), drawAccount(random))

/** The flags of the command. */
export const flagsOf = ({ onConflict, onDuplicate, onlyChanges, clear }: Job): string[] => [
  ...(onConflict === 'update' ? [] : ['--on-conflict', onConflict]),
  ...(onDuplicate === 'error' ? [] : ['--on-duplicate', onDuplicate]),
  ...(onlyChanges ? ['--only-changes'] : []),
  ...(clear ? ['--empty', 'clear'] : []),
]
