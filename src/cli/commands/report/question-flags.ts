import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { createDirectory } from '../../../client/directory.ts'
import { nearest } from '../../../client/nearest.ts'
import { Fault, KpiError } from '../../../domain/errors.ts'
import {
  AGGREGATED_PERIODS,
  answerColumns,
  COMPARISONS,
  GROUPINGS,
  joinsPeriods,
  joinsTimes,
  OF_EARLIER,
  PIVOTS,
  type Question,
} from '../../../domain/analysis/question.ts'
import { FUNCTIONS } from '../../../domain/analysis/functions.ts'
import { choiceOf } from '../../../domain/field-value.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { sayChoices } from '../../args/choices.ts'
import { shellWord } from '../../../reading/options/flag-text.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { fieldOfHead } from './heads.ts'
import type { addSelection } from './report-flags.ts'

/** Describes the periods of `--by`, and the words that people type for them. */
const PERIODS = {
  kind: 'choice',
  about: "aggregate finer values to weeks, months, quarters or years, by each KPI's function",
  oneOf: AGGREGATED_PERIODS,
  words: ['week', 'month', 'quarter', 'year'],
} as const

/** Reads the period of `--by`: a letter, its word, or the word of a frequency, such as `monthly`. */
const readPeriod = (text: string): (typeof AGGREGATED_PERIODS)[number] => {
  const letter = choiceOf(kpi.fields.frequency_id, choiceOf(PERIODS, text))
  const found = AGGREGATED_PERIODS.find((one) => one === letter)
  if (found) return found
  const isDay = letter === 'D' || text.toLowerCase() === 'day'
  throw new UsageError(`--by must be ${sayChoices(PERIODS, text)}${isDay ? '; leave it out for days' : ''}`)
}

const isGrouping = (text: string | undefined): boolean =>
  text === undefined || GROUPINGS.some((grouping) => grouping === text)

/** Tells whether a text is a choice, or may name a group, which only the service knows: it is near to no choice. */
const mayBeGrouping = (text: string): boolean => isGrouping(text) || nearest(text, GROUPINGS) === undefined

/** Reads `--group-by`; what is no choice in any case may name a group, which only the service knows. */
const readGrouping = (text: string): string => {
  if (!isGrouping(text) && isGrouping(text.toLowerCase())) throw new InvalidArgumentError(faultOfGrouping(text))
  return text
}

const faultOfGrouping = (text: string): string =>
  `--group-by must be ${sayChoices({ kind: 'choice', about: '', oneOf: GROUPINGS }, text)}`

/** Returns a group that a text names, with its items; undefined if there is none, or it has no items. */
const groupNamed = async (client: Client, text: string) => {
  if (client.variant !== 'classic') return undefined
  const group = createDirectory('group', await client.groups.list()).find(text)
  if (group instanceof Fault) return undefined
  const items = await client.groupItems(group.id).list()
  return items.length === 0 ? undefined : { name: group.name, items }
}

/** Returns flags with the items of a group in the place of a `--group-by` that names the group. */
export const withItemsOfGroup = async <F extends { readonly groupBy?: string; readonly groupItems?: string }>(
  cli: Cli,
  flags: F,
): Promise<F> => {
  const { groupBy: text, groupItems } = flags
  if (text === undefined || isGrouping(text)) return flags
  const group = await cli
    .withClient([], (client) => groupNamed(client, text))
    .catch((error: unknown) => {
      // Show the plain choices where the service cannot be asked for more.
      if (error instanceof KpiError) return undefined
      throw error
    })
  if (!group) throw new UsageError(faultOfGrouping(text))
  if (groupItems !== undefined)
    throw new UsageError(
      `--group-by ${shellWord(text)} reports all items of the group "${group.name}"; with --group-items write --group-by item`,
    )
  return { ...flags, groupBy: 'item', groupItems: group.items.map(({ id }) => `#${id}`).join(',') }
}

