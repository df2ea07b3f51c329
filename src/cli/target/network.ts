import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Network } from '../../client/http/connections.ts'
import type { RequestObserver } from '../../client/request-observer.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { calendarOf } from './calendar-settings.ts'
import { profileSettings } from './profile-choice.ts'
import { projectOf } from './project.ts'
import type { Reach } from './session.ts'
import { findTimeout, type GlobalFlags } from './settings.ts'
import { findTrace } from './tracing.ts'

/** Matches one certificate in a PEM file. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Returns the certificates in a file. */
const readCertificates = (path: string, said: string): string[] => {
  let text: string
  try {
    text = readFileSync(path, 'latin1')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new UsageError(`${said}: cannot read it (${code})`)
  }
  const certificates = text.match(CERTIFICATE) ?? []
  if (certificates.length > 0) return certificates
  throw new UsageError(`${said} holds no certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----`)
}

/** Returns a proxy of the environment, in either spelling: `http://` may be left out. Its password is never shown. */
const findProxy = ({ env }: Io, name: string): string | undefined => {
  const given = env[name.toLowerCase()] || env[name]
  if (!given) return undefined
  const url = URL.parse(given.includes('://') ? given : `http://${given}`)
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.href
  throw new UsageError(`${name} is not the URL of an HTTP proxy; write http://HOST:PORT, or unset it`)
}

/** Returns the way to remote services, by --ca-file, KPI_CA_FILE and the usual variables for proxies. */
const findNetwork = (io: Io, { caFile }: GlobalFlags, observer: RequestObserver | undefined): Network => {
  const file = caFile ?? (io.env['KPI_CA_FILE'] || undefined)
  const said = `${caFile === undefined ? 'KPI_CA_FILE' : '--ca-file'} ${file}`
  return {
    httpProxy: findProxy(io, 'HTTP_PROXY'),
    httpsProxy: findProxy(io, 'HTTPS_PROXY'),
    noProxy: io.env['no_proxy'] || io.env['NO_PROXY'],
    ...(file !== undefined && { certificates: readCertificates(resolve(io.cwd, file), said) }),
    observer,
  }
}

/** Returns how a command line reaches its service. The files of a network are read only where it is remote. */
export const findReach = (io: Io, flags: GlobalFlags): Reach => {
  const observer = findTrace(io, flags)?.observer
  return {
    timeoutMs: findTimeout(flags),
    network: () => findNetwork(io, flags, observer),
    calendar: calendarOf(projectOf(io), profileSettings(io, flags).calendar ?? {}),
    observer,
  }
}
