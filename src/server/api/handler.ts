import type { Instant } from '../../domain/day.ts'
import { type ErrorCode, KpiError } from '../../domain/errors.ts'
import { health } from '../../domain/resources/service-status.ts'
import { createVersionedCache } from '../../service/versioned-cache.ts'
import type { Db } from '../../store/db.ts'
import { createAuthentication, type CallerLimits } from '../auth/authenticate.ts'
import { requireScope } from '../auth/principal.ts'
import { shownPath } from '../request-target.ts'
import type { Handler, LongWork, WireRequest, WireResponse } from '../wire.ts'
import { createApp, notAllowed } from './app.ts'
import { bodyFormats } from './body-format.ts'
import type { Answer } from './call.ts'
import { rejectCrossSite, requireDeclaredBody } from './cross-site.ts'
import { answerIdempotently, withRereadableBody } from './idempotency-key.ts'
import { rejectContentEncoding } from './media-type.ts'
import { refusalResponse, type Protocol, type VariantDefinition, type BodyFormat } from './protocol.ts'
import { parseQuery } from './query.ts'

const DESCRIPTION_PATH = '/openapi.json'
const TARGET_LIMIT = 8192
/** Answers up to this size are remembered. */
const SMALL = 16_384

/** Describes what a handler works with. */
export type HandlerOptions = {
  readonly db: Db
  readonly version: string
  readonly now: () => Instant
  /** Returns a new id for a request. */
  readonly requestId: () => string
  /** Takes unforeseen errors in full; the client is told only the request's id. */
  readonly onError: (error: unknown, requestId: string) => void
  /** Limits callers; undefined for no limits. */
  readonly limits?: CallerLimits
}

type Target = { readonly path: string; readonly query: string }

const requireShortTarget = (target: string): void => {
  if (target.length > TARGET_LIMIT) throw new KpiError('too_long', `the address is over ${TARGET_LIMIT} bytes`)
}

/** Returns the error for a path outside of the interface, with where to look instead. */
const isElsewhere = (path: string): KpiError =>
  new KpiError(
    'not_found',
    `there is nothing at ${shownPath(path)}; the interface is below /api, described at /api${DESCRIPTION_PATH}, and its newer variant below /v1, described at /v1${DESCRIPTION_PATH}`,
  )

const parseTarget = (target: string, prefix: string): Target => {
  const end = target.indexOf('?')
  const [path, query] = end < 0 ? [target, ''] : [target.slice(0, end), target.slice(end + 1)]
  const below = path.slice(prefix.length)
  const isBelow = path.slice(0, prefix.length).toLowerCase() === prefix && below.startsWith('/')
  if (!isBelow || below === '/') throw isElsewhere(path)
  return { path: below, query }
}

const respond = async (
  { prefix }: Protocol,
  bodyFormat: BodyFormat,
  { status, location, total, content }: Answer,
): Promise<WireResponse> => ({
  status,
  headers: {
    ...(content && { 'content-type': bodyFormat.contentType }),
    ...(location !== undefined && { location: prefix + location }),
    ...(total !== undefined && { 'x-total-count': String(total) }),
  },
  body: content ? await bodyFormat.write(content) : '',
})

const INSIDE: ReadonlySet<ErrorCode> = new Set(['internal', 'unavailable', 'unusable'])

const OPEN_METHODS = ['GET', 'HEAD', 'OPTIONS']

const options = (allow: readonly string[]): WireResponse => ({
  status: 204,
  headers: { allow: allow.join(', ') },
  body: '',
})

type Open = (bodyFormat: BodyFormat, request: WireRequest) => Promise<WireResponse>

/** Stands for the URL by which a request reached the service, in a description that is made once. */
const ORIGIN = '{origin}'

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Splits a description around the URL in it. */
const aroundOrigin = (json: unknown): readonly [before: Buffer, after: Buffer] => {
  const text = JSON.stringify(json)
  const at = text.indexOf(ORIGIN)
  return [Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at + ORIGIN.length))]
}

