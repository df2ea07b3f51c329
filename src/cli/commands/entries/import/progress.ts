import type { Ora } from 'ora'
import type { Client } from '../../../../client/client.ts'
import type { Waiting } from '../../../../client/transport.ts'
import type { Progress } from '../../../../loading/prepare/import-types.ts'
import type { Cli } from '../../../cli.ts'
import type { LiveLine, LogFields } from '../../../output/log.ts'
import {
  createSpeedometer,
  waitingProgressText,
  progressFields,
  progressText,
  type Speed,
  waitingFields,
  waitingText,
} from '../../../output/progress-text.ts'
import { type OnWait, announceLongWaits } from '../../../output/wait-notices.ts'
import { oneLine } from '../../../output/width.ts'
import { isTraced } from '../../../target/tracing.ts'

/** Shows the progress of an import. */
export type ProgressView = {
  /** Begins with a file, and names it if there are several. */
  readonly begin: (name: string | undefined) => void
  readonly show: (progress: Progress) => void
  /** Prints a line for people between updates of the progress. */
  readonly note: (text: string) => void
  /** Prints a warning, even under `--quiet`. */
  readonly warn: (text: string) => void
  /** Takes the reason for a wait; undefined when the wait is over. */
  readonly waits: OnWait
  readonly stop: () => void
}

/** Tells what is known of the requests of the work. */
type Requests = Pick<Client, 'usage' | 'waiting' | 'requests'>

const LINE_MS = 30_000

/** Describes the last progress that was reported. */
type Seen = { readonly step: Progress; readonly speed: Speed }
const UNKNOWN: Speed = { perSecond: undefined, leftMs: undefined }

const named = (file: string | undefined, text: string): string => (file === undefined ? text : `${file}: ${text}`)

/** Prints a line at most every 30 seconds, and one when a long wait begins, so that the import never looks stuck. */
const showLines = ({ io, log }: Cli, { usage, requests }: Requests): ProgressView => {
  const speedOf = createSpeedometer(requests)
  let toldAt = io.now()
  let file: string | undefined
  let last: Seen = { step: { phase: 'read', done: 0 }, speed: UNKNOWN }
  const write = (text: string, event: string, fields: LogFields): void => {
    toldAt = io.now()
    void log.note(named(file, text), event, { ...(file !== undefined && { file }), ...fields })
  }
  return {
    begin: (name) => {
      file = name
      last = { step: { phase: 'read', done: 0 }, speed: UNKNOWN }
    },
    show: (step) => {
      const now = io.now()
      const speed = speedOf(step, now)
      last = { step, speed }
      if (now - toldAt >= LINE_MS)
        write(progressText(step, speed, usage()), 'progress', progressFields(step, speed, usage()))
    },
    waits: announceLongWaits(io.now, (waiting) => {
      const { step, speed } = last
      const text = waitingText(waiting, io.now(), step, speed)
      if (text !== undefined) write(waitingProgressText(step, text), 'waiting', waitingFields(step, waiting, io.now()))
    }),
    note: (text) => void log.note(text),
    warn: (text) => void log.warn(text),
    stop: () => undefined,
  }
}

const createSpinner = async ({ io }: Cli, text: () => string): Promise<Ora> => {
  const { default: ora } = await import('ora')
  // The import itself watches for Ctrl-C.
  return ora({ stream: io.stderr.stream(), suffixText: text, discardStdin: false })
}

/** Shows one line that changes while the import works or waits. */
const showSpinner = async (cli: Cli, { usage, waiting, requests }: Requests): Promise<ProgressView> => {
  const { io } = cli
  const speedOf = createSpeedometer(requests)
  let file: string | undefined
  let text = ''
  let last: Seen | undefined
  /** Returns the pause that the client does not know of. */
  let pause: Waiting | undefined
  /** Returns the current text for each frame, so that the time counts on during a wait. */
  const textNow = (): string => {
    const waits = pause ?? waiting()
    const held = waits && waitingText(waits, io.now(), last?.step, last?.speed)
    if (held === undefined) return text
    return last ? waitingProgressText(last.step, held) : `${text}, ${held}`
  }
  const spinner = await createSpinner(cli, () => oneLine(named(file, textNow())))
  const line: LiveLine = { hide: () => void spinner.stop(), show: () => void spinner.start() }
  return {
    begin: (name) => {
      file = name
      text = 'reading'
      last = undefined
      cli.log.keepBelow(line)
    },
    show: (step) => {
      last = { step, speed: speedOf(step, io.now()) }
      text = progressText(step, last.speed, usage())
    },
    waits: (waits) => {
      pause = waits
    },
    note: (text) => void cli.log.note(text),
    warn: (text) => void cli.log.warn(text),
    stop: () => cli.log.keepBelow(undefined),
  }
}

/** Creates a spinner at a terminal; elsewhere a line from time to time. */
export const createProgress = (cli: Cli, client: Requests): Promise<ProgressView> => {
  const { io, flags, log } = cli
  // A spinner has to know how wide its terminal is: without that it clears lines for ever.
  const isAlone = !log.isJson && !flags.quiet && !isTraced(flags)
  const hasSpinner = io.stderr.isTerminal && io.stderr.columns !== undefined && isAlone
  return hasSpinner ? showSpinner(cli, client) : Promise.resolve(showLines(cli, client))
}
