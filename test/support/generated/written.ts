import { DATED_ROWS, type Form } from './form.ts'
import { dateName, EXTRA_NAMES, layOut, NAMES, reduce, subtotalOf, type Table } from './layouts.ts'
import type { Meant } from './meant.ts'
import { readFormat } from './write-day.ts'

/** A flag that settles something, as messages name it, with its value. */
export type Answer = readonly [flag: string, value: string]

/** A file with its meaning, the flags that it needs, and those that say how it is written. */
export type Written = {
  readonly meant: Meant
  readonly bytes: Buffer
  readonly text: string
  readonly needed: readonly string[]
  readonly answers: readonly Answer[]
}

const neededFlags = (meant: Meant, { layout }: Form): string[] => {
  if (layout === 'items') return ['--kpi', meant.kpis[0] ?? '', '--as', 'items']
  return layout === 'parts' ? ['--kpi', meant.kpis[0] ?? '', '--source', meant.owners[0] ?? ''] : []
}

const TITLES = ['Monthly report', 'All regions', 'created by hand']

const quote = (text: string, { separator, isQuoted }: Form): string =>
  isQuoted || text.includes(separator) || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text

/** What windows-1252 has where Latin-1 has no letters. */
const WINDOWS: Readonly<Record<string, string>> = { '€': '\u0080', '…': '\u0085', '’': '\u0092', '–': '\u0096' }

