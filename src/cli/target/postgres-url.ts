import { resolve } from 'node:path'
import { isLoopback } from '../../client/http/base-url.ts'
import { KpiError } from '../../domain/errors.ts'
import { type ConnectionUrl, parseConnectionUrl } from '../../store/postgres/connection-url.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { readSecretFile } from './secrets.ts'
import { requireOneOf, SETTINGS, variableOf } from './settings.ts'

const FORM = 'it looks like postgres://user:password@host/database'

const given = (io: Io): string => {
  requireOneOf(io, SETTINGS.postgresUrlFile)
  const url = variableOf(io, SETTINGS.postgresUrl)
  if (url) return url.text
  const file = variableOf(io, SETTINGS.postgresUrlFile)
  if (file) return readSecretFile(io, resolve(io.cwd, file.text))
  throw new UsageError(`nothing says where PostgreSQL is: set KPI_POSTGRES_URL or KPI_POSTGRES_URL_FILE; ${FORM}`)
}

/** Tells whether nobody can eavesdrop on the connection: loopback, a Unix socket, TLS, or a network that is said to be safe. */
const isPrivate = ({ searchParams }: URL, host: string): boolean =>
  host.startsWith('/') ||
  isLoopback({ hostname: host }) ||
  Boolean(searchParams.get('sslmode') || searchParams.get('sslrootcert'))

const parsed = (text: string): ConnectionUrl => {
  try {
    return parseConnectionUrl(text)
  } catch (error) {
    throw error instanceof KpiError ? new UsageError(`KPI_POSTGRES_URL cannot be used: ${error.message}`) : error
  }
}

/**
 * Finds the URL of PostgreSQL for the bundled service. It holds a password, so it comes from the environment or a file,
 * never from a flag. A remote one must say how it is reached: with TLS, or in the clear over a safe network.
 */
export const findPostgresUrl = (io: Io): string => {
  const text = given(io).trim()
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new UsageError(`KPI_POSTGRES_URL is not the URL of a PostgreSQL database; ${FORM}`)
  }
  const { host } = parsed(text)
  if (isPrivate(url, host)) return text
  throw new UsageError(
    `KPI_POSTGRES_URL leads to ${host} without TLS; add ?sslmode=verify-full to it, or ?sslmode=disable where the network in between is safe`,
  )
}
