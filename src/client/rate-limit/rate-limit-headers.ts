import { parseRetryAfter, type TextAnswer } from '../http/response.ts'

/** Describes what an answer tells of the limit. Times are in milliseconds. */
export type RateLimitInfo = {
  readonly limit?: number
  readonly windowMs?: number
  /** Counts the requests that still fit now. */
  readonly remaining?: number
  /** Holds the time until more fit. */
  readonly resetMs?: number
  /** Tells how long to wait, where the request was refused for the limit and the answer says so. */
  readonly refusal?: { readonly waitMs: number | undefined }
}

const LARGEST_LIMIT = 1_000_000
const LONGEST_WINDOW = 86_400

/** Returns a whole number from a header, up to a bound; anything else tells nothing. */
const numberIn = (text: string | undefined, least: number, most: number): number | undefined => {
  const value = /^\d{1,9}$/.test(text?.trim() ?? '') ? Number(text) : NaN
  return value >= least && value <= most ? value : undefined
}

const PARAMETER = /(?<![^;,\s])([a-z]+)=(\d+)/g

/** Returns a parameter of a header of the IETF draft, such as `"default";r=12;t=40`. */
const parameter = (text: string | undefined, name: string): string | undefined =>
  [...(text ?? '').matchAll(PARAMETER)].find((match) => match[1] === name)?.[2]

/** Tells whether a status may mean that the limit is reached: 403 only with Retry-After. */
const refusalIn = ({ status, header }: TextAnswer, now: number): RateLimitInfo['refusal'] => {
  if (status !== 403 && status !== 429) return undefined
  const seconds = parseRetryAfter(header('retry-after'), now)
  if (seconds === undefined) return status === 429 ? { waitMs: undefined } : undefined
  return { waitMs: seconds * 1000 }
}

/** Returns how many requests still fit: from either form of the draft, or the limit less what is used. */
const remainingIn = ({ header }: TextAnswer, limit: number | undefined): number | undefined => {
  const draft = parameter(header('ratelimit'), 'r') ?? header('ratelimit-remaining') ?? header('x-ratelimit-remaining')
  const remaining = numberIn(draft, 0, LARGEST_LIMIT)
  if (remaining !== undefined) return remaining
  const used = numberIn(header('x-ratelimit-requests'), 0, LARGEST_LIMIT)
  return used === undefined || limit === undefined ? undefined : Math.max(0, limit - used)
}

/** Reads what an answer tells of the limit. */
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
