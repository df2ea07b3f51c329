import { type Command, Option } from '@commander-js/extra-typings'
import { USE_CLASSIC } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { cellOf } from '../../../codec/cell-text.ts'
import { recordToJson } from '../../../codec/json.ts'
import { completeReport } from '../../../client/operations/complete-report.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { missingRows } from '../../../domain/analysis/missing.ts'
import type { Facts } from '../../../domain/analysis/question.ts'
import { stateOf } from '../../../domain/analysis/state.ts'
import type { Calendar, DayRange } from '../../../domain/period.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { type ReportRow, reportRow } from '../../../domain/resources/report-row.ts'
import { type AnyRecord, printable } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { markFirst } from '../../args/first-flags.ts'
import { readRange } from '../../args/day-range.ts'
import { type Cli, PACED, type Register } from '../../cli.ts'
import { EXIT, type ExitCode, UsageError } from '../../exit.ts'
import { isForPeople } from '../../output/print.ts'
import { addOutput } from '../../output/printed.ts'
import { countOf } from '../../output/text.ts'
import { findPlace } from '../../target/place.ts'
import { withClassic } from '../../target/service-of.ts'
import { readExpected } from './expected.ts'
import type { MissingPeople } from './missing-people.ts'
import { withHeads } from './readable-columns.ts'
import { addSelection, needsOf, requestOf } from './report-flags.ts'
import { tellProblems } from './told-problems.ts'

const { kpiId, kpiName, itemId, itemName, period, entryDate, actual, target, labelFormat } = reportRow.fields

/** Defines a problem that a check finds, as it is printed. */
const problem = printable(
  'problem',
  'problem',
  {
    problem: { kind: 'text', about: 'missed, near (within ten percent of the target), or missing' },
    kpiId,
    kpiName,
    itemId,
    itemName,
    period,
    entryDate,
    actual,
    target,
    labelFormat,
  },
  ['problem', 'kpiName', 'itemName', 'entryDate', 'actual', 'target'],
)

const KINDS = ['missed', 'missing'] as const

/** Lists what a value that is near its target can count as. */
const NEAR = ['sound', 'missed'] as const

/** Holds the usual days of a check: the last one that is over. */
const UP_TO_YESTERDAY = { from: 'yesterday', to: 'yesterday' }

const declareCheck = (group: Command) =>
  addSelection(group, UP_TO_YESTERDAY)
    .addOption(
      new Option('--only <what>', 'only targets that are missed, or only values that are missing').choices(KINDS),
    )
    .addOption(
      new Option(
        '--near <what>',
        'what values are that miss their target by ten percent of it at most: sound, or missed',
      )
        .choices(NEAR)
        .default('sound'),
    )
    .addOption(new Option('--allow-near').hideHelp().conflicts('near'))
    .option('--rows', 'with --only missing: a row for each missing period; csv and json always have these rows')
    .option('--per-person', 'with --only missing: a row for each person, also in csv and json')
    .option(
      '--reminders <folder>',
      'with --only missing: also write a message for each person to a file of this folder: To, Subject, and which periods of which KPIs are missing',
    )

type CheckFlags = ReturnType<ReturnType<typeof declareCheck>['opts']>

/**
 * Describes what was looked at: how many values, those near their target, what is wrong with some, when the account's years begin, and who lacks
 * values if that is asked for.
 */
type Checked = {
  readonly values: number
  readonly near: number
  readonly problems: readonly AnyRecord[]
  readonly calendar: Calendar
  readonly range: DayRange
  readonly found?: MissingPeople | undefined
}

/** Describes what a check is asked for: who lacks values, beside or instead of each of these. */
type Asked = { readonly flags: CheckFlags; readonly wantsPeople: boolean }

/** Returns the values that miss their targets, each with how it stands. */
const shortIn = (rows: readonly ReportRow[]): AnyRecord[] =>
  rows.flatMap((row) => {
    const state = stateOf(row)
    return state === 'missed' || state === 'near' ? [{ ...row, problem: state }] : []
  })