const encode = (text: string, encoding: Form['encoding']): Buffer => {
  if (encoding === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le')
  if (encoding === 'windows-1252')
    return Buffer.from(
      text.replaceAll(/[€…’–]/g, (one) => WINDOWS[one] ?? one),
      'latin1',
    )
  return Buffer.from(encoding === 'utf-8' ? text : `\ufeff${text}`)
}

/** The encoding of a text: of those without all of its letters, UTF-8 instead. */
const encodingOf = (text: string, { encoding }: Form): Form['encoding'] =>
  encoding === 'windows-1252' && /[^\n\r\t -\u00ff€…’–]/.test(text) ? 'utf-8' : encoding

const headerRows = ({ layout }: Pick<Form, 'layout'>): number => (layout.includes('over') ? 2 : 1)

/** The row of units below the header: something above each column of values. */
const unitRow = (table: Table, { unitRow: units, layout, names, owners, isDateSplit }: Form): string[] => {
  const width = table[0]?.length ?? 0
  const ownerColumns = layout === 'items' ? 0 : owners === 'both' ? 2 : 1
  const dateColumns = isDateSplit
    ? (table[0] ?? []).filter((name) => isPart(name, names)).length
    : layout === 'dates over kpis'
      ? 0
      : 1
  return Array.from({ length: width }, (_, at) => {
    const value = at - ownerColumns - dateColumns
    return value < 0 ? '' : (units[layout === 'items' ? 0 : value % units.length] ?? '')
  })
}

const isPart = (name: string, names: Form['names']): boolean => NAMES[names].parts.split(' ').includes(name)

/** Adds a column of sums to a table. */
const withTotalColumn = (table: Table, form: Form): Table =>
  form.hasTotalColumn
    ? table.map((cells, at) => [...cells, at < headerRows(form) ? totalLabel(at, form) : (cells.at(-1) ?? '')])
    : table

const totalLabel = (row: number, form: Form): string => (row === headerRows(form) - 1 ? 'Total' : '')

/** A row of sums below a table, and a line that is no row. */
const below = (table: Table, { total, footer }: Form): string[][] => {
  const last = table.at(-1) ?? []
  return [
    ...(total === '' ? [] : [[total, ...last.slice(1)]]),
    ...(footer === '' ? [] : [[footer, ...last.slice(1).map(() => '')]]),
  ]
}

const rowsOf = (meant: Meant, form: Form): Table => {
  const table = withTotalColumn(layOut(meant, form), form)
  const head = headerRows(form)
  const units = form.unitRow.length === 0 ? [] : [unitRow(table, form)]
  const last = below(table, form)
  const blank = form.gap === 'lines' && last.length > 0 ? [table[0]?.map(() => '') ?? []] : []
  const rows = [...table.slice(0, head), ...units, ...table.slice(head), ...blank, ...last]
  return form.gap === 'column' ? rows.map((cells) => [...cells, '']) : rows
}

/** The columns of the parts of a date. */
const partNames = ({ names, date }: Form): string[] => NAMES[names].parts.split(' ').slice(0, /D/.test(date) ? 3 : 2)

/** A list of names as flags take it. */
const listOf = (names: readonly string[]): string =>
  names.map((name) => (/[,"]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(',')

/** The columns that have to be named if their names or cells do not say what they are. */
const columnAnswers = (meant: Meant, form: Form): Answer[] => {
  const name = NAMES[form.names]
  const extra = form.extra === '' ? '' : EXTRA_NAMES[form.extra]
  const dateColumn = form.isDateSplit ? partNames(form).join('+') : dateName(meant, form)
  const owner: Answer =
    form.owners === 'names' ? ['--map source', `source=${name.owner}`] : ['--map user', `user=${name.mail}`]
  return [
    ...(form.layout === 'items' ? ([['--columns', listOf([...dateColumn.split('+'), ...meant.owners])]] as const) : []),
    ...(['items', 'parts'].includes(form.layout) ? [] : [owner]),
    ...(meant.kpis.length === 1 && form.layout === 'kpis over dates'
      ? ([['--kpi', meant.kpis[0] ?? '']] as const)
      : []),
    ...(DATED_ROWS.has(form.layout) ? ([['--map date', `date=${dateColumn}`]] as const) : []),
    ...(extra === '' || extra === 'target' ? [] : ([[`--ignore ${extra}`, extra]] as const)),
    ...(form.hasTotalColumn ? ([['--ignore Total', 'Total']] as const) : []),
    ...(form.owners === 'both' ? ([[`--ignore ${name.owner}`, name.owner]] as const) : []),
    ['--as', form.owners === 'names' ? 'items' : 'users'],
    ['--by-name source', 'source'],
    ['--by-name kpi', 'kpi'],
  ]
}

/** The texts by which rows are left out that are none. */
const rowAnswers = ({ owners }: Meant, form: Form): Answer[] => {
  const { total, footer, titles } = form
  const subtotals =
    form.subtotal === '' ? [] : owners.map((owner) => `"${subtotalOf(owner, form).replaceAll('"', '""')}"`)
  const texts = [...form.unitRow, ...subtotals, total, footer === '' ? '' : `"${footer}"`].filter((text) => text !== '')
  return [
    ['--skip-lines', String(titles + headerRows(form) - 1)],
    ...(texts.length > 0 ? ([['--ignore-rows', texts.join(',')]] as const) : []),
  ]
}

const LAYOUT_FLAGS: Readonly<Record<string, string>> = { long: 'long', kpis: 'wide', items: 'wide' }

/** The flags that say how a file is written and what it means. */
const answersTo = (meant: Meant, form: Form, encoding: Form['encoding']): Answer[] => {
  // Where addresses say whose values they are, a name that is a word for no value is left out.
  const names = form.owners === 'both' ? meant.owners.filter((owner) => owner === 'None') : []
  const words = [...form.words.filter((word) => word !== ''), ...names]
  return [
    ['--date-format', readFormat(form)],
    ['--decimal', form.decimal],
    ['--separator', form.separator === '\t' ? 'tab' : form.separator],
    ['--encoding', encoding === 'utf-8 with mark' ? 'utf-8' : encoding],
    ['--frequency', meant.frequency],
    ['--unit NAME', 'Number'],
    ['--layout', LAYOUT_FLAGS[form.layout] ?? 'dates'],
    ...(words.length > 0 ? ([['--missing', words.join(',')]] as const) : []),
    ...(form.time === 'none' ? [] : ([['--time', 'drop']] as const)),
    ...(form.time === 'several' ? ([['--on-duplicate', form.fold]] as const) : []),
    ...rowAnswers(meant, form),
    ...columnAnswers(meant, form),
  ]
}

/** Writes what is meant in a form. */
export const write = (all: Meant, form: Form): Written => {
  const meant = reduce(all, form)
  const lines = [
    ...TITLES.slice(0, form.titles),
    ...rowsOf(meant, form).map((cells) => cells.map((cell) => quote(cell, form)).join(form.separator)),
  ]
  const text = lines.map((line) => line + form.lineEnd).join('')
  const encoding = encodingOf(text, form)
  const answers = answersTo(meant, form, encoding)
  return { meant, bytes: encode(text, encoding), text, needed: neededFlags(meant, form), answers }
}
