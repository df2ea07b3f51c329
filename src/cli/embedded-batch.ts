import { hash } from 'node:crypto'
import { parseExactJson } from '../codec/json-number.ts'
import { faultsFromText, faultsToText } from '../codec/batch.ts'
import { recordToJson } from '../codec/json.ts'
import type { TransportResponse, TransportRequest } from '../client/transport.ts'
import { KpiError } from '../domain/errors.ts'
import { batchResult } from '../domain/resources/entry.ts'
import type { Answer } from '../server/api/call.ts'
import { createIdempotentRunner } from '../service/limits/idempotency.ts'
import type { Db } from '../store/db.ts'
import type { KeptAnswer } from '../store/tables/idempotency.ts'

const FAULTS = 400

const kept = (status: number, body: string): KeptAnswer => ({ status, location: null, contentType: null, body })

const keptResult = ({ content }: Answer): KeptAnswer =>
  kept(200, content && 'record' in content ? JSON.stringify(recordToJson(batchResult, content.record)) : 'null')

const keptFaults = (error: unknown): KeptAnswer | undefined =>
  error instanceof KpiError && error.code === 'invalid' ? kept(FAULTS, faultsToText(error)) : undefined

const replay = ({ status, body }: KeptAnswer): TransportResponse => {
  if (status === FAULTS) throw faultsFromText(body)
  return { content: { json: parseExactJson(body) } }
}

/** Stores a batch once for its Idempotency-Key. */
export type AnswerBatchIdempotently = (
  sent: TransportRequest,
  caller: { readonly account: number; readonly now: number },
  perform: (open: Db) => Promise<Answer>,
) => Promise<TransportResponse>

/**
 * Creates a way to store a batch once for an Idempotency-Key, as the service does over HTTP, even when the process ends
 * before the answer.
 */
export const createBatchRunner = (db: Db): AnswerBatchIdempotently => {
  const runIdempotently = createIdempotentRunner(db)
  return async ({ path, body, idempotencyKey: key = '' }, { account, now }, perform) => {
    const fingerprint = hash('sha256', JSON.stringify(body), 'base64url')
    const { answer } = await runIdempotently(
      { account, path, key, fingerprint, now },
      { perform: async (open) => keptResult(await perform(open)), faultAnswer: keptFaults },
    )
    return replay(answer)
  }
}
