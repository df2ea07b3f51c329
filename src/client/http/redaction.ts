import { isObject, type Json } from '../../codec/json.ts'
import { KpiError } from '../../domain/errors.ts'
import type { TextAnswer } from './response.ts'

/** Removes the credentials of a request from what a service answers, which may repeat them. */
type Redaction = {
  readonly answer: (answer: TextAnswer) => TextAnswer
  readonly error: (error: KpiError) => KpiError
  /** Redacts the content of a good answer, and the text that it was read from. */
  readonly content: (json: Json, body: string) => Json
}

const HIDDEN = '…'
/** Sets the shortest secret that is redacted: shorter ones are words of any message and data. */
const SHORTEST = 4
const SHORTEST_IN_DATA = 8

/** Sets how long a part of a secret is redacted in messages: logs cut what they repeat. */
const PART = 10
/** Names what all tokens of the bundled service begin with, which is no secret. */
const PUBLIC_PART = 'kpi_token_'

const lowerEscapes = (encoded: string): string => encoded.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase())

/** Lists the ways in which a secret travels or is repeated: as it is, in URLs, JSON, Base64, hexadecimal and the header of a login. */
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

/** Lists all parts of some forms of a secret, in lower case. */
const partsOf = (forms: readonly string[]): ReadonlySet<string> => {
  const parts = new Set<string>()
  for (const form of forms.map(lowerAscii)) {
    for (let at = 0; at + PART <= form.length; at += 1) parts.add(form.slice(at, at + PART))
  }
  parts.delete(PUBLIC_PART)
  return parts
}

/** Removes runs of such parts from a text, without regard to case. */
const withoutParts = (text: string, parts: ReadonlySet<string>): string => {
  const lower = lowerAscii(text)
  const kept: string[] = []
  let from = 0
  for (let at = 0; at + PART <= text.length; at += 1) {
    if (!parts.has(lower.slice(at, at + PART))) continue
    let end = at + PART
    while (end < text.length && parts.has(lower.slice(end - PART + 1, end + 1))) end += 1
    kept.push(text.slice(from, at), HIDDEN)
    from = end
    at = end - 1
  }
  return kept.join('') + text.slice(from)
}

/** Tells whether the JSON of a body may hold any of the forms: some services write characters as escapes. */
const mayHold = (body: string, forms: readonly string[]): boolean =>
  body.includes(String.raw`\u`) || forms.some((form) => body.includes(form))

/** Makes a redaction for a token or key, and the login name that it is sent with. */
export const createRedaction = (secret: string, login: string | undefined): Redaction => {
  const forms = secret.length < SHORTEST ? [] : formsOf(secret, login)
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
