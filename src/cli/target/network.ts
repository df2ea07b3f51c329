import { resolve } from 'node:path'
import type { Network } from '../../client/http/connections.ts'
import type { RequestObserver } from '../../client/request-observer.ts'
import { FileFault, fileErrorReason } from '../../files/file-error.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { canAsk, findOptional, findSetting, sourceOf } from './find-setting.ts'
import { readNamed } from './named-files.ts'
import { findPlace } from './place.ts'
import type { Reach } from './session.ts'
import { ALL_SETTINGS, flagOf, type GlobalFlags, SETTINGS } from './settings.ts'
import { findTrace } from './tracing.ts'

/** Matches one certificate in a PEM file. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Returns the certificates in a file. */
const readCertificates = (path: string, said: string): string[] => {
  let text: string
  try {
    text = readNamed(path).toString('latin1')
  } catch (error) {
    const why = error instanceof FileFault ? error.message : fileErrorReason(error)
    throw new UsageError(`${said}: cannot read it (${why})`)
  }
  const certificates = text.match(CERTIFICATE) ?? []
  if (certificates.length > 0) return certificates
  throw new UsageError(`${said} holds no certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----`)
}

/** Returns the certificates that are trusted beside the usual ones; undefined without any. */
const addedCertificates = (io: Io, flags: GlobalFlags): string[] | undefined => {
  const source = sourceOf(io, flags, SETTINGS.caFile)
  return source && readCertificates(resolve(io.cwd, source.text), `${source.as} ${source.text}`)
}

/** Returns the way to remote services, by the settings of certificates and proxies. */
const findNetwork = (io: Io, flags: GlobalFlags, observer: RequestObserver | undefined): Network => {
  const certificates = addedCertificates(io, flags)
  return {
    httpProxy: findOptional(io, flags, SETTINGS.httpProxy)?.value,
    httpsProxy: findOptional(io, flags, SETTINGS.httpsProxy)?.value,
    noProxy: findOptional(io, flags, SETTINGS.noProxy)?.value,
    ...(certificates && { certificates }),
    observer,
  }
}

/** Refuses a wrong --ca-file or time zone, also where the service or the command has no use for it. */
export const requireSettings = (io: Io, flags: GlobalFlags): void => {
  if (flags.caFile !== undefined) addedCertificates(io, flags)
  findOptional(io, flags, SETTINGS.timeZone)
}

/** Refuses flags of every command whose values cannot be, all at once. */
export const requireFlags = (io: Io, flags: GlobalFlags): void => {
  const { profile, dataDir } = flags
  const checks = [
    ...ALL_SETTINGS.filter((one) => flagOf(flags, one)).map((one) => () => findOptional(io, flags, one)),
    ...(profile === undefined && dataDir === undefined ? [] : [() => findPlace(io, flags)]),
    () => requireSettings(io, flags),
  ]
  const messages = checks.flatMap((check) => {
    try {
      check()
      return []
    } catch (error) {
      if (error instanceof UsageError) return [error.message]
      throw error
    }
  })
  if (messages.length > 0) throw new UsageError([...new Set(messages)].join('; '))
}

/** Returns how a command line reaches its service. The files of a network are read only where it is remote. */
export const findReach = (io: Io, flags: GlobalFlags): Reach => {
  const observer = findTrace(io, flags)?.observer
  return {
    timeoutMs: findSetting(io, flags, SETTINGS.timeout).value,
    canAsk: () => canAsk(io, flags),
    network: () => findNetwork(io, flags, observer),
    calendar: {
      week_start: findSetting(io, flags, SETTINGS.weekStart).value,
      fiscal_year_start: findSetting(io, flags, SETTINGS.fiscalYearStart).value,
    },
    observer,
  }
}
