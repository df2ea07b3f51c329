import { countOf } from '../../domain/count-text.ts'
import { resolve } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import { AppendedFile } from '../../files/appended-file.ts'
import type { OnFinished } from '../../server/http/connections.ts'
import { errorLine, requestLine } from '../../server/observe/access-log.ts'
import type { Io } from '../io.ts'
import { fileErrorReason } from './tls.ts'

/** Bounds the bytes waiting to be written; beyond it lines are dropped, as the disk is slower than the service. */
const WAITING_LIMIT = 16 * 1024 * 1024
const MODE = 0o640

/** Describes a file to append lines to, in order; nobody waits for it. */
type LogFile = {
  readonly write: (line: string) => void
  /** Continues in a new file of the same name, after the old one was moved away. */
  readonly reopen: () => void
  /** Writes what is waiting, and ends. */
  readonly close: () => Promise<void>
}

const openFile = (path: string): AppendedFile => {
  try {
    return new AppendedFile(path, { isNamed: true, mode: MODE })
  } catch (error) {
    throw new KpiError('unusable', `cannot open the log ${path}: ${fileErrorReason(error)}`, { cause: error })
  }
}

/**
 * Opens a file to append lines to. A failing write stops nobody: `notify` reports it once, and again when writing works
 * again, with the number of lines lost.
 */
const openLogFile = (path: string, notify: (text: string) => void): LogFile => {
  let file = openFile(path)
  let work = Promise.resolve()
  let [waiting, lines, lost] = ['', 0, 0]
  const lose = (count: number, reason: string): void => {
    if (lost === 0) notify(`cannot write the log ${path}: ${reason}; the service continues without it`)
    lost += count
  }
  const flush = async (): Promise<void> => {
    if (waiting === '') return
    // End a line that a full disk cut off, so that the next one starts on its own.
    const [text, count] = [lost > 0 ? `\n${waiting}` : waiting, lines]
    ;[waiting, lines] = ['', 0]
    try {
      await file.writeLater(text)
      if (lost > 0) notify(`the log ${path} is written again; ${countOf(lost, 'line was', 'lines were')} lost`)
      lost = 0
    } catch (error) {
      lose(count, fileErrorReason(error))
    }
  }
  const renew = (): void => {
    try {
      const next = openFile(path)
      file.close()
      file = next
    } catch (error) {
      notify(`${error instanceof Error ? error.message : String(error)}; the service keeps writing to the old file`)
    }
  }
  const doNext = (step: () => Promise<void> | void): void => {
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
      file.close()
    },
  }
}

/** Describes the log of the running service. */
export type ServiceLog = {
  readonly onExchange: OnFinished
  readonly onError: (error: unknown, requestId: string) => void
  /** Goes on in a new file. */
  readonly reopen: () => void
  readonly close: () => Promise<void>
}

const STANDARD_ERROR = '-'

const standardError = ({ stderr }: Io): LogFile => ({
  write: (line) => void stderr.write(line),
  reopen: () => undefined,
  close: () => Promise.resolve(),
})

/** Opens the log of requests and errors. Without a place for the requests, errors alone go to standard error. */
export const openServiceLog = (io: Io, place: string | undefined): ServiceLog => {
  const { now, stderr } = io
  const notify = (text: string): void => void stderr.write(`kpi: ${text}\n`)
  const isFile = place !== undefined && place !== STANDARD_ERROR
  const { write, reopen, close } = isFile ? openLogFile(resolve(io.cwd, place), notify) : standardError(io)
  return {
    onExchange: (exchange) => {
      if (place !== undefined) write(requestLine(exchange, now()))
    },
    onError: (error, requestId) => write(errorLine(error, requestId, now())),
    reopen,
    close,
  }
}
