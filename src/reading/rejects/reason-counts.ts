import { countedText, countText, listFirst } from '../../domain/count-text.ts'
import { lineOf } from '../../blocks/packed-row.ts'
import { TAKES_NONE, UNASSIGNED } from '../../domain/rules.ts'
import type { Rejects } from './rejects.ts'

const SHOWN_LINES = 10
const ON_LINES = ' are on lines '
const ON_SEVERAL_LINES = ' are on several lines'
const SOME_BAD = ', some of them bad'

/** Matches the numbers of lines in a reason, up to those that are only counted. */
const NUMBERS = String.raw`\d+(?:, \d+)*(?: and \d[\d,]* more)?`
const LINE_NUMBERS = new RegExp(ON_LINES + NUMBERS)
const BAD_NUMBERS = new RegExp(`, of which lines? ${NUMBERS} (?:is|are) bad`)

/** Returns the lines of the first places as text: a key may be on every line of a file. */
const showLines = (places: readonly number[]): string =>
  listFirst(places, SHOWN_LINES, (place) => String(lineOf(place)))

const tellBad = (bad: readonly number[], isAll: boolean): string => {
  if (bad.length === 0) return ''
  if (isAll) return ', all of them bad for other reasons'
  const [line, is] = bad.length === 1 ? ['line', 'is'] : ['lines', 'are']
  return `, of which ${line} ${showLines(bad)} ${is} bad`
}

/** Returns how a reason ends that several rows have together: on which lines they are, and which of these are bad. */
export const onLines = (places: readonly number[], bad: readonly number[] = []): string =>
  `${ON_LINES}${showLines(places)}${tellBad(bad, bad.length === places.length)}`

/** Returns a reason as it is for any lines. */
const withoutLineNumbers = (reason: string): string =>
  reason.replace(LINE_NUMBERS, ON_SEVERAL_LINES).replace(BAD_NUMBERS, SOME_BAD)

/** Tells whether a reason is one that several rows have together. */
export const isOnLines = (reason: string): boolean => reason.includes(ON_LINES) || reason.includes(ON_SEVERAL_LINES)

/** Describes the rows whose KPI is not assigned to their user, and may be. */
type UnassignedRows = {
  readonly rows: number
  /** Holds the first line of them, with the names of its KPI and its user. */
  readonly line: number
  readonly kpi: string
  readonly user: string
  /** Counts the pairs of KPI and user; undefined if there are too many to count. */
  readonly pairs: number | undefined
}

/** Creates the count of rows whose KPI is not assigned to their user, of which so many pairs are told apart. */
const createUnassignedCount = (most: number) => {
  const pairs = new Set<string>()
  let first: Pick<UnassignedRows, 'line' | 'kpi' | 'user'> | undefined
  let rows = 0
  return {
    /** Counts a row if that is the reason, and tells whether it is. */
    takes: (reason: string, line: number): boolean => {
      const found = UNASSIGNED.exec(reason)
      if (!found) return false
      const [pair] = found
      const { kpi = '', user = '' } = found.groups ?? {}
      first ??= { line, kpi, user }
      rows += 1
      if (pairs.size <= most) pairs.add(pair)
      return true
    },
    /** Returns what was counted; undefined if nothing was. */
    counted: (): UnassignedRows | undefined =>
      first && { ...first, rows, pairs: pairs.size > most ? undefined : pairs.size },
  }
}

/** Says which KPIs are not assigned to which users: how many pairs, and the first. */
const unassignedText = ({ kpi, user, pairs }: UnassignedRows): string => {
  if (pairs === 1) return `KPI "${kpi}" is not assigned to user "${user}"`
  const many = pairs === undefined ? 'very many' : countText(pairs)
  return `the KPI is not assigned to the user: ${many} pairs, such as "${kpi}" and "${user}"`
}

/** Describes a reason for which rows were rejected. */
type CountedReason = {
  readonly reason: string
  /** Counts the rows with this reason. */
  readonly rows: number
  /** Holds the first line with it. */
  readonly line: number
  /** Holds the first lines with it. */
  readonly lines?: readonly number[]
}

/** Describes the reasons for rejects: the most frequent ones first, and how many others there are. */
export type CountedReasons = {
  readonly shown: readonly CountedReason[]
  /** Counts the other reasons; undefined if there are too many to count. */
  readonly others: number | undefined
  /** Counts the rows whose KPI is not assigned to their user, whatever the pairs; undefined if there are none. */
  readonly unassigned?: UnassignedRows | undefined
}

/** Sets how many reasons are shown. */
const SHOWN = 10
/** Bounds how many distinct reasons are counted at a time. */
const COUNTED = 4000
const LONGEST = 300
/** Bounds the lines that are kept of a reason. */
const MOST_LINES = 12

/** Matches a date of a year that is not kept: a file may begin with a century of them. */
const OTHER_YEAR = /^"[^"]*" (?=is before 1900: |is after 2199: |must be in the years )/

