import { resolve } from 'node:path'
import { errorLine, requestLine } from '../../server/access-log.ts'
import type { OnExchange } from '../../server/exchange.ts'
import type { Io } from '../io.ts'
import { type LogFile, openLogFile } from './log-file.ts'

/** What is written down while the service runs. */
export type ServiceLog = {
  readonly onExchange: OnExchange
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
export const openServiceLog = async (io: Io, place: string | undefined): Promise<ServiceLog> => {
  const { now, stderr } = io
  const tell = (text: string): void => void stderr.write(`kpi: ${text}\n`)
  const isFile = place !== undefined && place !== STANDARD_ERROR
  const { write, reopen, close } = isFile ? await openLogFile(resolve(io.cwd, place), tell) : standardError(io)
  return {
    onExchange: (exchange) => {
      if (place !== undefined) write(requestLine(exchange, now()))
    },
    onError: (error, requestId) => write(errorLine(error, requestId, now())),
    reopen,
    close,
  }
}
