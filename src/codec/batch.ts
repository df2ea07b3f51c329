import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY, parseDay } from '../domain/day.ts'
import { exactUnits } from '../domain/decimal.ts'
import {
  ACTUAL,
  ADDS,
  draftAt,
  type EntryBlock,
  EntryCollector,
  NOTES,
  numberAt,
  type SentEntries,
  TARGET,
} from '../domain/entry-block.ts'
import { invalid, type Issue, KpiError } from '../domain/errors.ts'
import { checkText } from '../domain/field-value.ts'
import { neverPause, type Pause } from '../domain/pause.ts'
import {
  BATCH_LIMIT,
  type BatchFlags,
  batchFlags,
  entry,
  type EntryDraft,
  type EntryResource,
  newerEntry,
} from '../domain/resources/entry.ts'
import type { ParsedFields, Resource } from '../domain/schema.ts'
import { membersOf } from './field-names.ts'
import { checkDraft, draftToJson, expectObject, isObject, type Json, readDraft } from './json.ts'

/** Returns the message and faults of a refusal as text. */
export const faultsToText = ({ message, issues }: KpiError): string => JSON.stringify({ message, issues })

/** Returns the refusal from the text that `faultsToText` returned. */
export const faultsFromText = (text: string): KpiError => {
  const { message, issues } = JSON.parse(text) as { readonly message: string; readonly issues: readonly Issue[] }
  return new KpiError('invalid', message, { issues })
}

/** Describes a batch as it was sent: its flags, and its entries as far as they could be read. */
type SentBatch = { readonly flags: ParsedFields<BatchFlags>; readonly sent: SentEntries }

/** Sets the length of a day in its only plain form: YYYY-MM-DD. */
const DAY_LENGTH = 10

const faultOfList = (list: Json): Issue | undefined => {
  if (!Array.isArray(list)) return { field: 'entries', message: 'must be a list of entries' }
  if (list.length === 0) return { field: 'entries', message: 'must hold at least one entry' }
  if (list.length <= BATCH_LIMIT) return undefined
  return { field: 'entries', message: `holds ${list.length} entries, at most ${BATCH_LIMIT} are allowed` }
}

const NO_OBJECT: ParsedFields<EntryDraft> = { values: {}, issues: [{ field: 'entries', message: 'must be an object' }] }

const ENTRIES = Symbol('entries')

/** Describes a batch in memory: its entries are used as they are in this process, and as JSON when they are sent. */
type BatchInMemory = { readonly [ENTRIES]: readonly EntryDraft[] | EntryBlock; readonly toJSON: () => Json }

const isInMemory = (body: Json): body is BatchInMemory => typeof body === 'object' && body !== null && ENTRIES in body

const isBlock = (entries: readonly EntryDraft[] | EntryBlock): entries is EntryBlock => 'owner' in entries

/** Yields the drafts of a batch, one at a time. */
function* draftsOf(entries: readonly EntryDraft[] | EntryBlock): Generator<EntryDraft> {
  if (!isBlock(entries)) yield* entries
  else for (let at = 0; at < entries.count; at += 1) yield draftAt(entries, at)
}

/** Returns the body of a batch that adds or updates entries. */
export const batchBody = (entries: readonly EntryDraft[] | EntryBlock, of: EntryResource = entry): BatchInMemory => ({
  [ENTRIES]: entries,
  toJSON: () => ({ entries: [...draftsOf(entries)].map((draft) => draftToJson(of, draft)) }),
})

/** Tells whether a batch in memory adds to stored values, so that it must not run twice. */
export const addsToStored = (body: Json): boolean => {
  if (!isInMemory(body)) return false
  const entries = body[ENTRIES]
  return isBlock(entries)
    ? entries.flags.subarray(0, entries.count).some((flags) => (flags & ADDS) !== 0)
    : entries.some(({ addToActual }) => addToActual === true)
}

const BATCH: Resource = batchFlags
const NO_FLAGS: ParsedFields<BatchFlags> = { values: {}, issues: [] }

const isId = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0

/** Reads the value of a number's column, if it is null or a number with at most four decimals; else returns undefined. */
const readUnits = (raw: unknown): number | null | undefined => {
  if (raw === null) return null
  return typeof raw === 'number' ? exactUnits(raw) : undefined
}

