import { isLoopback } from './loopback.ts'

/** A base URL in one way of the several in which it may be written: this machine has several names, and a path may end in a slash. */
export const plainUrl = (baseUrl: URL): string => {
  const url = new URL(baseUrl)
  if (isLoopback(url)) url.hostname = 'localhost'
  return url.href.replace(/\/+$/, '')
}
