import { cellText } from '../../../codec/cell-text.ts'
import { type AnyRecord, type Field, type Resource, resource } from '../../../domain/schema.ts'
import { EXIT } from '../../exit.ts'
import { type CountWords, printSummary } from '../../output/summary.ts'
import { countOf } from '../../output/text.ts'
import { createNames, nameColumns, type Names } from '../verbs/reference-names.ts'
import { type FieldChange, keyField, type PlannedRow } from './plan.ts'
import type { DefinitionRun, PlannedFile } from './read-file.ts'

/** Defines the summary of an import of definitions, as it is printed. */
const definitionSummary = resource({
  name: 'definition_summary',
  plural: 'definition_summaries',
  title: 'summary of an import of definitions',
  path: '',
  verbs: [],
  fields: {
    file: { kind: 'text', about: 'File that was imported, - for standard input' },
    read: { kind: 'integer', about: 'Rows of the file' },
    created: { kind: 'integer', about: 'Rows that were created' },
    updated: { kind: 'integer', about: 'Rows that were changed' },
    unchanged: { kind: 'integer', about: 'Rows that existed already as they are' },
    skipped: { kind: 'integer', about: 'Rows that existed already and were left alone' },
    rejected: { kind: 'integer', about: 'Rows that were not imported' },
    left: { kind: 'integer', about: 'Rows that were not sent because the run was stopped' },
    requests: { kind: 'integer', about: 'Requests that were answered' },
    refused: { kind: 'integer', about: 'Requests that were refused because of the rate limit, and sent again' },
    waited: { kind: 'decimal', about: 'Seconds that requests waited for the rate limit' },
    seconds: { kind: 'decimal', about: 'How long it took' },
  },
})

const COUNT_WORDS: CountWords = {
  read: ['row read', 'rows read'],
  created: ['created', 'created'],
  updated: ['updated', 'updated'],
  unchanged: ['unchanged', 'unchanged'],
  skipped: ['skipped', 'skipped'],
  rejected: ['row rejected', 'rows rejected'],
  left: ['left', 'left'],
}

/** Defines a row of a dry run of definitions. */
const dryRunRow = resource({
  name: 'definition_dry_run_row',
  plural: 'definition_dry_run_rows',
  title: 'row of a dry run of definitions',
  path: '',
  verbs: [],
  fields: {
    line: { kind: 'integer', about: 'Line of the file' },
    action: { kind: 'text', about: 'create, update, unchanged, skip or reject' },
    id: { kind: 'integer', about: 'Id of what exists already', nullable: true },
    name: { kind: 'text', about: 'Name, or e-mail address', nullable: true },
    changes: {
      kind: 'text',
      about: 'Fields that change, with the old and the new value',
      nullable: true,
      isSentence: true,
    },
    reason: { kind: 'text', about: 'Why it would be rejected', nullable: true, isSentence: true },
  },
})

/** Counts the rows for which something is planned. */
export const countOfAction = ({ rows }: PlannedFile, action: PlannedRow['action']): number =>
  rows.filter((row) => row.action === action).length

const labelOf = (of: Resource, record: Readonly<Record<string, unknown>>): string => {
  const key = record[keyField(of)]
  return typeof key === 'string' ? key : ''
}

/** Returns a change as people read it: `target_default: 100 → 120`, with names instead of ids. */
const sayChange = async (of: Resource, names: Names, { field, was, will }: FieldChange): Promise<string> => {
  const definitions: Readonly<Record<string, Field>> = of.fields
  const definition = definitions[field]
  const column = nameColumns(of).find(({ idField }) => idField === field)
  const say = async (value: FieldChange['was']): Promise<string> => {
    if (value === null || !definition) return 'none'
    return column ? names.nameOf(column.kind, value) : cellText(definition, value)
  }
  return `${column?.name ?? field}: ${await say(was)} → ${await say(will)}`
}

type GoodRow = Exclude<PlannedRow, { action: 'reject' }>

const dryRunRecord = async (of: Resource, names: Names, row: GoodRow): Promise<AnyRecord> => {
  const { line, action } = row
  if (action === 'create') return { line, action, name: labelOf(of, { ...row.draft }) }
  const known = { line, action, id: row.existing['id'] ?? null, name: labelOf(of, row.existing) }
  if (action !== 'update') return known
  const changes = await Promise.all(row.changes.map((one) => sayChange(of, names, one)))
  return { ...known, changes: changes.join('; ') }
}

/** Yields a row for each line of the file; those of which cells could not be read are only among the rejects. */
const dryRunRecords = async (
  { client, rejects }: DefinitionRun,
  of: Resource,
  { rows }: PlannedFile,
): Promise<AnyRecord[]> => {
  const names = createNames(client)
  const planned = rows.filter((row) => row.action !== 'reject')
  const good = await Promise.all(planned.map((row) => dryRunRecord(of, names, row)))
  const bad = [...rejects.lines()].map(({ line, reasons }) => ({ line, action: 'reject', reason: reasons.join('; ') }))
  return [...good, ...bad].sort((one, other) => Number(one['line']) - Number(other['line']))
}

/** Prints what an import would do, the counts first; returns the exit code. */
export const printDryRun = async (
  run: DefinitionRun,
  of: Resource,
  planned: PlannedFile,
  isSummaryOnly: boolean,
): Promise<number> => {
  const rejected = [...run.rejects.lines()].length
  const [create, update, unchanged, skip] = (['create', 'update', 'unchanged', 'skip'] as const).map((action) =>
    countOfAction(planned, action),
  )
  await run.cli.note(
    `dry run, nothing was sent: ${create} to create, ${update} to update, ${unchanged} unchanged, ${skip} to skip, ${countOf(rejected, 'row')} to reject`,
  )
  if (!isSummaryOnly) await run.cli.printMany(dryRunRow.shown, await dryRunRecords(run, of, planned))
  return rejected > 0 ? EXIT.partial : EXIT.done
}

/** Prints what an import did. */
export const printDone = (
  { cli, job }: DefinitionRun,
  counts: AnyRecord & { readonly left: number },
): Promise<void> => {
  const file = job.file === '-' ? 'standard input' : job.file
  const done = `${counts.left === 0 ? 'imported' : 'stopped importing'} ${file}`
  return printSummary(cli, definitionSummary, { file: job.file, ...counts }, done, COUNT_WORDS)
}
