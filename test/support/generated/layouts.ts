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
  English: {
    periods: { D: 'Day', W: 'Week', M: 'Month', Q: 'Quarter', Y: 'Year' },
    owner: 'Region',
    kpi: 'KPI',
    date: 'Date',
    actual: 'Value',
    mail: 'E-mail',
    parts: 'Year Month Day',
  },
  German: {
    periods: { D: 'Tag', W: 'Woche', M: 'Monat', Q: 'Quartal', Y: 'Jahr' },
    owner: 'Standort',
    kpi: 'Kennzahl',
    date: 'Datum',
    actual: 'Ist',
    mail: 'E-Mail',
    parts: 'Jahr Monat Tag',
  },
  French: {
    periods: { D: 'Jour', W: 'Semaine', M: 'Mois', Q: 'Trimestre', Y: 'Année' },
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

/** The name of the column of dates. */
export const dateName = ({ frequency }: Pick<Meant, 'frequency'>, { names, isPeriodNamed }: Form): string =>
  isPeriodNamed ? NAMES[names].periods[frequency] : NAMES[names].date

/** What the row of an owner's sums is called. */
export const subtotalOf = (owner: string, { subtotal }: Form): string => subtotal.replace(/N$|^N/, owner)

/** What an extra column is called. */
export const EXTRA_NAMES: Readonly<Record<Exclude<Form['extra'], ''>, string>> = {
  id: 'ID',
  code: 'Code',
  year: 'Year',
  unit: 'Unit',
  note: 'Remarks',
  target: 'Target',
}

/** Writes the extra cell of a row. */
const extraCell = (extra: Exclude<Form['extra'], ''>, row: number, owner: string, kpi: string, day: Day): string => {
  const cells: Readonly<Record<typeof extra, string>> = {
    id: String(row + 1),
    code: `${owner.slice(0, 2)}${owner.length}`.toUpperCase(),
    year: String(civil(day).year),
    unit: kpi.length % 2 === 0 ? 'EUR' : 'number',
    note: row % 3 === 0 ? 'checked' : '',
    target: '',
  }
  return cells[extra]
}

/** A row, and what it is of. */
type Described = { readonly cells: readonly string[]; readonly owner: string; readonly kpi: string; readonly day: Day }

/** Adds an extra column: before the others if it numbers or dates rows, else behind them. */
const withExtra = (header: readonly string[], rows: readonly Described[], { extra }: Form): Table => {
  if (extra === '') return [header, ...rows.map(({ cells }) => cells)]
  const isFirst = extra === 'id' || extra === 'year'
  const add = (cells: readonly string[], cell: string): string[] => (isFirst ? [cell, ...cells] : [...cells, cell])
  return [
    add(header, EXTRA_NAMES[extra]),
    ...rows.map(({ cells, owner, kpi, day }, row) => add(cells, extraCell(extra, row, owner, kpi, day))),
  ]
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
    dateNames: form.isDateSplit ? name.parts.split(' ').slice(0, rowDays[0]?.date.length) : [dateName(meant, form)],
    rowDays,
    dates: meant.days.map((day) => writeDate(day, 0, form)),
  }
}

const long = ({ meant, form, cell, ...parts }: Parts): Table => {
  const name = NAMES[form.names]
  const hasTarget = form.extra === 'target'
  const targetCells = (kpi: string): string[] =>
    hasTarget ? [writeValue(1_234_500, meant.kpis.indexOf(kpi), 0, form)] : []
  const rows = parts.rowDays.flatMap(({ day, reading, date }) =>
    meant.owners.flatMap((owner) =>
      meant.kpis
        .filter((kpi) => cell(owner, kpi, day) !== '')
        .map((kpi) => ({
          cells: [...date, ...parts.ownerCells(owner), kpi, cell(owner, kpi, day, reading), ...targetCells(kpi)],
          owner,
          kpi,
          day,
        })),
    ),
  )
  const header = [...parts.dateNames, ...parts.ownerNames, name.kpi, name.actual]
  return hasTarget
    ? [[...header, EXTRA_NAMES.target], ...rows.map(({ cells }) => cells)]
    : withExtra(header, rows, form)
}

const wideByKpi = ({ meant, form, cell, ...parts }: Parts): Table => {
  const rowsOf = (owner: string, called: readonly string[]): Described[] =>
    parts.rowDays.map(({ day, reading, date }) => ({
      cells: [...called, ...date, ...meant.kpis.map((kpi) => cell(owner, kpi, day, reading))],
      owner,
      kpi: '',
      day,
    }))
  const rows = meant.owners.flatMap((owner) => {
    const own = rowsOf(owner, parts.ownerCells(owner))
    return form.subtotal === '' ? own : [...own, ...rowsOf(owner, [subtotalOf(owner, form)]).slice(-1)]
  })
  return withExtra([...parts.ownerNames, ...parts.dateNames, ...meant.kpis], rows, form)
}

const wideByItem = ({ meant, cell, ...parts }: Parts): Table => [
  [...parts.dateNames, ...meant.owners],
  ...parts.rowDays.map(({ day, reading, date }) => [
    ...date,
    ...meant.owners.map((owner) => cell(owner, meant.kpis[0] ?? '', day, reading)),
  ]),
]

const wideByDate = ({ meant, form, cell, ...parts }: Parts): Table => {
  const rows = meant.owners.flatMap((owner) =>
    meant.kpis.map((kpi) => ({
      cells: [...parts.ownerCells(owner), kpi, ...meant.days.map((day) => cell(owner, kpi, day))],
      owner,
      kpi,
      day: meant.days[0] ?? 0,
    })),
  )
  return withExtra([...parts.ownerNames, NAMES[form.names].kpi, ...parts.dates], rows, form)
}

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

/** The years and months of consecutive months, with the KPI in a column. */
const yearsOverMonths = ({ meant, form, cell, ...parts }: Parts): Table => {
  const years = meant.days.map((day) => String(civil(day).year))
  const names = monthNames(form.months, form.date.includes('MMMM'))
  const months = meant.days.map((day) => names[civil(day).month - 1] ?? '')
  const keys = [...parts.ownerNames, NAMES[form.names].kpi]
  return [
    [...keys.map(() => ''), ...years.map((year, at) => (year === years[at - 1] ? '' : year))],
    [...keys, ...months],
    ...meant.owners.flatMap((owner) =>
      meant.kpis.map((kpi) => [...parts.ownerCells(owner), kpi, ...meant.days.map((day) => cell(owner, kpi, day))]),
    ),
  ]
}

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
  'years over months': yearsOverMonths,
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
