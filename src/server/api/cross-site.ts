import { KpiError } from '../../domain/errors.ts'
import type { WireRequest } from '../wire.ts'

/** Lists the methods that change nothing, so pages of any site may use them. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
const OTHER_SITES: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

/** Bounds how much of an Origin a message quotes. */
const LONGEST_QUOTE = 100

type BrowserRequest = Pick<WireRequest, 'method' | 'headers' | 'scheme' | 'publicOrigin'>

/** Returns the origin of a host, as browsers write it: in lower case, without the default port. */
const originOf = (scheme: string, host: string | undefined): string | undefined =>
  host === undefined ? undefined : URL.parse(`${scheme}://${host}`)?.origin

const isOwnOrigin = (origin: string, { headers, scheme = 'http', publicOrigin }: BrowserRequest): boolean =>
  origin === publicOrigin || origin === originOf(scheme, headers['host'])

/**
 * Refuses a request that would change something, and that a browser sends for a page of another site (CSRF). Browsers
 * add the user's credentials for this service to the requests of any page.
 */
export const rejectCrossSite = (request: BrowserRequest): void => {
  const { method, headers } = request
  if (SAFE_METHODS.has(method)) return
  const sites = (headers['sec-fetch-site'] ?? '').split(',').map((site) => site.trim().toLowerCase())
  const site = sites.find((one) => OTHER_SITES.has(one))
  if (site !== undefined) {
    throw new KpiError(
      'forbidden',
      `a page of another site asks for this (Sec-Fetch-Site: ${site}), and may change nothing here; send it from a program, or from a page of this service`,
    )
  }
  const origin = headers['origin']?.trim()
  if (origin === undefined || isOwnOrigin(origin, request)) return
  const shown = origin.slice(0, LONGEST_QUOTE)
  throw new KpiError(
    'forbidden',
    `Origin ${shown} is not that of this service, and pages of other sites may change nothing here; send it from a program, or, where clients reach the service at another address than it knows of, name that with --public-url`,
  )
}

/** Refuses a browser's body without Content-Type: pages of any site may send that without a CORS preflight. */
export const requireDeclaredBody = ({ headers }: BrowserRequest): void => {
  const isDeclared = (headers['content-type'] ?? '').trim() !== ''
  if (isDeclared || headers['origin'] === undefined) return
  throw new KpiError(
    'media_type',
    'Content-Type is missing, which a request with an Origin must have; send application/json',
  )
}
