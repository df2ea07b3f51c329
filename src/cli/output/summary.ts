import {
  type AnyRecord,
  type Fields,
  type FieldValue,
  type NamedField,
  type Printable,
  printable,
} from '../../domain/schema.ts'
import type { Cli } from '../cli.ts'
import { isForPeople } from './print.ts'
import { countOf } from './text.ts'

/** Holds the words for one and for several of what is counted. */
export type Noun = readonly [one: string, many: string]

/** Holds the words for a count: what it is of, what was done, what a dry run would do, and a noun other than the usual. */
type Count = readonly [about: string, done: string, toDo: string, noun?: Noun]

const ROW: Noun = ['row', 'rows']
const SENT =
  'WHAT that were stored, without the service saying whether they were created or updated; of a dry run, those of which that cannot be told'
const RESTATED = 'restated by a later file'

/** Defines each count of summaries and dry runs once, in the order in which sentences tell them. */
const COUNTS = {
  read: ['Rows of the file', 'read', '', ROW],
  restored: ['WHAT that WERE put back as they were', '', ''],
  created: ['WHAT that WERE created', 'created', 'to create'],
  added: ['WHAT that WERE added', 'added', 'to add'],
  updated: ['WHAT that WERE updated', 'updated', 'to update'],
  deleted: ['WHAT that WERE deleted', 'deleted', 'to delete'],
  removed: ['WHAT that WERE removed', 'removed', 'to remove'],
  users: ['Users who would get them', '', ''],
  unchanged: ['WHAT that had the same values already', 'unchanged', 'unchanged'],
  sent: [SENT, 'sent', 'to send'],
  skipped: ['WHAT that existed already and were left alone', 'left alone', 'to leave alone'],
  restated: [
    'Rows, or cells of a wide file, that were not sent as a later file of the import gives their entries again',
    RESTATED,
    RESTATED,
    ROW,
  ],
  rejected: ['Rows that were not imported, or not completely', 'rejected', 'to reject', ROW],
  rounded: ['Values that had more than four decimals', '', 'to round', ['value', 'values']],
  empty: ['Rows, or cells of a wide file, without a value', '', 'empty'],
  assigned: ['Assignments that were created', '', 'to create', ['assignment', 'assignments']],
  left: ['WHAT that were not sent because the run was stopped', 'left', ''],
} as const satisfies Readonly<Record<string, Count>>

type CountName = keyof typeof COUNTS

/** Holds some of the counts. */
export type Counts = Readonly<Partial<Record<CountName, number>>>

/** Lists the counts that dry runs leave out where they are zero. */
const RARE: ReadonlySet<string> = new Set<CountName>(['sent', 'skipped', 'restated', 'rounded', 'empty', 'assigned'])

const countFields = (counts: readonly CountName[], what: string, were: string): Fields =>
  Object.fromEntries(
    counts.map((name) => {
      const about = COUNTS[name][0].replace('WHAT', what).replace('WERE', were)
      return [name, { kind: 'integer', about }]
    }),
  )

/** Defines the summary of a run: what it did to what in counts, what that cost, and the receipt that takes it back. */
export const summary = (
  name: string,
  title: string,
  what: string,
  counts: readonly CountName[],
  more: Fields = {},
): Printable =>
  printable(name, title, {
    ...countFields(counts, what, 'were'),
    requests: { kind: 'integer', about: 'Requests that were answered' },
    refused: { kind: 'integer', about: 'Requests that were refused because of the rate limit, and sent again' },
    waited: { kind: 'decimal', about: 'Seconds that requests waited for the rate limit' },
    seconds: { kind: 'decimal', about: 'How long it took' },
    ...more,
    receipt: { kind: 'text', about: 'Receipt with which kpi undo takes it back', nullable: true },
  })

/** Defines the counts of the dry run of a command. */
export const dryRunCounts = (
  command: string,
  what: string,
  counts: readonly CountName[],
  more: Fields = {},
): Printable =>
  printable(`${command}_counts`, `counts of the dry run of ${command.replaceAll('_', ' ')}`, {
    ...countFields(counts, what, 'would be'),
    ...more,
  })

