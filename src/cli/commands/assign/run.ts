import { changedField } from '../changes/plan-rows.ts'
import type { Change } from '../../../changes/records/change.ts'
import { Snapshot } from '../../../changes/records/snapshot.ts'
import { sentFields } from '../../../changes/send/note-change.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { type AnyRecord, printable } from '../../../domain/schema.ts'
import { checkAssignments, type CheckedAssignments } from '../../../reading/assignments/check.ts'
import { ASSIGN_ROLES } from '../../../reading/assignments/rows.ts'
import { adviceOnTargets } from '../../../reading/entries/notes.ts'
import type { Cli } from '../../cli.ts'
import { UsageError, type ExitCode } from '../../exit.ts'
import type { Printed } from '../../output/printed.ts'
import { type ChangedField, changesText, PLANNED } from '../../output/plan.ts'
import { summary } from '../../output/summary.ts'
import { runRowsImport } from '../changes/import-rows.ts'
import type { JudgedRow } from '../changes/send-rows.ts'
import type { ImportFlags } from '../entries/import-command.ts'
import { type ParsedOptions, parseOptions } from '../entries/import/parsed-options.ts'
import { nameRecords } from '../verbs/list-options.ts'

/** Defines the summary of an import of assignments, as it is printed. */
const assignSummary = summary(
  'assign_summary',
  'summary of an import of assignments, or of its dry run',
  'Assignments',
  ['read', 'added', 'updated', 'unchanged', 'rejected', 'rounded', 'empty', 'left'],
)

/** Defines a row of a dry run of assignments. */
const assignDryRunRow = printable('assign_dry_run_row', 'row of a dry run of assignments', {
  line: PLANNED.line,
  action: { kind: 'text', about: 'add, update, unchanged or reject' },
  user_id: { kind: 'integer', about: 'User', nullable: true, refers: 'user' },
  kpi_id: { kind: 'integer', about: 'KPI', nullable: true, refers: 'kpi' },
  user_target: { kind: 'decimal', about: 'Target to be sent', nullable: true },
  sort_order: { kind: 'int16', about: 'Place to be sent', nullable: true },
  reason: PLANNED.reason,
  changes: PLANNED.changes,
})

/** Lists what `kpi assign import` may print. */
export const assignPrints: readonly Printed[] = [
  { of: assignSummary, isList: false },
  { of: assignDryRunRow, isList: true },
]

/** Returns what of an assignment would change, under the names of the columns of files. */
const changedFields = ({ fields }: Change): ChangedField[] =>
  fields.map((one) => ({ ...changedField(one), ...(one.config.name === 'user_target' && { field: 'target' }) }))

const ACTIONS: Readonly<Record<string, string>> = { create: 'add' }

/** Returns a row of a dry run as a record. */
const dryRunRecord = ({ rows }: CheckedAssignments, judged: JudgedRow): AnyRecord => {
  if (!('desired' in judged)) return { line: judged.line, action: judged.action, reason: judged.reason }
  const { action, desired, changes } = judged
  const { line = 0, user = null, kpi = null } = rows[desired.line - 1] ?? {}
  const [change] = changes
  const { user_target = null, sort_order = null } = change ? sentFields(NO_RECORDS, change) : {}
  return {
    line,
    action: ACTIONS[action] ?? action,
    user_id: user,
    kpi_id: kpi,
    user_target,
    sort_order,
    changes: change && action === 'update' ? changesText(changedFields(change)) : null,
  }
}

/** Stands for the account where no formula needs one. */
const NO_RECORDS = new Snapshot()

const NEEDS = [
  { of: assignment, verb: 'add' },
  { of: assignment, verb: 'update' },
] as const

const requireAssignmentRoles = ({ options: { map } }: ParsedOptions): void => {
  const other = [...map.keys()].find((role) => !ASSIGN_ROLES.includes(role))
  if (other !== undefined)
    throw new UsageError(`--map ${other}: an assignment has ${ASSIGN_ROLES.join(', ')} and sort_order`)
}

/** Runs `kpi assign import`: reads, checks and sends a file of assignments, or only says what that would do. */
export const runAssignImport = (
  cli: Cli,
  file: string,
  flags: ImportFlags & { readonly ids?: true | undefined },
): Promise<ExitCode | void> => {
  const parsed = parseOptions(cli, [file], flags)
  requireAssignmentRoles(parsed)
  return runRowsImport<CheckedAssignments>(cli, file, {
    command: 'assign import',
    needs: NEEDS,
    words: ['assignment', 'assignments'],
    parsed,
    flags,
    options: {},
    hasOwnFlags: false,
    withAccount: (client, work) => work({ client }),
    read: (reading) => checkAssignments(reading, parsed.options),
    tellPlan: () => Promise.resolve(),
    printed: {
      summary: assignSummary,
      countsOf: ({ created, updated, unchanged }) => ({ added: created, updated, unchanged }),
      dryRunRow: assignDryRunRow,
      recordOf: dryRunRecord,
      withNames: (client, rows) =>
        nameRecords(client, assignDryRunRow, rows, flags.ids ? { ids: true } : {}, cli.printing()),
      adviceOn: () => [],
      adviceOnRejects: ({ withoutTarget }) => adviceOnTargets(withoutTarget),
    },
  })
}
