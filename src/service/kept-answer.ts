import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { KpiError } from '../domain/errors.ts'
import type { KeptAnswer } from '../store/idempotency.ts'

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)]

/** A body up to this length is kept as it is. */
const SMALL = 2048
/** The most that is kept of an answer: thousands of faults come to less. */
const MOST_KEPT = 131_072

/** Of an answer that is too long so many faults are kept, and so many characters of each. */
const [MOST_FAULTS, LONGEST_FAULT] = [100, 200]

/** Cuts an error to its first faults and the begin of what they say. */
export const shortened = (error: unknown): unknown => {
  if (!(error instanceof KpiError)) return error
  const { code, message, issues } = error
  const first = issues.slice(0, MOST_FAULTS).map((one) => ({ ...one, message: one.message.slice(0, LONGEST_FAULT) }))
  const cut = `${message.slice(0, LONGEST_FAULT)} (told again: the first ${first.length} of ${issues.length} faults)`
  return new KpiError(code, cut, { issues: first })
}

/** Packs the body of an answer, if it is long; undefined where it is too long all the same. */
export const pack = async (answer: KeptAnswer): Promise<KeptAnswer | undefined> => {
  if (answer.body.length <= SMALL) return answer
  const body = (await deflate(answer.body)).toString('base64')
  return body.length > MOST_KEPT ? undefined : { ...answer, body, encoding: 'deflate' }
}

/** Returns an answer as it was before it was packed. */
export const unpack = async ({ encoding, ...answer }: KeptAnswer): Promise<KeptAnswer> =>
  encoding === undefined
    ? answer
    : { ...answer, body: (await inflate(Buffer.from(answer.body, 'base64'))).toString('utf8') }
