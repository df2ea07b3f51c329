import { parseRetryAfter, type TextAnswer } from '../http/response.ts'

/** Describes what the headers of an answer say about the limit. Times are in milliseconds. */
export type RateLimitInfo = {
  readonly limit?: number
  readonly windowMs?: number
  /** Counts the requests that the limit still allows now. */
  readonly remaining?: number
  /** Holds the time until the limit allows more. */
  readonly resetMs?: number
  /** Marks a refusal by the rate limit, with the wait that it asks for, if any. */
  readonly refusal?: { readonly waitMs: number | undefined }
}

const LARGEST_LIMIT = 1_000_000
const LONGEST_WINDOW = 86_400

/** Returns a whole number from a header, within bounds; undefined for anything else. */
const numberIn = (text: string | undefined, least: number, most: number): number | undefined => {
  const value = /^\d{1,9}$/.test(text?.trim() ?? '') ? Number(text) : NaN
  return value >= least && value <= most ? value : undefined
}

const PARAMETER = /(?<![^;,\s])([a-z]+)=(\d+)/g

/** Returns a parameter of a header of the IETF draft, such as `"default";r=12;t=40`. */
const parameter = (text: string | undefined, name: string): string | undefined =>
  [...(text ?? '').matchAll(PARAMETER)].find((match) => match[1] === name)?.[2]

/** Returns the refusal of an answer: a 429, or a 403 with Retry-After. */
const refusalIn = ({ status, header }: TextAnswer, now: number): RateLimitInfo['refusal'] => {
  if (status !== 403 && status !== 429) return undefined
  const seconds = parseRetryAfter(header('retry-after'), now)
  if (seconds === undefined) return status === 429 ? { waitMs: undefined } : undefined
  return { waitMs: seconds * 1000 }
}

/** Returns how many requests remain: from either form of the IETF draft, else the limit minus the used ones. */
const remainingIn = ({ header }: TextAnswer, limit: number | undefined): number | undefined => {
  const draft = parameter(header('ratelimit'), 'r') ?? header('ratelimit-remaining') ?? header('x-ratelimit-remaining')
  const remaining = numberIn(draft, 0, LARGEST_LIMIT)
  if (remaining !== undefined) return remaining
  const used = numberIn(header('x-ratelimit-requests'), 0, LARGEST_LIMIT)
  return used === undefined || limit === undefined ? undefined : Math.max(0, limit - used)
}

/** Reads what the headers of an answer say about the limit. */
export const readRateLimitInfo = (answer: TextAnswer, now: number): RateLimitInfo => {
  const { header } = answer
  const policy = header('ratelimit-policy')
  const limit =
    numberIn(header('x-ratelimit-limit'), 1, LARGEST_LIMIT) ??
    numberIn(parameter(policy, 'q') ?? header('ratelimit-limit'), 1, LARGEST_LIMIT)
  const window = numberIn(header('x-ratelimit-duration') ?? parameter(policy, 'w'), 1, LONGEST_WINDOW)
  const remaining = remainingIn(answer, limit)
  const reset = numberIn(parameter(header('ratelimit'), 't') ?? header('ratelimit-reset'), 0, LONGEST_WINDOW)
  const refusal = refusalIn(answer, now)
  return {
    ...(limit !== undefined && { limit }),
    ...(window !== undefined && { windowMs: window * 1000 }),
    ...(remaining !== undefined && { remaining }),
    ...(reset !== undefined && { resetMs: reset * 1000 }),
    ...(refusal && { refusal }),
  }
}
