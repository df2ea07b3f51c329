import { resolve } from 'node:path'
import type { Network } from '../../client/http/connections.ts'
import type { RequestObserver } from '../../client/request-observer.ts'
import { FileFault, systemCode } from '../../files/file-error.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { calendarOf } from './calendar-settings.ts'
import { readNamed } from './named-files.ts'
import { profileSettings } from './profile-choice.ts'
import { projectOf } from './project.ts'
import type { Reach } from './session.ts'
import { canAsk, findTimeout, type GlobalFlags } from './settings.ts'
import { namedTimeZone } from './time-zone.ts'
import { findTrace } from './tracing.ts'

/** Matches one certificate in a PEM file. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Returns the certificates in a file. */
const readCertificates = (path: string, said: string): string[] => {
  let text: string
  try {
    text = readNamed(path).toString('latin1')
  } catch (error) {
    const why = error instanceof FileFault ? error.message : systemCode(error) || String(error)
    throw new UsageError(`${said}: cannot read it (${why})`)
  }
  const certificates = text.match(CERTIFICATE) ?? []
  if (certificates.length > 0) return certificates
  throw new UsageError(`${said} holds no certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----`)
}

/** Matches the address of a proxy without a scheme; its port is what tells it from any word. */
const HOST_AND_PORT = /:\d+\/?$/

/** Returns a proxy of the environment, in either spelling: `http://` may be left out. Its password is never shown. */
const findProxy = ({ env }: Io, usual: string): string | undefined => {
  const name = [usual.toLowerCase(), usual].find((one) => env[one])
  const given = name === undefined ? undefined : env[name]
  if (!given) return undefined
  const url = URL.parse(given.includes('://') ? given : HOST_AND_PORT.test(given) ? `http://${given}` : '')
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.href
  throw new UsageError(`${name} is not the URL of an HTTP proxy; write http://HOST:PORT, or unset it`)
}

/** Returns the certificates that --ca-file, KPI_CA_FILE or the profile adds to the usual ones; undefined without any. */
const addedCertificates = (io: Io, flags: GlobalFlags): string[] | undefined => {
  const { caFile } = flags
  const named = caFile ?? (io.env['KPI_CA_FILE'] || undefined)
  const file = named ?? profileSettings(io, flags).caFile
  if (file === undefined) return undefined
  const from = caFile !== undefined ? '--ca-file' : named !== undefined ? 'KPI_CA_FILE' : 'the ca_file of the profile,'
  return readCertificates(resolve(io.cwd, file), `${from} ${file}`)
}

/** Returns the way to remote services, by --ca-file, KPI_CA_FILE, the profile and the usual variables for proxies. */
const findNetwork = (io: Io, flags: GlobalFlags, observer: RequestObserver | undefined): Network => {
  const certificates = addedCertificates(io, flags)
  return {
    httpProxy: findProxy(io, 'HTTP_PROXY'),
    httpsProxy: findProxy(io, 'HTTPS_PROXY'),
    noProxy: io.env['no_proxy'] || io.env['NO_PROXY'],
    ...(certificates && { certificates }),
    observer,
  }
}

/** Refuses a wrong --ca-file or time zone, also where the service or the command has no use for it. */
export const requireSettings = (io: Io, flags: GlobalFlags): void => {
  if (flags.caFile !== undefined) addedCertificates(io, flags)
  namedTimeZone(io, flags)
}

/** Returns how a command line reaches its service. The files of a network are read only where it is remote. */
export const findReach = (io: Io, flags: GlobalFlags): Reach => {
  const observer = findTrace(io, flags)?.observer
  return {
    timeoutMs: findTimeout(flags),
    canAsk: () => canAsk(io, flags),
    network: () => findNetwork(io, flags, observer),
    calendar: calendarOf(projectOf(io), profileSettings(io, flags).calendar ?? {}),
    observer,
  }
}
