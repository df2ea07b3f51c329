import { type AnyRecord, type Field, type FieldValue, type Printable, printable } from '../../domain/schema.ts'
import type { Cli } from '../cli.ts'
import { isForPeople } from './print.ts'
import { isPrintedAsData } from './short-answer.ts'
import { countOf } from './text.ts'

/** Holds the words for one and for several of what is counted. */
export type Noun = readonly [one: string, many: string]

/** Describes a count: what it is of, and the words behind its number in a sentence. */
type Count = {
  /** Says what is counted; `were` is `would be` in a dry run. */
  readonly about: (what: string, were: string) => string
  /** Holds the words for what was done, and for what a dry run would do; without them, it is in no such sentence. */
  readonly done?: string
  readonly toDo?: string
  /** Holds the words for what is counted, if that is not what the command is about. */
  readonly noun?: Noun
  /** Tells that a sentence leaves it out where it is zero. */
  readonly isRare?: true
}

const ROW: Noun = ['row', 'rows']
const act = (done: string, toDo: string): Count => ({
  about: (what, were) => `${what} that ${were} ${done}`,
  done,
  toDo,
})

/** Defines each count of summaries and dry runs once, in the order in which sentences tell them. */
const COUNTS = {
  read: { about: () => 'Rows of the file', done: 'read', noun: ROW },
  restored: { about: (what, were) => `${what} that ${were} put back as they were` },
  created: act('created', 'to create'),
  added: act('added', 'to add'),
  updated: act('updated', 'to update'),
  deleted: act('deleted', 'to delete'),
  removed: act('removed', 'to remove'),
  users: { about: () => 'Users who would get them' },
  unchanged: { about: (what) => `${what} that had the same values already`, done: 'unchanged', toDo: 'unchanged' },
  sent: {
    about: (what) =>
      `${what} that were stored, without the service saying whether they were created or updated; of a dry run, those of which that cannot be told`,
    done: 'sent',
    toDo: 'to send',
    isRare: true,
  },
  skipped: {
    about: (what) => `${what} that existed already and were left alone`,
    done: 'left alone',
    toDo: 'to leave alone',
    isRare: true,
  },
  rejected: {
    about: () => 'Rows that were not imported, or not completely',
    done: 'rejected',
    toDo: 'to reject',
    noun: ROW,
  },
  rounded: {
    about: () => 'Values that had more than four decimals',
    toDo: 'to round',
    noun: ['value', 'values'],
    isRare: true,
  },
  empty: { about: () => 'Rows, or cells of a wide file, without a value', toDo: 'empty', isRare: true },
  assigned: {
    about: () => 'Assignments that were created',
    toDo: 'to create',
    noun: ['assignment', 'assignments'],
    isRare: true,
  },
  left: { about: (what) => `${what} that were not sent because the run was stopped`, done: 'left' },
} as const satisfies Readonly<Record<string, Count>>

type CountName = keyof typeof COUNTS

const isCount = (name: string): name is CountName => Object.hasOwn(COUNTS, name)

const countFields = (names: readonly CountName[], what: string, were: string): Record<string, Field> =>
  Object.fromEntries(names.map((name) => [name, { kind: 'integer', about: COUNTS[name].about(what, were) }]))

/** Defines the counts of the dry run of a command, which is about records in the words of `what`. */
export const dryRunCounts = (
  command: string,
  what: string,
  counts: readonly CountName[],
  more: Readonly<Record<string, Field>> = {},
): Printable =>
  printable(`${command}_counts`, `counts of the dry run of ${command.replaceAll('_', ' ')}`, {
    ...countFields(counts, what, 'would be'),
    ...more,
  })

/** Defines the counts of the dry run of a delete. */
export const deleteCounts = dryRunCounts('delete', 'Records', ['deleted'])

/** Describes a summary: its name and title, what it is about, its counts, and what else it says. */
type Definition = {
  readonly name: string
  readonly title: string
  readonly what: string
  readonly counts: readonly CountName[]
  readonly more?: Readonly<Record<string, Field>>
  /** Names the command that takes the run back, if that is not `kpi undo`. */
  readonly undo?: string
}

