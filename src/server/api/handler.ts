import { type ErrorCode, KpiError } from '../../domain/errors.ts'
import { dayOfInstant, type Instant } from '../../domain/day.ts'
import { DATED_TARGETS } from '../../domain/resources/dated-target.ts'
import { RUN_HEADER, RUN_ID } from '../../domain/resources/entry-run.ts'
import { health } from '../../domain/resources/service-status.ts'
import { createIdempotentRunner } from '../../service/limits/idempotency.ts'
import { createVersionedCache } from '../../service/versioned-cache.ts'
import type { Db } from '../../store/db.ts'
import { createAuthentication, type CallerLimits } from '../auth/authenticate.ts'
import { requireScope } from '../auth/principal.ts'
import { shownPath } from '../request-target.ts'
import type { Handler, LongWork, WireRequest, WireResponse } from '../wire.ts'
import { createApp, methodNotAllowedError } from './app.ts'
import { bodyFormats } from './body-format.ts'
import type { Answer } from './call.ts'
import { rejectCrossSite, requireDeclaredBody } from './cross-site.ts'
import { answerIdempotently, withRereadableBody } from './idempotency-key.ts'
import { rejectContentEncoding } from './media-type.ts'
import { refusalResponse, type Protocol, type VariantDefinition, type BodyFormat } from './protocol.ts'
import { parseQuery } from './query.ts'

const DESCRIPTION_PATH = '/openapi.json'
const TARGET_LIMIT = 8192
/** Bounds the length of answers to cache. */
const MAX_CACHED_LENGTH = 16_384

/** Describes what a handler needs. */
export type HandlerOptions = {
  readonly db: Db
  readonly version: string
  readonly now: () => Instant
  /** Returns a new id for a request. */
  readonly requestId: () => string
  /** Receives unexpected errors; the client gets only the request's id. */
  readonly onError: (error: unknown, requestId: string) => void
  /** Limits callers; undefined means no limits. */
  readonly limits?: CallerLimits
}

type Target = { readonly path: string; readonly query: string }

const requireShortTarget = (target: string): void => {
  if (target.length > TARGET_LIMIT) throw new KpiError('too_long', `the address is over ${TARGET_LIMIT} bytes`)
}

/** Returns the error for a path outside the interface, which names where the interface is. */
const unknownPathError = (path: string): KpiError =>
  new KpiError(
    'not_found',
    `there is nothing at ${shownPath(path)}; the interface is below /api, described at /api${DESCRIPTION_PATH}, and its newer variant below /v1, described at /v1${DESCRIPTION_PATH}`,
  )

const parseTarget = (target: string, prefix: string): Target => {
  const end = target.indexOf('?')
  const [path, query] = end < 0 ? [target, ''] : [target.slice(0, end), target.slice(end + 1)]
  const below = path.slice(prefix.length)
  const isBelow = path.slice(0, prefix.length).toLowerCase() === prefix && below.startsWith('/')
  if (!isBelow || below === '/') throw unknownPathError(path)
  return { path: below, query }
}

const respond = async (
  { prefix }: Protocol,
  bodyFormat: BodyFormat,
  { status, location, total, applied, content }: Answer,
): Promise<WireResponse> => ({
  status,
  headers: {
    ...(content && { 'content-type': bodyFormat.contentType }),
    ...(location !== undefined && { location: prefix + location }),
    ...(total !== undefined && { 'x-total-count': String(total) }),
    ...(applied !== undefined && { 'preference-applied': applied }),
  },
  body: content ? await bodyFormat.write(content) : '',
})

/** Returns the run that a request is of; undefined without one. */
const runOf = ({ headers }: WireRequest): string | undefined => {
  const run = headers[RUN_HEADER.toLowerCase()]
  if (run === undefined || RUN_ID.test(run)) return run
  throw new KpiError('malformed', `${RUN_HEADER} must have 1 to 64 letters, digits, hyphens or underscores`)
}

/** Tells whether a request asks for dated targets, in the header `Prefer` among other preferences. */
const asksForDatedTargets = ({ headers }: WireRequest): boolean =>
  (headers['prefer'] ?? '').split(',').some((one) => one.trim().toLowerCase() === DATED_TARGETS)

const INTERNAL_CODES: ReadonlySet<ErrorCode> = new Set(['internal', 'unavailable', 'unusable'])

const OPEN_METHODS = ['GET', 'HEAD', 'OPTIONS']

const options = (allow: readonly string[]): WireResponse => ({
  status: 204,
  headers: { allow: allow.join(', ') },
  body: '',
})

type OpenHandler = (bodyFormat: BodyFormat, request: WireRequest) => Promise<WireResponse>

/** Stands in a cached description for the URL by which a request reached the service. */
const ORIGIN = '{origin}'

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Splits a description around the URL in it. */
const aroundOrigin = (json: unknown): readonly [before: Buffer, after: Buffer] => {
  const text = JSON.stringify(json)
  const at = text.indexOf(ORIGIN)
  return [Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at + ORIGIN.length))]
}

/** Returns the paths that need no credentials, each with its handler. */
const openPaths = ({ protocol, describe }: VariantDefinition, version: string): ReadonlyMap<string, OpenHandler> => {
  let description: Promise<readonly [before: Buffer, after: Buffer]> | undefined
  const status = { of: health, record: { status: 'ok', version } } as const
  return new Map<string, OpenHandler>([
    [health.path, async (bodyFormat) => respond(protocol, bodyFormat, { status: 200, content: status })],
    [
      DESCRIPTION_PATH,
      async (_bodyFormat, { serviceUrl = '' }) => {
        description ??= describe({ version, origin: ORIGIN }).then(aroundOrigin)
        const [before, after] = await description
        // All answers share these bytes, so that a client that requests many and reads none does not fill the memory.
        const body = [before, Buffer.from(inJson(serviceUrl)), after]
        return { status: 200, headers: { 'content-type': bodyFormats.json.contentType }, body }
      },
    ],
  ])
}

