import { civil, type Day } from '../../../src/domain/day.ts'
import type { Form } from './form.ts'
import { type Meant, valueAt } from './meant.ts'
import { monthNames } from './month-names.ts'
import { readingsOf, READINGS, writeMissing, writeValue } from './write-value.ts'
import { writeDate, writeDateCells } from './write-day.ts'

/** The cells of a file, row by row. */
export type Table = readonly (readonly string[])[]

/** What a file calls its columns. */
export const NAMES = {
  English: { owner: 'Region', kpi: 'KPI', date: 'Date', actual: 'Value', mail: 'E-mail', parts: 'Year Month Day' },
  German: { owner: 'Standort', kpi: 'Kennzahl', date: 'Datum', actual: 'Ist', mail: 'E-Mail', parts: 'Jahr Monat Tag' },
  French: {
    owner: 'Ville',
    kpi: 'Indicateur',
    date: 'Date',
    actual: 'Valeur',
    mail: 'Email',
    parts: 'Année Mois Jour',
  },
} as const

/** The e-mail address of an owner, for files of people. */
export const addressOf = (owner: string): string =>
  `${owner
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replaceAll(',', 'c')
    .normalize('NFD')
    .replaceAll(/[^a-z0-9]+/g, '')}.team@example.com`

/** Writes the cell of an owner's KPI on a day; the reading counts the rows of that day. */
type Cell = (owner: string, kpi: string, day: Day, reading?: number) => string

const cellsOf = (meant: Meant, form: Form): Cell => {
  const { owners, kpis, days } = meant
  return (owner, kpi, day, reading = 0) => {
    const value = valueAt(meant, owner, kpi, day)
    const at = owners.indexOf(owner) + days.indexOf(day)
    if (value === undefined) return writeMissing(at, form)
    const one = form.time === 'several' ? (readingsOf(value, form.fold)[reading] ?? value) : value
    return writeValue(one, kpis.indexOf(kpi), at, form)
  }
}

/** What the builders of layouts share. */
type Parts = {
  readonly meant: Meant
  readonly form: Form
  readonly cell: Cell
  readonly ownerNames: readonly string[]
  readonly ownerCells: (owner: string) => readonly string[]
  readonly dateNames: readonly string[]
  /** The days, each as often as it has rows. */
  readonly rowDays: readonly { readonly day: Day; readonly reading: number; readonly date: readonly string[] }[]
  readonly dates: readonly string[]
}

const partsOf = (meant: Meant, form: Form): Parts => {
  const name = NAMES[form.names]
  const readings = Array.from({ length: form.time === 'several' ? READINGS : 1 }, (_, reading) => reading)
  const rowDays = meant.days.flatMap((day) =>
    readings.map((reading) => ({ day, reading, date: writeDateCells(day, reading, form) })),
  )
  const { owners } = form
  return {
    meant,
    form,
    cell: cellsOf(meant, form),
    ownerNames: [...(owners === 'addresses' ? [] : [name.owner]), ...(owners === 'names' ? [] : [name.mail])],
    ownerCells: (owner) => [
      ...(owners === 'addresses' ? [] : [owner]),
      ...(owners === 'names' ? [] : [addressOf(owner)]),
    ],
    dateNames: form.isDateSplit ? name.parts.split(' ').slice(0, rowDays[0]?.date.length) : [name.date],
    rowDays,
    dates: meant.days.map((day) => writeDate(day, 0, form)),
  }
}

const long = ({ meant, form, cell, ...parts }: Parts): Table => {
  const name = NAMES[form.names]
  return [
    [...parts.dateNames, ...parts.ownerNames, name.kpi, name.actual],
    ...parts.rowDays.flatMap(({ day, reading, date }) =>
      meant.owners.flatMap((owner) =>
        meant.kpis
          .filter((kpi) => cell(owner, kpi, day) !== '')
          .map((kpi) => [...date, ...parts.ownerCells(owner), kpi, cell(owner, kpi, day, reading)]),
      ),
    ),
  ]
}

