import fc from 'fast-check'
import type { Frequency } from '../../../src/domain/period.ts'
import { LANGUAGES, type Language } from './month-names.ts'
import type { Meant } from './meant.ts'

/** How several rows of a day become one value. */
export type Fold = 'first' | 'last' | 'sum' | 'avg' | 'max' | 'min'

/** A sign before or after the values of a KPI. */
export type Unit = readonly [before: string, after: string]

/** How a file writes numbers, dates and rows. */
export type Form = {
  readonly layout:
    'long' | 'kpis' | 'items' | 'dates' | 'kpis over dates' | 'dates over kpis' | 'years over months' | 'parts'
  readonly date: string
  readonly months: Language
  /** Dates in columns of their own: the year, the month and, if it has one, the day. */
  readonly isDateSplit: boolean
  readonly time: 'none' | 'midnight' | 'once' | 'several'
  readonly clock: 'T' | ' ' | 'Z' | 'AM' | '+02:00'
  readonly fold: Fold
  readonly decimal: '.' | ','
  readonly thousands: string
  readonly minus: '-' | '−' | '()' | 'behind'
  /** The signs of the KPIs' values, in the order of the KPIs. */
  readonly units: readonly Unit[]
  /** Only every other value has its currency sign. */
  readonly isUnitSparse: boolean
  /** What stands for no value; an empty cell if there is none. */
  readonly words: readonly string[]
  readonly separator: ',' | ';' | '\t' | '|'
  readonly names: 'English' | 'German' | 'French'
  readonly owners: 'names' | 'addresses' | 'both'
  readonly titles: number
  /** A column beside those that are needed: row numbers, codes of owners, the year, units, remarks, or targets. */
  readonly extra: '' | 'id' | 'code' | 'year' | 'unit' | 'note' | 'target'
  /** The column of dates is called after the period, such as Month. */
  readonly isPeriodNamed: boolean
  readonly gap: '' | 'lines' | 'column'
  readonly hasPlus: boolean
  /** What a row below the header says of the units; none if empty. */
  readonly unitRow: readonly string[]
  readonly total: string
  readonly hasTotalColumn: boolean
  /** A row of sums behind the rows of each owner. */
  readonly subtotal: '' | 'Total N' | 'N Total' | 'Summe N'
  readonly footer: string
  readonly encoding: 'utf-8' | 'utf-8 with mark' | 'utf-16le' | 'windows-1252'
  readonly lineEnd: '\n' | '\r\n'
  readonly isQuoted: boolean
}

const DAYS = [
  'YYYY-MM-DD | DD.MM.YYYY | DD/MM/YYYY | MM/DD/YYYY | YYYYMMDD | YYYY/MM/DD | D.M.YYYY | DD-MM-YYYY | D/M/YYYY | M/D/YYYY',
  'D MMM YYYY | D. MMMM YYYY | D MMMM YYYY | MMM D, YYYY | D-MMM-YYYY | YYYY-MMM-DD | DD MM YYYY',
  'DD.MM.YY | DD/MM/YY | MM/DD/YY | YY-MM-DD | D-MMM-YY | D MMM YY',
].join(' | ')

const FORMATS: Readonly<Record<Frequency, string>> = {
  D: DAYS,
  W: 'YYYY-MM-DD | DD.MM.YYYY | MM/DD/YYYY | YYYY-[W]WW | [KW] WW/YYYY | DD.MM.YY | D MMM YYYY',
  M: "YYYY-MM | MM/YYYY | MM.YYYY | MMM YYYY | YYYY-MM-DD | DD.MM.YYYY | MMMM YYYY | MMM-YYYY | MMM-YY | MMM YY | MMM 'YY | YYYY/MM",
  Q: 'YYYY-[Q]Q | [Q]Q YYYY | YYYY-MM-DD | YYYY [Q]Q | [Q]Q/YYYY | DD.MM.YY',
  Y: 'YYYY | YYYY-MM-DD | DD/MM/YYYY',
}

const WORDS = ['NA', 'N/A', 'n/a', 'null', '-', '–', '…', '.', ':', '..', '#N/A', 'k.A.', 'nd', '--', '']
const BEFORE = ['€', '$', '£', 'R$', 'EUR', 'CHF ', 'US$ ', '₹', 'kr ']
const AFTER = [' €', '€', ' EUR', ' zł', ' kr', ' Kč', '\u00a0€', ' USD', '%', '%', ' %', '\u00a0%', '\u202f%']
const UNITS: readonly Unit[] = [...BEFORE.map((sign): Unit => [sign, '']), ...AFTER.map((sign): Unit => ['', sign])]
const UNIT_ROWS = [
  ['EUR', 'pcs', 'kWh'],
  ['€', '%', 'Mio. €'],
  ['(EUR)', '(n)', '(kg)'],
]
const TOTALS = ['Total', 'Grand total', 'Summe', 'Total général', 'Gesamt:', 'Suma']
const FOOTERS = ['Source: own figures', 'Note: provisional', '* estimated', 'Created by hand, please check']
const LAYOUTS = ['long', 'kpis', 'items', 'dates', 'kpis over dates', 'dates over kpis'] as const
const OTHER_GROUPS = [' ', "'", '\u00a0', '\u202f', '’'] as const

