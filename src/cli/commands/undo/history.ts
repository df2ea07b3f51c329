import { type AnyRecord, printable } from '../../../domain/schema.ts'
import { countChanges } from '../../../runs/entries/receipt-changes.ts'
import { type ChangeCounts, listUndoReceipts, type UndoReceipt } from '../../../runs/entries/receipt.ts'
import { runOf } from '../../../loading/undo/undone-run.ts'
import { KpiError } from '../../../domain/errors.ts'
import { hasNames, isKindName } from '../../../domain/kinds.ts'
import { openRunAt, type RunHead, type RunRecord, runPaths } from '../../../runs/run-record.ts'
import { countKept, isOfEntries } from '../../../runs/entries-change.ts'
import type { Cli } from '../../cli.ts'
import { tellEmpty } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { receiptsFolder } from '../../target/folders.ts'
import { serviceOf, undoLine } from '../../target/service-of.ts'
import { applyListOptions, chooseColumns, type ListOptions } from '../verbs/list-options.ts'

/** Defines a run in the list of what commands changed. */
export const historyRow = printable(
  'history_row',
  'run',
  {
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
    created: {
      kind: 'integer',
      about: 'Records that it created, or may have if it was stopped: KPIs, users, assignments and the like',
    },
    updated: { kind: 'integer', about: 'Records that it changed' },
    deleted: { kind: 'integer', about: 'Records that it deleted' },
    entries: {
      kind: 'integer',
      about: 'Entries that it created, changed or deleted, or may have if it was stopped',
      nullable: true,
    },
    state: { kind: 'text', about: 'done, stopped, running, undone, or undone in part' },
    undone_at: { kind: 'datetime', about: 'When it was taken back; null if it was not', nullable: true },
  },
  ['receipt', 'command', 'file', 'records', 'began_at', 'created', 'updated', 'deleted', 'entries', 'state'],
)

const secondsOf = (at: string): number => Math.floor(Date.parse(at) / 1000)

const accountIn = ({ account = '' }: { readonly account?: string | undefined }): string =>
  account.replace(/^account /, '')

/** Counts the entries that an import created and changed; undefined where that is not known any more. */
const countEntries = async (receipt: UndoReceipt): Promise<ChangeCounts | undefined> => {
  // With what was taken back, the entries of a run that was cut off are gone from its receipt; what the service keeps of one it
  // never had.
  const isWhole = receipt.takenBack === undefined && receipt.left.length === 0 && !receipt.isKept
  return receipt.entries ?? (isWhole ? countChanges(receipt) : undefined)
}

/** Says why something cannot be listed. */
type Unlisted = { readonly message: string }

/** Says how many there are of other services, and what cannot be listed. */
const tellUnlisted = async (cli: Cli, others: number, noun: string, faults: readonly Unlisted[]): Promise<void> => {
  if (others > 0) await cli.note(`${countOf(others, noun)} of other services; --profile or --data-dir names one`)
  for (const { message } of faults) await cli.note(`not listed: ${message}`)
}

const stateOf = ({ takenBack, begun, left, ended }: UndoReceipt): string => {
  if (takenBack !== undefined) return 'undone'
  if (begun !== undefined || left.length > 0) return 'undone in part'
  return ended === undefined ? 'stopped' : 'done'
}

/** Holds the row of a run, and when that began, in milliseconds. */
type RunRow = { readonly row: AnyRecord; readonly beganAt: number }

/** Returns the row of an import of entries. */
const rowOfImport = async (receipt: UndoReceipt): Promise<RunRow> => {
  const { name, head, things, takenBack } = receipt
  const entries = await countEntries(receipt)
  const row = {
    receipt: name,
    command: 'entries import',
    file: head.file,
    records: null,
    began_at: secondsOf(head.at),
    service: head.service,
    account: accountIn(head),
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
  // Name what has a name of its own first: a KPI, and not the assignments that went with it.
  const first = changes.find(({ kind }) => isKindName(kind) && hasNames(kind)) ?? changes[0]
  const count = (wanted: string): number => changes.filter((one) => one.action === wanted && !isOfEntries(one)).length
  const kept = changes.reduce((sum, one) => sum + countKept(one), 0)
  const row = {
    receipt: head.name,
    command: head.command,
    file: head.source === '' ? null : head.source,
    records: first ? `${first.name}${changes.length > 1 ? ` and ${changes.length - 1} more` : ''}` : null,
    began_at: Math.floor(head.beganAt / 1000),
    service: head.service,
    account: accountIn(head),
    created: count('create'),
    updated: count('update'),
    deleted: count('delete'),
    entries: run.countEntries() + kept,
    state: stateOfRun(
      head,
      changes.some((one) => one.outcome === 'taken_back' || (isOfEntries(one) && one.outcome === 'left')),
    ),
    undone_at: head.takenBackAt === undefined ? null : Math.floor(head.takenBackAt / 1000),
  }
  return { row, beganAt: head.beganAt }
}

/** Reads the rows of the runs whose records can be read, and why others cannot. */
const rowsOfRuns = (folder: string): { readonly rows: RunRow[]; readonly faults: Unlisted[] } => {
  const [rows, faults]: [RunRow[], Unlisted[]] = [[], []]
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
      faults.push(error.code === 'locked' ? { message: 'a command that is running' } : error)
    }
  }
  return { rows, faults }
}

