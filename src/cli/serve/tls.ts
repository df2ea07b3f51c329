import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import { checkPair, type TlsPair } from '../../server/tls.ts'
import type { Io } from '../io.ts'
import { reasonOf } from './file-error.ts'
import type { ServeSettings } from './settings.ts'

const read = ({ cwd }: Io, what: string, path: string): string => {
  try {
    return readFileSync(resolve(cwd, path), 'utf8')
  } catch (error) {
    throw new KpiError('unusable', `cannot read the ${what} ${path}: ${reasonOf(error)}`, { cause: error })
  }
}

/** Reads a certificate and its key from their files; refuses what cannot be served with now. */
export const readPair = (
  io: Io,
  files: NonNullable<ServeSettings['tls']>,
): { readonly pair: TlsPair; readonly validTo: number } => {
  const pair = { cert: read(io, 'certificate', files.cert), key: read(io, 'private key', files.key) }
  try {
    return { pair, ...checkPair(pair, io.now()) }
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    throw new KpiError('unusable', `cannot serve HTTPS with ${files.cert} and ${files.key}: ${error.message}`, {
      cause: error,
    })
  }
}
