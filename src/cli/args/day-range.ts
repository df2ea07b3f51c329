import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Client } from '../../client/client.ts'
import { readCalendar } from '../../client/operations/calendar.ts'
import { type Day, FIRST_QUERY_DAY, formatDay, LAST_ENTRY_DAY } from '../../domain/day.ts'
import { CIVIL_CALENDAR, type DayRange } from '../../domain/period.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { shellWord } from '../output/text.ts'
import { type Counting, dependsOnCalendar, isPlainDate, parseRelativeDays } from './relative-dates.ts'

/** Describes the days of a command where its line leaves them open. */
type RangeRule = {
  readonly from: string
  readonly to: string
  /** Tells that a day as the first one alone is refused: a command that deletes must be told the last one. */
  readonly needsLast?: true
  /** Tells that the first day may be after the last one. */
  readonly mayBeTurned?: true
}

/** Holds the days of commands that read: the last 30. */
export const RECENT: RangeRule = { from: '-30d', to: 'today' }

/** Describes the flags for a range of days. */
type RangeFlags = { readonly from?: string | undefined; readonly to?: string | undefined }

/** Adds `--from` and `--to` to a command. */
export const addRange = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
  { from, to }: Pick<RangeRule, 'from' | 'to'> = RECENT,
) =>
  command
    .option(
      '--from <day>',
      `first day: a date, today, -7d and the like; or a period: last-month, 2026-Q3 and the like (default: ${from})`,
    )
    .option('--to <day>', `last day (default: ${to}, or the last day of the period in --from if that is earlier)`)

/** Returns a range of days as people read it. */
export const daysOf = ({ from, to }: DayRange): string => `${formatDay(from)} to ${formatDay(to)}`

/** Returns the flags that a line has for its range, as they are typed. */
const typed = ({ from, to }: RangeFlags): string =>
  [from === undefined ? [] : ['--from', shellWord(from)], to === undefined ? [] : ['--to', shellWord(to)]]
    .flat()
    .join(' ')

/** Refuses a first day alone where a command must be told the last one. */
const requireLast = ({ from, to }: RangeFlags, rule: RangeRule, today: Day): void => {
  if (!rule.needsLast || from === undefined || to !== undefined) return
  const { from: first, isPeriod } = parseRelativeDays(from, { today, calendar: CIVIL_CALENDAR })
  if (isPeriod || first === today) return
  const word = shellWord(from)
  throw new UsageError(`--from ${word} does not say the last day; add --to ${word} for that day alone, or --to today`)
}

/** Returns the last day where only the first is given: that of its period, but the usual one while the period lasts. */
const lastDay = (from: string, rule: RangeRule, counting: Counting): Day => {
  const usual = parseRelativeDays(rule.to, counting).to
  const first = parseRelativeDays(from, counting)
  if (!first.isPeriod) return usual
  return first.from > usual ? first.to : Math.min(first.to, usual)
}

/** Returns the days of a line, by the one rule that all commands share. */
export const rangeOf = ({ from, to }: RangeFlags, rule: RangeRule, counting: Counting): DayRange => {
  const first = from ?? rule.from
  const range = {
    from: parseRelativeDays(first, counting).from,
    to: to === undefined ? lastDay(first, rule, counting) : parseRelativeDays(to, counting).to,
  }
  const line = `--from ${shellWord(first)} --to ${shellWord(to ?? rule.to)}`
  if (range.from < FIRST_QUERY_DAY || range.to > LAST_ENTRY_DAY) {
    throw new UsageError(`${line} leaves the years 1899 to 2199`)
  }
  if (range.from > range.to && !rule.mayBeTurned) {
    const open = from === undefined ? '; give --from, too' : to === undefined ? '; give --to, too' : ''
    throw new UsageError(`${line.replace(' --to', ' is after --to')}${open}`)
  }
  return range
}

/** Describes where it is told which days were meant: as a note, and to the job of which a line is a step. */
export type DayTelling = Pick<Cli, 'note' | 'today'> & { readonly io?: Pick<Io, 'tellDays'> }

/** Notes which days were meant, where the line has a word for one. */
const tellDays = async (cli: DayTelling, flags: RangeFlags, range: DayRange): Promise<void> => {
  const words = [flags.from, flags.to].filter((word) => word !== undefined)
  if (words.length < 2 || !words.every(isPlainDate))
    await cli.io?.tellDays?.({ '--from': formatDay(range.from), '--to': formatDay(range.to) })
  if (words.every(isPlainDate)) return
  const days = range.from === range.to ? formatDay(range.from) : daysOf(range)
  await cli.note(`${typed(flags)} is ${days} in ${cli.today().zone}`)
}

/**
 * Reads `--from` and `--to`. Unknown words, and two dates the wrong way round, are refused at once. What words mean is worked
 * out once the account's week start and fiscal year are known, which are asked for only where a word depends on them; a note
 * says which days were meant.
 */
export const readRange = (
  cli: DayTelling,
  flags: RangeFlags,
  rule: RangeRule = RECENT,
): ((client: Client) => Promise<DayRange>) => {
  const { day: today } = cli.today()
  const words = [flags.from ?? rule.from, flags.to ?? rule.to]
  for (const word of words) parseRelativeDays(word, { today, calendar: CIVIL_CALENDAR })
  requireLast(flags, rule, today)
  const isFixed = [flags.from, flags.to].every((word) => word !== undefined && isPlainDate(word))
  const fixed = isFixed ? rangeOf(flags, rule, { today, calendar: CIVIL_CALENDAR }) : undefined
  return async (client) => {
    const calendar = words.some(dependsOnCalendar) ? await readCalendar(client) : CIVIL_CALENDAR
    const range = fixed ?? rangeOf(flags, rule, { today, calendar })
    await tellDays(cli, flags, range)
    return range
  }
}