/** Reads what commands changed in the service that the line is for, the newest first. */
const readHistory = async (cli: Cli) => {
  const folder = receiptsFolder(cli.io)
  const { receipts, faults } = listUndoReceipts(folder)
  const runs = rowsOfRuns(folder)
  const all = [...(await Promise.all(receipts.map(rowOfImport))), ...runs.rows]
  const own = all
    .filter(({ row }) => row['service'] === serviceOf(cli))
    .toSorted((one, other) => other.beganAt - one.beganAt)
    .map(({ row }) => row)
  return { own, others: all.length - own.length, faults: [...faults, ...runs.faults] }
}

/** Returns the receipt of the newest run that is not taken back, of any command or of one; undefined if there is none. */
export const newestReceipt = async (cli: Cli, command?: string): Promise<string | undefined> => {
  const { own } = await readHistory(cli)
  const isOpen = (row: AnyRecord): boolean =>
    row['state'] !== 'undone' && (command === undefined || row['command'] === command)
  const receipt = own.find(isOpen)?.['receipt']
  return receipt === undefined ? undefined : String(receipt)
}

/** Lists what commands changed in the service that the line is for, the newest first. */
export const printHistory = async (cli: Cli, options: ListOptions): Promise<void> => {
  const { own, others, faults } = await readHistory(cli)
  const columns = chooseColumns(historyRow, options, cli.printing().format)
  await cli.printMany(columns, applyListOptions(historyRow, own, options))
  if (own.length === 0) await tellEmpty(cli, historyRow)
  await tellUnlisted(cli, others, 'run', faults)
}

/** Defines a receipt in the list of receipts. */
export const receiptRow = printable('receipt', 'receipt', {
  // A table must not cut it, as users copy it.
  receipt: { kind: 'text', about: 'Name of the receipt', isSentence: true },
  file: { kind: 'text', about: 'File that was imported' },
  imported_at: { kind: 'datetime', about: 'When the import began' },
  service: { kind: 'text', about: 'Service that it was imported to' },
  account: { kind: 'text', about: 'Account that it was imported to, or the login or key if only that is known' },
  new_things: { kind: 'integer', about: 'How many KPIs, users, assignments and other things it created' },
  new_entries: { kind: 'integer', about: 'How many entries it created, or may have created', nullable: true },
  changed_entries: { kind: 'integer', about: 'How many entries it changed, or may have changed', nullable: true },
  taken_back_at: { kind: 'datetime', about: 'When it was taken back; null if it was not', nullable: true },
  left_entries: {
    kind: 'integer',
    about: 'How many entries were left when it was last noted, where it was taken back in part; null if it was not',
    nullable: true,
  },
  undo_begun_at: {
    kind: 'datetime',
    about: 'When the last undo of it began, if that has not come to its end; null if there is none',
    nullable: true,
  },
})

const rowOfReceipt = async (receipt: UndoReceipt): Promise<AnyRecord> => {
  const { name, head, things, takenBack, begun } = receipt
  const entries = await countEntries(receipt)
  return {
    receipt: name,
    file: head.file,
    imported_at: secondsOf(head.at),
    service: head.service,
    account: accountIn(head),
    new_things: things.length,
    new_entries: entries?.created ?? null,
    changed_entries: entries?.changed ?? null,
    taken_back_at: takenBack === undefined ? null : secondsOf(takenBack),
    left_entries: (takenBack === undefined ? receipt.open : undefined) ?? null,
    undo_begun_at: takenBack === undefined && begun !== undefined ? secondsOf(begun) : null,
  }
}

/** Says which undos have not come to their end, and how to go on; the parts of a run are taken back together. */
const tellUnfinished = async (cli: Cli, receipts: readonly UndoReceipt[]): Promise<void> => {
  const told = new Set<string>()
  for (const receipt of receipts.filter(({ begun, takenBack }) => begun !== undefined && takenBack === undefined)) {
    if (told.has(receipt.name)) continue
    const { head, parts } = runOf(receipt, receipts)
    for (const { name } of parts) told.add(name)
    const counts = parts.flatMap(({ open }) => open ?? [])
    const left =
      counts.length > 0
        ? `${countOf(
            counts.reduce((sum, one) => sum + one, 0),
            'entry',
            'entries',
          )} left; `
        : ''
    await cli.note(
      `an undo of the import of ${head.file} has not come to its end: ${left}unless it still runs, continue it: ${undoLine(cli.flags, 'entries undo', receipt.name)}`,
    )
  }
}

/** Lists the receipts of the service that the line is for; says how many there are of others, and which cannot be read. */
export const printReceipts = async (cli: Cli): Promise<void> => {
  const { receipts, faults } = listUndoReceipts(receiptsFolder(cli.io))
  const own = receipts.filter(({ head }) => head.service === serviceOf(cli))
  const rows: AnyRecord[] = []
  for (const receipt of own.toSorted((one, other) => other.head.at.localeCompare(one.head.at)))
    rows.push(await rowOfReceipt(receipt))
  await cli.printMany(receiptRow.shown, rows)
  await tellUnfinished(cli, own)
  if (own.length === 0) await tellEmpty(cli, receiptRow)
  await tellUnlisted(cli, receipts.length - own.length, 'receipt', faults)
}
