/** Tells whether a URL's host is this machine, so that nobody can read the traffic. */
export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

/** Returns a URL without the slashes at its end. */
export const withoutFinalSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === '/') end -= 1
  return url.slice(0, end)
}

/** Normalizes a base URL: loopback has several names, and a path may end in a slash. */
export const normalizeUrl = (baseUrl: URL): string => {
  const url = new URL(baseUrl)
  if (isLoopback(url)) url.hostname = 'localhost'
  return withoutFinalSlashes(url.href)
}