/**
 * Adds an entry as nearly all are: with one id for its owner, fields in their exact names, and values without a fault; returns
 * false for any other, of which nothing is added. It runs over every entry of every batch, so it makes no object.
 */
const addPlain = (block: EntryBlock, of: EntryResource, one: Readonly<Record<string, Json>>): boolean => {
  const at = block.count
  let [owner, kpi, day, flags] = [0, 0, NaN, 0]
  for (const name in one) {
    const raw = one[name]
    if (name === 'user_id' || (name === 'source_id' && of === newerEntry)) {
      if (!isId(raw) || owner !== 0) return false
      owner = name === 'user_id' ? raw : -raw
    } else if (name === 'kpi_id') {
      if (!isId(raw)) return false
      kpi = raw
    } else if (name === 'entry_date') {
      day = typeof raw === 'string' && raw.length === DAY_LENGTH ? (parseDay(raw) ?? NaN) : NaN
    } else if (name === 'actual' || name === 'target') {
      const units = readUnits(raw)
      if (units === undefined) return false
      const { given, cleared } = name === 'actual' ? ACTUAL : TARGET
      flags |= units === null ? cleared : given
      block[name][at] = units ?? 0
    } else if (name === 'notes') {
      const text = typeof raw === 'string' ? checkText(entry.fields.notes, raw) : raw
      if (text !== null && typeof text !== 'string') return false
      flags |= text === null ? NOTES.cleared : NOTES.given
      if (text !== null) block.notes[at] = text
    } else if (name === 'addToActual' && typeof raw === 'boolean') {
      if (raw) flags |= ADDS
    } else return false
  }
  if (owner === 0 || kpi === 0 || !(day >= FIRST_ENTRY_DAY && day <= LAST_ENTRY_DAY)) return false
  block.owner[at] = owner
  block.kpi[at] = kpi
  block.day[at] = day
  block.flags[at] = flags
  block.count += 1
  return true
}

/** Tells whether an entry of a block made in this process has a fault that only its text tells, or is not plain. */
const isFaulty = (block: EntryBlock, at: number): boolean => {
  const day = numberAt(block.day, at)
  const notes = block.notes[at]
  return (
    numberAt(block.owner, at) === 0 ||
    block.sources.has(numberAt(block.owner, at)) ||
    day < FIRST_ENTRY_DAY ||
    day > LAST_ENTRY_DAY ||
    Number.isNaN(block.actual[at]) ||
    Number.isNaN(block.target[at]) ||
    (notes !== undefined && checkText(entry.fields.notes, notes) !== notes)
  )
}

/** Checks a block made in this process as if it had been sent. */
const checkBlock = (of: EntryResource, block: EntryBlock, lenient: boolean): SentEntries => {
  const others = new Map<number, ParsedFields<EntryDraft>>()
  for (let at = 0; at < block.count; at += 1)
    if (isFaulty(block, at)) others.set(at, checkDraft(of, draftAt(block, at), lenient))
  return { block, others }
}

/**
 * Reads the body of a batch. The faults of its flags and entries are returned with them, to be reported together with
 * those that only the store can find. Other requests run between entries. JSON cannot hold a symbol, so only a caller
 * in this process can skip the parsing; its values are checked all the same.
 */
export const readBatch = async (
  body: Json,
  lenient: boolean,
  of: EntryResource = entry,
  pause: Pause = neverPause,
): Promise<SentBatch> => {
  const inMemory = isInMemory(body)
  if (inMemory && isBlock(body[ENTRIES])) return { flags: NO_FLAGS, sent: checkBlock(of, body[ENTRIES], lenient) }
  const list = inMemory ? body[ENTRIES] : membersOf(BATCH, expectObject(body)).source['entries']
  const flags = inMemory ? NO_FLAGS : readDraft(batchFlags, body, lenient)
  const fault = faultOfList(list)
  if (fault) throw invalid([...flags.issues, fault])
  const entries = list as readonly Json[]
  const sent = new EntryCollector(entries.length)
  for (const one of entries) {
    const turn = pause()
    if (turn) await turn
    if (inMemory) sent.add(checkDraft(of, one as EntryDraft, lenient))
    else if (!isObject(one)) sent.add(NO_OBJECT)
    else if (!addPlain(sent.block, of, one)) sent.add(readDraft(of, one, lenient))
  }
  return { flags, sent }
}
