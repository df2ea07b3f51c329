import type { AnyRecord } from '../../domain/schema.ts'
import { resource } from '../../domain/schema.ts'
import type { JudgedRow } from '../../load/assignments/load.ts'

/** What became of a file of assignments, as it is printed. */
export const assignSummary = resource({
  name: 'assign_summary',
  plural: 'assign_summaries',
  title: 'summary of an import of assignments',
  path: '',
  verbs: [],
  fields: {
    read: { kind: 'integer', about: 'Rows of the file' },
    added: { kind: 'integer', about: 'Assignments that were made' },
    updated: { kind: 'integer', about: 'Assignments that were changed' },
    unchanged: { kind: 'integer', about: 'Assignments that were there already' },
    rejected: { kind: 'integer', about: 'Rows that were not loaded' },
    rounded: { kind: 'integer', about: 'Targets that had more than four decimals' },
    empty: { kind: 'integer', about: 'Rows without any cell' },
    left: { kind: 'integer', about: 'Rows that were not sent because the run was stopped' },
    requests: { kind: 'integer', about: 'Requests that were answered' },
    refused: { kind: 'integer', about: 'Requests that were refused for the limit, and sent again' },
    waited: { kind: 'decimal', about: 'Seconds that requests waited for their turn' },
    seconds: { kind: 'decimal', about: 'How long it took' },
  },
})

/** What a dry run says, a row an assignment. */
export const assignDryRunRow = resource({
  name: 'assign_dry_run_row',
  plural: 'assign_dry_run_rows',
  title: 'row of a dry run of assignments',
  path: '',
  verbs: [],
  fields: {
    line: { kind: 'integer', about: 'Line of the file' },
    action: { kind: 'text', about: 'add, update, unchanged or reject' },
    user_id: { kind: 'integer', about: 'User', nullable: true },
    kpi_id: { kind: 'integer', about: 'KPI', nullable: true },
    user_target: { kind: 'decimal', about: 'Target to be sent', nullable: true },
    sort_order: { kind: 'int16', about: 'Place to be sent', nullable: true },
    reason: { kind: 'text', about: 'Why it would be rejected', nullable: true, isSentence: true },
  },
})

/** A row of a dry run as a record. */
export const dryRunRecord = (judged: JudgedRow): AnyRecord => {
  if (judged.action === 'reject') return { line: judged.line, action: judged.action, reason: judged.reason }
  const { action, row, values } = judged
  return {
    line: row.line,
    action,
    user_id: row.user,
    kpi_id: row.kpi,
    user_target: values.user_target ?? null,
    sort_order: values.sort_order ?? null,
  }
}
