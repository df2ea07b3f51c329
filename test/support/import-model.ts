import { formatDay } from '../../src/domain/day.ts'
import type { OnDuplicate } from '../../src/reading/options/options.ts'
import { ID } from './import.ts'

/** What an entry holds, as exact text: `null` for what it does not. */
export type Values = { readonly actual: string | null; readonly target: string | null; readonly notes: string | null }

/** The entries of an account, by `user kpi date`. */
export type Held = ReadonlyMap<string, Values>

/** A cell or row of a file that may become an entry; a value that the file has no column for is left out. */
export type Candidate = {
  readonly line: number
  readonly user: string
  readonly kpi: string
  readonly date: string
  readonly values: Partial<Record<keyof Values, string>>
  /** Whether it is looked at although it is empty: a row is, a cell of a wide file only where it has something to clear. */
  readonly isRow: boolean
}

export type Ways = { readonly onDuplicate: OnDuplicate; readonly clear: boolean; readonly strict: boolean }

/** What an import comes to: an action an entry, the lines that are rejected, and what is held then. */
export type Outcome = {
  readonly actions: readonly { readonly key: string; readonly lines: readonly number[]; readonly action: string }[]
  readonly rejected: readonly number[]
  readonly held: Held
}

const USERS: Readonly<Record<string, number>> = { 'Ann Lee': ID.ann, Bob: ID.bob, Lou: ID.lou }
const KPIS: Readonly<Record<string, number>> = { Sales: ID.sales, Visits: ID.visits }
const ASSIGNED: ReadonlySet<string> = new Set(['Ann Lee Sales', 'Ann Lee Visits', 'Bob Sales'])
/** The numbers that the model knows, as they are kept. */
const NUMBERS: Readonly<Record<string, string>> = {
  '1': '1',
  '-2.5': '-2.5',
  '30': '30',
  '1.00005': '1.0001',
  '-1.00004': '-1',
}
const ROUNDED: ReadonlySet<string> = new Set(['1.00005', '-1.00004'])
const NOTHING: Values = { actual: null, target: null, notes: null }

const isGood = ({ user, kpi, date, values, isRow }: Candidate, { strict }: Ways): boolean => {
  if (!(user in USERS) || !/-\d\d$/.test(date) || date.endsWith('-99')) return false
  if (!isRow && values.actual === '') return true
  const isNumber = (text: string): boolean => text === '' || (text in NUMBERS && !(strict && ROUNDED.has(text)))
  return (
    kpi in KPIS &&
    ASSIGNED.has(`${user} ${kpi}`) &&
    [values.actual, values.target].every((text) => isNumber(text ?? ''))
  )
}

const hasKey = ({ user, kpi, date }: Candidate): boolean =>
  user in USERS && kpi in KPIS && /-\d\d$/.test(date) && !date.endsWith('-99')

const isEmpty = ({ values }: Candidate): boolean => Object.values(values).every((text) => text === '')

/** Makes one of numbers of up to five decimals, and rounds it to four, half away from zero. */
const combine = (numbers: readonly string[], by: Ways['onDuplicate']): string => {
  const units = numbers.map((number) => Math.round(Number(number) * 100_000))
  const total = units.reduce((sum, one) => sum + one, 0)
  const one = by === 'max' ? Math.max(...units) : by === 'min' ? Math.min(...units) : total
  // Twice the quotient in tens of thousandths, so that half of one is a whole number.
  const [dividend, divisor] = by === 'avg' ? [one, 10 * numbers.length] : [one, 10]
  const rounded = Math.floor((2 * Math.abs(dividend) + divisor) / (2 * divisor))
  return by === 'count' ? String(numbers.length) : String((Math.sign(one) * rounded) / 10_000)
}

const givenIn = (values: Candidate['values']): Candidate['values'] =>
  Object.fromEntries(Object.entries(values).filter(([, text]) => text !== ''))

const choose = (group: readonly Candidate[], { onDuplicate, clear }: Ways): Candidate | undefined => {
  const [first, last] = [group[0], group.at(-1)]
  if ((group.length === 1 && onDuplicate !== 'count') || onDuplicate === 'first') return first
  if (onDuplicate === 'error' || !last) return undefined
  const actuals = group.map(({ values }) => values.actual ?? '').filter((actual) => actual in NUMBERS)
  if (onDuplicate === 'last') return last
  const given: Candidate['values'] = Object.assign(
    { ...last.values },
    ...group.map(({ values }) => (clear ? values : givenIn(values))),
  )
  return { ...last, values: actuals.length === 0 ? given : { ...given, actual: combine(actuals, onDuplicate) } }
}

const merge = (before: Values, { kpi, values }: Candidate, clear: boolean): Values => {
  const next = (name: keyof Values): string | null => {
    const text = values[name]
    if (text === undefined || (text === '' && !clear)) return before[name]
    if (text === '') return null
    return name === 'notes' ? text : (NUMBERS[text] ?? text)
  }
  return { actual: next('actual'), target: kpi === 'Sales' ? null : next('target'), notes: next('notes') }
}

/** What an import of candidates into an account comes to, worked out one entry at a time. */
export const outcomeOf = (candidates: readonly Candidate[], stored: Held, ways: Ways): Outcome => {
  const held = new Map(stored)
  const bad: ReadonlySet<number> = new Set(candidates.filter((one) => !isGood(one, ways)).map(({ line }) => line))
  const rejected = new Set(bad)
  // Where empty cells clear, a row with a bad cell is bad as a whole.
  const isBad = (one: Candidate): boolean => (ways.clear ? bad.has(one.line) : !isGood(one, ways))
  const keyed = candidates.filter((one) => hasKey(one) && (ways.clear || !isEmpty(one)))
  const groups = Map.groupBy(keyed, ({ user, kpi, date }) => `${USERS[user]} ${KPIS[kpi]} ${date}`)
  const actions: { key: string; lines: number[]; action: string }[] = []
  for (const [key, group] of groups) {
    const lines = group.map(({ line }) => line)
    if (group.every(isBad) && (group.length === 1 || ways.onDuplicate !== 'error')) continue
    const chosen = group.some(isBad) ? undefined : choose(group, ways)
    const before = held.get(key)
    const hasNothingToClear = chosen !== undefined && isEmpty(chosen) && !before
    if (hasNothingToClear) continue
    const after = chosen && merge(before ?? NOTHING, chosen, ways.clear)
    if (!after || Object.values(after).every((value) => value === null)) {
      for (const line of lines) rejected.add(line)
      continue
    }
    const isSame = JSON.stringify(before) === JSON.stringify(after)
    actions.push({ key, lines, action: before ? (isSame ? 'unchanged' : 'update') : 'create' })
    held.set(key, after)
  }
  return { actions, rejected: [...rejected].toSorted((left, right) => left - right), held }
}

/** The date of a day that is counted from another, or text that is none. */
export const dateText = (start: number, day: number | 'bad'): string =>
  day === 'bad' ? `${formatDay(start).slice(0, 7)}-99` : formatDay(start + day)
