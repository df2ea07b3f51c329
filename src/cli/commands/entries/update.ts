import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { type Entry, entry, type EntryPatch, newerEntry } from '../../../domain/resources/entry.ts'
import { type AnyRecord, asPatch, type Resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { type FieldFlag, readFlags, requireNoFaults } from '../../args/flags.ts'
import { isId, requireNamedOnce } from '../../args/names.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { addOutput } from '../../output/printed.ts'
import type { PlannedRecord } from '../verbs/dry-run-rows.ts'
import { printSent, sendEach } from '../verbs/send-each.ts'
import { createEntryWords } from './entry-words.ts'

const { actual, target, notes } = entry.fields
const VALUES: readonly FieldFlag[] = [
  { flag: 'actual', name: 'actual', field: actual },
  { flag: 'target', name: 'target', field: target },
  { flag: 'notes', name: 'notes', field: notes },
]

const declareUpdate = (group: Command) =>
  group
    .command('update')
    .description('change values of entries by their ids; an empty value clears what is stored')
    .argument('<ids...>', 'ids, which kpi entries list shows')
    .option('--actual <number>', actual.about)
    .option('--target <number>', target.about)
    .option('--notes <text>', notes.about)
    .option('--dry-run', 'send nothing, and show the old and new values')

/** Returns ids that were typed; refuses all texts that are none at once. */
const idsOf = (texts: readonly string[]): number[] => {
  const wrong = texts.filter((text) => !isId(text))
  if (wrong.length === 0) return texts.map(Number)
  throw new UsageError(`${wrong.join(', ')}: entries are known by ids, which kpi entries list shows`)
}

/** Returns what is sent to change an entry: all of it to a service that may clear what is left out. */
const bodyFor = (client: Client, held: Entry, patch: EntryPatch): EntryPatch => {
  if (client.isBundled()) return patch
  const { user_id, kpi_id, entry_date, actual: value, target: own, notes: text } = held
  return { user_id, kpi_id, entry_date, actual: value, target: own, notes: text, ...patch }
}

/** Says what a change would do to entries, each in the words in which a delete names it. */
const printUpdateDryRun = async (
  { cli, client, of, signal }: { cli: Cli; client: Client; of: Resource; signal: AbortSignal },
  ids: readonly number[],
  values: PlannedRecord['values'],
): Promise<void> => {
  const { printPlanned } = await import('../verbs/dry-run-rows.ts')
  const wordsFor = createEntryWords(cli, client)
  const read = async (id: number): Promise<PlannedRecord> => {
    const held = await client.entries.get(id)
    return { held, values, words: await wordsFor(held) }
  }
  await printPlanned({ cli, client, of, verb: 'update', signal }, await Promise.all(ids.map(read)))
}

/** Registers `kpi entries update` */
export const addUpdateEntries = (group: Command, act: Act): void => {
  const command = declareUpdate(group)
  addExamples(
    command,
    'entries update 1 --actual 12.5 --notes "counted again"',
    'entries update 1 2 --target 100 --dry-run',
  )
  addOutput(command, async () => [
    { of: entry, isList: false },
    { of: entry, isList: true },
    { of: (await import('../verbs/dry-run-rows.ts')).changeRow, isList: true },
  ])
  act(command, async (cli, [names], flags) => {
    const ids = idsOf(names)
    requireNamedOnce(entry, names, ids)
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const kpis = async (): Promise<number[]> =>
        (await Promise.all(ids.map((id) => client.entries.get(id)))).map(({ kpi_id }) => kpi_id)
      const numbers = { kpis, note: (text: string): unknown => cli.note(text) }
      const fields = requireNoFaults(await readFlags(client, VALUES, flags, numbers))
      if (Object.keys(fields).length === 0)
        throw new UsageError('nothing to change was given: --actual, --target or --notes')
      const of: Resource = client.variant === 'classic' ? entry : newerEntry
      if (flags.dryRun) return printUpdateDryRun({ cli, client, of, signal }, ids, fields)
      const send = async (id: number): Promise<AnyRecord> =>
        client.entries.update(id, bodyFor(client, await client.entries.get(id), asPatch(newerEntry, fields)))
      await printSent(cli, client, of, await sendEach(ids, send, { signal }), 'updated')
    }
    await cli.withClient({ of: entry, verb: 'update' }, work, { signal: cli.io.interruption() })
  })
}
