import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { KpiError } from '../domain/errors.ts'

/** Thrown where something is not the file that it has to be. Its message is a clause that says why: "it is a pipe". */
export class FileFault extends Error {
  override readonly name = 'FileFault'
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would be larger than files may be here',
  EEXIST: 'a file is in its place',
  ENOTDIR: 'part of its path is not a directory',
  ENXIO: 'nobody reads from that pipe',
  ABORT_ERR: 'what reads from that pipe has stopped reading',
  ELOOP: 'links on its path lead in a circle',
  ENAMETOOLONG: 'its name or its path is longer than the system allows; shorten it',
  ERR_INVALID_ARG_VALUE: 'it has a character that no path can have (NUL); leave that out',
}

/** Returns the code of an error of the operating system; an empty text for any other error. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Tells whether an error says that a text cannot be the path of anything; its own words quote that text. */
export const isOfNoPath = (error: unknown): boolean =>
  ['ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(systemCode(error))

/** Returns why a file could not be used, as a clause; `words` are the caller's own for some codes of the system. */
export const fileErrorReason = (error: unknown, words: Readonly<Record<string, string>> = {}): string => {
  const code = systemCode(error)
  return words[code] ?? REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}

/** Shows a byte of a name that is no UTF-8. */
const NO_LETTER = '\ufffd'

/** Matches the parts of a path that a shell reads as they are. */
const PLAIN = /^[\w./@%,:+-]*$/

const quoted = (part: string): string => (PLAIN.test(part) ? part : `'${part.replaceAll(/['\\]/g, String.raw`'\$&'`)}'`)

/** Returns why a name that is not UTF-8 finds no file, although one is there; undefined where that is not so. */
const nameFault = (error: unknown, shown: string): string | undefined => {
  const path = error instanceof Error && 'path' in error ? String(error.path) : ''
  if (systemCode(error) !== 'ENOENT' || !basename(path).includes(NO_LETTER)) return undefined
  if (!existsSync(dirname(path)) || !readdirSync(dirname(path)).includes(basename(path))) return undefined
  const [pattern, name] = ['*', '_'].map((sign) =>
    shown
      .split(/\ufffd+/)
      .map(quoted)
      .join(sign),
  )
  return `its name is not UTF-8; rename it: mv ${pattern} ${name}`
}

/** Returns an error of the file system as one line that names the file and says why. Any other error passes through. */
export const fileError = (error: unknown, act: 'read' | 'write', path: string): unknown => {
  const isOfFile = error instanceof FileFault || (error instanceof Error && 'code' in error)
  if (error instanceof KpiError || !isOfFile) return error
  if (path === '') return new KpiError('malformed', `cannot ${act} '': the name of the file is empty`, { cause: error })
  const words = act === 'write' ? { ENOENT: 'there is no such folder; make it first' } : {}
  const why = (act === 'read' && nameFault(error, path)) || fileErrorReason(error, words)
  return new KpiError('malformed', `cannot ${act} ${path}: ${why}`, { cause: error })
}
