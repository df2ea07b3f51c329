import { isLoopback } from '../../client/http/base-url.ts'
import { Fault } from '../../domain/errors.ts'
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
 * Parses a base URL, which is as the user gave it. One with a query or credentials is a fault, and one without TLS, unless
 * it is loopback.
 */
export const parseBaseUrl = (text: string): URL | Fault => {
  const url = URL.parse(text)
  const fault = url ? faultOf(url) : 'is not a URL; it looks like https://acme.example.com/api'
  return url && fault === undefined ? url : new Fault(`the base URL ${withoutCredentials(text)} ${fault}`)
}

/** Returns a base URL; refuses a faulty one. */
export const readBaseUrl = (text: string): URL => {
  const url = parseBaseUrl(text)
  if (url instanceof Fault) throw new UsageError(url.message)
  return url
}

/** Tells whether a base URL is that of the newer variant, as its path says. */
export const isV1Url = (baseUrl: string): boolean => /\/v1\/?$/i.test(baseUrl)