const isNothing = (value: FieldValue | undefined): boolean =>
  value === undefined || value === null || value === 0 || value === 0n

/** Prints the counts of a run: in a table those that are not zero, elsewhere all of them. */
export const printCounts = (cli: Cli, of: Pick<Printable, 'shown'>, record: AnyRecord): Promise<void> => {
  if (!isForPeople(cli.printing().format)) return cli.printOne(of, record)
  const [first] = of.shown
  return cli.printOne({ shown: of.shown.filter((one) => one === first || !isNothing(record[one.name])) }, record)
}

/** Adds up the counts of several runs, and what they cost; what cannot be added up is left out. */
const totalOf = (records: readonly AnyRecord[]): AnyRecord => {
  const total = new Map<string, FieldValue>()
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const before = total.get(name)
      if (typeof value === 'number') total.set(name, (typeof before === 'number' ? before : 0) + value)
      if (typeof value === 'bigint') total.set(name, (typeof before === 'bigint' ? before : 0n) + value)
    }
  }
  return Object.fromEntries(total)
}

/** Prints the summaries of several runs as a table that ends with their total; counts that are zero in all of them have no column. */
export const printSummaryTable = (
  cli: Cli,
  [label, ...columns]: readonly [NamedField, ...NamedField[]],
  records: readonly AnyRecord[],
  usual: ReadonlySet<string>,
): Promise<void> => {
  const isShown = ({ name }: NamedField): boolean =>
    usual.has(name) || records.some((record) => !isNothing(record[name]))
  const total = { [label.name]: 'total', ...totalOf(records) }
  return cli.printMany([label, ...columns.filter(isShown)], [...records, total])
}

/** Says in a note what several runs did together, and when they ended. */
export const noteTotal = (cli: Cli, records: readonly AnyRecord[], done: string, noun?: Noun): Promise<void> =>
  cli.note(`${done} at ${cli.timeOfDay()}: ${doneText(totalOf(records), noun) || 'nothing to do'}`)

const numberOf = (count: number, noun: Noun | undefined): string => (noun ? countOf(count, ...noun) : String(count))

/** Says what a run did: `12 rows read, 11 KPIs created, 1 row rejected`. */
const doneText = (record: AnyRecord, noun: Noun | undefined): string =>
  Object.entries<Count>(COUNTS)
    .filter(([name, [, done]]) => done !== '' && !isNothing(record[name]))
    .map(([name, [, done, , own = noun]]) => `${numberOf(Number(record[name]), own)} ${done}`)
    .join(', ')

/** Says what is to be done: `3 KPIs to create, 1 to update, 1 row to reject`; `words` replace those of the table. */
export const toDoText = (counts: Counts, noun?: Noun, words: Readonly<Record<string, string>> = {}): string => {
  const given: Readonly<Record<string, number>> = counts
  let usual = noun
  const texts = Object.entries<Count>(COUNTS).flatMap(([name, [, , toDo, own = usual]]) => {
    const count = given[name]
    if (toDo === '' || count === undefined || (count === 0 && RARE.has(name))) return []
    usual = undefined
    return [`${numberOf(count, own)} ${words[name] ?? toDo}`]
  })
  return texts.join(', ')
}

/**
 * Prints the summary of a run: in a table its counts that are not zero, elsewhere all of them. At the end a note says in
 * a sentence what was done, and when it ended.
 */
export const printSummary = async (
  cli: Cli,
  of: Pick<Printable, 'shown'>,
  record: AnyRecord,
  done: string,
  noun?: Noun,
): Promise<void> => {
  await printCounts(cli, of, record)
  if (!isForPeople(cli.printing().format)) return
  const counts = doneText(record, noun) || (done === 'stopped' ? 'nothing was done' : 'nothing to do')
  await cli.note(`${done} at ${cli.timeOfDay()}: ${counts}`)
}
