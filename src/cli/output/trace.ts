import { readRateLimitInfo } from '../../client/rate-limit/rate-limit-headers.ts'
import type { ObservedAnswer, ObservedRequest, RequestEnd, RequestObserver } from '../../client/request-observer.ts'
import type { Io } from '../io.ts'
import type { Output } from '../standard-output.ts'
import { secretsRemover } from '../stderr.ts'
import { hideFields, hideHeaders } from './hide-credentials.ts'
import { type LogFields, logLine } from './log.ts'

/** Bounds how much of a body is shown, in characters. */
const MOST_SHOWN = 10_240
/** Bounds the part of a body in which credentials are looked for; that is more than is shown, so that none is cut. */
const MOST_SEARCHED = 65_536

/** Describes what `--verbose` and `--debug` show. */
export type Trace = {
  readonly observer: RequestObserver
  /** Shows what was decided. */
  readonly tell: (event: string, text: string) => Promise<void>
}

/** Describes how a trace is shown. */
type TraceForm = {
  /** Shows headers and bodies, too. */
  readonly isDebug: boolean
  readonly isJson: boolean
}

/** Removes credentials from a text. */
type Hide = (text: string) => string

/** Describes the body of a message as it is shown, and what is left out. */
type ShownBody = { readonly body?: string; readonly body_note?: string }

/** Returns the beginning of a body without credentials, and how much is left out behind it. */
const shownBody = (body: string | undefined, encoding: string | undefined, hide: Hide): ShownBody => {
  if (body === undefined || body === '') return {}
  if (encoding !== undefined && encoding !== 'identity') return { body_note: `${encoding}, not shown` }
  if (/[\0\ufffd]/.test(body)) return { body_note: 'binary, not shown' }
  const shown = hide(body.slice(0, MOST_SEARCHED))
  if (body.length <= MOST_SEARCHED && shown.length <= MOST_SHOWN) return { body: shown }
  return { body: shown.slice(0, MOST_SHOWN), body_note: `cut after ${MOST_SHOWN} of ${body.length} characters` }
}

/** Describes a request or an answer as it is shown. */
type ShownMessage = ShownBody & { readonly headers: Readonly<Record<string, string>> }

const headerIn =
  (headers: ObservedAnswer['headers']) =>
  (name: string): string | undefined =>
    [headers[name] ?? []].flat()[0]

const shownMessage = ({ headers, body }: Pick<ObservedAnswer, 'headers' | 'body'>, hide: Hide): ShownMessage => ({
  headers: hideHeaders(headers, hide),
  ...shownBody(body(), headerIn(headers)('content-encoding'), hide),
})

/** Returns headers and a body as lines, each behind a mark. */
const linesOf = ({ headers, body, body_note: note }: ShownMessage, mark: string): string[] => {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const text = body === undefined ? [] : [...(head.length > 0 ? [''] : []), ...body.split('\n')]
  return [...head, ...text, ...(note === undefined ? [] : [`(${note})`])].map((line) => `${mark} ${line}`.trimEnd())
}

/** Describes how a request ended: as fields for programs, and in words. */
type ShownEnd = { readonly fields: LogFields; readonly words: string }

const shownEnd = (end: RequestEnd, elapsed: number, now: number, hide: Hide): ShownEnd => {
  const milliseconds = Math.round(elapsed)
  if ('reason' in end) {
    const reason = hide(end.reason)
    return { fields: { milliseconds, reason }, words: `no answer after ${milliseconds} ms: ${reason}` }
  }
  const { status, headers } = end
  const { limit, remaining } = readRateLimitInfo({ status, header: headerIn(headers), body: '' }, now)
  const left = { ...(limit !== undefined && { limit }), ...(remaining !== undefined && { requests_left: remaining }) }
  const ofLimit = limit === undefined ? '' : `of ${limit} `
  const words = remaining === undefined ? '' : `, ${remaining} ${ofLimit}requests left`
  return { fields: { status, milliseconds, ...left }, words: `${status} in ${milliseconds} ms${words}` }
}

/** Describes what names a request in each of its lines: as fields for programs, and in words. */
type Named = { readonly fields: LogFields; readonly words: string }

const nameOf = ({ method, path, attempt }: ObservedRequest, id: number, hide: Hide): Named => {
  const shown = hide(path)
  const again = attempt > 1
  return {
    fields: { id, method, path: shown, ...(again && { attempt }) },
    words: `${method} ${shown}${again ? `, attempt ${attempt}` : ''}`,
  }
}

/** Counts the requests that were shown on each output: a command reaches its service, downloads and webhooks apart. */
const counts = new WeakMap<Output, number>()

const nextId = (output: Output): number => {
  const id = (counts.get(output) ?? 0) + 1
  counts.set(output, id)
  return id
}

/** Creates the trace of a command line on standard error. */
export const createTrace = (io: Io, { isDebug, isJson }: TraceForm): Trace => {
  const withoutKnown = secretsRemover(io, [])
  const { stderr } = io
  const print = (event: string, fields: LogFields, lines: readonly string[]): Promise<void> =>
    (stderr.writeNow ?? stderr.write)(isJson ? logLine(io, 'debug', event, fields) : `${lines.join('\n')}\n`)
  const printRequest = (id: number, request: ObservedRequest, { fields, words }: Named, hide: Hide): Promise<void> => {
    const shown = shownMessage(request, hide)
    return print('request', { ...fields, ...shown }, [`request ${id}: ${words}`, ...linesOf(shown, '>')])
  }
  const observer: RequestObserver = async (request) => {
    const [id, began] = [nextId(stderr), io.uptime()]
    const hide: Hide = (text) => withoutKnown(request.hide(hideFields(text)))
    const named = nameOf(request, id, hide)
    if (isDebug) await printRequest(id, request, named, hide)
    return (end) => {
      const { fields, words } = shownEnd(end, io.uptime() - began, io.now(), hide)
      const all = { ...named.fields, ...fields }
      const line = `${isDebug ? `answer ${id}: ` : ''}${named.words}: ${words}`
      if (!isDebug || 'reason' in end) return print('answer', all, [line])
      const shown = shownMessage(end, hide)
      return print('answer', { ...all, ...shown }, [line, ...linesOf(shown, '<')])
    }
  }
  return {
    observer,
    tell: (event, text) => {
      const shown = withoutKnown(hideFields(text))
      return print(event, { message: shown }, [shown])
    },
  }
}
