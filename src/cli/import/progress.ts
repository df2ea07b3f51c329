import type { Ora } from 'ora'
import type { Client } from '../../client/client.ts'
import type { Progress } from '../../load/prepare.ts'
import type { Cli } from '../cli.ts'
import { heldUpText, progressFields, progressText, waitingText } from './progress-text.ts'
import { createSpeedometer, type Speed } from './speed.ts'

/** Shows how far an import is. */
export type ProgressView = {
  /** Begins with a file, which is named where there are several. */
  readonly begin: (name: string | undefined) => void
  readonly show: (progress: Progress) => void
  /** A line for people between what is shown. */
  readonly note: (text: string) => void
  /** The same for what has to be known, also where quiet is wanted. */
  readonly warn: (text: string) => void
  readonly stop: () => void
}

const LINE_MS = 30_000

const named = (file: string | undefined, text: string): string => (file === undefined ? text : `${file}: ${text}`)

/** A line at most every 30 seconds. */
const showLines = ({ io, log }: Cli, { usage }: Client): ProgressView => {
  const speedOf = createSpeedometer()
  let toldAt = io.now()
  let file: string | undefined
  return {
    begin: (name) => {
      file = name
    },
    show: (step) => {
      const now = io.now()
      const speed = speedOf(step, now)
      if (now - toldAt < LINE_MS) return
      toldAt = now
      void log.note(named(file, progressText(step, speed, usage())), 'progress', {
        ...(file !== undefined && { file }),
        ...progressFields(step, speed, usage()),
      })
    },
    note: (text) => void log.note(text),
    warn: (text) => void log.warn(text),
    stop: () => undefined,
  }
}

const createSpinner = async ({ io }: Cli, text: () => string): Promise<Ora> => {
  const { default: ora } = await import('ora')
  // The import itself watches for Ctrl-C.
  return ora({ stream: io.stderr.stream, suffixText: text, discardStdin: false })
}

/** One line that changes as long as the work goes on, also where nothing is done but wait. */
const showSpinner = async (cli: Cli, { usage, waiting, requests }: Client): Promise<ProgressView> => {
  const { io } = cli
  const speedOf = createSpeedometer(requests)
  let file: string | undefined
  let text = ''
  let last: { readonly step: Progress; readonly speed: Speed } | undefined
  /** Asked for each frame, so that it goes on where nothing is done but wait. */
  const textNow = (): string => {
    const waits = waiting()
    const held = waits && waitingText(waits, io.now(), last?.step, last?.speed)
    if (held === undefined) return text
    return last ? heldUpText(last.step, held) : `${text}, ${held}`
  }
  const spinner = await createSpinner(cli, () => named(file, textNow()))
  const between = (tell: () => Promise<void>): void => {
    const { isSpinning } = spinner
    spinner.stop()
    void tell()
    if (isSpinning) spinner.start()
  }
  return {
    begin: (name) => {
      file = name
      text = 'reading'
      last = undefined
      spinner.start()
    },
    show: (step) => {
      last = { step, speed: speedOf(step, io.now()) }
      text = progressText(step, last.speed, usage())
    },
    note: (line) => {
      between(() => cli.log.note(line))
    },
    warn: (line) => {
      between(() => cli.log.warn(line))
    },
    stop: () => {
      spinner.stop()
    },
  }
}

/** A spinner at a terminal; elsewhere a line from time to time. */
export const createProgress = (cli: Cli, client: Client): Promise<ProgressView> => {
  const { io, flags, log } = cli
  // A spinner has to know how wide its terminal is: without that it clears lines for ever.
  const hasSpinner = io.stderr.isTerminal && io.stderr.columns !== undefined && !log.isJson && !flags.quiet
  return hasSpinner ? showSpinner(cli, client) : Promise.resolve(showLines(cli, client))
}
