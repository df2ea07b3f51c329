import {
  type FaultyAccount,
  type Held,
  type Kept,
  keyOf,
  type Number4,
  readNumber4,
  sumNumber4,
} from '../faulty/account.ts'
import { UNLUCKY } from '../faulty/entries.ts'
import type { Job } from './job.ts'
import type { Cell } from './sheet.ts'

/** What is to become of the lines of a file under one key: of all of them, as they make one entry. */
export type Fate = {
  readonly key: string
  readonly lines: readonly number[]
  readonly before: Held | undefined
  /** What is held in the end where they are not rejected. */
  readonly after: Held | undefined
  /** Whether they are rejects; `may` where that depends on whether they are sent at all. */
  readonly isRejected: boolean | 'may'
  /** Whether there is nothing to do for them. */
  readonly isNothing: boolean
}

/** What a whole job comes to where nothing is lost and nothing is done twice. */
export type Expected = {
  readonly fates: readonly Fate[]
  readonly bad: ReadonlySet<number>
  readonly empty: number
  /** What becomes of the rows of a key where it holds something else by then; undefined for a key without rows. */
  readonly fateOn: (key: string, before: Held | undefined) => Fate | undefined
}

type Candidate = {
  readonly line: number
  readonly key: Pick<Kept, 'user' | 'kpi' | 'date'>
  /** Whether it cannot be loaded, though its key can be read: it is a duplicate all the same. */
  readonly isBad: boolean
  /** Its actual as it is written. */
  readonly actualText: string
  readonly sent: { readonly actual: Sent<Number4>; readonly target: Sent<Number4>; readonly notes: Sent<string> }
}

/** What is sent of a value: nothing where it is left out, null where it is cleared. */
type Sent<T> = T | null | undefined

const named = <T extends { readonly id: number; readonly name: string }>(
  list: readonly T[],
  text: string,
): T | undefined => list.find(({ id, name }) => String(id) === text || name.toLowerCase() === text.toLowerCase())

/** Why nothing may be entered for a user and a KPI, as far as a client can know, and all in all. */
const pairFaults = (
  { account, kind }: Job,
  user: number,
  kpi: number,
): { readonly known: boolean; readonly any: boolean } => {
  const [who, what] = [account.users.find(({ id }) => id === user), account.kpis.find(({ id }) => id === kpi)]
  const [isInactive, isUnassigned] = [what?.isActive === false, !who?.kpis.includes(kpi)]
  const isLocked = who?.isLocked === true
  const isBad = isInactive || (isUnassigned && kind.variant === 'classic')
  // Values of a locked user may be those that are stored, which only shows when they would be sent.
  return { known: kind.reads && !isLocked && isBad, any: isLocked || isInactive || isUnassigned }
}

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && text !== '2026-02-30'

const numberSent = (text: string | undefined, clear: boolean): Sent<Number4> | 'bad' => {
  if (text === undefined || (text === '' && !clear)) return undefined
  return text === '' ? null : (readNumber4(text) ?? 'bad')
}

const notesSent = (text: string | undefined, clear: boolean): Sent<string> => {
  const trimmed = text?.trim()
  if (trimmed === undefined || (trimmed === '' && !clear)) return undefined
  return trimmed === '' ? null : trimmed
}

const isNone = ({ sent: { actual, target, notes } }: Candidate): boolean =>
  [actual, target, notes].every((one) => one === undefined)

/** A cell as what it asks for; `bad` where that is nothing. */
const candidateOf = (job: Job, line: number, cell: Cell, isCell: boolean): Candidate | 'bad' | 'empty' => {
  const { account, clear } = job
  const [user, kpi] = [named(account.users, cell.user), named(account.kpis, cell.kpi)]
  const [actual, target] = [numberSent(cell.actual, clear), numberSent(cell.target, clear)]
  if (isCell && cell.actual === '' && !clear) return user && isDate(cell.date) ? 'empty' : 'bad'
  if (!user || !kpi || !isDate(cell.date)) return 'bad'
  const isKnownBad = !(isCell && cell.actual === '') && pairFaults(job, user.id, kpi.id).known
  const isBad = isKnownBad || actual === 'bad' || target === 'bad'
  const sent = {
    actual: actual === 'bad' ? null : actual,
    target: target === 'bad' ? null : target,
    notes: notesSent(cell.notes, clear),
  }
  const key = { user: user.id, kpi: kpi.id, date: cell.date }
  const candidate = { line, key, isBad, actualText: cell.actual, sent }
  if (!isNone(candidate)) return candidate
  return isBad ? 'bad' : 'empty'
}

