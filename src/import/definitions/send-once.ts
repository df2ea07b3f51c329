import { type CreatedKind, createdKind } from '../../domain/kinds.ts'
import { KpiError } from '../../domain/errors.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import {
  clientsOf,
  type Double,
  doublesOf,
  doublesStay,
  NOT_CERTAIN,
  removeDoubles,
} from '../../changes/send/doubles.ts'
import { type JournaledRow, journaledRows, refusedTally, tallyOf } from './journaled.ts'
import { type ExistingDefinitions, indexDefinitions } from './existing.ts'
import type { Journal } from '../journal/journal.ts'
import type { Tally } from '../journal/tally.ts'
import type { DefinitionKind } from './kinds.ts'
import { type DefinitionRow, identityOf } from './rows.ts'
import { OUTCOMES, type OpenRow, sendDefinitions, type SendRun } from './send.ts'

const kindOf = ({ of }: DefinitionKind): CreatedKind => createdKind(of) ?? 'item'

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
  const things = [...created].map(([id, { key }]) => ({ kind: kindOf(kind), id, name: key }))
  const listed = records.map((record) => ({ id: Number(record['id']), key: keyOfRecord(kind, record) }))
  const doubles = doublesOf(things, listed)
  const ids = new Set(doubles.map(({ thing }) => thing.id))
  if (ids.size > 0) await removeDoubles(clientsOf(client), doubles, signal)
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
  /** Receives how many of the records that it created may be there twice: all, until it has looked again. */
  readonly onUnsettled: (created: number) => void
  readonly onWarning: (warning: string) => void
}

/** Sends rows, and sees to it that what they create is there once. */
export const sendOnce = async (given: SettledRun, rows: readonly OpenRow[]): Promise<void> => {
  const created = new Map<number, DefinitionRow>()
  const run: SendRun = { ...given, onCreated: (row, { id }) => void created.set(Number(id), row) }
  await sendDefinitions(run, rows)
  given.onUnsettled(created.size)
  const { removed, again, settled } = await settleRowDoubles(run, created, given.onWarning)
  given.onUnsettled(0)
  given.onRemoved(removed)
  for (const tally of settled) run.onOutcome(tally)
  await sendDefinitions(run, again)
}

/** Says why the younger of two stays where the run made the older one. */
const OF_ANOTHER = 'is of the other machine, which may be about to remove it'

/**
 * Returns what earlier parts of a run journaled, and what the service has. Removes what they created at the same moment as
 * another machine if they were cut off before they looked again; warns of each record of which that is not known. What is
 * of the other machine counts as if it had not been sent.
 */
export const settleEarlier = async (
  { client, kind, signal, onWarning }: Pick<SettledRun, 'client' | 'kind' | 'signal' | 'onWarning'>,
  journal: Journal,
  rows: readonly DefinitionRow[],
  look: () => Promise<ExistingDefinitions>,
): Promise<[earlier: ReadonlyMap<number, JournaledRow>, existing: ExistingDefinitions]> => {
  const [earlier, existing] = [journaledRows(journal), await look()]
  const doubles: Double[] = []
  const others: number[] = []
  for (const row of rows) {
    const known = earlier.get(row.line)
    if (known?.action !== 'create') continue
    const { id, created } = known
    const alike = existing.alike(row)
    const [older, younger] = alike
    const double = (of: number): Double => ({
      thing: { kind: kindOf(kind), id: of, name: row.key },
      older: older ?? of,
    })
    if (created !== undefined && older !== undefined && older < created) {
      if (alike.includes(created)) doubles.push(double(created))
      others.push(id)
      earlier.delete(row.line)
    } else if (younger !== undefined) {
      onWarning(doublesStay(client, [double(younger)], created === older ? OF_ANOTHER : NOT_CERTAIN).message)
    }
  }
  if (doubles.length > 0) await removeDoubles(clientsOf(client), doubles, signal)
  journal.withdraw(others)
  return [earlier, others.length > 0 ? await look() : existing]
}
