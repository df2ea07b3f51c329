import { type TextRequest, TOO_SLOW } from '../../../src/client/http/network-exchange.ts'
import type { FaultyAccount, Kept } from './account.ts'
import { type Answer, answerOf, refuse, withHeaders } from './answers.ts'
import { createLedger, type Written } from './entries.ts'
import type { Kind } from './kinds.ts'
import { onceOnly } from './once.ts'
import { createRoutes } from './routes.ts'
import type { Loss, Trouble, Troubles } from './trouble.ts'
import { headersOf, type Limiter, type Telling } from '../limiters.ts'

/** How a request ends: with an answer, with a part of one, or with an error of the network. */
export type End = { readonly answer: Answer } | { readonly cut: Answer } | { readonly error: string }

/** What becomes of a request, after so many milliseconds. */
export type Served = { readonly afterMs: number; readonly end: End }

/** A service that things go wrong with, and what it holds. */
export type FaultyService = {
  readonly serve: (request: TextRequest, now: number) => Served
  readonly entries: () => readonly Kept[]
  /** Changes an entry, as somebody else does. */
  readonly change: (id: number, to: Omit<Kept, 'id'>) => void
  /** Removes an entry, as somebody else does. */
  readonly remove: (id: number) => void
  /** All that it wrote, in order. */
  readonly written: readonly Written[]
  /** How often something went wrong, in the words of what it was. */
  readonly log: readonly string[]
  /** Whether the credentials are refused for ever. */
  readonly isLockedOut: () => boolean
}

/** What a faulty service is made of. */
export type Faulty = {
  readonly kind: Kind
  readonly account: FaultyAccount
  readonly troubles: Troubles
  readonly limiter: Limiter
  readonly telling: Telling
  /** How long an ordinary answer takes. */
  readonly latencyMs: () => number
}

/** Longer than any client waits. */
export const NEVER_MS = 3_600_000

const PAGE = '<!doctype html><title>Something went wrong</title><h1>Please try again later.</h1>'

const page = (status: number): Answer => answerOf(status, PAGE, { 'content-type': 'text/html' })

/** What is left of a good answer that gets lost. */
const lose = (how: Loss, answer: Answer): End => {
  switch (how) {
    case 'reset':
      return { error: 'ECONNRESET' }
    case 'timeout':
      return { error: TOO_SLOW }
    case 'cut body':
      return { cut: answer }
    case 'page with 200':
      return { answer: page(200) }
    case 'page with 502':
      return { answer: page(502) }
    case 'a list with 200':
      return { answer: answerOf(200, '[]', { 'content-type': 'application/json' }) }
    case 'an object with 200':
      return { answer: answerOf(200, '{}', { 'content-type': 'application/json' }) }
    case 'broken JSON':
      return { answer: answerOf(200, '{"id": 7, "user', { 'content-type': 'application/json' }) }
    case 'status 500':
      return { answer: answerOf(500, '{"status":500,"message":"it failed"}') }
    case 'status 502':
      return { answer: answerOf(502, '') }
    case 'status 503':
      return { answer: answerOf(503, '', { 'retry-after': '2' }) }
  }
}

/** Nobody could tell a list that lies from a true one, or what an answer to a removal holds: only what is stored is answered so. */
const howOf = (how: Loss, { method }: TextRequest): Loss =>
  (method === 'GET' || method === 'DELETE') && (how === 'a list with 200' || how === 'an object with 200')
    ? 'page with 200'
    : how

const describe = (trouble: Trouble, { method, path }: TextRequest): string =>
  `${method} ${path}: ${JSON.stringify(trouble)}`

/** A service of a kind that things go wrong with. */
export const faultyService = ({ kind, account, troubles, limiter, telling, latencyMs }: Faulty): FaultyService => {
  let time = 0
  const ledger = createLedger(account.entries, () => time, kind.rewrites)
  const routes = onceOnly(kind, createRoutes(kind, account, ledger))
  const log: string[] = []
  const own = kind.isBundled ? { server: 'kpi/1.0.0' } : {}
  const putOff = (): Answer => refuse(kind, telling.status, 'too many requests')
  let downUntil = 0
  let isLockedOut = false

  const suffer = (request: TextRequest, trouble: Trouble, now: number, dress: (answer: Answer) => Answer): End => {
    const done = (): Answer => dress(routes(request))
    switch (trouble.what) {
      case 'lost':
        return lose(howOf(trouble.how, request), trouble.isDone ? done() : dress(answerOf(200, '[]')))
      case 'down':
        downUntil = now + trouble.forMs
        return { error: 'ECONNREFUSED' }
      case 'unauthorized':
        isLockedOut = trouble.isForEver
        return { answer: refuse(kind, 401, 'the credentials are not valid') }
      case 'put off':
        return { answer: withHeaders(putOff(), { ...own, 'retry-after': trouble.retryAfter }) }
      case 'twice':
        done()
        return { answer: done() }
      case 'slow':
        return { answer: done() }
    }
  }

  const serve = (request: TextRequest, now: number): Served => {
    const afterMs = latencyMs()
    time = now
    if (now < downUntil) {
      log.push(`${request.method} ${request.path}: still down`)
      return { afterMs: 1, end: { error: 'ECONNREFUSED' } }
    }
    if (isLockedOut) return { afterMs, end: { answer: refuse(kind, 401, 'the credentials are not valid') } }
    const verdict = limiter.ask(now)
    const clock = kind.isBundled ? { date: new Date(now).toUTCString() } : {}
    const headers = { ...own, ...clock, ...Object.fromEntries(headersOf(telling, limiter, verdict, now)) }
    const dress = (answer: Answer): Answer => withHeaders(answer, headers)
    if (!verdict.isAccepted) return { afterMs, end: { answer: dress(putOff()) } }
    const trouble = troubles(request.method !== 'GET')
    if (!trouble) return { afterMs, end: { answer: dress(routes(request)) } }
    log.push(describe(trouble, request))
    const end = suffer(request, trouble, now, dress)
    const isSilent = trouble.what === 'lost' && trouble.how === 'timeout'
    return { afterMs: isSilent ? NEVER_MS : trouble.what === 'slow' ? trouble.ms : afterMs, end }
  }
  return {
    serve,
    entries: ledger.list,
    change: ledger.change,
    remove: ledger.remove,
    written: ledger.written,
    log,
    isLockedOut: () => isLockedOut,
  }
}
