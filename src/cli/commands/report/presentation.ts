import { didYouMean, nearest, nearestOrAll } from '../../../client/nearest.ts'
import { markdownTitle } from '../../../codec/markdown.ts'
import { formatDay } from '../../../domain/day.ts'
import { TOTAL_COLUMN } from '../../../domain/analysis/pivot.ts'
import { answerColumns, type Question } from '../../../domain/analysis/question.ts'
import type { ReportColumn, ReportTable } from '../../../domain/analysis/report-table.ts'
import { looseName } from '../../../domain/name-form.ts'
import type { NumberSigns } from '../../../domain/number-pattern.ts'
import type { Calendar, DayRange } from '../../../domain/period.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { UsageError } from '../../exit.ts'
import { briefColumns } from './answer-table.ts'
import { fieldOfHead, headOf } from './heads.ts'
import { type Presentation, repeated } from './presentation-flags.ts'
import { makerOf } from './question-flags.ts'
import { withHeads } from './readable-columns.ts'

/** Describes what columns are chosen of. */
type Choice<T extends ReportColumn> = {
  readonly all: readonly T[]
  /** Says where other columns are; then these are columns of the overview, which are no fields of a report. */
  readonly otherwise?: string
}

/** Returns the column that a text names by its field, its head, or loosely by one of these. */
const findColumn = <T extends ReportColumn>(text: string, all: readonly T[]): T | undefined => {
  const field = fieldOfHead(text)
  const loosely = looseName(text)
  return (
    all.find(({ name }) => name === field) ??
    all.find(({ name }) => name === text) ??
    all.find(({ name }) => [name, headOf(name)].some((one) => looseName(one) === loosely))
  )
}

/** Returns the flag that makes a column which an answer lacks; undefined if no flag does. */
const makerOfColumn = (text: string): string | undefined =>
  text === TOTAL_COLUMN ? '--totals' : makerOf(fieldOfHead(text))

/** Returns the column that a text names; throws if there is none, and says what makes it, or which ones there are. */
const columnNamed = <T extends ReportColumn>(flag: string, text: string, { all, otherwise = '' }: Choice<T>): T => {
  const found = findColumn(text, all)
  if (found) return found
  const names = all.map(({ name }) => (otherwise === '' ? headOf(name) : name))
  const maker = otherwise === '' ? makerOfColumn(text) : undefined
  if (maker !== undefined) throw new UsageError(`${flag}: ${maker} makes the column ${text}; give that, too`)
  throw new UsageError(`${flag}: there is no column "${text}"${nearestOrAll(text, names)}${otherwise}`)
}

/** Returns the columns that are asked for, of all that there are; undefined where the usual ones are. */
const chosenColumns = <T extends ReportColumn>({ columns }: Presentation, of: Choice<T>): T[] | undefined => {
  const chosen = columns?.map((text) => columnNamed('--columns', text, of))
  const twice = chosen?.find((one, at) => chosen.indexOf(one) < at)
  if (twice) throw new UsageError(`--columns names ${headOf(twice.name)} twice`)
  return chosen
}

/** Returns the heads that are asked for, by field. */
const headsByField = ({ heads }: Presentation, of: Choice<ReportColumn>): ReadonlyMap<string, string> =>
  new Map(heads.map(([text, head]) => [columnNamed('--heads', text, of).name, head]))

/** Refuses columns that would be called alike by their own heads; names in a pivot may be heads by chance. */
const requireDistinct = ({ heads }: Presentation, columns: readonly ReportColumn[]): void => {
  if (heads.length === 0) return
  const twice = repeated(columns.map(({ name }) => name))
  if (twice !== undefined)
    throw new UsageError(`--heads: two columns would be called "${twice}"; give each its own head`)
}

/** Refuses columns and heads that a report cannot have, before anything is read; those of a pivot are known by its values. */
export const requireColumns = (presentation: Presentation, question: Question | undefined): void => {
  if (question?.pivot !== undefined) return
  const all = question ? answerColumns(question) : reportRow.shown
  chosenColumns(presentation, { all })
  headsByField(presentation, { all })
}

/** Returns the columns of the overview that are asked for, each with its head. */
export const overviewColumns = <T extends ReportColumn>(
  presentation: Presentation,
  all: readonly T[],
): (T & { readonly head: string })[] => {
  const of = { all, otherwise: '; the fields of a report are columns with --rows' }
  const heads = headsByField(presentation, of)
  const columns = (chosenColumns(presentation, of) ?? all).map((one) => ({
    ...one,
    head: heads.get(one.name) ?? one.name,
  }))
  requireDistinct(
    presentation,
    columns.map(({ field, head }) => ({ name: head, field })),
  )
  return columns
}