const answerOpen = (
  open: OpenHandler,
  bodyFormat: BodyFormat,
  request: WireRequest,
  path: string,
): WireResponse | Promise<WireResponse> => {
  const { method } = request
  if (method === 'OPTIONS') return options(OPEN_METHODS)
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowedError(method, path, OPEN_METHODS)
  return open(bodyFormat, request)
}

/** Does work that can wait for a slot for long work, by `begin`; frees the slot when the answer is written. */
const withSlot = async (
  { onLong }: WireRequest,
  work: (begin: (what: LongWork) => Promise<void>) => Promise<WireResponse>,
): Promise<WireResponse> => {
  let end: (() => void) | undefined
  try {
    return await work(async (what) => {
      end ??= await onLong?.(what)
    })
  } finally {
    end?.()
  }
}

/** Sets headers for any outcome of the request. */
type SetHeaders = (headers: WireResponse['headers']) => void

/** Creates the handler of a variant of the interface. */
export const createHandler = (variant: VariantDefinition, deps: HandlerOptions): Handler => {
  const { protocol, routes, isLenient, readCredentials } = variant
  const { db, version } = deps
  const app = createApp(db, routes)
  // Clients recognize the bundled service by this, and rely on its Idempotency-Key.
  const server = `kpi/${version}`
  const openAt = openPaths(variant, version)
  const authenticate = createAuthentication(db, readCredentials, deps.now, deps.limits)
  const runIdempotently = createIdempotentRunner(db)
  const answers = createVersionedCache<WireResponse>(db)
  /** Caches answers until something is written, as clients often repeat such requests. */
  const answerFromCache = async (key: string, perform: () => Promise<WireResponse>): Promise<WireResponse> => {
    const known = answers.find(key)
    if (known) return known
    const stamp = db.stamp()
    const answered = await perform()
    if (typeof answered.body === 'string' && answered.body.length < MAX_CACHED_LENGTH)
      answers.keep(key, answered, stamp)
    return answered
  }
  // Check credentials first, then path and method, and only then read the body.
  const answer = async (sent: WireRequest, bodyFormat: BodyFormat, setHeaders: SetHeaders): Promise<WireResponse> => {
    rejectCrossSite(sent)
    const request = withRereadableBody(sent)
    const { headers } = request
    const target = parseTarget(request.target, protocol.prefix)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const open = openAt.get(target.path.toLowerCase().replace(/\/$/, ''))
    if (open || method === 'OPTIONS') requireShortTarget(request.target)
    if (open) {
      protocol.requireContentType(headers, false)
      return answerOpen(open, bodyFormat, request, target.path)
    }
    if (method === 'OPTIONS') return options(app.methodsOf(target.path))
    const principal = await authenticate(request, setHeaders)
    const { account } = principal
    requireShortTarget(request.target)
    const operation = app.find(method, target.path)
    requireScope(principal, operation.scope)
    protocol.requireContentType(headers, operation.takes !== undefined)
    if (operation.takes) {
      requireDeclaredBody(request)
      rejectContentEncoding(headers['content-encoding'])
    }
    const run = runOf(request)
    const credentials = { key: principal.key, mayReadEntries: principal.scopes?.has('entries:read') ?? true }
    const body = operation.takes && (await bodyFormat.read(await request.body(), operation.takes, request.pause))
    const now = deps.now()
    const showsDatedTargets = asksForDatedTargets(request)
    return withSlot(request, async (begin) => {
      const beginLong = (): Promise<void> => begin('list')
      const perform = async (within?: Db): Promise<WireResponse> => {
        const caller = {
          account,
          now,
          lenient: isLenient,
          db: within,
          pause: request.pause,
          beginLong,
          run,
          credentials,
          showsDatedTargets,
        }
        return respond(protocol, bodyFormat, await operation.run(caller, { query: parseQuery(target.query), body }))
      }
      if (operation.isLong) {
        await begin('work')
        return perform()
      }
      if (operation.isLasting) {
        // Targets may change with the day.
        const form = `${bodyFormat.contentType} ${dayOfInstant(now)} ${showsDatedTargets}`
        return answerFromCache(`${account.id} ${form} ${target.path}`, perform)
      }
      const refusal = (error: KpiError): Promise<WireResponse> => refusalResponse(protocol, error, request)
      return answerIdempotently(runIdempotently, { request, principal, now }, { perform, refuse: refusal })
    })
  }
  // Log internal errors in full; tell the client only what to do.
  const publicError = (error: unknown, requestId: string): KpiError => {
    const code = error instanceof KpiError ? error.code : 'internal'
    if (error instanceof KpiError && !INTERNAL_CODES.has(code)) return error
    deps.onError(error, requestId)
    return code === 'internal'
      ? new KpiError('internal', `something unforeseen happened; it was logged as request ${requestId}`)
      : new KpiError('unavailable', `the store is not available; try again later (request ${requestId})`, {
          retryAfter: 5,
        })
  }
  return async (request) => {
    const requestId = deps.requestId()
    let response: WireResponse
    let extraHeaders: WireResponse['headers'] = {}
    try {
      response = await answer(request, protocol.bodyFormatFor(request.headers), (headers) => (extraHeaders = headers))
    } catch (error) {
      response = await refusalResponse(protocol, publicError(error, requestId), request)
    }
    return { ...response, headers: { ...response.headers, ...extraHeaders, server, 'x-request-id': requestId } }
  }
}
