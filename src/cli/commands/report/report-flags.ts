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
import { addOutput } from '../../output/printed.ts'

/** Declares the flags that select what a report holds, with the days that are usual for it. */
export const addSelection = (command: Command, usual = RECENT) =>
  addRange(command, usual)
    .option('--kpis <list>', 'only of these KPIs, by id or name, separated by commas')
    .option('--category <list>', 'only of the KPIs in these categories, by id or name')
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

/** Returns the ids of the selected KPIs: those of a list that are in one of the categories; undefined for all. */
const kpiIdsOf = async (client: Client, { kpis, category }: SelectionFlags): Promise<number[] | undefined> => {
  const named = await idsOf(client, 'kpi', '--kpis', kpis)
  if (category === undefined) return named
  const categories = new Set(await idsIn(client, 'category', '--category', category))
  const within = (await client.kpis.list()).filter(({ category_id }) => categories.has(category_id))
  return within.map(({ id }) => id).filter((id) => !named || named.includes(id))
}

/** Returns what looking up the names in the flags needs. Group items have a resource of their own in each variant. */
const needsOfSelection = ({ kpis, category: within, users }: SelectionFlags): Capability[] => [
  ...needsOfNames(kpi, kpis),
  ...(within === undefined ? [] : [...needsOfNames(category, within), { of: kpi, verb: 'list' } as const]),
  ...needsOfNames(user, users),
]

const REPORT = { of: reportRow, verb: 'list' } as const

const needsOfQuestion = (question: Question): Capability[] => [
  // Who has to report what is known to one variant only.
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
  addOutput(command, () => [{ of: answerRow, isList: true, isOpen: true }])
