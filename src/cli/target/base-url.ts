import { isLoopback } from '../../client/http/base-url.ts'
import { UsageError } from '../exit.ts'

/** Returns a URL without what may be secret: what stands before the last `@`, and the query. */
const withoutCredentials = (text: string): string => {
  const [place = ''] = text.split(/[?#]/, 1)
  const slashes = place.indexOf('//')
  const [start, end] = [slashes < 0 ? 0 : slashes + 2, place.lastIndexOf('@')]
  const shown = end < start ? place : place.slice(0, start) + place.slice(end + 1)
  return place === text ? shown : `${shown}…`
}

const faultOf = (url: URL): string | undefined => {
  if (url.username !== '' || url.password !== '') {
    return 'has credentials in it; give the login name, the token or the key by themselves'
  }
  if (url.search !== '' || url.hash !== '') return 'has more than a path; it looks like https://acme.example.com/api'
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return undefined
  return 'is not HTTPS; credentials are not sent over plain HTTP'
}

/**
 * Returns a base URL as the user gave it; refuses one with a query or credentials, and one without TLS, unless it is
 * loopback.
 */
export const readBaseUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fault = url ? faultOf(url) : 'is not a URL; it looks like https://acme.example.com/api'
  if (url && fault === undefined) return url
  throw new UsageError(`the base URL ${withoutCredentials(text)} ${fault}`)
}

/** Tells whether a base URL is that of the newer variant, as its path says. */
export const isV1Url = (baseUrl: string): boolean => /\/v1\/?$/i.test(baseUrl)