const missingIn = async (
  cli: Cli,
  client: Client,
  request: ReportRequest,
  rows: readonly ReportRow[],
  wantsPeople: boolean,
): Promise<{ readonly missing: readonly AnyRecord[]; readonly found?: MissingPeople }> => {
  const kpis = new Map((await client.kpis.list()).map((kpi) => [kpi.id, kpi]))
  const facts: Facts = {
    kpis,
    categories: new Map<number, string>(),
    units: new Map<number, string>(),
    calendar: client.calendar ?? client.usualCalendar,
    today: cli.today().day,
    range: { from: request.from, to: request.to },
  }
  const expected = await readExpected(client, request, facts)
  const missing = missingRows(rows, expected, facts)
  const problems = missing.map((row) => ({ ...row, problem: 'missing' }))
  if (!wantsPeople) return { missing: problems }
  const { readMissingPeople } = await import('./missing-people.ts')
  return { missing: problems, found: await readMissingPeople(client, request, facts, { rows, missing, expected }) }
}

const check = async (
  cli: Cli,
  client: Client,
  request: ReportRequest,
  { flags, wantsPeople }: Asked,
): Promise<Checked> => {
  const rows = (await Array.fromAsync(completeReport(client, request))).flat()
  const short = flags.only === 'missing' ? [] : shortIn(rows)
  const isNear = (one: AnyRecord): boolean => one['problem'] === 'near'
  const missed = short.filter((one) => flags.near === 'missed' || !isNear(one))
  // In this process, rows come from the newer interface, and who has to report what from the classic one.
  const { missing, found } =
    flags.only === 'missed'
      ? { missing: [] }
      : await withClassic(cli, client, (classic) => missingIn(cli, classic ?? client, request, rows, wantsPeople))
  const values = rows.filter(({ actual }) => actual !== null).length + missing.length
  const { from, to } = request
  return {
    values,
    near: short.filter(isNear).length,
    problems: [...missed, ...missing],
    calendar: client.calendar ?? client.usualCalendar,
    range: { from, to },
    found,
  }
}

/** Names what a check looks for. */
type LookedFor = (typeof KINDS)[number] | 'both'

/** Says of what was looked for that nothing of it was found. */
const NOTHING_FOUND: Readonly<Record<LookedFor, string>> = {
  missed: 'no target is missed (missing values were not looked for)',
  missing: 'none is missing (targets were not looked at)',
  both: 'none is missing, and no target is missed',
}

const sayOutcome = ({ values, near, problems, found }: Checked, only: LookedFor): string => {
  const count = (name: string): number => problems.filter((one) => one['problem'] === name).length
  if (values === 0) return 'nothing to check: there are no values on these days, and none is expected'
  const checked = `checked ${countOf(values, 'value')}`
  const of = found ? `, of ${countOf(found.people.length, 'person', 'people')}` : ''
  const ofNear = near > 0 ? [`${near} near`] : []
  if (problems.length === 0) return [`${checked}: ${NOTHING_FOUND[only]}`, ...ofNear].join(', ')
  const parts = [
    ...(only === 'missing' ? [] : [`${countOf(count('missed'), 'target')} missed`]),
    ...ofNear,
    ...(only === 'missed' ? [] : [`${countOf(count('missing'), 'value')} missing${of}`]),
  ]
  return `${checked}: ${parts.join(', ')}`
}

/** Names what looks for missing values, and the flag that does without it. */
const EXPECTED = {
  of: assignment,
  verb: 'list',
  flag: {
    name: 'to find missing values',
    instead: `--only missed checks the targets alone; for both ${USE_CLASSIC}`,
  },
} as const

/** Lists the flags that are about missing values alone, by their names in what the program reads. */
const OF_MISSING = { rows: '--rows', perPerson: '--per-person', reminders: '--reminders' } as const

/** Refuses flags that do not go together. */
const refuseFlags = (flags: CheckFlags): void => {
  const faults = Object.entries(OF_MISSING).flatMap(([name, flag]) =>
    flags.only !== 'missing' && Reflect.get(flags, name) !== undefined
      ? [`${flag} goes with --only missing: give that, too`]
      : [],
  )
  if (flags.rows && flags.perPerson) faults.push('--rows and --per-person do not go together: give one of them')
  if (flags.groupItems !== undefined && flags.only !== 'missed')
    faults.push(
      '--group-items finds no missing values: KPIs are assigned to users; give --only missed to check the targets',
    )
  if (faults.length > 0) throw new UsageError(faults.join('; '))
}

/** Reads the days of a check, and what it needs of the service. The embedded one has both variants. */
const readCheck = (cli: Cli, flags: CheckFlags) => {
  refuseFlags(flags)
  const rangeOf = readRange(cli, flags, UP_TO_YESTERDAY)
  const isEmbedded = findPlace(cli.io, cli.flags).kind === 'embedded'
  const needs = [...needsOf(flags, undefined), ...(flags.only === 'missed' || isEmbedded ? [] : [EXPECTED])]
  return { rangeOf, needs }
}

