import { resolve } from 'node:path'
import type { Needs } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { formatDay } from '../../../domain/day.ts'
import type { DayRange } from '../../../domain/period.ts'
import { entry } from '../../../domain/resources/entry.ts'
import { gzipped, sheetText, type ExportCounts } from '../../../export/chunks.ts'
import { entriesByDay, type Selection } from '../../../export/entries-by-day.ts'
import { readHeadings, readLabels } from '../../../export/labels.ts'
import { longSheet } from '../../../export/long-sheet.ts'
import type { Sheet } from '../../../export/sheet.ts'
import { type SheetFormat, RFC_4180 } from '../../../export/text-format.ts'
import { untilStopped } from '../../../export/until-stopped.ts'
import { type WideColumns, sheetByKpi, sheetByUser } from '../../../export/wide-sheet.ts'
import { writeWhole } from '../../../import/parse/files.ts'
import { idsIn, type NamedKind } from '../../args/names.ts'
import { readRange } from '../../args/relative-dates.ts'
import { requireFree } from '../../args/require-free.ts'
import { sheetForm } from '../../args/sheet-locale.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { visible } from '../../output/width.ts'
import { rightsOf } from '../../target/store-rights.ts'
import { NEEDS_BREAKDOWN_ITEMS } from '../../target/source.ts'
import type { ExportFlags } from './export-command.ts'

/** Describes how the exported file is written. */
type Look = { readonly form: SheetFormat; readonly isWide: boolean; readonly hasNames: boolean }

/** Tells whether entries may belong to items other than people; true if the key may not read items. */
const mayHaveSources = async (client: Client, { users }: Selection): Promise<boolean> => {
  if (client.variant === 'classic' || users !== undefined) return false
  const items = await readIfAllowed(client, client.breakdownItems.list())
  return items === undefined || items.some(({ user_id }) => user_id === null)
}

const kpiColumns = async (client: Client, { kpis }: Selection, hasNames: boolean): Promise<WideColumns> => ({
  ids: kpis ?? (await client.kpis.list()).filter((one) => !one.is_calculated).map(({ id }) => id),
  heading: await readHeadings(client, 'kpi', hasNames),
})

const userColumns = async (client: Client, { users }: Selection, hasNames: boolean): Promise<WideColumns> => ({
  ids: users ?? (await client.users.list()).map(({ id }) => id),
  heading: await readHeadings(client, 'user', hasNames),
})

/**
 * Returns the requested sheet. A wide sheet of a single KPI has a column for each user; of several KPIs, a column for
 * each KPI.
 */
const sheetFor = async (client: Client, selection: Selection, look: Look): Promise<Sheet> => {
  const { form, isWide, hasNames } = look
  const hasSources = await mayHaveSources(client, selection)
  const labels = await readLabels(client, hasSources, hasNames)
  if (!isWide) return longSheet(form, labels, hasSources)
  return selection.kpis?.length === 1 && selection.sources === undefined
    ? sheetByUser(form, labels, await userColumns(client, selection, hasNames))
    : sheetByKpi(form, labels, hasSources, await kpiColumns(client, selection, hasNames))
}

const needsOf = ({ source }: ExportFlags): Needs =>
  source === undefined ? { of: entry, verb: 'list' } : [{ of: entry, verb: 'list' }, NEEDS_BREAKDOWN_ITEMS]

const idsOf = async (
  client: Client,
  kind: NamedKind,
  flag: string,
  list: string | undefined,
): Promise<readonly number[] | undefined> => (list === undefined ? undefined : idsIn(client, kind, `--${flag}`, list))

const lookOf = ({ excel, layout, names }: ExportFlags): Look => ({
  form: excel === undefined ? RFC_4180 : sheetForm(excel),
  isWide: layout === 'wide',
  hasNames: names === true,
})

/** Writes to the file, whole, or to standard output as it comes. */
const write = async (cli: Cli, file: string | undefined, text: AsyncIterable<string>): Promise<void> => {
  if (file !== undefined) {
    return writeWhole(resolve(cli.io.cwd, file), file.endsWith('.gz') ? gzipped(text) : text, rightsOf(cli))
  }
  const shown = cli.io.stdout.isTerminal ? visible : (part: string): string => part
  for await (const part of text) await cli.io.stdout.write(shown(part))
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

/** Matches file endings of formats that are not written. */
const OTHER_ENDING = /\.(?:json|ndjson|jsonl|xlsx?|ods|html?|md|xml|ya?ml|parquet|pdf|zip|zst)(?:\.gz)?$/i

/** Refuses a format other than CSV now, rather than write a file that nobody expects. */
const requireCsv = ({ flags, printing }: Cli, file: string | undefined): void => {
  const { format } = printing()
  const parsed = flags.output !== undefined || format === 'json' ? format : 'csv'
  const instead = 'kpi entries list -o json gives entries as JSON'
  if (parsed !== 'csv') throw new UsageError(`an export is a CSV file, and no ${parsed}; ${instead}`)
  const [ending] = file === undefined ? [] : (OTHER_ENDING.exec(file) ?? [])
  if (ending !== undefined) throw new UsageError(`an export is a CSV file, and --to-file ends in ${ending}; ${instead}`)
}

/** Runs `kpi entries export`: writes entries as a file that imports as what is there already. */
export const runExport = async (cli: Cli, flags: ExportFlags): Promise<void> => {
  const rangeOf = readRange(flags, cli.today().day)
  const look = lookOf(flags)
  const file = flags.toFile
  requireCsv(cli, file)
  await requireFree(cli, file, flags.force)
  const written: ExportCounts = { entries: 0, ofItems: 0, values: 0 }
  const signal = cli.io.interruption()
  const work = async (client: Client): Promise<DayRange> => {
    const range = await rangeOf(client)
    const selection: Selection = {
      ...range,
      users: await idsOf(client, 'user', 'user', flags.user),
      sources: await idsOf(client, 'breakdown_item', 'source', flags.source),
      kpis: await idsOf(client, 'kpi', 'kpi', flags.kpi),
    }
    const sheet = await sheetFor(client, selection, look)
    const days = untilStopped(entriesByDay(client, selection), signal)
    await write(cli, file, sheetText(sheet, look.form, days, written))
    return range
  }
  const range = await cli.withClient(needsOf(flags), work, { signal })
  const place = file === undefined ? '' : ` to ${file}`
  const [from, to] = [formatDay(range.from), formatDay(range.to)]
  await cli.note(
    `exported ${countOf(written.entries - written.ofItems, 'entry', 'entries')} of ${from} to ${to}${place}`,
  )
  await tellLeftOut(cli, written)
}
