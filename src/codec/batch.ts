import { invalid, type Issue, KpiError } from '../domain/errors.ts'
import { neverPause, type Pause } from '../domain/pause.ts'
import {
  BATCH_LIMIT,
  type BatchFlags,
  batchFlags,
  entry,
  type EntryDraft,
  type EntryResource,
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

/** Describes a batch as it was sent: its flags, and each entry as far as it could be read. */
type SentBatch = { readonly flags: ParsedFields<BatchFlags>; readonly list: readonly ParsedFields<EntryDraft>[] }

const faultOfList = (list: Json): Issue | undefined => {
  if (!Array.isArray(list)) return { field: 'entries', message: 'must be a list of entries' }
  if (list.length === 0) return { field: 'entries', message: 'must hold at least one entry' }
  if (list.length <= BATCH_LIMIT) return undefined
  return { field: 'entries', message: `holds ${list.length} entries, at most ${BATCH_LIMIT} are allowed` }
}

const NO_OBJECT: ParsedFields<EntryDraft> = { values: {}, issues: [{ field: 'entries', message: 'must be an object' }] }

const readEntry = (of: EntryResource, body: Json, lenient: boolean): ParsedFields<EntryDraft> =>
  isObject(body) ? readDraft(of, body, lenient) : NO_OBJECT

const DRAFTS = Symbol('drafts')

/** Describes a batch in memory: its drafts are used as they are in this process, and as JSON when it is sent. */
type BatchInMemory = { readonly [DRAFTS]: readonly EntryDraft[]; readonly toJSON: () => Json }

const isInMemory = (body: Json): body is BatchInMemory => typeof body === 'object' && body !== null && DRAFTS in body

/** Returns the body of a batch that adds or updates entries. */
export const batchBody = (drafts: readonly EntryDraft[], of: EntryResource = entry): BatchInMemory => ({
  [DRAFTS]: drafts,
  toJSON: () => ({ entries: drafts.map((draft) => draftToJson(of, draft)) }),
})

/** Tells whether a batch in memory adds to stored values, so that it must not run twice. */
export const addsToStored = (body: Json): boolean =>
  isInMemory(body) && body[DRAFTS].some(({ addToActual }) => addToActual === true)

const BATCH: Resource = batchFlags
const NO_FLAGS: ParsedFields<BatchFlags> = { values: {}, issues: [] }

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
  const list = inMemory ? body[DRAFTS] : membersOf(BATCH, expectObject(body)).source['entries']
  const flags = inMemory ? NO_FLAGS : readDraft(batchFlags, body, lenient)
  const fault = faultOfList(list)
  if (fault) throw invalid([...flags.issues, fault])
  const read = (one: Json): ParsedFields<EntryDraft> =>
    inMemory ? checkDraft(of, one as EntryDraft, lenient) : readEntry(of, one, lenient)
  const readings: ParsedFields<EntryDraft>[] = []
  for (const one of list as readonly Json[]) {
    const turn = pause()
    if (turn) await turn
    readings.push(read(one))
  }
  return { flags, list: readings }
}