const rarely = <T>(weight: number, usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

const anyNumbers = fc
  .record({
    decimal: fc.constantFrom<'.' | ','>('.', ','),
    grouping: fc.constantFrom('none', 'none', 'other', 'other', 'Indian', ...OTHER_GROUPS),
    minus: rarely<Form['minus']>(3, '-', '−', '()', 'behind'),
    unitsOfAll: rarely(2, false, true).chain((hasUnits) =>
      fc.array(hasUnits ? fc.constantFrom(...UNITS) : fc.constant<Unit>(['', '']), { minLength: 3, maxLength: 3 }),
    ),
    isUnitSparse: rarely(5, false, true),
    hasPlus: rarely(9, false, true),
    words: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }) },
    ),
  })
  .map(({ grouping, decimal, unitsOfAll, ...numbers }) => ({
    ...numbers,
    decimal: grouping === 'Indian' ? ('.' as const) : decimal,
    units: unitsOfAll,
    thousands: grouping === 'none' ? '' : grouping === 'other' ? (decimal === '.' ? ',' : '.') : grouping,
  }))

const anyDates = (frequency: Frequency) =>
  fc.record({
    date: fc.constantFrom(...FORMATS[frequency].split(' | ')),
    months: fc.constantFrom(...LANGUAGES),
    isDateSplit: rarely(5, false, true),
    time: rarely<Form['time']>(4, 'none', 'midnight', 'once', 'several'),
    clock: fc.constantFrom<Form['clock']>('T', ' ', 'Z', 'AM', '+02:00'),
    fold: fc.constantFrom<Fold>('first', 'last', 'sum', 'avg', 'max', 'min'),
  })

const anyRows = fc.record({
  separator: fc.constantFrom<Form['separator']>(',', ';', '\t', '|'),
  names: fc.constantFrom<Form['names']>('English', 'German', 'French'),
  owners: rarely<Form['owners']>(7, 'names', 'addresses', 'both'),
  titles: fc.constantFrom(0, 0, 0, 1, 2),
  extra: rarely<Form['extra']>(3, '', 'id', 'code', 'year', 'unit', 'note', 'target'),
  isPeriodNamed: rarely(3, false, true),
  gap: rarely<Form['gap']>(4, '', 'lines', 'column'),
  unitRow: rarely<readonly string[]>(7, [], ...UNIT_ROWS),
  total: rarely(4, '', ...TOTALS),
  hasTotalColumn: rarely(7, false, true),
  subtotal: rarely<Form['subtotal']>(9, '', 'Total N', 'N Total', 'Summe N'),
  footer: rarely(4, '', ...FOOTERS),
  encoding: fc.constantFrom<Form['encoding']>('utf-8', 'utf-8', 'utf-8 with mark', 'utf-16le', 'windows-1252'),
  lineEnd: fc.constantFrom<Form['lineEnd']>('\n', '\r\n'),
  isQuoted: fc.boolean(),
})

/** The layouts whose rows have the date. */
export const DATED_ROWS: ReadonlySet<Form['layout']> = new Set(['long', 'kpis', 'items'] as const)

/** The columns that are found beside those of a layout. */
const EXTRAS: Readonly<Partial<Record<Form['layout'], string>>> = {
  long: 'id code year unit note target',
  kpis: 'id code year note',
  dates: 'id code unit note',
}

/** Drops from a form what its layout and its dates have no room for. */
const fitTogether = (form: Form): Form => {
  const isDated = DATED_ROWS.has(form.layout)
  const hasDays = /D/.test(form.date.replaceAll(/\[[^\]]*\]/g, ''))
  const isSplit = form.isDateSplit && isDated && /^(?=.*M)(?=.*YYYY)/.test(form.date)
  const mayHaveTime = hasDays && !isSplit && (isDated || (form.time === 'midnight' && form.clock !== '+02:00'))
  return {
    ...form,
    isDateSplit: isSplit,
    time: mayHaveTime ? form.time : 'none',
    owners: ['items', 'parts'].includes(form.layout) ? 'names' : form.owners,
    subtotal: form.layout === 'kpis' && form.owners === 'names' && form.extra === '' ? form.subtotal : '',
    unitRow: ['kpis', 'items', 'dates over kpis'].includes(form.layout) && form.extra === '' ? form.unitRow : [],
    extra:
      ((isSplit || form.isPeriodNamed) && form.extra === 'year') || !(EXTRAS[form.layout] ?? '').includes(form.extra)
        ? ''
        : form.extra,
    hasTotalColumn: form.hasTotalColumn && !['long', 'parts', 'years over months'].includes(form.layout),
  }
}

/** Any form in which a meaning can be written. */
export const anyForm = ({ frequency }: Meant): fc.Arbitrary<Form> =>
  fc
    .tuple(
      fc.constantFrom(...LAYOUTS, ...(frequency === 'M' ? (['parts', 'years over months'] as const) : [])),
      anyNumbers,
      anyDates(frequency),
      anyRows,
    )
    .map(([layout, numbers, dates, rows]) => fitTogether({ layout, ...numbers, ...dates, ...rows }))
