import type { Stats } from 'node:fs'
import { resolve } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import { fileErrorReason as reasonOf } from '../../files/file-error.ts'
import { checkPair, type TlsPair } from '../../server/http/tls.ts'
import type { Cli } from '../cli.ts'
import type { Io } from '../io.ts'
import { readNamed } from '../target/named-files.ts'
import { requirePrivate } from '../target/secrets.ts'
import type { ServeSettings } from './settings.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of its path is a file',
}

/** Returns why the system refused a file, in words. */
export const fileErrorReason = (error: unknown): string => reasonOf(error, REASONS)

/** Describes a certificate and its key, and when it expires, in milliseconds since 1970. */
type ServedPair = { readonly pair: TlsPair; readonly validTo: number }

const read = ({ cwd }: Io, what: string, path: string, check?: (found: Stats) => void): string => {
  try {
    return readNamed(resolve(cwd, path), { ...(check && { check }) }).toString()
  } catch (error) {
    if (error instanceof KpiError) throw error
    throw new KpiError('unusable', `cannot read the ${what} ${path}: ${fileErrorReason(error)}`, { cause: error })
  }
}

/** Reads a certificate and its key from their files; refuses a pair that cannot be used now. */
export const readPair = (io: Io, files: NonNullable<ServeSettings['tls']>): ServedPair => {
  const requireOwn = (found: Stats): void => requirePrivate(io, resolve(io.cwd, files.key), found, 'unusable')
  const pair = { cert: read(io, 'certificate', files.cert), key: read(io, 'private key', files.key, requireOwn) }
  try {
    return { pair, ...checkPair(pair, io.now()) }
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    throw new KpiError('unusable', `cannot serve HTTPS with ${files.cert} and ${files.key}: ${error.message}`, {
      cause: error,
    })
  }
}

/** Reads the certificate again; keeps the current one if the new one cannot be used. */
export const renewPair = async (
  cli: Cli,
  files: NonNullable<ServeSettings['tls']>,
  use: (served: ServedPair) => void,
): Promise<void> => {
  try {
    const served = readPair(cli.io, files)
    use(served)
    await cli.note(`reloaded the certificate; it is valid until ${new Date(served.validTo).toISOString().slice(0, 10)}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await cli.log.warn(`${reason}; the previous certificate stays in use`)
  }
}
