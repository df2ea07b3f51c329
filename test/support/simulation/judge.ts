import { type Kept, keyOf } from '../faulty/account.ts'
import { expectedOf, type Fate, shownHeld } from './expected.ts'
import type { Job } from './job.ts'
import type { Ended } from './run.ts'

/** A run that has ended, and what was seen of it. */
export type Seen = {
  readonly ended: Ended
  /** How often the service wrote. */
  readonly writes: number
  readonly troubles: readonly string[]
  /** Whether the credentials are refused for good, also since an earlier run. */
  readonly isLockedOut: boolean
  readonly isStopped: boolean
  readonly rejected: readonly { readonly line: number; readonly reason: string }[]
  readonly isLate: boolean
}

/** Whether it may stay unknown what became of a request: then that is told, and it is not sent again. */
const mayStayUnknown = ({ kind, onConflict }: Job): boolean => !kind.isBundled && (onConflict === 'add' || !kind.reads)

/** Refusals for which the same command ends as not authorised: of credentials, and a 403 that says nothing of a limit. */
const REFUSED = /"unauthorized"|"put off"/

const CODES: ReadonlySet<number> = new Set([0, 1, 3, 4, 5, 6])

const complaintsOfCode = (job: Job, { ended, writes, troubles, isLockedOut, isStopped }: Seen): string[] => {
  const { code } = ended
  if (code === undefined) return []
  const isAllBad = job.sheet.rows.length >= 20 && expectedOf(job).bad.size >= 20
  return [
    ...(CODES.has(code) ? [] : [`exit code ${code} is none of these`]),
    ...(code === 1 && !isAllBad ? ['exit code 1 where the file is good enough'] : []),
    ...(code === 5 && writes > 0 ? [`exit code 5 where ${writes} entries were written`] : []),
    ...(code === 4 && !isLockedOut && !troubles.some((one) => REFUSED.test(one)) && job.kind.isBundled
      ? ['exit code 4 where nobody was refused']
      : []),
    ...((code === 5 || code === 6) && troubles.length === 0 && !isStopped
      ? [`exit code ${code} where all went well`]
      : []),
  ]
}

const held = (entries: readonly Kept[]): Map<string, Kept[]> => Map.groupBy(entries, keyOf)

/** Doubles of an entry, but for those of which it is told that nobody knows what became of them. */
const doubles = (entries: readonly Kept[], isTold: (key: string) => boolean): string[] =>
  [...held(entries)].flatMap(([key, list]) =>
    list.length > 1 && !isTold(key) ? [`${key} is there ${list.length} times`] : [],
  )

/** Whatever happens, an entry is as it was, or as it is to be, and stands once under its key. */
export const complaintsMeanwhile = (job: Job, entries: readonly Kept[], seen: Seen): string[] => {
  const found = held(entries)
  const fates = new Map(expectedOf(job).fates.map((fate) => [fate.key, fate]))
  const before = new Map(job.account.entries.map((one) => [keyOf(one), one]))
  const strange = [...new Set([...found.keys(), ...before.keys()])].flatMap((key) => {
    const [is, fate] = [shownHeld(found.get(key)?.[0]), fates.get(key)]
    const may = fate ? [shownHeld(fate.before), shownHeld(fate.after)] : [shownHeld(before.get(key))]
    return may.includes(is) ? [] : [`${key} holds ${is}, which is none of ${may.join(' | ')}`]
  })
  return [
    ...complaintsOfCode(job, seen),
    // Between two runs a double may be there that the next one finds: in the end there is none.
    ...strange,
    ...(seen.isLate ? ['a run took more than a day'] : []),
  ]
}

const complaintsOfFate = (job: Job, fate: Fate, is: string, isRejected: (line: number) => boolean): string[] => {
  const { key, lines, before, after } = fate
  const told = lines.filter(isRejected).length
  if (told > 0 && told < lines.length && !job.sheet.isWide)
    return [`of the lines ${lines.join(', ')} only ${told} are rejects`]
  const isTold = told === lines.length
  if (fate.isRejected === true && !isTold) return [`line ${lines.join(', ')} (${key}) is to be a reject, and is none`]
  if (fate.isRejected !== false || (isTold && (mayStayUnknown(job) || job.sheet.isWide))) return []
  if (isTold) return [`line ${lines.join(', ')} (${key}) is a reject for no reason`]
  return is === shownHeld(after)
    ? []
    : [`line ${lines.join(', ')} (${key}): ${is} instead of ${shownHeld(after)}, before: ${shownHeld(before)}`]
}