/** Returns what anybody may ask for, by its path. */
const openPaths = ({ protocol, describe }: VariantDefinition, version: string): ReadonlyMap<string, Open> => {
  let description: Promise<readonly [before: Buffer, after: Buffer]> | undefined
  const status = { of: health, record: { status: 'ok', version } } as const
  return new Map<string, Open>([
    [health.path, async (bodyFormat) => respond(protocol, bodyFormat, { status: 200, content: status })],
    [
      DESCRIPTION_PATH,
      async (_wording, { serviceUrl = '' }) => {
        description ??= describe({ version, origin: ORIGIN }).then(aroundOrigin)
        const [before, after] = await description
        // All answers share these bytes: whoever asks often and takes none of them fills no memory.
        const body = [before, Buffer.from(inJson(serviceUrl)), after]
        return { status: 200, headers: { 'content-type': bodyFormats.json.contentType }, body }
      },
    ],
  ])
}

const answerOpen = (
  open: Open,
  bodyFormat: BodyFormat,
  request: WireRequest,
  path: string,
): WireResponse | Promise<WireResponse> => {
  const { method } = request
  if (method === 'OPTIONS') return options(OPEN_METHODS)
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, path, OPEN_METHODS)
  return open(bodyFormat, request)
}

/** Does work that waits for its turn once it knows that it takes long, and ends the turn when the answer is written. */
const inTurn = async (
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

/** Sets headers that an answer has whatever becomes of its request. */
type SetHeaders = (headers: WireResponse['headers']) => void

/** Answers requests as a variant of the interface does. */
export const createHandler = (variant: VariantDefinition, deps: HandlerOptions): Handler => {
  const { protocol, routes, isLenient, openDoor } = variant
  const { db, version } = deps
  const app = createApp(db, routes)
  // By this a client knows that an Idempotency-Key can be relied on.
  const server = `kpi/${version}`
  const openAt = openPaths(variant, version)
  const authenticate = createAuthentication(db, openDoor, deps.now, deps.limits)
  const answers = createVersionedCache<WireResponse>(db)
  /** Caches answers until something is written, as most are asked for again and again. */
  const answerLasting = async (key: string, perform: () => Promise<WireResponse>): Promise<WireResponse> => {
    const known = answers.find(key)
    if (known) return known
    const stamp = db.stamp()
    const answered = await perform()
    if (typeof answered.body === 'string' && answered.body.length < SMALL) answers.keep(key, answered, stamp)
    return answered
  }
  // Credentials come first, then the path and the method: what cannot be done is refused, whatever its body is.
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
    const body = operation.takes && (await bodyFormat.read(await request.body(), operation.takes, request.pause))
    const now = deps.now()
    return inTurn(request, async (begin) => {
      const beginLong = (): Promise<void> => begin('list')
      const perform = async (within?: Db): Promise<WireResponse> => {
        const caller = { account, now, lenient: isLenient, db: within, pause: request.pause, beginLong }
        return respond(protocol, bodyFormat, await operation.run(caller, { query: parseQuery(target.query), body }))
      }
      if (operation.isLong) {
        await begin('work')
        return perform()
      }
      if (operation.isLasting) return answerLasting(`${account.id} ${bodyFormat.contentType} ${target.path}`, perform)
      const refusal = (error: KpiError): Promise<WireResponse> => refusalResponse(protocol, error, request)
      return answerIdempotently(db, { request, principal, now }, { perform, refuse: refusal })
    })
  }
  // What went wrong inside is logged in full; the sender learns only what to do about it.
  const publicError = (error: unknown, requestId: string): KpiError => {
    const code = error instanceof KpiError ? error.code : 'internal'
    if (error instanceof KpiError && !INSIDE.has(code)) return error
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
    let more: WireResponse['headers'] = {}
    try {
      response = await answer(request, protocol.wordingFor(request.headers), (headers) => (more = headers))
    } catch (error) {
      response = await refusalResponse(protocol, publicError(error, requestId), request)
    }
    return { ...response, headers: { ...response.headers, ...more, server, 'x-request-id': requestId } }
  }
}
