import { Aborted } from '../../client/transport.ts'
import { hasAnyTarget, type TargetFacts } from '../../domain/targets/dated-targets.ts'
import { type Decimal, formatDecimal } from '../../domain/decimal.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { cutAlongIntervals, type Piece } from '../delivery/write-ahead.ts'
import { type ExistingEntries, type ExistingEntry } from '../existing/existing-entries.ts'
import { onlyClears, readsFirst } from '../existing/planned-action.ts'
import type { ImportInput } from '../prepare/import-types.ts'
import { digestOf } from '../../runs/entries/digest.ts'
import type { Journal } from '../../runs/entries/journal.ts'
import { findSamples, sampleKeys } from '../../runs/entries/key-samples.ts'
import { ownerOf, storedKey } from '../../domain/entry-key.ts'
import type { Prepared } from '../prepare/prepare.ts'
import { createLineSet } from '../../reading/rejects/rejects.ts'
import type { Batch } from '../../reading/rows/batches.ts'
import { lineOf, placeOf } from '../../blocks/packed-row.ts'
import { writeVerificationReceipt } from './verification-receipt.ts'
import type { Difference, Verification } from './verified.ts'

/** Holds places of a file: a bit for each whole line, and a number for each cell. */
type PlaceSet = { readonly has: (place: number) => boolean }

/** Describes a line, or the columns of some cells of a wide one. */
type Part = { readonly line: number; readonly columns: ReadonlySet<number> | undefined }

/** Tells whether a number is among sorted ones. */
const isAmong = (sorted: readonly number[], wanted: number): boolean => {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1
    else to = middle
  }
  return sorted[from] === wanted
}

/** Creates a set of places from parts of a file, in the order of their lines. */
const createPlaceSet = async (parts: AsyncIterable<readonly Part[]>): Promise<PlaceSet> => {
  const lines = createLineSet()
  const cells: number[] = []
  for await (const some of parts) {
    for (const { line, columns } of some) {
      if (!columns) lines.add(line)
      for (const column of [...(columns ?? [])].toSorted((left, right) => left - right)) {
        cells.push(placeOf(line, column))
      }
    }
  }
  return { has: (place) => lines.has(lineOf(place)) || isAmong(cells, place) }
}

/** Describes consecutive entries, each with whether the journal says that an earlier part of the run sent it. */
type Recalled = { readonly batch: Batch; readonly isSent: readonly boolean[] }

/** Returns the place of each entry of a piece in its journaled interval. */
const placesIn = ({ batch: { block, lines }, earlier }: Piece, journal: Journal): (number | undefined)[] => {
  if (!earlier) return lines.map(() => undefined)
  if (earlier.digest === digestOf(block)) return [...lines.keys()]
  // Other entries may have come or gone since. After the interval's own samples stand those of entries that it held
  // before.
  const found = findSamples(journal.samples(earlier.id), sampleKeys(block))
  return found.map((one) => (one && one.at < earlier.count ? one.at : undefined))
}

/**
 * Yields all entries, each with whether the journal says that an earlier part of the run sent it. Such an entry is one
 * of this run, though it existed before this part.
 */
function* recallSent(batches: Iterable<Batch>, journal: Journal): Generator<Recalled> {
  for (const piece of cutAlongIntervals(batches, journal)) {
    const sent = piece.earlier?.places && new Set(piece.earlier.places)
    const isSent = placesIn(piece, journal).map((at) => at !== undefined && (sent?.has(at) ?? true))
    yield { batch: piece.batch, isSent }
  }
}

const FIRST = 20

type FieldDifference = Pick<Difference, 'field' | 'expected' | 'found'>

const numberText = (value: Decimal | null): string | null => (value === null ? null : formatDecimal(value))

/**
 * Tells whether a target differs from the one that was sent; it is not compared if the KPI drops it, or it may be a
 * default.
 */
const isOtherTarget = (target: Decimal | null, stored: ExistingEntry, kpi: TargetFacts | undefined): boolean => {
  if ((kpi && !hasAnyTarget(kpi)) || stored.target === target) return false
  const mayBeNone = stored.isTargetOpen && target === null
  const mayBeDropped = kpi === undefined && stored.target === null
  return !mayBeNone && !mayBeDropped
}

