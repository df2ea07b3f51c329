import { type FileHandle, open } from 'node:fs/promises'
import { KpiError } from '../../domain/errors.ts'
import { reasonOf } from './file-error.ts'

/** Not yet written bytes beyond which lines are dropped: the disk is slower than the service. */
const WAITING_LIMIT = 16 * 1024 * 1024
const MODE = 0o640

/** A file that lines are added to, in order, without anybody waiting for it. */
export type LogFile = {
  readonly write: (line: string) => void
  /** Goes on in a new file of the same name, as the old one was moved away. */
  readonly reopen: () => void
  /** Writes what is waiting, and ends. */
  readonly close: () => Promise<void>
}

const openFile = async (path: string): Promise<FileHandle> => {
  try {
    return await open(path, 'a', MODE)
  } catch (error) {
    throw new KpiError('unusable', `cannot open the log ${path}: ${reasonOf(error)}`, { cause: error })
  }
}

/**
 * Opens a file to add lines to. One that cannot be written stops nobody: `tell` hears of it once, and again when it can
 * be written, with how many lines were lost.
 */
export const openLogFile = async (path: string, tell: (text: string) => void): Promise<LogFile> => {
  let file = await openFile(path)
  let work = Promise.resolve()
  let [waiting, lines, lost] = ['', 0, 0]
  const lose = (count: number, reason: string): void => {
    if (lost === 0) tell(`cannot write the log ${path}: ${reason}; the service goes on without it`)
    lost += count
  }
  const flush = async (): Promise<void> => {
    if (waiting === '') return
    // A line that was cut by a full disk must not run into the next one.
    const [text, count] = [lost > 0 ? `\n${waiting}` : waiting, lines]
    ;[waiting, lines] = ['', 0]
    try {
      await file.appendFile(text)
      if (lost > 0) tell(`the log ${path} is written again; ${lost} lines were lost`)
      lost = 0
    } catch (error) {
      lose(count, reasonOf(error))
    }
  }
  const renew = async (): Promise<void> => {
    try {
      const next = await openFile(path)
      await file.close()
      file = next
    } catch (error) {
      tell(`${error instanceof Error ? error.message : String(error)}; the old file is written on`)
    }
  }
  const doNext = (step: () => Promise<void>): void => {
    work = work.then(step)
  }
  return {
    write: (line) => {
      if (waiting.length + line.length > WAITING_LIMIT) return lose(1, 'it is too slow')
      if (waiting === '') doNext(flush)
      waiting += line
      lines += 1
    },
    reopen: () => doNext(renew),
    close: async () => {
      await work
      await file.close()
    },
  }
}
