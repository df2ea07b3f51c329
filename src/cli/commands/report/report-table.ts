import type { Kpi } from '../../../domain/resources/kpi.ts'
import type { Client } from '../../../client/client.ts'
import { completeReport } from '../../../client/operations/complete-report.ts'
import { readCalendar } from '../../../client/operations/calendar.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { withUnits } from '../../../domain/analysis/added-fields.ts'
import { answer, type Answer, shapeAnswer } from '../../../domain/analysis/answer.ts'
import { earlierDays } from '../../../domain/analysis/earlier.ts'
import { missingRows } from '../../../domain/analysis/missing.ts'
import { type Facts, joinsTimes, needsKpis, needsUnits, type Question } from '../../../domain/analysis/question.ts'
import type { ReportTable } from '../../../domain/analysis/report-table.ts'
import type { TimeFunction } from '../../../domain/analysis/functions.ts'
import { looseName } from '../../../domain/name-form.ts'
import { didYouMean, nearest } from '../../../client/nearest.ts'
import { findOptional } from '../../target/find-setting.ts'
import { type Found, SETTINGS } from '../../target/settings.ts'
import { reportRow, type ReportRow } from '../../../domain/resources/report-row.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { noteAnswer, noteCutPeriods, noteNothingMissing } from './answer-notes.ts'
import { noteComparedDays } from './compared-notes.ts'
import { readExpected } from './expected.ts'

const namesOf = (list: readonly { readonly id: number; readonly name: string }[]): ReadonlyMap<number, string> =>
  new Map(list.map(({ id, name }) => [id, name]))

/** Reads what a question needs to know beside its rows, and no more, as a key may lack the right to it. */
const readFacts = async (cli: Cli, client: Client, { from, to }: ReportRequest, question: Question) => {
  const isByCategory = question.groupBy === 'category'
  const kpis = needsKpis(question) ? await client.kpis.list() : []
  return {
    kpis: new Map(kpis.map((kpi) => [kpi.id, kpi])),
    functions: joinsTimes(question) ? await readFunctions(cli, kpis, question) : new Map(),
    categories: namesOf(isByCategory ? await client.categories.list() : []),
    units: namesOf(needsUnits(question) ? await client.units.list() : []),
    calendar: question.by === undefined ? (client.calendar ?? client.usualCalendar) : await readCalendar(client),
    today: cli.today().day,
    range: { from, to },
  } satisfies Facts
}

/** Warns of names in the project file that no KPI has. */
const warnOfNames = async (
  cli: Cli,
  kpis: readonly Kpi[],
  { value: functions, from }: Found<ReadonlyMap<string, TimeFunction>>,
): Promise<void> => {
  const known = new Set(kpis.map(({ name }) => looseName(name)))
  const names = kpis.map(({ name }) => name)
  for (const name of functions.keys()) {
    if (known.has(looseName(name))) continue
    await cli.log.warn(`${from}: functions names ${name}, which is no KPI${didYouMean(nearest(name, names))}`)
  }
}

/** Returns how the periods of KPIs are put together, where that is not their own function: by the flag, else by the project file. */
const readFunctions = async (
  cli: Cli,
  kpis: readonly Kpi[],
  question: Question,
): Promise<Map<number, TimeFunction>> => {
  const ofProject = findOptional(cli.io, cli.flags, SETTINGS.functions)
  if (ofProject) await warnOfNames(cli, kpis, ofProject)
  const byName = new Map([...(ofProject?.value ?? [])].map(([name, how]) => [looseName(name), how]))
  return new Map(
    kpis.flatMap(({ id, name, aggregate_function: own }) => {
      const how = question.function ?? byName.get(looseName(name))
      return how === undefined || how === own.toLowerCase() ? [] : [[id, how] as const]
    }),
  )
}

const readRows = async (client: Client, request: ReportRequest): Promise<ReportRow[]> =>
  (await Array.fromAsync(completeReport(client, request))).flat()

const missingOf = async (
  cli: Cli,
  client: Client,
  request: ReportRequest,
  { question, facts }: { readonly question: Question; readonly facts: Facts },
): Promise<Answer> => {
  const rows = await readRows(client, request)
  const expected = await readExpected(client, request, facts)
  const all = missingRows(rows, expected, facts)
  if (all.length === 0) await noteNothingMissing(cli, expected, facts)
  if (!question.perPerson) return shapeAnswer(question.units ? withUnits(all, facts) : all, question, facts)
  const { peopleAnswer, readMissingPeople } = await import('./missing-people.ts')
  return peopleAnswer(await readMissingPeople(client, request, facts, { rows, missing: all, expected }))
}

const answerOf = async (cli: Cli, client: Client, request: ReportRequest, asked: Question): Promise<Answer> => {
  const facts = await readFacts(cli, client, request, asked)
  const question = { ...asked, hasFunctions: facts.functions.size > 0 }
  if (question.onlyMissing) return missingOf(cli, client, request, { question, facts })
  const rows = await readRows(client, request)
  await noteCutPeriods(cli, question, facts, rows)
  await noteComparedDays(cli, question, facts, rows)
  const inRange = [...rows]
  for (const days of earlierDays(question, facts, request.kpiIds)) {
    for (const row of await readRows(client, { ...request, ...days })) rows.push(row)
  }
  const answered = answer(rows, question, facts)
  await noteAnswer(cli, client, request, { answer: answered, question, facts, rows: inRange })
  return answered
}

async function* inOnePart(records: readonly AnyRecord[]): AsyncGenerator<readonly AnyRecord[]> {
  yield records
}

/**
 * Returns the table of a report: its rows, which are read as the table is; or the answer to a question, whose rows are
 * all held in memory.
 */
export const readReportTable = async (
  cli: Cli,
  client: Client,
  request: ReportRequest,
  question: Question | undefined,
): Promise<ReportTable> => {
  if (!question) {
    cli.io.spareMemory()
    return { columns: reportRow.shown, parts: completeReport(client, request) }
  }
  const { columns, records } = await answerOf(cli, client, request, question)
  return { columns, parts: inOnePart(records) }
}