/** Declares the flags that ask questions of a report, beside those that select what it holds. */
export const addQuestions = (command: ReturnType<typeof addSelection>) =>
  command
    .addOption(new Option('--by <period>', PERIODS.about).choices(PERIODS.words).argParser(readPeriod))
    .addOption(
      new Option(
        '--function <how>',
        "how periods are put together, by --by, --group-by or --totals: last for stocks (default: functions of kpi.yaml, else each KPI's own)",
      ).choices(FUNCTIONS),
    )
    .option('--total', 'all users or group items together')
    .addOption(
      new Option(
        '--group-by <what>',
        'one row for each KPI, item and KPI, category, or period and KPI, or the name of a group for its items',
      )
        .choices(GROUPINGS)
        .argParser(readGrouping),
    )
    .addOption(
      new Option('--compare <with>', 'compare with the period before, or with the same one of the year before').choices(
        COMPARISONS,
      ),
    )
    .option('--rolling <n>', 'average of the last n periods')
    .option('--rolling-sum <n>', 'sum of the last n periods')
    .option('--share', 'part of the sum over all items, in percent')
    .option('--pace', 'where a period under way ends if it goes on as it did')
    .option('--only-missed', 'only values that miss their target, also those near to it')
    .option('--only-missing', 'what has no value, of all that is assigned, in periods that end by today')
    .option('--per-person', 'with --only-missing: a row for each person, with how many values are missing since when')
    .option('--sort <field>', 'order by a field of the answer; -field for the greatest first')
    .option('--top <n>', 'the best n rows of each KPI; with --sort, the first n rows')
    .addOption(new Option('--pivot <what>', 'a column for each period, KPI or item').choices(PIVOTS))
    .option('--totals', 'with --pivot: the totals of its rows and columns, where values can be put together')
    .option('--units', 'the unit of the values: a column, or with --pivot kpi beside the name of each KPI')

/** Describes these flags and those that select. */
type QuestionFlags = ReturnType<ReturnType<typeof addQuestions>['opts']>

/** Bounds the periods of a rolling average or sum, and the rows that are kept. */
const [MOST_PERIODS, MOST_ROWS] = [1000, 999_999]

/** Reads a whole number of a flag; adds a fault if it is none. */
const countIn = (
  flag: string,
  text: string | undefined,
  [least, most]: readonly [number, number],
  faults: string[],
): number | undefined => {
  if (text === undefined) return undefined
  const count = /^\d{1,6}$/.test(text) ? Number(text) : NaN
  if (count >= least && count <= most) return count
  faults.push(`${flag} ${text} is no whole number from ${least} to ${most}`)
  return undefined
}

/** Reads `--sort`, which names a field or its head in a table: `-actual` is descending. */
const sortOf = (text: string | undefined): Question['sort'] =>
  text === undefined ? undefined : { field: fieldOfHead(text.replace(/^-/, '')), isDescending: text.startsWith('-') }

/** Names the flags in use, by what they ask. */
const inUse = (question: Question): Readonly<Record<string, boolean>> => ({
  '--by': question.by !== undefined,
  '--total': question.total,
  '--group-by': question.groupBy !== undefined,
  '--group-by kpi, item or category': joinsPeriods(question),
  '--group-by category': question.groupBy === 'category',
  '--compare': question.compare !== undefined,
  '--function': question.function !== undefined,
  '--rolling': question.rolling !== undefined,
  '--rolling-sum': question.rollingSum !== undefined,
  '--share': question.share,
  '--pace': question.pace,
  '--only-missed': question.onlyMissed,
  '--only-missing': question.onlyMissing,
  '--per-person': question.perPerson === true,
  '--sort': question.sort !== undefined,
  '--top': question.top !== undefined,
  '--pivot': question.pivot !== undefined,
  '--totals': question.totals,
  '--units': question.units,
})

