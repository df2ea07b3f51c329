import type { Ora } from 'ora'
import type { Progress } from '../../load/prepare.ts'
import type { Cli } from '../cli.ts'

/** Shows how far an import is. */
export type ProgressView = { readonly show: (progress: Progress) => void; readonly stop: () => void }

const FRAME_MS = 100
const LINE_MS = 30_000

const count = (value: number): string => value.toLocaleString('en-GB')

const textOf = ({ phase, done, total }: Progress): string => {
  if (phase === 'read') return `${count(done)} rows read and checked`
  const share = total ? ` (${Math.floor((done / total) * 100)} %)` : ''
  return `${count(done)} of ${count(total ?? done)} entries sent${share}`
}

/** A spinner at a terminal; elsewhere a line at most every 30 seconds. */
export const createProgress = async (cli: Cli): Promise<ProgressView> => {
  const { io, flags } = cli
  if (flags.quiet) return { show: () => undefined, stop: () => undefined }
  // A spinner has to know how wide its terminal is: without that it clears lines for ever.
  const spinner = io.stderr.isTerminal && io.stderr.columns !== undefined ? await startSpinner(cli) : undefined
  let shownAt = io.now()
  return {
    show: (progress) => {
      const now = io.now()
      if (now - shownAt < (spinner ? FRAME_MS : LINE_MS)) return
      shownAt = now
      if (spinner) spinner.text = textOf(progress)
      else void io.stderr.write(`${textOf(progress)}\n`)
    },
    stop: () => {
      spinner?.stop()
    },
  }
}

const startSpinner = async ({ io }: Cli): Promise<Ora> => {
  const { default: ora } = await import('ora')
  // The import itself watches for Ctrl-C.
  return ora({ stream: io.stderr.stream, text: 'reading', discardStdin: false }).start()
}
