import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Capability } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { answerRow } from '../../../domain/analysis/answer-row.ts'
import type { DayRange } from '../../../domain/period.ts'
import { needsKpis, needsUnits, type Question } from '../../../domain/analysis/question.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { category, unit } from '../../../domain/resources/catalog.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { user } from '../../../domain/resources/user.ts'
import { addRange, RECENT } from '../../args/day-range.ts'
import { idsIn, needsOfNames } from '../../args/names.ts'
import { type ListedKind } from '../../../client/operations/kind-operations.ts'
import { sayChoices } from '../../args/choices.ts'
import { UsageError } from '../../exit.ts'
import { choiceOf } from '../../../domain/field-value.ts'
import { addOutput } from '../../output/printed.ts'

const { frequency_id: frequency } = kpi.fields

/** Lists the words for frequencies. */
const FREQUENCIES = frequency.words.join(', ')

/** Declares the flags that select what a report holds, with the days that are usual for it. */
export const addSelection = (command: Command, usual = RECENT) =>
  addRange(command, usual)
    .option('--kpis <list>', 'only of these KPIs, by id or name, separated by commas')
    .option('--category <list>', 'only of the KPIs in these categories, by id or name')
    .option('--frequency <list>', `only of the KPIs that are measured so often: ${FREQUENCIES}`)
    .option('--users <list>', 'only of these users, by id, name or e-mail address')
    .option(
      '--group-items <list>',
      'report group items instead of users, by id or name; with --users, only their entries',
    )

/** Describes the flags that select what a report holds. */
export type SelectionFlags = ReturnType<ReturnType<typeof addSelection>['opts']>

const idsOf = async (
  client: Client,
  kind: ListedKind,
  flag: string,
  list: string | undefined,
): Promise<number[] | undefined> => (list === undefined ? undefined : idsIn(client, kind, flag, list))

/** Reads the frequencies that a list names, by their words or letters. */
const frequenciesIn = (list: string): ReadonlySet<string> => {
  const names = list.split(',').flatMap((name) => name.trim() || [])
  const found = names.map((name) => {
    const id = choiceOf(frequency, name)
    if (isKnown(id)) return id
    throw new UsageError(`--frequency ${name} must be ${sayChoices(frequency, name)}`)
  })
  if (found.length === 0) throw new UsageError(`--frequency names none; give some of ${FREQUENCIES}`)
  return new Set(found)
}

const isKnown = (id: string): boolean => frequency.oneOf.some((one) => one === id)

/**
 * Returns the ids of the selected KPIs: those of a list that are in one of the categories, and that are measured as often as
 * is asked for; undefined for all.
 */
const kpiIdsOf = async (client: Client, flags: SelectionFlags): Promise<number[] | undefined> => {
  const { kpis, category, frequency: often } = flags
  const named = await idsOf(client, 'kpi', '--kpis', kpis)
  if (category === undefined && often === undefined) return named
  const categories = category === undefined ? [] : await idsIn(client, 'category', '--category', category)
  const frequencies = often === undefined ? undefined : frequenciesIn(often)
  const within = (await client.kpis.list()).filter(
    ({ category_id, frequency_id }) =>
      (category === undefined || categories.includes(category_id)) &&
      (frequencies === undefined || frequencies.has(frequency_id)),
  )
  return within.map(({ id }) => id).filter((id) => !named || named.includes(id))
}

/** Returns what looking up the names in the flags needs. Group items have a resource of their own in each variant. */
const needsOfSelection = (flags: SelectionFlags): Capability[] => {
  const { kpis, category: within, users, frequency: often } = flags
  if (often !== undefined) frequenciesIn(often)
  const listsKpis = within !== undefined || often !== undefined
  return [
    ...needsOfNames(kpi, kpis),
    ...(within === undefined ? [] : needsOfNames(category, within)),
    ...(listsKpis ? [{ of: kpi, verb: 'list' } as const] : []),
    ...needsOfNames(user, users),
  ]
}

const REPORT = { of: reportRow, verb: 'list' } as const

const needsOfQuestion = (question: Question): Capability[] => [
  // Ask for assignments, which one variant only has, to know who has to report what.
  ...(question.onlyMissing ? [{ of: assignment, verb: 'list' } as const] : []),
  ...(needsKpis(question) ? [{ of: kpi, verb: 'list' } as const] : []),
  ...(question.groupBy === 'category' ? [{ of: category, verb: 'list' } as const] : []),
  ...(needsUnits(question) ? [{ of: unit, verb: 'list' } as const] : []),
]

/** Returns what a report needs of the service, with the question that it answers. */
export const needsOf = (flags: SelectionFlags, question: Question | undefined): readonly Capability[] => [
  REPORT,
  ...(question ? needsOfQuestion(question) : []),
  ...needsOfSelection(flags),
]

/** Returns what to request for the flags, after looking up the ids of names. */
export const requestOf = async (client: Client, range: DayRange, flags: SelectionFlags): Promise<ReportRequest> => ({
  ...range,
  kpiIds: await kpiIdsOf(client, flags),
  userIds: await idsOf(client, 'user', '--users', flags.users),
  groupItemIds: await idsOf(client, 'group_item', '--group-items', flags.groupItems),
})

/** Says of a command that it prints rows of a report, or answers about it, whose fields the line decides. */
export const printsAnswers = (command: CommandUnknownOpts): void =>
  addOutput(command, async () => [
    { of: answerRow, isList: true, isOpen: true },
    { of: (await import('../../../domain/analysis/missing-people.ts')).missingPerson, isList: true },
  ])