/** Lists pairs of flags that do not go together, with the reason. */
const CONFLICTS: readonly (readonly [string, string, string])[] = [
  ['--total', '--group-by', '--group-by puts the items together itself'],
  ['--group-by category', '--pivot', 'a category has no KPIs, items or periods to make columns of'],
  ['--group-by kpi, item or category', '--rolling', 'it puts the periods together'],
  ['--group-by kpi, item or category', '--rolling-sum', 'it puts the periods together'],
  ['--group-by kpi, item or category', '--pace', 'it puts the periods together'],
  ...['--compare', '--rolling', '--rolling-sum', '--share', '--pace'].map(
    (flag) => ['--pivot', flag, 'the columns of a pivot hold actuals'] as const,
  ),
  ...[
    '--by',
    '--function',
    '--total',
    '--group-by',
    '--compare',
    '--rolling',
    '--rolling-sum',
    '--share',
    '--pace',
    '--only-missed',
    '--pivot',
    '--totals',
  ].map((flag) => ['--only-missing', flag, 'it lists what has no value; count its rows with -o csv'] as const),
  ...['--sort', '--top'].map(
    (flag) => ['--per-person', flag, 'people come in the order of how much is missing'] as const,
  ),
]

const conflictsIn = (question: Question): string[] => {
  const used = inUse(question)
  return CONFLICTS.filter(([one, other]) => used[one] === true && used[other] === true).map(
    ([one, other, reason]) => `${one} and ${other} do not go together: ${reason}`,
  )
}

/** Names the flag that makes each field that is not in every answer. */
const MAKERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['first_date', 'last_date', 'values'].map((name) => [name, '--group-by'])),
  ...Object.fromEntries(OF_EARLIER.map((name) => [name, '--compare'])),
  category: '--group-by category',
  unit: '--units',
  function: '--function',
  rolling_average: '--rolling',
  rolling_sum: '--rolling-sum',
  share_percent: '--share',
  forecast: '--pace',
}

/** Returns the flag that makes a field which an answer lacks; undefined if no flag does. */
export const makerOf = (field: string): string | undefined => MAKERS[field]

const sortFaults = (question: Question): string[] => {
  const names = answerColumns(question).map(({ name }) => name)
  const field = question.sort?.field
  if (field === undefined || names.includes(field)) return []
  const flag = makerOf(field)
  if (flag !== undefined) return [`--sort ${field}: ${flag} makes this field; give that, too`]
  return [`--sort ${field}: the answer has no such field; it has ${names.join(', ')}`]
}

/** Reads the question that flags ask; undefined if they ask none. All faults are thrown at once. */
export const readQuestion = (flags: QuestionFlags): Question | undefined => {
  const faults: string[] = []
  if (flags.onlyMissing === true && flags.groupItems !== undefined) {
    faults.push('--only-missing and --group-items do not go together: KPIs are assigned to users')
  }
  if (flags.perPerson === true && flags.onlyMissing !== true) {
    faults.push('--per-person goes with --only-missing: give that, too')
  }
  if (flags.groupBy !== undefined && !mayBeGrouping(flags.groupBy)) faults.push(faultOfGrouping(flags.groupBy))
  const question: Question = {
    by: flags.by,
    total: flags.total === true,
    groupBy: flags.groupBy === undefined ? undefined : (GROUPINGS.find((one) => one === flags.groupBy) ?? 'item'),
    compare: flags.compare,
    function: flags.function,
    rolling: countIn('--rolling', flags.rolling, [2, MOST_PERIODS], faults),
    rollingSum: countIn('--rolling-sum', flags.rollingSum, [2, MOST_PERIODS], faults),
    share: flags.share === true,
    pace: flags.pace === true,
    onlyMissed: flags.onlyMissed === true,
    onlyMissing: flags.onlyMissing === true,
    perPerson: flags.perPerson === true,
    sort: sortOf(flags.sort),
    top: countIn('--top', flags.top, [1, MOST_ROWS], faults),
    pivot: flags.pivot,
    totals: flags.totals === true,
    units: flags.units === true,
  }
  if (question.totals && question.pivot === undefined) {
    faults.push('--totals is for pivots: add --pivot period, kpi or item (--total makes one row of all items)')
  }
  if (question.function !== undefined && !joinsTimes(question)) {
    faults.push(
      '--function needs --by, or --group-by kpi, item or category, or --totals: else no periods are put together',
    )
  }
  faults.push(...conflictsIn(question), ...sortFaults(question))
  if (faults.length > 0) throw new UsageError(faults.join('; '))
  const { sort, top } = question
  return sort || top !== undefined || Object.values(inUse(question)).includes(true) ? question : undefined
}
