import type { Client } from '../client/client.ts'
import { KpiError } from '../domain/errors.ts'
import type { BatchResult } from '../domain/resources/entry.ts'
import type { Batch } from './batch.ts'

/** What became of a batch: the service's counts, and the entries that it refused, by their place in the batch. */
export type Sent = { readonly result: BatchResult; readonly refused: ReadonlyMap<number, readonly string[]> }

const NOTHING: BatchResult = { rows_added: 0, rows_created: 0, rows_updated: 0, rows_unchanged: 0 }

/** The entries that a refusal names; `undefined` where it is not about single entries. */
const refusedBy = (error: unknown): Map<number, string[]> | undefined => {
  if (!(error instanceof KpiError) || error.code !== 'invalid') return undefined
  const refused = new Map<number, string[]>()
  for (const { index, field, message } of error.issues) {
    if (index === undefined) return undefined
    refused.set(index, [...(refused.get(index) ?? []), `${field}: ${message}`])
  }
  return refused.size > 0 ? refused : undefined
}

/**
 * Sends a batch. One that is refused for some of its entries is sent again without them, until it is taken: there are
 * services that tell of one fault at a time.
 */
export const sendBatch = async (client: Client, { drafts }: Batch): Promise<Sent> => {
  const refused = new Map<number, readonly string[]>()
  let places = [...drafts.keys()]
  while (places.length > 0) {
    const sent = places.flatMap((at) => drafts[at] ?? [])
    try {
      return { result: await client.entries.addMany(sent), refused }
    } catch (error) {
      const named = [...(refusedBy(error) ?? [])].filter(([at]) => at < places.length)
      if (named.length === 0) throw error
      for (const [at, reasons] of named) refused.set(places[at] ?? at, reasons)
      places = places.filter((at) => !refused.has(at))
    }
  }
  return { result: NOTHING, refused }
}