/** Returns the lines above a table for people: the title, and the days that it is about; nothing if there is no title. */
const titleLines = ({ title }: Presentation, { from, to }: DayRange): readonly string[] =>
  title === undefined ? [] : [title, `${formatDay(from)} to ${formatDay(to)}`]

/** Returns these lines as text. */
export const titleText = (presentation: Presentation, range: DayRange, format: string): string => {
  const [title, days] = titleLines(presentation, range)
  if (title === undefined || days === undefined) return ''
  return format === 'markdown' ? markdownTitle(title, days) : `${title}\n${days}\n\n`
}

/** Describes for whom a table is laid out: people, with the signs of their numbers, or programs. */
type Readers = {
  readonly isForPrograms: boolean
  readonly question: Question | undefined
  /** Tells that notes beside the table say which days are compared. */
  readonly isNoted: boolean
  readonly calendar: () => Calendar
  readonly signs?: NumberSigns | undefined
  readonly note: (text: string) => Promise<void>
}

/**
 * Returns what is asked of a pivot, and the columns of values that it lacks: a period, KPI or item without a value has a
 * blank column where it is named, so that a file has the same columns each time, and needs no head elsewhere.
 */
const withBlanks = (presentation: Presentation, { columns: all }: ReportTable, { totals }: Question) => {
  const isMissing = (text: string): boolean =>
    findColumn(text, all) === undefined && (text === TOTAL_COLUMN ? totals : makerOfColumn(text) === undefined)
  const blank = (presentation.columns ?? []).filter(isMissing)
  const heads = presentation.heads.filter(([text]) => blank.includes(text) || !isMissing(text))
  const unheaded = presentation.heads.flatMap(([text]) => (isMissing(text) ? [text] : []))
  return {
    presentation: { ...presentation, heads },
    all: [...all, ...blank.map((name): ReportColumn => ({ name, field: BLANK_VALUE }))],
    missing: [...new Set([...blank, ...unheaded])],
  }
}

const BLANK_VALUE = { kind: 'decimal', about: 'Actual', nullable: true } as const

/** Says which columns of a pivot have no values, and whether others may be meant. */
const missingText = (missing: readonly string[], all: readonly ReportColumn[]): string => {
  const names = all.map(({ name }) => headOf(name))
  // Propose nothing for a period: it is near to each other one.
  const nearTo = (text: string): string | undefined => (/^\d{4}/.test(text) ? undefined : nearest(text, names))
  const said = missing.map((text) => `"${text}"${didYouMean(nearTo(text)).replace('; ', ', ')}`)
  return `the pivot has no values for ${said.join('; ')}`
}

/** Yields rows that have the values of their columns also under other names. */
async function* renamed(
  parts: ReportTable['parts'],
  names: readonly (readonly [field: string, head: string])[],
): ReportTable['parts'] & AsyncGenerator<readonly AnyRecord[]> {
  for await (const rows of parts) {
    yield rows.map((row) => ({
      ...row,
      ...Object.fromEntries(names.map(([field, head]) => [head, row[field] ?? null])),
    }))
  }
}

/**
 * Returns a report's table with its columns as they are asked for: for programs all under the names of their fields, for
 * people the most telling ones as they read them; in both under own heads, where these are given.
 */
export const presentTable = async (table: ReportTable, asked: Presentation, readers: Readers): Promise<ReportTable> => {
  if (readers.question?.perPerson) {
    if (readers.isForPrograms) return table
    return { ...table, columns: (await import('./missing-people.ts')).peopleColumns(readers.signs) }
  }
  const { isForPrograms, question, isNoted, calendar, signs } = readers
  const { parts } = table
  const whole = { presentation: asked, all: table.columns, missing: [] }
  const { presentation, all, missing } = question?.pivot === undefined ? whole : withBlanks(asked, table, question)
  if (missing.length > 0) await readers.note(missingText(missing, table.columns))
  const chosen = chosenColumns(presentation, { all })
  const heads = headsByField(presentation, { all })
  if (!isForPrograms) {
    const read = { calendar, signs, rounds: question !== undefined }
    const columns = withHeads(chosen ?? briefColumns(all, question, isNoted), read, heads)
    requireDistinct(presentation, columns)
    return { columns, parts }
  }
  const columns = chosen ?? all
  const names = columns.map(({ name }) => [name, heads.get(name) ?? name] as const)
  const called = columns.map((column, at) => ({ ...column, name: names[at]?.[1] ?? column.name }))
  requireDistinct(presentation, called)
  const others = names.filter(([field, head]) => field !== head)
  return { columns: called, parts: others.length === 0 ? parts : renamed(parts, others) }
}