/** Says in a few words what is wrong with a value: `missed: Visits of Ann Lee, 2026-03-03, 87 of 100`. */
const wordsOf = (one: AnyRecord, calendar: Calendar): string => {
  const shown = withHeads(problem.brief, { calendar: () => calendar, rounds: false })
  const text = (head: string): string => {
    const column = shown.find(({ name }) => name === head)
    return column ? cellOf(column, one) : ''
  }
  const [value, wanted] = [text('actual'), text('target')]
  const values = value === '' ? '' : `, ${value} of ${wanted}`
  return `${text('problem')}: ${text('kpi')} of ${text('item')}, ${text('period')}${values}`
}

/** Makes ready the folder of reminders before anything is asked. */
const readyFolder = async (cli: Cli, { reminders }: CheckFlags) =>
  reminders === undefined
    ? undefined
    : (await import('./reminders.ts')).readyReminders(cli, reminders, cli.flags.force === true)

/** Prints what a check found: who lacks values, or each problem. */
const printProblems = async (cli: Cli, checked: Checked, isPerPerson: boolean): Promise<void> => {
  const { problems, calendar, found } = checked
  const { signs, format } = cli.printing()
  const isTable = isForPeople(format)
  if (problems.length === 0 && isTable) return
  if (isPerPerson && found) {
    const { peopleAnswer, peopleColumns } = await import('./missing-people.ts')
    const { columns, records: people } = peopleAnswer(found)
    return cli.printMany(isTable ? peopleColumns(signs) : columns, people)
  }
  const columns = isTable ? withHeads(problem.brief, { calendar: () => calendar, signs, rounds: true }) : problem.shown
  await cli.printMany(columns, problems)
}

const runCheck = async (cli: Cli, flags: CheckFlags): Promise<ExitCode> => {
  const { rangeOf, needs } = readCheck(cli, flags)
  const folder = await readyFolder(cli, flags)
  const isPerPerson =
    flags.only === 'missing' && flags.rows !== true && (flags.perPerson === true || isForPeople(cli.printing().format))
  const asked: Asked = { flags, wantsPeople: isPerPerson || folder !== undefined }
  const checked = await cli.withClient(
    needs,
    async (client) => check(cli, client, await requestOf(client, await rangeOf(client), flags), asked),
    PACED,
  )
  tellProblems(checked.problems, (one) => ({
    record: recordToJson(problem, one),
    words: wordsOf(one, checked.calendar),
  }))
  await cli.note(sayOutcome(checked, flags.only ?? 'both'))
  await printProblems(cli, checked, isPerPerson)
  if (folder && checked.found) {
    const { writeReminders } = await import('./reminders.ts')
    await writeReminders(cli, folder, checked.found, checked.range, checked.calendar)
  }
  return checked.problems.length > 0 ? EXIT.problems : EXIT.done
}

/** Registers `kpi check` */
export const checkTargets: Register = (group, act) => {
  const command = declareCheck(group)
  command.addHelpText(
    'after',
    `
Looks at the periods that begin on the days from --from to --to. A value is missing where a KPI is assigned to an active
user who has reported nothing for such a period that has ended by the end of today. Ends with 10 where a target is missed or a value is missing.
Values within ten percent of their target are counted as near; --near missed lists them, and ends with 10 for them, too.
With --only missing, a table has a line for each person: how many values are missing, since when, and the latest value.
Each file of --reminders begins with its To and Subject, so that a mail program such as sendmail -t sends it as it is.`,
  )
  addExamples(
    command,
    'check --kpis Visits --only missed',
    'check --only missed --near missed --from last-month -o json',
    'check --only missing --from this-month --frequency daily',
    'check --only missing --from last-week --per-person --to-file missing.csv',
    'check --only missing --from last-week --reminders reminders',
  )
  addOutput(command, async () => [
    { of: problem, isList: true },
    { of: (await import('../../../domain/analysis/missing-people.ts')).missingPerson, isList: true },
  ])
  markFirst(command, [
    '--from',
    '--to',
    '--kpis',
    '--users',
    '--frequency',
    '--only',
    '--near',
    '--rows',
    '--per-person',
    '--reminders',
    '--to-file',
  ])
  act(command, (cli, _, flags) => runCheck(cli, flags), {
    checks: async (cli, _, flags) => readCheck(cli, flags).needs,
  })
}
