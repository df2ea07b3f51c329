/** Tells whether a URL's host is this machine, so that nobody can read the traffic. */
export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

/** Returns a URL without the slashes at its end. */
export const withoutFinalSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === '/') end -= 1
  return url.slice(0, end)
}

/** Matches loopback addresses that programs use for services of their own, as `127.0.0.2` beside `127.0.0.1`. */
const OWN_LOOPBACK = /^127\.(?!0\.0\.1$)/

/**
 * Normalizes a base URL: `localhost`, `127.0.0.1` and `[::1]` are one machine, further loopback addresses are others, and
 * a path may end in a slash.
 */
export const normalizeUrl = (baseUrl: URL): string => {
  const url = new URL(baseUrl)
  if (isLoopback(url) && !OWN_LOOPBACK.test(url.hostname)) url.hostname = 'localhost'
  return withoutFinalSlashes(url.href)
}
