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
  EEXIST: 'a file is in its place',
  ENOTDIR: 'part of its path is not a directory',
  ENXIO: 'nobody reads from that pipe',
  ELOOP: 'links on its path lead in a circle',
}

/** Returns the code of an error of the operating system; an empty text for any other error. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Returns why a file could not be used, as a clause; `words` are the caller's own for some codes of the system. */
export const fileErrorReason = (error: unknown, words: Readonly<Record<string, string>> = {}): string => {
  const code = systemCode(error)
  return words[code] ?? REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}

/** Returns an error of the file system as one line that names the file and says why. Any other error passes through. */
export const fileError = (error: unknown, act: 'read' | 'write', path: string): unknown => {
  const isOfFile = error instanceof FileFault || (error instanceof Error && 'code' in error)
  if (error instanceof KpiError || !isOfFile) return error
  const words = act === 'write' ? { ENOENT: 'there is no such folder; make it first' } : {}
  return new KpiError('malformed', `cannot ${act} ${path}: ${fileErrorReason(error, words)}`, { cause: error })
}