const wideByKpi = ({ meant, cell, ...parts }: Parts): Table => [
  [...parts.ownerNames, ...parts.dateNames, ...meant.kpis],
  ...meant.owners.flatMap((owner) =>
    parts.rowDays.map(({ day, reading, date }) => [
      ...parts.ownerCells(owner),
      ...date,
      ...meant.kpis.map((kpi) => cell(owner, kpi, day, reading)),
    ]),
  ),
]

const wideByItem = ({ meant, cell, ...parts }: Parts): Table => [
  [...parts.dateNames, ...meant.owners],
  ...parts.rowDays.map(({ day, reading, date }) => [
    ...date,
    ...meant.owners.map((owner) => cell(owner, meant.kpis[0] ?? '', day, reading)),
  ]),
]

const wideByDate = ({ meant, form, cell, ...parts }: Parts): Table => [
  [...parts.ownerNames, NAMES[form.names].kpi, ...parts.dates],
  ...meant.owners.flatMap((owner) =>
    meant.kpis.map((kpi) => [...parts.ownerCells(owner), kpi, ...meant.days.map((day) => cell(owner, kpi, day))]),
  ),
]

const kpisOverDates = ({ meant, cell, ...parts }: Parts): Table => [
  [
    ...parts.ownerNames.map(() => ''),
    ...meant.kpis.flatMap((kpi) => parts.dates.map((_, at) => (at === 0 ? kpi : ''))),
  ],
  [...parts.ownerNames, ...meant.kpis.flatMap(() => parts.dates)],
  ...meant.owners.map((owner) => [
    ...parts.ownerCells(owner),
    ...meant.kpis.flatMap((kpi) => meant.days.map((day) => cell(owner, kpi, day))),
  ]),
]

const datesOverKpis = ({ meant, cell, ...parts }: Parts): Table => [
  [
    ...parts.ownerNames.map(() => ''),
    ...parts.dates.flatMap((date) => meant.kpis.map((_, at) => (at === 0 ? date : ''))),
  ],
  [...parts.ownerNames, ...parts.dates.flatMap(() => meant.kpis)],
  ...meant.owners.map((owner) => [
    ...parts.ownerCells(owner),
    ...meant.days.flatMap((day) => meant.kpis.map((kpi) => cell(owner, kpi, day))),
  ]),
]

const yearsByMonths = ({ meant, form, cell }: Parts): Table => {
  const { days, owners, kpis } = meant
  const years = [...new Set(days.map((day) => civil(day).year))]
  const cellOf = (year: number, month: number): string => {
    const found = days.find((day) => civil(day).year === year && civil(day).month === month)
    return found === undefined ? '' : cell(owners[0] ?? '', kpis[0] ?? '', found)
  }
  const months = monthNames(form.months, form.date.includes('MMMM'))
  return [['Year', ...months], ...years.map((year) => [String(year), ...months.map((_, at) => cellOf(year, at + 1))])]
}

const BUILDERS: Readonly<Record<Form['layout'], (parts: Parts) => Table>> = {
  long,
  kpis: wideByKpi,
  items: wideByItem,
  dates: wideByDate,
  'kpis over dates': kpisOverDates,
  'dates over kpis': datesOverKpis,
  parts: yearsByMonths,
}

/** The rows of a file in its layout, the header rows first. */
export const layOut = (meant: Meant, form: Form): Table => BUILDERS[form.layout](partsOf(meant, form))

/** The meaning of which a layout can tell all. */
export const reduce = (meant: Meant, { layout }: Form): Meant => {
  const owners = layout === 'parts' ? meant.owners.slice(0, 1) : meant.owners
  const kpis = layout === 'parts' || layout === 'items' ? meant.kpis.slice(0, 1) : meant.kpis
  const values = owners.flatMap((owner) =>
    kpis.flatMap((kpi) => meant.days.map((day) => valueAt(meant, owner, kpi, day))),
  )
  return { ...meant, owners, kpis, values }
}