const choose = (group: readonly Candidate[], { onDuplicate }: Job): Candidate | undefined => {
  const [first, last] = [group[0], group.at(-1)]
  if (group.length === 1 || onDuplicate === 'first') return first
  if (onDuplicate === 'error' || !last) return undefined
  const actuals = group.filter(({ sent }) => typeof sent.actual === 'bigint').map(({ actualText }) => actualText)
  if (onDuplicate === 'last') return last
  const [target] = group.flatMap(({ sent }) => (sent.target === undefined ? [] : [sent.target])).slice(-1)
  const [notes] = group.flatMap(({ sent }) => (sent.notes === undefined ? [] : [sent.notes])).slice(-1)
  const actual = actuals.length === 0 ? last.sent.actual : sumNumber4(actuals)
  return { ...last, sent: { actual, target, notes } }
}

const merge = (before: Held | undefined, { key, sent }: Candidate, { account, onConflict }: Job): Held => {
  const stored = before ?? { actual: null, target: null, notes: null }
  const keep = <T>(own: T, given: T | undefined): T => (given === undefined ? own : given)
  const isAdded = onConflict === 'add' && typeof sent.actual === 'bigint'
  const hasTarget = account.kpis.find(({ id }) => id === key.kpi)?.target !== null
  return {
    actual: isAdded ? (stored.actual ?? 0n) + (sent.actual ?? 0n) : keep(stored.actual, sent.actual),
    target: hasTarget ? keep(stored.target, sent.target) : stored.target,
    notes: keep(stored.notes, sent.notes),
  }
}

/** What an entry holds, as text. */
export const shownHeld = (held: Held | undefined): string =>
  held ? `${held.actual ?? '-'} ${held.target ?? '-'} ${JSON.stringify(held.notes)}` : 'nothing'

const isRefused = (job: Job, { key, sent }: Candidate, after: Held): boolean =>
  pairFaults(job, key.user, key.kpi).any ||
  sent.actual === UNLUCKY ||
  (after.actual === null && after.target === null && after.notes === null)

const fateOf = (job: Job, group: readonly Candidate[], before: Held | undefined): Fate => {
  const [chosen, lines] = [choose(group, job), group.map(({ line }) => line)]
  const fate = {
    key: keyOf(group[0]?.key ?? { user: 0, kpi: 0, date: '' }),
    lines,
    before,
    after: before,
    isNothing: false,
  }
  if (!chosen || group.some(({ isBad }) => isBad)) return { ...fate, isRejected: true }
  const { actual, target, notes } = chosen.sent
  const onlyClears = [actual, target, notes].every((one) => one === undefined || one === null)
  if (onlyClears && !before) return { ...fate, isRejected: false, isNothing: true }
  if (before && job.onConflict === 'error') return { ...fate, isRejected: true }
  if (before && job.onConflict === 'skip') return { ...fate, isRejected: false }
  const merged = merge(before, chosen, job)
  // What is not changed is not sent, unless it is added to.
  const isSameAsSent = job.onConflict !== 'add' && shownHeld(before) === shownHeld(merged)
  const after = isSameAsSent ? merged : (job.kind.rewrites?.(merged) ?? merged)
  const isSame = shownHeld(before) === shownHeld(after)
  if (isRefused(job, chosen, after)) return { ...fate, isRejected: isSame ? 'may' : true }
  return { ...fate, after, isRejected: false }
}

const heldBefore = ({ entries }: FaultyAccount): Map<string, Held> =>
  new Map(entries.map(({ actual, target, notes, ...key }) => [keyOf(key), { actual, target, notes }]))

const workOut = (job: Job): Expected => {
  const [bad, keyed] = [new Set<number>(), [] as Candidate[]]
  let empty = 0
  for (const { line, cells } of job.sheet.rows) {
    const read = cells.map((cell) => candidateOf(job, line, cell, job.sheet.isWide))
    const isBadRow = read.some((one) => one === 'bad' || (one !== 'empty' && one.isBad))
    if (isBadRow) bad.add(line)
    for (const one of read) {
      if (one === 'empty') empty += 1
      // Where empty cells clear, a row with a bad cell is bad as a whole.
      else if (one !== 'bad') keyed.push({ ...one, isBad: one.isBad || (isBadRow && job.clear) })
    }
  }
  const held = heldBefore(job.account)
  const groups = Map.groupBy(keyed, ({ key }) => keyOf(key))
  const fateOn = (key: string, before: Held | undefined): Fate | undefined => {
    const group = groups.get(key)
    return group && fateOf(job, group, before)
  }
  return { fates: [...groups].map(([key, group]) => fateOf(job, group, held.get(key))), bad, empty, fateOn }
}

const known = new WeakMap<Job, Expected>()

/** Works out what a job comes to, one key at a time. */
export const expectedOf = (job: Job): Expected => {
  const expected = known.get(job) ?? workOut(job)
  known.set(job, expected)
  return expected
}
