import type { AnyRecord, FieldValue, Printable } from '../../domain/schema.ts'
import type { Cli } from '../cli.ts'
import { isForPeople } from './print.ts'
import { countOf } from './text.ts'

const isNothing = (value: FieldValue | undefined): boolean =>
  value === undefined || value === null || value === 0 || value === 0n

/** Holds the fields of a summary that say what a run cost. */
export const RUN_COST = {
  requests: { kind: 'integer', about: 'Requests that were answered' },
  refused: { kind: 'integer', about: 'Requests that were refused because of the rate limit, and sent again' },
  waited: { kind: 'decimal', about: 'Seconds that requests waited for the rate limit' },
  seconds: { kind: 'decimal', about: 'How long it took' },
} as const

/** Describes what a run did, in its counts: the words for one and for many of each. */
export type CountWords = Readonly<Record<string, readonly [one: string, many: string]>>

/** Prints the counts of a run: in a table those that are not zero, elsewhere all of them. */
export const printCounts = (cli: Cli, of: Pick<Printable, 'shown'>, record: AnyRecord): Promise<void> => {
  if (!isForPeople(cli.printing().format)) return cli.printOne(of, record)
  const [first] = of.shown
  return cli.printOne({ shown: of.shown.filter((one) => one === first || !isNothing(record[one.name])) }, record)
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
  words: CountWords,
): Promise<void> => {
  await printCounts(cli, of, record)
  if (!isForPeople(cli.printing().format)) return
  const counts = Object.entries(words).flatMap(([name, [one, many]]) => {
    const count = Number(record[name] ?? 0)
    return count === 0 ? [] : [countOf(count, one, many)]
  })
  await cli.note(
    `${done} at ${cli.timeOfDay()}: ${counts.length > 0 ? counts.join(', ') : done === 'stopped' ? 'nothing was done' : 'nothing to do'}`,
  )
}
