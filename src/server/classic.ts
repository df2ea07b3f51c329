import type { Instant } from '../domain/day.ts'
import { type ErrorCode, KpiError } from '../domain/errors.ts'
import { health } from '../domain/resources/health.ts'
import { createRecall } from '../service/recall.ts'
import type { Db } from '../store/db.ts'
import { type App, notAllowed } from './app.ts'
import type { Answer } from './call.ts'
import { type Format, formats } from './format.ts'
import { createDoor, type Limits } from './door.ts'
import { chooseFormat, mustBePlain, mustBeUnderstood } from './media-type.ts'
import { answerOnce, withBodyOnce } from './once.ts'
import { parseQuery } from './query.ts'
import { routes } from './routes/index.ts'
import { classicStatus } from './status.ts'
import type { Face, WireRequest, WireResponse } from './wire.ts'

const PREFIX = '/api'
const DESCRIPTION_PATH = '/openapi.json'
const TARGET_LIMIT = 8192
/** Answers up to this size are remembered. */
const SMALL = 16_384

/** What a face runs on besides the service itself. */
export type FaceDeps = {
  readonly app: App
  readonly db: Db
  readonly version: string
  readonly now: () => Instant
  /** A new id for a request. */
  readonly requestId: () => string
  /** Told of what was unforeseen, in full; the sender is told only the request's id. */
  readonly onError: (error: unknown, requestId: string) => void
  /** What callers are held to; nothing where it is not given. */
  readonly limits?: Limits
}

type Target = { readonly path: string; readonly query: string }

const mustBeShort = (target: string): void => {
  if (target.length > TARGET_LIMIT) throw new KpiError('too_long', `the address is over ${TARGET_LIMIT} bytes`)
}

const parseTarget = (target: string): Target => {
  const end = target.indexOf('?')
  const [path, query] = end < 0 ? [target, ''] : [target.slice(0, end), target.slice(end + 1)]
  const below = path.slice(PREFIX.length)
  if (path.slice(0, PREFIX.length).toLowerCase() !== PREFIX || !below.startsWith('/')) {
    throw new KpiError('not_found', `there is nothing at ${path}`)
  }
  return { path: below, query }
}

const respond = (format: Format, { status, location, total, content }: Answer): WireResponse => ({
  status,
  headers: {
    ...(content && { 'content-type': format.contentType }),
    ...(location !== undefined && { location: PREFIX + location }),
    ...(total !== undefined && { 'x-total-count': String(total) }),
  },
  body: content ? format.write(content) : '',
})

const refusal = (format: Format, error: KpiError): WireResponse => ({
  status: classicStatus[error.code],
  headers: {
    'content-type': format.contentType,
    ...(error.code === 'unauthorized' && { 'www-authenticate': 'Basic realm="kpi"' }),
    ...(error.allow.length > 0 && { allow: error.allow.join(', ') }),
    ...(error.retryAfter !== undefined && { 'retry-after': String(Math.ceil(error.retryAfter)) }),
  },
  body: format.writeError(error),
})

const INSIDE: ReadonlySet<ErrorCode> = new Set(['internal', 'unavailable', 'unusable'])

const OPEN_METHODS = ['GET', 'HEAD', 'OPTIONS']

const options = (allow: readonly string[]): WireResponse => ({
  status: 204,
  headers: { allow: allow.join(', ') },
  body: '',
})

type Open = (format: Format) => Promise<WireResponse>

/** What anybody may ask for, by its path. */
const openPaths = (version: string): ReadonlyMap<string, Open> => {
  let description: string | undefined
  const describe = async (): Promise<string> => {
    const { describeInterface } = await import('./openapi/document.ts')
    return JSON.stringify(describeInterface(routes, version))
  }
  return new Map<string, Open>([
    [
      health.path,
      async (format) => respond(format, { status: 200, content: { of: health, record: { status: 'ok', version } } }),
    ],
    [
      DESCRIPTION_PATH,
      async () => {
        description ??= await describe()
        return { status: 200, headers: { 'content-type': formats.json.contentType }, body: description }
      },
    ],
  ])
}

const answerOpen = (open: Open, format: Format, method: string, path: string): WireResponse | Promise<WireResponse> => {
  if (method === 'OPTIONS') return options(OPEN_METHODS)
  if (method !== 'GET') throw notAllowed(method, path, OPEN_METHODS)
  return open(format)
}

/** Takes headers that an answer has whatever becomes of its request. */
type Tell = (headers: WireResponse['headers']) => void

/** The classic interface: `/api`, JSON or XML, Basic credentials. */
export const classicFace = (deps: FaceDeps): Face => {
  const { app, db, version } = deps
  const openAt = openPaths(version)
  const letIn = createDoor(db, deps.limits ?? {})
  const answers = createRecall<WireResponse>(db)
  /** Does what lasts until something is written once until then. Most of what is read is read again and again. */
  const answerLasting = async (key: string, perform: () => Promise<WireResponse>): Promise<WireResponse> => {
    const known = answers.find(key)
    if (known) return known
    const stamp = db.stamp()
    const answered = await perform()
    if (answered.body.length < SMALL) answers.keep(key, answered, stamp)
    return answered
  }
  // Credentials come first, then the path and the method: what cannot be done is refused, whatever its body is.
  const answer = async (sent: WireRequest, format: Format, tell: Tell): Promise<WireResponse> => {
    const request = withBodyOnce(sent)
    const target = parseTarget(request.target)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const open = openAt.get(target.path.toLowerCase().replace(/\/$/, ''))
    if (open || method === 'OPTIONS') mustBeShort(request.target)
    if (open) return answerOpen(open, format, method, target.path)
    if (method === 'OPTIONS') return options(app.methodsOf(target.path))
    const { account, token } = await letIn(request, tell)
    mustBeShort(request.target)
    const operation = app.find(method, target.path)
    mustBeUnderstood(request.headers['content-type'], operation.takes !== undefined)
    if (operation.takes) mustBePlain(request.headers['content-encoding'])
    const body = operation.takes && (await format.read(await request.body(), operation.takes))
    const now = deps.now()
    const perform = async (open?: Db): Promise<WireResponse> => {
      const caller = { account, now, lenient: true, db: open }
      return respond(format, await operation.run(caller, { query: parseQuery(target.query), body }))
    }
    if (operation.isLasting) return answerLasting(`${account.id} ${format.contentType} ${target.path}`, perform)
    const refuse = (error: KpiError): WireResponse => refusal(format, error)
    return answerOnce(db, { request, account, token, now }, { perform, refuse })
  }
  // What went wrong inside is logged in full; the sender learns only what to do about it.
  const told = (error: unknown, requestId: string): KpiError => {
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
    const format = formats[chooseFormat(request.headers)]
    let response: WireResponse
    let more: WireResponse['headers'] = {}
    try {
      response = await answer(request, format, (headers) => (more = headers))
    } catch (error) {
      response = refusal(format, told(error, requestId))
    }
    return { ...response, headers: { ...response.headers, ...more, 'x-request-id': requestId } }
  }
}
