import { KpiError } from '../../domain/errors.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import type { CreatedKind } from '../created-things.ts'
import { type Double, doublesOf, doublesStay, NOT_CERTAIN, removeDoubles } from '../missing/remove-doubles.ts'
import { refusedTally, tallyOf } from './journaled.ts'
import { type ExistingDefinitions, indexDefinitions } from './existing.ts'
import type { Tally } from '../journal/tally.ts'
import type { DefinitionKind } from './kinds.ts'
import { type DefinitionRow, identityOf } from './rows.ts'
import { OUTCOMES, type OpenRow, sendDefinitions, type SendRun } from './send.ts'

/** Maps resources to the kinds of what imports create. */
const KINDS: Readonly<Record<string, CreatedKind>> = {
  user: 'user',
  kpi: 'kpi',
  category: 'category',
  unit: 'unit',
  group: 'group',
  group_item: 'item',
}

const createdKind = ({ of }: DefinitionKind): CreatedKind => KINDS[of.name] ?? 'item'

const keyOfRecord = ({ key, within }: DefinitionKind, record: AnyRecord): string =>
  identityOf(Number(record[within ?? ''] ?? 0), String(record[key] ?? ''))

/** Counts records that were removed again, and holds what their rows still need, or what has become of them. */
type Settled = { readonly removed: number; readonly again: readonly OpenRow[]; readonly settled: readonly Tally[] }

/**
 * Looks again after creating: where another machine has made a record of the same name at the same moment, the one that is
 * older stays. It may differ from what the row says.
 */
const settleRowDoubles = async (
  { client, kind, plan, signal }: Pick<SendRun, 'client' | 'kind' | 'plan' | 'signal'>,
  created: ReadonlyMap<number, DefinitionRow>,
  onWarning: (warning: string) => void,
): Promise<Settled> => {
  const [again, settled]: [OpenRow[], Tally[]] = [[], []]
  if (created.size === 0) return { removed: 0, again, settled }
  const records = await kind.list(client).catch((error: unknown) => {
    if (!(error instanceof KpiError)) throw error
    onWarning(`it is not known whether another machine created the same at the same moment: ${error.message}`)
    return []
  })
  const things = [...created].map(([id, { key }]) => ({ kind: createdKind(kind), id, name: key }))
  const listed = records.map((record) => ({ id: Number(record['id']), key: keyOfRecord(kind, record) }))
  const doubles = doublesOf(things, listed)
  const ids = new Set(doubles.map(({ thing }) => thing.id))
  const clients = { client, classic: client.variant === 'classic' ? client : undefined }
  if (ids.size > 0) await removeDoubles(clients, doubles, signal)
  const existing = indexDefinitions(
    kind,
    records.filter(({ id }) => !ids.has(Number(id))),
  )
  for (const row of [...ids].flatMap((id) => created.get(id) ?? [])) {
    const next = plan(existing, row, false)
    if (next.action === 'create' || next.action === 'update') again.push({ plan: next, journaled: undefined })
    else settled.push(next.action === 'reject' ? refusedTally(row, next.reasons) : tallyOf(OUTCOMES[next.action]))
  }
  return { removed: ids.size, again, settled }
}

/** Describes a run that looks for doubles after sending. */
type SettledRun = Omit<SendRun, 'onCreated'> & {
  /** Receives how many of the records that it created are removed again. */
  readonly onRemoved: (removed: number) => void
  readonly onWarning: (warning: string) => void
}

/** Sends rows, and sees to it that what they create is there once. */
export const sendOnce = async (given: SettledRun, rows: readonly OpenRow[]): Promise<void> => {
  const created = new Map<number, DefinitionRow>()
  const run: SendRun = { ...given, onCreated: (row, { id }) => void created.set(Number(id), row) }
  await sendDefinitions(run, rows)
  const { removed, again, settled } = await settleRowDoubles(run, created, given.onWarning)
  given.onRemoved(removed)
  for (const tally of settled) run.onOutcome(tally)
  await sendDefinitions(run, again)
}

/** Returns a warning on each row for which an earlier part of the run created a record, of which there are two now. */
export const warningsOnDoubles = (
  { client, kind }: Pick<SendRun, 'client' | 'kind'>,
  existing: ExistingDefinitions,
  rows: readonly DefinitionRow[],
): string[] =>
  rows.flatMap((row) => {
    const [older, id] = existing.alike(row)
    if (older === undefined || id === undefined) return []
    const double: Double = { thing: { kind: createdKind(kind), id, name: row.key }, older }
    return [doublesStay(client, [double], NOT_CERTAIN).message]
  })
