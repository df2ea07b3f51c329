import { countText } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { BODY_LIMIT } from '../../domain/limits.ts'
import { BATCH_LIMIT, type EntryDraft } from '../../domain/resources/entry.ts'
import { type Block, numberAt } from '../../blocks/block.ts'
import type { OnDuplicate } from '../options/options.ts'
import { ownerOf } from '../../domain/entry-key.ts'
import { type Combination, createCombination, ofOneRow } from './combine.ts'
import { beyondAt, draftOf, isBadAt, lineOf } from '../../blocks/packed-row.ts'

/** Describes entries that are sent together, each with the place of its row in the file, or several places. */
export type Batch = { readonly drafts: EntryDraft[]; readonly lines: (number | readonly number[])[] }

/** Returns the entries of a batch at the given places; all if none are given. */
export const batchPart = ({ drafts, lines }: Batch, places?: readonly number[]): Batch =>
  places
    ? { drafts: places.flatMap((at) => drafts[at] ?? []), lines: places.map((at) => lines[at] ?? 0) }
    : { drafts, lines }

/** Sets up to how many bytes a batch is filled; one more entry then still fits into the request. */
const BATCH_BYTES = BODY_LIMIT - 10_000
/** Bounds the bytes of an entry without its notes: names, ids, a date and two numbers. */
const ENTRY_BYTES = 200
/** Bounds the bytes that a UTF-16 code unit of a text takes, escaped or in UTF-8. */
const BYTES_A_UNIT = 3

const weightOf = ({ notes }: EntryDraft): number => ENTRY_BYTES + BYTES_A_UNIT * (notes?.length ?? 0)

/** Bounds the rows of one key, whose places are kept in memory. */
const MOST_ROWS_OF_KEY = 4_000_000

const tooManyOfKey = ([first = 0]: readonly number[]): KpiError =>
  new KpiError(
    'malformed',
    `more than ${countText(MOST_ROWS_OF_KEY)} rows have the user or source, the KPI and the date of line ${lineOf(first)}; make fewer rows of them before, such as one for each day`,
  )

/** Receives the places of a key that is rejected because the file has it more than once, and those of its bad rows. */
export type DuplicateSink = (places: readonly number[], bad: readonly number[]) => void

const sameKey = (left: EntryDraft, right: EntryDraft): boolean =>
  left.entry_date === right.entry_date && left.kpi_id === right.kpi_id && ownerOf(left) === ownerOf(right)

/**
 * Cuts sorted rows into batches of at most `limit` entries, small enough for a request. Repeated keys are settled here:
 * sorting has brought their rows together. If one of the rows is bad none is chosen, because its corrected values are
 * not known. Long stretches of rows that make no batch yield empty ones, so that other work can go on between.
 */
export function* cutBatches(
  blocks: Iterable<Block>,
  onDuplicate: OnDuplicate,
  refuse: DuplicateSink,
  limit = BATCH_LIMIT,
): Generator<Batch> {
  let batch: Batch = { drafts: [], lines: [] }
  let weight = 0
  // The last entry; if its key came again, `again` holds what becomes of its rows, and their lines.
  let last: EntryDraft | undefined
  let [lastLine, lastBeyond] = [0, '']
  let isLastBad = false
  let again: { readonly rows: Combination | undefined; readonly lines: number[]; readonly bad: number[] } | undefined

  const push = (draft: EntryDraft, lines: number | readonly number[]): void => {
    batch.drafts.push(draft)
    batch.lines.push(lines)
    weight += weightOf(draft)
  }
  const finishKey = (): void => {
    if (!last) return
    if (!again) {
      if (!isLastBad) push(ofOneRow(last, onDuplicate), lastLine)
      return
    }
    const { rows, lines: places, bad } = again
    again = undefined
    const chosen = bad.length > 0 ? undefined : rows?.result()
    if (chosen) push(chosen, places)
    else if (onDuplicate === 'error' || bad.length < places.length) refuse(places, bad)
  }
  for (const block of blocks) {
    let isIdle = true
    for (let at = 0; at < block.count; at += 1) {
      const draft = draftOf(block, at)
      const line = numberAt(block.line, at)
      const isOneBad = isBadAt(block, at)
      if (last && sameKey(last, draft)) {
        again ??= {
          rows: onDuplicate === 'error' ? undefined : createCombination(onDuplicate, last, lastBeyond),
          lines: [lastLine],
          bad: isLastBad ? [lastLine] : [],
        }
        if (again.lines.length === MOST_ROWS_OF_KEY) throw tooManyOfKey(again.lines)
        again.rows?.add(draft, beyondAt(block, at))
        again.lines.push(line)
        if (isOneBad) again.bad.push(line)
        continue
      }
      finishKey()
      last = draft
      lastLine = line
      lastBeyond = beyondAt(block, at)
      isLastBad = isOneBad
      if (batch.drafts.length === limit || weight >= BATCH_BYTES) {
        yield batch
        batch = { drafts: [], lines: [] }
        weight = 0
        isIdle = false
      }
    }
    if (isIdle) yield { drafts: [], lines: [] }
  }
  finishKey()
  if (batch.drafts.length > 0) yield batch
}