/** Defines the summary of a run: what it did in counts, what that cost, and the receipt that takes it back. */
export const summary = ({ name, title, what, counts, more, undo = 'kpi undo' }: Definition): Printable =>
  printable(name, title, {
    ...countFields(counts, what, 'were'),
    requests: { kind: 'integer', about: 'Requests that were answered' },
    refused: { kind: 'integer', about: 'Requests that were refused because of the rate limit, and sent again' },
    waited: { kind: 'decimal', about: 'Seconds that requests waited for the rate limit' },
    seconds: { kind: 'decimal', about: 'How long it took' },
    ...more,
    receipt: { kind: 'text', about: `Receipt with which ${undo} takes it back`, nullable: true },
  })

const isNothing = (value: FieldValue | undefined): boolean =>
  value === undefined || value === null || value === 0 || value === 0n

/** Prints the counts of a run: in a table those that are not zero, elsewhere all of them. */
const printCounts = (cli: Cli, of: Pick<Printable, 'shown'>, record: AnyRecord): Promise<void> => {
  if (!isForPeople(cli.printing().format)) return cli.printOne(of, record)
  const [first] = of.shown
  return cli.printOne({ shown: of.shown.filter((one) => one === first || !isNothing(record[one.name])) }, record)
}

/** Returns a number with the words for what it is of, if there are any. */
const numberOf = (count: number, noun: Noun | undefined): string => (noun ? countOf(count, ...noun) : String(count))

/** Says what a run did: `12 rows read, 11 KPIs created, 1 row rejected`. */
const doneText = ({ shown }: Pick<Printable, 'shown'>, record: AnyRecord, noun: Noun | undefined): string =>
  shown
    .flatMap(({ name }) => {
      const of: Count | undefined = isCount(name) ? COUNTS[name] : undefined
      const count = Number(record[name] ?? 0)
      return of?.done === undefined || count === 0 ? [] : [`${numberOf(count, of.noun ?? noun)} ${of.done}`]
    })
    .join(', ')

/**
 * Says what is to be done: `3 KPIs to create, 1 to update, 1 row to reject`. `words` replace those behind a number.
 */
export const toDoText = (
  counts: Readonly<Partial<Record<CountName, number>>>,
  noun?: Noun,
  words: Readonly<Partial<Record<CountName, string>>> = {},
): string => {
  let usual = noun
  return Object.entries<Count>(COUNTS)
    .flatMap(([name, { toDo, noun: own, isRare }]) => {
      const count = isCount(name) ? counts[name] : undefined
      if (toDo === undefined || count === undefined || (isRare && count === 0)) return []
      const text = `${numberOf(count, own ?? usual)} ${(isCount(name) && words[name]) || toDo}`
      usual = undefined
      return [text]
    })
    .join(', ')
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
  const counts = doneText(of, record, noun) || (done === 'stopped' ? 'nothing was done' : 'nothing to do')
  await cli.note(`${done} at ${cli.timeOfDay()}: ${counts}`)
}

/** Prints the counts of a dry run as data; people read them in a note. */
export const printDryRunCounts = async (cli: Cli, of: Pick<Printable, 'shown'>, counts: AnyRecord): Promise<void> => {
  if (isPrintedAsData(cli)) await printCounts(cli, of, counts)
}

/** Returns the line that says what a dry run found. */
export const dryRunText = (what: string): string => `dry run, nothing was sent: ${what}`

/** Describes what a dry run found: a sentence, and its counts. */
type DryRun = {
  readonly what: string
  readonly of: Pick<Printable, 'shown'>
  readonly counts: AnyRecord
  /** Tells whether the counts alone are printed. */
  readonly summaryOnly?: boolean | undefined
}

/** Says what a command would do, then prints its rows, or the counts alone. */
export const printDryRun = async (
  cli: Cli,
  { what, of, counts, summaryOnly }: DryRun,
  printRows: () => Promise<void>,
): Promise<void> => {
  await cli.note(dryRunText(what))
  await (summaryOnly ? printDryRunCounts(cli, of, counts) : printRows())
}
