import { type AnyRecord, resource } from '../../../domain/schema.ts'
import { countChanges } from '../../../import/undo/noted-changes.ts'
import { listUndoReceipts, type UndoReceipt } from '../../../import/undo/undo-receipt.ts'
import { KpiError } from '../../../domain/errors.ts'
import { openRunAt, type RunHead, type RunRecord, runPaths } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { tellEmpty } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { receiptsFolder } from '../../target/folders.ts'
import { serviceOf } from '../../target/service-of.ts'
import { applyListOptions, chooseColumns, type ListOptions } from '../verbs/list-options.ts'

/** Defines a run in the list of what commands changed. */
export const historyRow = resource({
  name: 'history_row',
  plural: 'history_rows',
  title: 'run',
  path: '',
  verbs: [],
  brief: ['receipt', 'command', 'file', 'records', 'began_at', 'created', 'updated', 'deleted', 'entries', 'state'],
  fields: {
    // A table must not cut it, as users copy it.
    receipt: { kind: 'text', about: 'Name of the receipt, by which kpi undo takes it back', isSentence: true },
    command: { kind: 'text', about: 'Command that changed something' },
    file: { kind: 'text', about: 'File that it read; empty if it read none', nullable: true },
    records: {
      kind: 'text',
      about: 'First record that it changed, and how many more; null for entries',
      nullable: true,
    },
    began_at: { kind: 'datetime', about: 'When it began' },
    service: { kind: 'text', about: 'Service that it changed' },
    account: { kind: 'text', about: 'Account that it changed, or the login or key if only that is known' },
    created: { kind: 'integer', about: 'Records that it created: KPIs, users, assignments and the like' },
    updated: { kind: 'integer', about: 'Records that it changed' },
    deleted: { kind: 'integer', about: 'Records that it deleted' },
    entries: { kind: 'integer', about: 'Entries that it created, changed or deleted', nullable: true },
    state: { kind: 'text', about: 'done, stopped, running, undone, or undone in part' },
    undone_at: { kind: 'datetime', about: 'When it was taken back; null if it was not', nullable: true },
  },
})

const secondsOf = (at: string): number => Math.floor(Date.parse(at) / 1000)

const stateOf = ({ takenBack, begun, left, ended }: UndoReceipt): string => {
  if (takenBack !== undefined) return 'undone'
  if (begun !== undefined || left.length > 0) return 'undone in part'
  return ended === undefined ? 'stopped' : 'done'
}

/** Holds the row of a run, and when that began, in milliseconds. */
type RunRow = { readonly row: AnyRecord; readonly beganAt: number }

/** Returns the row of an import of entries. */
const rowOfImport = async (receipt: UndoReceipt): Promise<RunRow> => {
  const { name, head, things, takenBack, left } = receipt
  // With what was taken back, the entries of a run that was cut off are gone from its receipt.
  const isWhole = takenBack === undefined && left.length === 0
  const entries = receipt.entries ?? (isWhole ? await countChanges(receipt) : undefined)
  const row = {
    receipt: name,
    command: 'entries import',
    file: head.file,
    records: null,
    began_at: secondsOf(head.at),
    service: head.service,
    account: head.account?.replace(/^account /, '') ?? '',
    created: things.length,
    updated: 0,
    deleted: 0,
    entries: entries ? entries.created + entries.changed : null,
    state: stateOf(receipt),
    undone_at: takenBack === undefined ? null : secondsOf(takenBack),
  }
  return { row, beganAt: Date.parse(head.at) }
}

const stateOfRun = ({ endedAt, takenBackAt }: RunHead, isPart: boolean): string => {
  if (takenBackAt !== undefined) return 'undone'
  return isPart ? 'undone in part' : endedAt === undefined ? 'stopped' : 'done'
}

/** Returns the row of a run that changed definitions. */
const rowOfRun = (run: RunRecord): RunRow => {
  const { head } = run
  const changes = run
    .changes()
    .filter(({ outcome }) => outcome !== 'refused' && outcome !== 'unchanged' && outcome !== 'skip')
  const [first, ...others] = changes
  const count = (wanted: string): number => changes.filter(({ action }) => action === wanted).length
  const row = {
    receipt: head.name,
    command: head.command,
    file: head.source === '' ? null : head.source,
    records: first ? `${first.name}${others.length > 0 ? ` and ${others.length} more` : ''}` : null,
    began_at: Math.floor(head.beganAt / 1000),
    service: head.service,
    account: head.account.replace(/^account /, ''),
    created: count('create'),
    updated: count('update'),
    deleted: count('delete'),
    entries: run.countEntries(),
    state: stateOfRun(
      head,
      changes.some(({ outcome }) => outcome === 'taken_back'),
    ),
    undone_at: head.takenBackAt === undefined ? null : Math.floor(head.takenBackAt / 1000),
  }
  return { row, beganAt: head.beganAt }
}

/** Reads the rows of the runs whose records can be read, and why others cannot. */
const rowsOfRuns = (folder: string): { readonly rows: RunRow[]; readonly faults: string[] } => {
  const [rows, faults]: [RunRow[], string[]] = [[], []]
  for (const path of runPaths(folder)) {
    try {
      const run = openRunAt(path)
      try {
        rows.push(rowOfRun(run))
      } finally {
        run.leave()
      }
    } catch (error) {
      if (!(error instanceof KpiError)) throw error
      faults.push(error.code === 'locked' ? 'a command that is running' : error.message)
    }
  }
  return { rows, faults }
}

/** Lists what commands changed in the service that the line is for, the newest first. */
export const printHistory = async (cli: Cli, options: ListOptions): Promise<void> => {
  const folder = receiptsFolder(cli.io)
  const { receipts, faults } = listUndoReceipts(folder)
  const runs = rowsOfRuns(folder)
  const all = [...(await Promise.all(receipts.map(rowOfImport))), ...runs.rows]
  const own = all
    .filter(({ row }) => row['service'] === serviceOf(cli))
    .toSorted((one, other) => other.beganAt - one.beganAt)
    .map(({ row }) => row)
  const columns = chooseColumns(historyRow, options, cli.printing().format)
  await cli.printMany(columns, applyListOptions(historyRow, own, options))
  if (own.length === 0) await tellEmpty(cli, historyRow)
  const others = all.length - own.length
  if (others > 0) await cli.note(`${countOf(others, 'run')} of other services; --profile or --data-dir names one`)
  for (const message of [...faults.map((fault) => fault.message), ...runs.faults])
    await cli.note(`not listed: ${message}`)
}
