import { KpiError } from '../../domain/errors.ts'

/** What keeps a journal from being written: nothing may be sent that is not written down. */
export class JournalFault extends KpiError {}

// SQLite's primary result codes.
const REASONS: Readonly<Record<number, string>> = {
  8: 'it may not be written',
  10: 'the disk cannot be read or written',
  13: 'the disk is full',
  14: 'it cannot be opened; check the permissions of its folder',
}
const BUSY: ReadonlySet<number> = new Set([5, 6])
const DAMAGED: ReadonlySet<number> = new Set([11, 26])

const resultCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0

/** Returns whether an error says that somebody else has the file locked. */
export const isBusy = (error: unknown): boolean => BUSY.has(resultCode(error))

/** What is told of a journal that cannot be gone on with. */
export const unreadable = (path: string, what: string, cause?: unknown): JournalFault =>
  new JournalFault(
    'unusable',
    `the journal ${path} ${what}; remove it to begin anew: what was stored already is found there, but with --on-conflict add it would be added again`,
    { cause },
  )

const faultOf = (error: unknown, path: string): unknown => {
  if (error instanceof KpiError) return error
  const code = resultCode(error)
  if (isBusy(error))
    return new KpiError('locked', 'the same import is running already; wait until it has ended, or stop it')
  if (DAMAGED.has(code)) return unreadable(path, 'is damaged', error)
  const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error))
  return new JournalFault('unusable', `cannot write the journal ${path}: ${reason}`, { cause: error })
}

/** Does what is done with a journal; what goes wrong is told with its path. */
export const told = <T>(path: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw faultOf(error, path)
  }
}
