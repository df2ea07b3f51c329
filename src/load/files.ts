import { closeSync, createReadStream, createWriteStream, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import { KpiError } from '../domain/errors.ts'

const CHUNK_BYTES = 1 << 16
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'part of its path is not a directory',
}

/** An error of the file system as one line that names the file and says why. Anything else passes through. */
export const fileError = (error: unknown, act: 'read' | 'write', path: string): unknown => {
  if (error instanceof KpiError || !(error instanceof Error) || !('code' in error)) return error
  const reason = REASONS[String(error.code)] ?? error.message
  return new KpiError('malformed', `cannot ${act} ${path}: ${reason}`, { cause: error })
}

/** A file that can be read more than once. */
export type Source = { readonly name: string; readonly open: () => Readable; readonly close: () => void }

/** A file on disk, called by the name that the user gave. Fails at once where it cannot be read. */
export const fileSource = (path: string, name: string): Source => {
  try {
    if (statSync(path).isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    closeSync(openSync(path, 'r'))
  } catch (error) {
    throw fileError(error, 'read', name)
  }
  return {
    name,
    open: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
    close: () => undefined,
  }
}

/** Standard input, laid down in a file of its own so that it can be read again. */
export const spoolSource = async (input: Readable, folder: string, name: string): Promise<Source> => {
  const path = join(folder, `kpi-stdin-${name}`)
  try {
    await pipeline(input, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    rmSync(path, { force: true })
    throw fileError(error, 'write', path)
  }
  return { ...fileSource(path, 'standard input'), close: () => rmSync(path, { force: true }) }
}

/** Writes a file beside its place and moves it there when it is whole: never half a file under the name. */
export const writeWhole = async (path: string, chunks: AsyncIterable<string> | Iterable<string>): Promise<void> => {
  const beside = join(dirname(path), `.${basename(path)}.part`)
  try {
    await pipeline(chunks, createWriteStream(beside, { flush: true }))
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw fileError(error, 'write', path)
  }
}