/** Returns the differences between a stored entry and what was sent, by the service's rules. */
const differencesIn = (
  { actual, target, notes }: EntryDraft,
  stored: ExistingEntry | undefined,
  kpi: TargetFacts | undefined,
  isAdding: boolean,
): FieldDifference[] => {
  if (!stored) return [{ field: 'entry', expected: '1', found: '0' }]
  const { ids } = stored
  // The actual to which the sent one was added is no longer known.
  const isOther = actual !== undefined && !isAdding && stored.actual !== actual
  return [
    ...(ids.length > 1 ? [{ field: 'entry', expected: '1', found: String(ids.length) } as const] : []),
    ...(isOther ? [{ field: 'actual', expected: numberText(actual), found: numberText(stored.actual) } as const] : []),
    ...(target !== undefined && isOtherTarget(target, stored, kpi)
      ? [{ field: 'target', expected: numberText(target), found: numberText(stored.target) } as const]
      : []),
    ...(notes !== undefined && stored.notes !== notes
      ? [{ field: 'notes', expected: notes, found: stored.notes } as const]
      : []),
  ]
}

/** Holds the parts of a prepared file that comparing uses. */
type Compared = Pick<Prepared, 'decide' | 'options' | 'reference'>

/**
 * Returns the drafts of a batch that were sent or were stored already; not rejects, nor entries that were left alone.
 */
const keptOf = async (
  { batch, isSent }: Recalled,
  { decide, options }: Compared,
  rejected: PlaceSet,
  verified: Verification,
): Promise<boolean[]> => {
  const plans = readsFirst(options) ? await decide.plan(batch.drafts) : []
  return batch.drafts.map((_, at) => {
    const { action } = plans[at] ?? {}
    if ([batch.lines[at] ?? 0].flat().some(rejected.has)) return false
    if (isSent[at]) return true
    if (action === 'skip') verified.leftAlone += 1
    return action !== 'skip' && action !== 'nothing'
  })
}

/** Compares a batch with the entries that are stored now. */
const compare = async (
  recalled: Recalled,
  prepared: Compared,
  now: ExistingEntries,
  rejected: PlaceSet,
  verified: Verification,
): Promise<Difference[]> => {
  const { batch } = recalled
  const stored = await now.of(batch.drafts)
  if (!stored) throw new KpiError('forbidden', 'the key may not read entries any more')
  const isKept = await keptOf(recalled, prepared, rejected, verified)
  const { reference, options } = prepared
  return batch.drafts.flatMap((draft, at) => {
    const { kpi_id: kpi, entry_date: day } = draft
    const [owner, place] = [ownerOf(draft), [batch.lines[at] ?? 0].flat()[0] ?? 0]
    const entry = stored.get(storedKey(owner, kpi, day))
    // The cell was empty and had nothing to clear.
    if (!isKept[at] || (!entry && onlyClears(draft))) return []
    const found = differencesIn(draft, entry, reference.kpis.byId.get(kpi), options.onConflict === 'add')
    verified.compared += 1
    if (found.length === 0) verified.equal += 1
    return found.map((one) => ({ line: lineOf(place), owner, kpi, day, ...one }))
  })
}

/** Reads back everything that was sent or stored already, and yields the differences. */
async function* differences(
  prepared: Prepared,
  journal: Journal,
  verified: Verification,
  signal: AbortSignal,
): AsyncGenerator<readonly Difference[]> {
  const now = prepared.readAhead(({ target }, { isTargetOpen }) => isTargetOpen && target !== undefined)
  const rejected = await createPlaceSet(prepared.rejects.lines(signal))
  for (const recalled of recallSent(prepared.batches(), journal)) {
    const found = await compare(recalled, prepared, now, rejected, verified)
    verified.first.push(...found.slice(0, FIRST - verified.first.length))
    if (found.length > 0) yield found
  }
  verified.notCompared = Math.max(0, verified.leftAlone - prepared.summary.skipped)
}

/** Reads everything back after it was sent, and writes the receipt. */
export const verifyRun = async (
  work: ImportInput,
  prepared: Prepared,
  journal: Journal,
): Promise<Verification | undefined> => {
  const { verify, table, options, clock, client } = work
  const { summary } = prepared
  if (!verify) return undefined
  const verified: Verification = { compared: 0, equal: 0, leftAlone: 0, notCompared: 0, first: [] }
  const about = { table, options, summary, verify, at: clock.now(), variant: client.variant }
  try {
    await writeVerificationReceipt(about, verified, differences(prepared, journal, verified, work.signal))
  } catch (error) {
    if (error instanceof Aborted) verified.failure = new KpiError('unavailable', 'stopped before all was compared')
    else if (error instanceof KpiError) verified.failure = error
    else throw error
  }
  return verified
}
