import { resolve } from 'node:path'
import type { Capability } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { formatDay } from '../../../domain/day.ts'
import type { DayRange } from '../../../domain/period.ts'
import type { ReportTable } from '../../../domain/analysis/report-table.ts'
import { type Entry, entry, newerEntry } from '../../../domain/resources/entry.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { user } from '../../../domain/resources/user.ts'
import { gzipped, sheetText, type ExportCounts } from '../../../export/chunks.ts'
import { entriesByDay, type Selection } from '../../../export/entries-by-day.ts'
import { readHeadings, readLabels } from '../../../export/labels.ts'
import { longSheet } from '../../../export/long-sheet.ts'
import { type FileLook, tableChunks } from '../../../export/report/report-file.ts'
import type { Sheet } from '../../../export/sheet.ts'
import { type SheetFormat, RFC_4180 } from '../../../export/text-format.ts'
import { untilStopped } from '../../../export/until-stopped.ts'
import { type WideColumns, sheetByKpi, sheetByUser } from '../../../export/wide-sheet.ts'
import { idsIn, needsOfNames } from '../../args/names.ts'
import { type ListedKind } from '../../../client/operations/kind-operations.ts'
import { readRange } from '../../args/day-range.ts'
import { requireFree } from '../../files/require-free.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { exportLook } from '../../files/file-format.ts'
import { countOf } from '../../output/text.ts'
import { visible } from '../../output/width.ts'
import { writeNamed } from '../../files/named-output.ts'
import { NEEDS_BREAKDOWN_ITEMS } from '../../target/source.ts'
import { isNameColumn, namedFields } from '../verbs/list-options.ts'
import { createNames } from '../verbs/reference-names.ts'
import { EXPORT_FORMATS, type ExportFlags } from './export-command.ts'

/** Describes how the exported file is written. */
type Look = FileLook & { readonly isWide: boolean; readonly hasNames: boolean }

/** Describes an export that is under way. */
type Work = {
  readonly cli: Cli
  readonly client: Client
  readonly look: Look
  readonly written: ExportCounts
  readonly signal: AbortSignal
}

/** Returns the form of the cells of a CSV file. */
const formOf = ({ sheet }: FileLook): SheetFormat => sheet ?? RFC_4180

/** Tells whether entries may belong to items other than people; true if the key may not read items. */
const mayHaveSources = async (client: Client, { users }: Selection): Promise<boolean> => {
  if (client.variant === 'classic' || users !== undefined) return false
  const items = await readIfAllowed(client, client.breakdownItems.list())
  return items === undefined || items.some(({ user_id }) => user_id === null)
}

/** Describes how names are written, and what ends the work on them. */
type Naming = Pick<Look, 'hasNames'> & { readonly signal: AbortSignal }

const kpiColumns = async (client: Client, { kpis }: Selection, naming: Naming): Promise<WideColumns> => ({
  ids: kpis ?? (await client.kpis.list()).filter((one) => !one.is_calculated).map(({ id }) => id),
  heading: await readHeadings(client, 'kpi', naming),
})

const userColumns = async (client: Client, { users }: Selection, naming: Naming): Promise<WideColumns> => ({
  ids: users ?? (await client.users.list()).map(({ id }) => id),
  heading: await readHeadings(client, 'user', naming),
})

/**
 * Returns the requested sheet. A wide sheet of a single KPI has a column for each user; of several KPIs, a column for
 * each KPI.
 */
const sheetFor = async ({ client, look, signal }: Work, selection: Selection): Promise<Sheet> => {
  const naming = { hasNames: look.hasNames, signal }
  const form = formOf(look)
  const hasSources = await mayHaveSources(client, selection)
  const labels = await readLabels(client, hasSources, naming)
  if (!look.isWide) return longSheet(form, labels, hasSources)
  return selection.kpis?.length === 1 && selection.sources === undefined
    ? sheetByUser(form, labels, await userColumns(client, selection, naming))
    : sheetByKpi(form, labels, hasSources, await kpiColumns(client, selection, naming))
}

/** Returns what an export of entries needs of the service. */
const needsOfExport = ({ source, user: users, kpi: kpis, names }: ExportFlags): readonly Capability[] => [
  { of: entry, verb: 'list' },
  ...(source === undefined ? [] : [NEEDS_BREAKDOWN_ITEMS]),
  ...(names ? [user, kpi].map((of) => ({ of, verb: 'list' }) as const) : []),
  ...needsOfNames(user, users),
  ...needsOfNames(kpi, kpis),
]

const idsOf = async (
  client: Client,
  kind: ListedKind,
  flag: string,
  list: string | undefined,
): Promise<readonly number[] | undefined> => (list === undefined ? undefined : idsIn(client, kind, `--${flag}`, list))

