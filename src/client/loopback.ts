/** Whether a URL's host is this machine itself, so that nobody can listen on the way. */
export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