/** Matches the name in a reason that many rows have, each with its own; one with a suggestion stands for itself. */
const OWN_NAME = /^(rows with the same [^"]+?) ".*"(?= are on )/
const NEW_NAME = /^the (new [^"]+?) ".*" (?=needs [^"?]+$)/

/** Matches the line that corrects the entry of a row, which is another for each. */
const OWN_CORRECTION = /(?<=: kpi entries update )\d+ .*(?= corrects them$)/

/** Returns a reason as it is compared with others: without line numbers and names, and not at any length. */
const groupOf = (reason: string): string =>
  withoutLineNumbers(reason)
    .replace(OTHER_YEAR, 'the date ')
    .replace(OWN_NAME, '$1')
    .replace(NEW_NAME, 'a $1 ')
    .replace(OWN_CORRECTION, 'ID …')
    .slice(0, LONGEST)

type Counter = {
  /** Holds the reason as it was given; as it is compared, if that differs between rows. */
  text: string
  rows: number
  readonly line: number
  readonly lines: number[]
  /** Holds the rows, less those that were subtracted from all counters. */
  weight: number
}

/**
 * Drops the rarer half of too many counters. What is subtracted from all is at most what all other reasons together
 * have, so that no frequent reason is ever dropped (Misra and Gries).
 */
const prune = (counters: Map<string, Counter>): void => {
  const weights = [...counters.values()].map(({ weight }) => weight).toSorted((left, right) => right - left)
  const most = weights[COUNTED] ?? 0
  for (const [group, counter] of counters) {
    counter.weight -= most
    if (counter.weight <= 0) counters.delete(group)
  }
}

const countInto = (counters: Map<string, Counter>, reason: string, line: number): void => {
  const group = groupOf(reason)
  const known = counters.get(group)
  if (!known) {
    counters.set(group, { text: reason.slice(0, LONGEST), rows: 1, line, lines: [line], weight: 1 })
    return
  }
  known.rows += 1
  if (known.lines.length < MOST_LINES) known.lines.push(line)
  known.weight += 1
  if (known.text !== reason.slice(0, LONGEST)) known.text = group
}

/** Counts the rows of some reasons exactly. */
const recount = async (
  rejects: Pick<Rejects, 'lines'>,
  groups: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<Map<string, Counter>> => {
  const counters = new Map<string, Counter>()
  for await (const lines of rejects.lines(signal)) {
    for (const { line, reasons } of lines) {
      for (const reason of reasons) if (groups.has(groupOf(reason))) countInto(counters, reason, line)
    }
  }
  return counters
}

/** Returns the most frequent reasons; a last one is among them, as its line would only say that there is one. */
const mostFrequent = (counters: ReadonlyMap<string, Counter>, by: 'rows' | 'weight'): [string, Counter][] =>
  [...counters]
    .toSorted(([, left], [, right]) => right[by] - left[by] || left.line - right.line)
    .slice(0, counters.size === SHOWN + 1 ? SHOWN + 1 : SHOWN)

/**
 * Counts the reasons for which rows were rejected, however many there are, in constant memory, unless a signal asks to
 * stop.
 */
export const countReasons = async (rejects: Pick<Rejects, 'lines'>, signal?: AbortSignal): Promise<CountedReasons> => {
  let counters = new Map<string, Counter>()
  let isPruned = false
  const unassigned = createUnassignedCount(COUNTED)
  for await (const lines of rejects.lines(signal)) {
    for (const { line, reasons } of lines) {
      const isHelped = !reasons.some((reason) => TAKES_NONE.test(reason))
      for (const reason of reasons) if (!isHelped || !unassigned.takes(reason, line)) countInto(counters, reason, line)
    }
    if (counters.size <= COUNTED * 2) continue
    prune(counters)
    isPruned = true
  }
  const all = counters.size
  if (isPruned) {
    const frequent = new Set(mostFrequent(counters, 'weight').map(([group]) => group))
    counters = await recount(rejects, frequent, signal)
  }
  const shown = mostFrequent(counters, 'rows').map(([, { text: reason, rows, line, lines }]) => ({
    reason,
    rows,
    line,
    lines,
  }))
  return { shown, others: isPruned ? undefined : all - shown.length, unassigned: unassigned.counted() }
}

/** Returns where a reason holds: `line 3`, or `1,204 rows, first line 3`. */
const whereOf = ({ rows, line }: Pick<CountedReason, 'rows' | 'line'>): string =>
  rows === 1 ? `line ${line}` : `${countText(rows)} rows, first line ${line}`

/** Returns all lines on which a reason holds, `lines 2, 3 and 6`, as far as they are kept. */
const linesOf = (one: CountedReason): string => {
  const { rows, lines = [] } = one
  if (rows === 1 || lines.length < rows) return whereOf(one)
  return `lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`
}

const othersText = (others: number | undefined): string[] => {
  if (others === undefined) return ['and many other reasons']
  return others === 0 ? [] : [`and ${countedText(others, 'other reason')}`]
}

/** Returns the reasons, a line each; `assigning` says what creates missing assignments. */
export const reasonLines = ({ shown, others, unassigned }: CountedReasons, assigning = ''): string[] => [
  ...shown.map((one) => `rejected: ${one.reason} (${whereOf(one)})`),
  ...othersText(others).map((text) => `rejected: ${text}`),
  ...(unassigned ? [`rejected: ${unassignedText(unassigned)} (${whereOf(unassigned)})${assigning}`] : []),
]

/** Returns the reasons with all of their lines, where nothing else shows these; undefined if some reasons are not known. */
export const reasonsWithLines = ({ shown, others, unassigned }: CountedReasons): string[] | undefined =>
  others === 0 && !unassigned ? shown.map((one) => `rejected: ${one.reason} (${linesOf(one)})`) : undefined

/** Returns the reasons as the issues of an error. */
export const reasonIssues = ({ shown, others, unassigned }: CountedReasons): { field: string; message: string }[] => [
  ...shown.map((one) => ({ field: whereOf(one), message: one.reason })),
  ...othersText(others).map((message) => ({ field: 'others', message })),
  ...(unassigned ? [{ field: whereOf(unassigned), message: unassignedText(unassigned) }] : []),
]