/** Returns how entries are written; refuses flags that do not go together before anything is read. */
const readLook = (cli: Cli, { excel, layout, names }: ExportFlags, file: string | undefined): Look => {
  const look = exportLook(cli, { file, excel }, EXPORT_FORMATS)
  const isWide = layout === 'wide'
  if (isWide && look.format !== 'csv') throw new UsageError(`--layout wide is for CSV, and this is ${look.format}`)
  return { ...look, isWide, hasNames: names === true }
}

/** Counts the entries that pass by. */
async function* counting(
  days: AsyncIterable<readonly Entry[]>,
  written: ExportCounts,
): AsyncGenerator<readonly Entry[]> {
  for await (const day of days) {
    written.entries += day.length
    yield day
  }
}

/** Returns the entries as records with the fields of the interface, and names beside their ids where these are wanted. */
const tableOf = (client: Client, { hasNames }: Look, days: AsyncIterable<readonly Entry[]>): ReportTable => {
  const of = client.variant === 'classic' ? entry : newerEntry
  const columns = namedFields(of, hasNames ? { names: true } : {}, false)
  const names = createNames(client)
  return {
    columns,
    parts: (async function* () {
      for await (const day of days) yield await names.addTo(columns.filter(isNameColumn), day)
    })(),
  }
}

/** Returns the content of the file: CSV that an import takes for what is there, or the entries as they are. */
const contentOf = async (
  work: Work,
  selection: Selection,
  days: AsyncIterable<readonly Entry[]>,
): Promise<AsyncIterable<string | Uint8Array>> => {
  const { cli, client, look, written } = work
  if (look.format === 'csv') {
    const text = sheetText(await sheetFor(work, selection), formOf(look), days, written)
    return look.isGzip ? gzipped(text) : text
  }
  const table = tableOf(client, look, counting(days, written))
  return tableChunks(table, look, { sheetName: 'Entries', made: new Date(cli.io.now()) })
}

/** Writes to the file, whole, or to standard output as it comes. */
const write = async (
  cli: Cli,
  file: string | undefined,
  content: AsyncIterable<string | Uint8Array>,
): Promise<void> => {
  if (file !== undefined) return writeNamed(cli, resolve(cli.io.cwd, file), content)
  const shown = cli.io.stdout.isTerminal ? visible : (part: string): string => part
  for await (const part of content) await cli.io.stdout.write(shown(String(part)))
}

const tellLeftOut = async ({ io }: Cli, { ofItems, values }: ExportCounts): Promise<void> => {
  const what = [
    ...(ofItems > 0
      ? [`${countOf(ofItems, 'entry', 'entries')} of breakdown items, which this file has no column for`]
      : []),
    ...(values > 0 ? [`${countOf(values, 'target or note', 'targets and notes')}, which a wide file cannot hold`] : []),
  ]
  // Say so even under --quiet: the file does not hold everything.
  if (what.length > 0) await io.stderr.write(`left out: ${what.join('; ')}\n`)
}

/** Reads the flags of an export, and what it needs of the service. */
export const readExport = (cli: Cli, flags: ExportFlags) => {
  const rangeOf = readRange(cli, flags)
  const file = flags.toFile === '-' ? undefined : flags.toFile
  return { rangeOf, file, look: readLook(cli, flags, file), needs: needsOfExport(flags) }
}

/** Runs `kpi entries export`: writes entries as a file that imports as what is there already. */
export const runExport = async (cli: Cli, flags: ExportFlags): Promise<void> => {
  const { rangeOf, file, look, needs } = readExport(cli, flags)
  await requireFree(cli, file, flags.force)
  const written: ExportCounts = { entries: 0, ofItems: 0, values: 0 }
  const work = async (client: Client, signal: AbortSignal): Promise<DayRange> => {
    const range = await rangeOf(client)
    const selection: Selection = {
      ...range,
      users: await idsOf(client, 'user', 'user', flags.user),
      sources: await idsOf(client, 'breakdown_item', 'source', flags.source),
      kpis: await idsOf(client, 'kpi', 'kpi', flags.kpi),
    }
    const days = untilStopped(entriesByDay(client, selection), signal)
    await write(cli, file, await contentOf({ cli, client, look, written, signal }, selection, days))
    return range
  }
  const range = await cli.withClient(needs, work, { signal: cli.io.interruption() })
  const place = file === undefined ? '' : ` to ${file}`
  const [from, to] = [formatDay(range.from), formatDay(range.to)]
  await cli.note(
    `exported ${countOf(written.entries - written.ofItems, 'entry', 'entries')} of ${from} to ${to}${place}`,
  )
  await tellLeftOut(cli, written)
}
