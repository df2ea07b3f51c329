import { type Day, formatDay, parseDay } from '../day.ts'
import { type Decimal, formatDecimal, parseDecimal } from '../decimal.ts'
import { Fault } from '../errors.ts'

/** Describes a target that holds from a day on, until the next one. */
export type DatedTarget = { readonly from: Day; readonly target: Decimal }

/** Bounds the dated targets of one KPI or assignment: months of more than thirty years. */
export const MOST_DATED_TARGETS = 400

/** Returns dated targets as they are stored and as people read them: `130000 from 2027-01-01`; null where there are none. */
export const datedTargetsText = (list: readonly DatedTarget[]): string | null =>
  list.length === 0
    ? null
    : list
        .toSorted((one, other) => one.from - other.from)
        .map(({ from, target }) => `${formatDecimal(target)} from ${formatDay(from)}`)
        .join(', ')

/** Refuses dated targets of which two begin on one day, and too many. */
export const checkDatedTargets = (list: readonly DatedTarget[]): string | null | Fault => {
  if (list.length > MOST_DATED_TARGETS)
    return new Fault(`has ${list.length} dated targets, at most ${MOST_DATED_TARGETS} are allowed`)
  const days = new Set<Day>()
  for (const { from } of list) {
    if (days.has(from)) return new Fault(`has two targets from ${formatDay(from)} on`)
    days.add(from)
  }
  return datedTargetsText(list)
}

/** Separates a target from its day in a text. */
const FROM = ' from '

/** Reads dated targets from a text such as `130000 from 2027-01-01, 140000 from 2028-01-01`. */
export const parseDatedTargets = (text: string): DatedTarget[] | Fault => {
  const list: DatedTarget[] = []
  for (const part of text.split(/[,;]/)) {
    const at = part.indexOf(FROM)
    const target = at < 0 ? undefined : parseDecimal(part.slice(0, at).trim())
    const from = parseDay(part.slice(at + FROM.length).trim())
    if (!target || from === undefined)
      return Fault.must('be targets with their first days, such as 130000 from 2027-01-01')
    list.push({ from, target: target.value })
  }
  return list
}

const known = new Map<string, readonly DatedTarget[]>()
/** Bounds how many stored texts are kept parsed. */
const MOST_KNOWN = 10_000

/** Returns stored dated targets, by day; none where a store was changed by hand to hold another text. */
export const datedTargetsIn = (text: string | null | undefined): readonly DatedTarget[] => {
  if (text === null || text === undefined) return []
  const found = known.get(text)
  if (found) return found
  const parsed = parseDatedTargets(text)
  const list = parsed instanceof Fault ? [] : parsed.toSorted((one, other) => one.from - other.from)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(text, list)
  return list
}

/** Describes a target that counts on days without a dated one, and the dated ones as they are stored. */
export type TargetTimeline = { readonly base: Decimal | null; readonly targets?: string | null | undefined }

/** Returns the dated target that holds on a day; undefined before the first. */
export const datedTargetOn = (targets: string | null | undefined, day: Day): DatedTarget | undefined =>
  targets === null || targets === undefined ? undefined : datedTargetsIn(targets).findLast(({ from }) => from <= day)

/** Returns the target that holds on a day: the dated one, else the base. */
export const targetOn = ({ base, targets }: TargetTimeline, day: Day): Decimal | null =>
  datedTargetOn(targets, day)?.target ?? base

/** Describes a record as a service shows it to this client: its own field shows the target of today where there are dated ones. */
type ShownTargets = { readonly targets?: string | null | undefined; readonly target_base?: Decimal | null | undefined }

/** Returns the timeline of a shown record; `shown` is the value of its own field, the base where nothing is dated. */
export const timelineOf = (record: object, shown: Decimal | null): TargetTimeline => {
  const { targets, target_base: base = null }: ShownTargets = record
  return (targets ?? null) === null ? { base: shown } : { base, targets }
}

/** Describes what tells whether a KPI has a target: its default, or any dated one. */
export type TargetFacts = { readonly target_default: Decimal | null; readonly targets?: string | null | undefined }

/** Tells whether a KPI has a target on any day; without one it hides those of its users and entries. */
export const hasAnyTarget = ({ target_default, targets }: TargetFacts): boolean =>
  target_default !== null || (targets ?? null) !== null

/** Describes what becomes of the target of a day: another one, or, with null, that none begins then. */
export type DatedChange = { readonly from: Day; readonly target: Decimal | null }

/** Returns dated targets with some of them changed; those of other days stay. */
export const mergeDatedTargets = (
  targets: string | null | undefined,
  changes: readonly DatedChange[],
): string | null => {
  const all = new Map(datedTargetsIn(targets).map(({ from, target }) => [from, target]))
  for (const { from, target } of changes) {
    if (target === null) all.delete(from)
    else all.set(from, target)
  }
  return datedTargetsText([...all].map(([from, target]) => ({ from, target })))
}
