import { isLoopback } from '../../client/http/base-url.ts'
import { KpiError } from '../../domain/errors.ts'
import { SCOPES } from '../../domain/scopes.ts'
import type { Io } from '../io.ts'
import { shellWord } from '../output/text.ts'
import { credentialsIn, secretSource } from './credentials.ts'
import type { RemotePlace } from './place.ts'

/** Returns the command that stores a new secret for a profile. */
const addAgain = (place: RemotePlace, profile: string, login: string | undefined): string => {
  // Leave out a login name from the environment: it is not the profile's.
  const own = place.kind === 'classic' && login === undefined ? ['--login', place.login] : []
  return ['kpi', 'profiles', 'add', profile, '--base-url', place.baseUrl, ...own].map(shellWord).join(' ')
}

/** Returns what to do about refused credentials, by where they come from. */
const credentialsAdvice = (io: Io, place: RemotePlace): string => {
  const { kind, profile } = place
  const source = secretSource(io, place)
  const inEnvironment = source.from === 'KPI_TOKEN' || source.from === 'KPI_TOKEN_FILE' ? source.from : undefined
  if (profile === undefined) return `check ${kind === 'classic' ? 'KPI_LOGIN and ' : ''}${inEnvironment ?? 'KPI_TOKEN'}`
  if (inEnvironment !== undefined) return `it comes from ${inEnvironment}; check that`
  if (source.from === 'command') return `it comes from the command ${source.text}; check that`
  if (source.from === 'file') return `it comes from the file ${source.text}; check that`
  return `enter it again: ${addAgain(place, profile, credentialsIn(io, profile).login)}`
}

/** Returns the scopes of a key that would do: those of the key that was shown, where known, and the missing one. */
const scopesWith = (scope: string, known: string): string =>
  SCOPES.filter((one) => one === scope || known.split(/[\s,]+/).includes(one)).join(',')

/** Tells whether nothing listens at the address of a service. */
const hasNoListener = ({ cause }: KpiError): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'

/** Returns what to do where nothing listens. */
const startAdvice = ({ baseUrl }: RemotePlace): string =>
  isLoopback(new URL(baseUrl))
    ? 'is it started? kpi serve starts the bundled service; kpi doctor shows which address is used'
    : 'check the address: kpi doctor shows which one is used, and what named it'

const adviceFor = (error: KpiError, io: Io, place: RemotePlace, known: string): string | undefined => {
  if (hasNoListener(error)) return startAdvice(place)
  if (error.code === 'unauthorized') return credentialsAdvice(io, place)
  const scope = place.kind === 'v1' ? error.missingScope : undefined
  if (scope === undefined) return undefined
  return `use a key that has it; on the bundled service, kpi service keys create NAME --user USER --scopes ${scopesWith(scope, known)} makes one`
}

/** Returns a refusal of a key, or of a connection, with advice; any other error unchanged. */
export const addAdvice = <E>(error: E, io: Io, place: RemotePlace, known = ''): E | KpiError => {
  if (!(error instanceof KpiError)) return error
  const advice = adviceFor(error, io, place, known)
  return advice === undefined
    ? error
    : new KpiError(error.code, `${error.message}; ${advice}`, {
        missingScope: error.missingScope,
        mayBeDone: error.mayBeDone,
        cause: error.cause,
      })
}