type Counts = Readonly<Record<string, number>>

/** What the summary says of entries has to add up to what the file has. */
const complaintsOfCounts = (job: Job, { ended, rejected }: Seen): string[] => {
  if (ended.code === undefined) return []
  if (ended.stdout === '') return ['there is no summary']
  const counts = JSON.parse(ended.stdout) as Counts
  const { fates, empty } = expectedOf(job)
  const lines = new Set(rejected.map(({ line }) => line))
  const isOut = (fate: Fate): boolean =>
    fate.isRejected !== false || (!job.sheet.isWide && fate.lines.every((line) => lines.has(line)))
  const done = ['created', 'updated', 'unchanged', 'sent', 'skipped', 'left'].map((name) => counts[name] ?? 0)
  const sum = done.reduce((total, one) => total + one, 0)
  const expected = fates.filter((fate) => !isOut(fate) && !fate.isNothing).length
  const nothing = fates.filter(({ isNothing }) => isNothing).flatMap((fate) => fate.lines).length
  const isSure = !job.sheet.isWide && !fates.some(({ isRejected }) => isRejected === 'may')
  return [
    ...(counts['read'] === job.sheet.rows.length ? [] : [`${counts['read']} rows were read`]),
    ...(counts['rejected'] === lines.size
      ? []
      : [`rejected is ${counts['rejected']}, and there are ${lines.size} rejects`]),
    ...(isSure && sum !== expected ? [`the counts add up to ${sum} instead of ${expected}`] : []),
    ...(isSure && counts['empty'] !== empty + nothing
      ? [`empty is ${counts['empty']} instead of ${empty + nothing}`]
      : []),
  ]
}

/** In the end each row is in, or told with a reason, and the exit code says which. */
export const complaintsAtEnd = (job: Job, entries: readonly Kept[], seen: Seen): string[] => {
  const { ended, rejected, writes } = seen
  if (ended.code === 1) return writes > 0 ? ['exit code 1 where entries were written'] : []
  const { fates, bad } = expectedOf(job)
  const reasons = new Map(rejected.map(({ line, reason }) => [line, reason]))
  const isRejected = (line: number): boolean => reasons.has(line)
  const isLost = (line: number): boolean => reasons.get(line)?.includes('it may or may not have been stored') ?? false
  const linesOf = new Map(fates.map(({ key, lines }) => [key, lines]))
  const found = held(entries)
  const fated = new Set([...bad, ...fates.flatMap(({ lines, isRejected }) => (isRejected === false ? [] : lines))])
  const sure = new Set([...bad, ...fates.flatMap(({ lines, isRejected }) => (isRejected === true ? lines : []))])
  const unasked = rejected.filter(({ line }) => !fated.has(line))
  return [
    ...doubles(entries, (key) => mayStayUnknown(job) && (linesOf.get(key)?.some(isLost) ?? false)),
    ...fates.flatMap((fate) => complaintsOfFate(job, fate, shownHeld(found.get(fate.key)?.[0]), isRejected)),
    ...[...bad].filter((line) => !isRejected(line)).map((line) => `line ${line} is bad, and no reject`),
    ...(mayStayUnknown(job) ? [] : unasked.map(({ line, reason }) => `line ${line} is rejected: ${reason}`)),
    ...rejected.filter(({ reason }) => reason === '').map(({ line }) => `line ${line} is a reject without a reason`),
    ...(ended.code === 0 && sure.size > 0 ? [`exit code 0 where ${sure.size} rows are rejects`] : []),
    ...(ended.code === 3 && rejected.length === 0 ? ['exit code 3 without a reject'] : []),
    ...(ended.code === 0 && existsRejects(seen) ? ['exit code 0 with rejects'] : []),
    ...complaintsOfCounts(job, seen),
  ]
}

const existsRejects = ({ rejected }: Seen): boolean => rejected.length > 0
