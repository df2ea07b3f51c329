import fc from 'fast-check'
import { civil, type Day } from '../../../src/domain/day.ts'
import type { Frequency } from '../../../src/domain/period.ts'
import { type Meant, valueAt } from './meant.ts'

/** How a file writes numbers, dates and rows. */
export type Form = {
  readonly layout: 'long' | 'kpis' | 'items' | 'dates' | 'kpis over dates' | 'dates over kpis' | 'parts'
  readonly date: string
  readonly decimal: '.' | ','
  readonly thousands: string
  readonly separator: ',' | ';' | '\t' | '|'
  readonly names: 'English' | 'German' | 'French'
  readonly titles: number
  readonly hasTotal: boolean
  readonly hasFooter: boolean
  readonly encoding: 'utf-8' | 'utf-8 with mark' | 'utf-16le' | 'windows-1252'
  readonly lineEnd: '\n' | '\r\n'
  readonly isQuoted: boolean
}

/** A file with a meaning, how it is written, and the flags that say it. */
export type Written = {
  readonly bytes: Buffer
  readonly needed: readonly string[]
  readonly settling: readonly string[]
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const FORMATS: Readonly<Record<Frequency, readonly string[]>> = {
  D: ['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'YYYYMMDD', 'D MMM YYYY', 'YYYY/MM/DD'],
  W: ['YYYY-MM-DD', 'DD.MM.YYYY', 'MM/DD/YYYY'],
  M: ['YYYY-MM', 'MM/YYYY', 'MM.YYYY', 'MMM YYYY', 'YYYY-MM-DD', 'DD.MM.YYYY'],
  Q: ['YYYY-[Q]Q', '[Q]Q YYYY', 'YYYY-MM-DD'],
  Y: ['YYYY', 'YYYY-MM-DD'],
}

const two = (number: number): string => String(number).padStart(2, '0')

/** Writes a day in a format. */
const writeDay = (day: Day, format: string): string => {
  const { year, month, day: date } = civil(day)
  return format
    .replaceAll('[Q]Q', `Q${Math.ceil(month / 3)}`)
    .replaceAll('YYYY', String(year))
    .replaceAll('MMM', '\u0001')
    .replaceAll('MM', two(month))
    .replaceAll('DD', two(date))
    .replaceAll(/(?<![A-Z])D(?![a-z])/g, String(date))
    .replaceAll('\u0001', MONTHS[month - 1] ?? '')
}

const group = (digits: string, sign: string): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, sign)

/** Writes a value of ten-thousandths. */
const writeNumber = (value: number, { decimal, thousands }: Form): string => {
  const digits = String(Math.abs(value)).padStart(5, '0')
  const fraction = digits.slice(-4).replace(/0+$/, '')
  const whole = thousands === '' ? digits.slice(0, -4) : group(digits.slice(0, -4), thousands)
  return `${value < 0 ? '-' : ''}${whole}${fraction === '' ? '' : decimal + fraction}`
}

const NAMES = {
  English: { owner: 'Region', kpi: 'KPI', date: 'Date', actual: 'Value' },
  German: { owner: 'Standort', kpi: 'Kennzahl', date: 'Datum', actual: 'Ist' },
  French: { owner: 'Ville', kpi: 'Indicateur', date: 'Date', actual: 'Valeur' },
} as const

type Table = readonly (readonly string[])[]

/** The rows of a file in its layout, the header rows first. */
const layOut = (meant: Meant, form: Form): Table => {
  const { owners, kpis, days } = meant
  const name = NAMES[form.names]
  const cell = (owner: string, kpi: string, day: Day): string => {
    const value = valueAt(meant, owner, kpi, day)
    return value === undefined ? '' : writeNumber(value, form)
  }
  const dates = days.map((day) => writeDay(day, form.date))
  const [onlyKpi = '', onlyOwner = ''] = [kpis[0], owners[0]]
  switch (form.layout) {
    case 'long':
      return [
        [name.date, name.owner, name.kpi, name.actual],
        ...days.flatMap((day, at) =>
          owners.flatMap((owner) =>
            kpis
              .filter((kpi) => cell(owner, kpi, day) !== '')
              .map((kpi) => [dates[at] ?? '', owner, kpi, cell(owner, kpi, day)]),
          ),
        ),
      ]
    case 'kpis':
      return [
        [name.owner, name.date, ...kpis],
        ...owners.flatMap((owner) =>
          days.map((day, at) => [owner, dates[at] ?? '', ...kpis.map((kpi) => cell(owner, kpi, day))]),
        ),
      ]
    case 'items':
      return [
        [name.date, ...owners],
        ...days.map((day, at) => [dates[at] ?? '', ...owners.map((owner) => cell(owner, onlyKpi, day))]),
      ]
    case 'dates':
      return [
        [name.owner, name.kpi, ...dates],
        ...owners.flatMap((owner) => kpis.map((kpi) => [owner, kpi, ...days.map((day) => cell(owner, kpi, day))])),
      ]
    case 'kpis over dates':
      return [
        ['', ...kpis.flatMap((kpi) => dates.map((_, at) => (at === 0 ? kpi : '')))],
        [name.owner, ...kpis.flatMap(() => dates)],
        ...owners.map((owner) => [owner, ...kpis.flatMap((kpi) => days.map((day) => cell(owner, kpi, day)))]),
      ]
    case 'dates over kpis':
      return [
        ['', ...dates.flatMap((date) => kpis.map((_, at) => (at === 0 ? date : '')))],
        [name.owner, ...dates.flatMap(() => kpis)],
        ...owners.map((owner) => [owner, ...days.flatMap((day) => kpis.map((kpi) => cell(owner, kpi, day)))]),
      ]
    default:
      return yearsByMonths(meant, (day) => cell(onlyOwner, onlyKpi, day))
  }
}

const yearsByMonths = ({ days }: Meant, cell: (day: Day) => string): Table => {
  const years = [...new Set(days.map((day) => civil(day).year))]
  const dayOf = (year: number, month: number): Day | undefined =>
    days.find((day) => civil(day).year === year && civil(day).month === month)
  const cellOf = (day: Day | undefined): string => (day === undefined ? '' : cell(day))
  return [
    ['Year', ...MONTHS],
    ...years.map((year) => [String(year), ...MONTHS.map((_, at) => cellOf(dayOf(year, at + 1)))]),
  ]
}

/** The meaning of which a layout can tell all. */
const reduce = (meant: Meant, { layout }: Form): Meant => {
  const { owners, kpis, days } = meant
  const [ofOwners, ofKpis] =
    layout === 'parts'
      ? [owners.slice(0, 1), kpis.slice(0, 1)]
      : layout === 'items'
        ? [owners, kpis.slice(0, 1)]
        : [owners, kpis]
  const values = ofOwners.flatMap((owner) =>
    ofKpis.flatMap((kpi) => days.map((day) => valueAt(meant, owner, kpi, day))),
  )
  return { ...meant, owners: ofOwners, kpis: ofKpis, values }
}

const neededFlags = (meant: Meant, { layout }: Form): string[] => {
  if (layout === 'items') return ['--kpi', meant.kpis[0] ?? '', '--as', 'items']
  return layout === 'parts' ? ['--kpi', meant.kpis[0] ?? '', '--source', meant.owners[0] ?? ''] : []
}

const TITLES = ['Monthly report', 'All regions', 'created by hand']

const quote = (text: string, { separator, isQuoted }: Form): string =>
  isQuoted || text.includes(separator) || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text

const encode = (text: string, encoding: Form['encoding']): Buffer => {
  if (encoding === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le')
  if (encoding === 'windows-1252') return Buffer.from(text, 'latin1')
  return Buffer.from(encoding === 'utf-8' ? text : `\ufeff${text}`)
}

/** A row of sums below a table, and a line that is no row. */
const below = (table: Table, { hasTotal, hasFooter }: Form): string[][] => {
  const width = table.at(-1)?.length ?? 0
  return [
    ...(hasTotal ? [['Total', ...(table.at(-1) ?? []).slice(1)]] : []),
    ...(hasFooter ? [['Source: own figures', ...Array.from({ length: width - 1 }, () => '')]] : []),
  ]
}

/** Writes what is meant in a form. */
export const write = (all: Meant, form: Form): Written & { readonly meant: Meant } => {
  const meant = reduce(all, form)
  const table = layOut(meant, form)
  const rows = [...table, ...below(table, form)]
  const text = [
    ...TITLES.slice(0, form.titles),
    ...rows.map((cells) => cells.map((cell) => quote(cell, form)).join(form.separator)),
  ]
    .map((line) => line + form.lineEnd)
    .join('')
  const isOver = form.layout.includes('over')
  const settling = [
    '--date-format',
    form.layout === 'parts' ? 'YYYY' : form.date,
    '--decimal',
    form.decimal,
    '--separator',
    form.separator === '\t' ? 'tab' : form.separator,
    '--encoding',
    form.encoding === 'utf-8 with mark' ? 'utf-8' : form.encoding,
    '--skip-lines',
    String(form.titles + (isOver ? 1 : 0)),
    '--ignore-rows',
    'Total,Source:*',
    '--frequency',
    meant.frequency,
  ]
  return { bytes: encode(text, form.encoding), needed: neededFlags(meant, form), settling, meant }
}

const LAYOUTS = ['long', 'kpis', 'items', 'dates', 'kpis over dates', 'dates over kpis'] as const

/** Any form in which a meaning can be written. */
export const anyForm = ({ frequency, owners, kpis }: Meant): fc.Arbitrary<Form> => {
  const isLatin = [...owners, ...kpis].every((name) => Buffer.from(name, 'latin1').toString('latin1') === name)
  return fc
    .record({
      layout: fc.constantFrom(...LAYOUTS, ...(frequency === 'M' ? (['parts'] as const) : [])),
      date: fc.constantFrom(...FORMATS[frequency]),
      decimal: fc.constantFrom<'.' | ','>('.', ','),
      grouping: fc.constantFrom('none', 'none', 'other', ' ', "'"),
      separator: fc.constantFrom<Form['separator']>(',', ';', '\t', '|'),
      names: fc.constantFrom<Form['names']>('English', 'German', 'French'),
      titles: fc.constantFrom(0, 0, 0, 1, 2),
      hasTotal: fc.constantFrom(false, false, false, true),
      hasFooter: fc.constantFrom(false, false, false, true),
      encoding: fc.constantFrom<Form['encoding']>(
        'utf-8',
        'utf-8',
        'utf-8 with mark',
        'utf-16le',
        ...(isLatin ? (['windows-1252'] as const) : []),
      ),
      lineEnd: fc.constantFrom<Form['lineEnd']>('\n', '\r\n'),
      isQuoted: fc.boolean(),
    })
    .map(({ grouping, ...form }) => ({
      ...form,
      hasTotal: form.hasTotal && form.layout !== 'long' && form.layout !== 'items' && form.layout !== 'parts',
      thousands: grouping === 'none' ? '' : grouping === 'other' ? (form.decimal === '.' ? ',' : '.') : grouping,
    }))
}
