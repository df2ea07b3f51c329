import type { Client } from '../../../client/client.ts'
import { listFirst, MOST_LISTED } from '../../../domain/count-text.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { AnyRecord, Resource } from '../../../domain/schema.ts'
import type { CreatedThing } from '../../../changes/records/created-record.ts'
import { createdKind } from '../../../domain/kinds.ts'
import { removeNewDoubles } from '../../../changes/send/doubles.ts'
import { commandName } from './samples.ts'
import type { ListResult } from './send-each.ts'

const nameOf = (record: AnyRecord): string => String(record['name'] ?? record['email'] ?? '')

/**
 * Looks again after records were created by name: where another machine has created one of the same name at the same
 * moment, the older one stays. Returns the records that are left, and says of the others what was done.
 */
export const settleCreated = async <T>(
  client: Client,
  of: Resource,
  existing: readonly AnyRecord[],
  sent: ListResult<T>,
  signal: AbortSignal,
): Promise<ListResult<T>> => {
  const kind = createdKind(of)
  if (!kind) return sent
  const things = sent.records.map((record): CreatedThing => ({ kind, id: Number(record['id']), name: nameOf(record) }))
  const known = new Set(existing.map(({ id }) => Number(id)))
  try {
    const doubles = await removeNewDoubles(client, kind, things, known, signal)
    if (doubles.length === 0) return sent
    const removed = new Set(doubles.map(({ thing }) => thing.id))
    const texts = listFirst(doubles, MOST_LISTED, ({ thing, older }) => `"${thing.name}" (${older})`)
    const [{ older } = { older: 0 }] = doubles
    const message = `another machine created the same ${of.title} at the same moment, which stays: ${texts}; what this command created beside it is removed, and kpi ${commandName(of)} update ${older} changes the other`
    return {
      ...sent,
      records: sent.records.filter(({ id }) => !removed.has(Number(id))),
      failure: sent.failure ?? new KpiError('conflict', message),
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { ...sent, failure: sent.failure ?? error }
  }
}
