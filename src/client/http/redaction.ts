import { isObject, type Json } from '../../codec/json.ts'
import { KpiError } from '../../domain/errors.ts'
import type { TextAnswer } from './response.ts'

/** Removes the credentials of a request from the answer, as some services repeat them. */
type Redaction = {
  /** Redacts a text, and also parts of the secret in it. */
  readonly text: (text: string) => string
  readonly answer: (answer: TextAnswer) => TextAnswer
  readonly error: (error: KpiError) => KpiError
  /** Redacts the JSON of a good answer; `body` is the text from which it was parsed. */
  readonly content: (json: Json, body: string) => Json
}

const HIDDEN = '…'
/** Sets the shortest secret to redact in messages, and in data: shorter ones occur there by chance. */
const SHORTEST_IN_MESSAGES = 4
const SHORTEST_IN_DATA = 8

/** Sets the shortest part of a secret to redact in messages: services often quote only a part. */
const PART_LENGTH = 10
/** Holds the prefix of all tokens of the bundled service, which is not secret. */
const PUBLIC_PART = 'kpi_token_'

const lowerEscapes = (encoded: string): string => encoded.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase())

/**
 * Returns the encodings in which a service may repeat a secret: plain, URL, JSON, Base64 (alone and with the login),
 * and hexadecimal.
 */
export const formsOf = (secret: string, login: string | undefined): string[] => {
  const encoded = encodeURIComponent(secret)
  const base64 = [secret, ...(login === undefined ? [] : [`${login}:${secret}`])].flatMap((text) => [
    Buffer.from(text).toString('base64').replaceAll('=', ''),
    Buffer.from(text).toString('base64url'),
  ])
  const escaped = JSON.stringify(secret).slice(1, -1)
  const ofJson = [escaped, escaped.replaceAll('/', String.raw`\/`)]
  const hex = Buffer.from(secret).toString('hex')
  const allEscaped = hex.replaceAll(/../g, String.raw`%$&`)
  const forms = new Set([secret, encoded, lowerEscapes(encoded), ...ofJson, ...base64, hex, allEscaped])
  return [...forms].toSorted((one, other) => other.length - one.length)
}

const withoutAny = (text: string, forms: readonly string[]): string =>
  forms.reduce((left, form) => left.replaceAll(form, HIDDEN), text)

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Returns all substrings of `PART_LENGTH` characters of the encodings, in lower case. */
const partsOf = (forms: readonly string[]): ReadonlySet<string> => {
  const parts = new Set<string>()
  for (const form of forms.map(lowerAscii)) {
    for (let at = 0; at + PART_LENGTH <= form.length; at += 1) parts.add(form.slice(at, at + PART_LENGTH))
  }
  parts.delete(PUBLIC_PART)
  return parts
}

/** Replaces every run of such parts in a text, ignoring case. */
const withoutParts = (text: string, parts: ReadonlySet<string>): string => {
  const lower = lowerAscii(text)
  const kept: string[] = []
  let from = 0
  for (let at = 0; at + PART_LENGTH <= text.length; at += 1) {
    if (!parts.has(lower.slice(at, at + PART_LENGTH))) continue
    let end = at + PART_LENGTH
    while (end < text.length && parts.has(lower.slice(end - PART_LENGTH + 1, end + 1))) end += 1
    kept.push(text.slice(from, at), HIDDEN)
    from = end
    at = end - 1
  }
  return kept.join('') + text.slice(from)
}

/** Tells whether a body of JSON may hold the secret: as one of its encodings, or in Unicode escapes. */
const mayHold = (body: string, forms: readonly string[]): boolean =>
  body.includes(String.raw`\u`) || forms.some((form) => body.includes(form))

/** Creates the redaction of a token or key, and of the login name sent with it. */
export const createRedaction = (secret: string, login: string | undefined): Redaction => {
  const forms = secret.length < SHORTEST_IN_MESSAGES ? [] : formsOf(secret, login)
  const parts = partsOf(forms)
  const redact = (text: string): string => withoutAny(text, forms)
  const redactParts = (text: string): string => withoutParts(redact(text), parts)
  const redactJson = (json: Json): Json => {
    if (typeof json === 'string') return redact(json)
    if (Array.isArray(json)) return json.map(redactJson)
    if (!isObject(json)) return json
    return Object.fromEntries(Object.entries(json).map(([name, value]) => [redact(name), redactJson(value)]))
  }
  return {
    text: redactParts,
    answer: ({ status, header, body }) => ({
      status,
      header: (name) => {
        const value = header(name)
        return value === undefined ? undefined : redactParts(value)
      },
      body,
    }),
    error: (error) =>
      new KpiError(error.code, redactParts(error.message), {
        missingScope: error.missingScope,
        issues: error.issues.map((issue) => ({
          ...issue,
          field: redactParts(issue.field),
          message: redactParts(issue.message),
        })),
        mayBeDone: error.mayBeDone,
        ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
        cause: error.cause,
      }),
    content: (json, body) => (secret.length >= SHORTEST_IN_DATA && mayHold(body, forms) ? redactJson(json) : json),
  }
}
