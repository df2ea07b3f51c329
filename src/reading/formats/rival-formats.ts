import type { Day } from '../../domain/day.ts'
import { type DateFormat, dateFormatFlags, knownFormat, readingOf } from './date-format.ts'
import { KNOWN_FORMATS } from './known-formats.ts'
import { type Evidence, showCell } from './evidence.ts'
import type { MeantParts, PartOfYear } from './period-words.ts'

/**
 * Describes a date format that can be detected, and a rarer one that looks like it: weeks instead of months, the day
 * before the month or, with dots, after it. The rarer one is never assumed; if they are `even`, neither is.
 */
type Rivalry = { readonly usual: DateFormat; readonly rare: DateFormat; readonly isEven: boolean }

const knownOr = (text: string): DateFormat => KNOWN_FORMATS.find((format) => format.text === text) ?? knownFormat(text)

const alike = (...pairs: readonly string[]): Omit<Rivalry, 'isEven'>[] =>
  pairs.map((pair) => {
    const [usual = '', rare = ''] = pair.split(' | ')
    return { usual: knownOr(usual), rare: knownOr(rare) }
  })

const OF_DAYS = alike(
  'YYYY-MM-DD | YYYY-DD-MM',
  'YYYY/MM/DD | YYYY/DD/MM',
  'YYYY.MM.DD | YYYY.DD.MM',
  'YYYYMMDD | YYYYDDMM',
  'DD.MM.YYYY | MM.DD.YYYY',
  'DD. MM. YYYY | MM. DD. YYYY',
  'DD MM YYYY | MM DD YYYY',
).map((pair) => ({ ...pair, isEven: false }))

/** Lists the formats of months that look like those of weeks and quarters. */
const MONTHS = ['MM/YYYY', 'MM.YYYY', 'MM-YYYY', 'YYYY-MM', 'YYYY/MM'].map(knownOr)

const inPlaceOfMonths = (token: string): ReadonlyMap<DateFormat, DateFormat> =>
  new Map(MONTHS.map((month) => [month, knownFormat(month.text.replace('MM', token))]))

const OTHERS: Readonly<Record<Exclude<PartOfYear, 'month'>, ReadonlyMap<DateFormat, DateFormat>>> = {
  week: inPlaceOfMonths('WW'),
  quarter: inPlaceOfMonths('Q'),
}

const withOthers = (part: Exclude<PartOfYear, 'month'>): readonly DateFormat[] =>
  KNOWN_FORMATS.map((format) => OTHERS[part].get(format) ?? format)

const BY_PART = { week: withOthers('week'), quarter: withOthers('quarter') }

/** Returns the formats that can be detected where numbers beside a year are a part of it. */
export const formatsFor = ({ sure }: MeantParts): readonly DateFormat[] =>
  sure === undefined || sure === 'month' ? KNOWN_FORMATS : BY_PART[sure]

/** Returns a format that reads only numbers with a zero before them, which hardly anybody writes for quarters. */
const padded = ({ text, read }: DateFormat): DateFormat => ({
  text,
  read: (cell) => (/(?<!\d)(?:0\d|1[0-2])(?!\d)/.test(cell) ? read(cell) : undefined),
})

/** Lists quarters and the months that look like them: with a zero before its number, it is as likely a month. */
const QUARTERS: readonly Rivalry[] = [...OTHERS.quarter].flatMap(([month, quarter]) => [
  { usual: quarter, rare: month, isEven: false },
  { usual: quarter, rare: padded(month), isEven: true },
])

/** Returns the rivals of months: weeks, and whatever else the evidence names. */
const monthsBeside = ({ perhaps }: MeantParts): Rivalry[] =>
  MONTHS.flatMap((usual) =>
    (['week', 'quarter'] as const).flatMap((part) => {
      const rare = OTHERS[part].get(usual)
      if (rare === undefined || (part === 'quarter' && !perhaps.has(part))) return []
      const isEven = perhaps.has(part) || (usual.text.startsWith('MM') && !perhaps.has('month'))
      return [{ usual, rare, isEven }]
    }),
  )

const rivalriesFor = (meant: MeantParts): readonly Rivalry[] => {
  if (meant.sure === 'week') return OF_DAYS
  return meant.sure === 'quarter' ? [...QUARTERS, ...OF_DAYS] : [...monthsBeside(meant), ...OF_DAYS]
}

/** Describes the evidence for the rare format: the first cell that only it fits, and the first that both fit. */
type Signs = { only?: Evidence; both?: Evidence; isRefuted: boolean }

/** Collects evidence for formats that are rarer than those in which a column is read. */
type Rivals = {
  readonly note: (text: string, line: number) => void
  /** Returns why the format is in doubt, as far as these usual formats go. */
  readonly doubt: (left: readonly DateFormat[]) => string | undefined
}

/** Creates the rivals of a column's formats; what its numbers are meant to be decides some. */
export const createRivals = (meant: MeantParts): Rivals => {
  const pairs = rivalriesFor(meant).map((pair) => ({ ...pair, signs: { isRefuted: false } as Signs }))
  const look = ({ usual, rare, signs }: (typeof pairs)[number], text: string, line: number): void => {
    const [day, other]: (Day | null | undefined)[] = [usual.read(text), rare.read(text)]
    if (typeof other === 'number') {
      if (day === null) signs.only ??= { text, line }
      else if (day !== other) signs.both ??= { text, line }
    } else if (typeof day === 'number') signs.isRefuted = true
  }
  return {
    note: (text, line) => {
      for (const pair of pairs) if (!pair.signs.isRefuted) look(pair, text, line)
    },
    doubt: (left) => {
      for (const { usual, rare, isEven, signs } of pairs) {
        const cell = signs.only ?? (isEven ? signs.both : undefined)
        if (!cell || signs.isRefuted || !left.includes(usual)) continue
        const beside = signs.only && signs.both ? `, and ${showCell(signs.both)} is either` : ''
        return `${showCell(cell)} is ${readingOf(usual, cell.text)} or ${readingOf(rare, cell.text)}${beside}; say which: ${dateFormatFlags([usual, rare])}`
      }
      return undefined
    },
  }
}
