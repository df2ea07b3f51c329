import { type Io, type Pager, withStdout } from '../io.ts'
import { ClosedPipe, type Output } from '../standard-output.ts'

/** Tells whether there is a terminal to page on. */
export const canPage = ({ env, stdout, stdinIsTerminal }: Io): boolean =>
  stdout.isTerminal && stdout.rows !== undefined && env['TERM'] !== 'dumb' && stdinIsTerminal

const linesIn = (text: string): number => text.split('\n').length - 1

/** Sets how much of a text is held for a pager that fails: more than a pipe holds, so what took more has read of it. */
const HELD = 1 << 20

/** Says something to the user, beside the output. */
type Tell = (text: string) => Promise<void>

/** Tells whether an exit code is a failure of a pager itself; a shell gives those above 128 for a signal, as of Ctrl-C. */
const isFailure = (code: number | undefined): code is number => code !== undefined && code > 0 && code <= 128

/** Describes what takes an output of more than the screen, and what ends it. */
type Sink = { readonly write: (text: string) => Promise<void>; readonly end: () => Promise<void> }

/** Lists the exit codes of a shell that could not start a program. */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127])

/** Writes to a pager; where it fails before it read all, and took little, the whole goes to the terminal. */
const throughPager = (io: Io, command: string, pager: Pager, tell: Tell): Sink => {
  let [held, hasFailed, isEnded]: [string | undefined, boolean, boolean] = ['', false, false]
  const end = async (): Promise<void> => {
    const { code, isEarly } = await pager.end()
    if (isEnded || !isFailure(code)) return
    isEnded = true
    if (held === undefined || !(isEarly || NOT_STARTED.has(code)))
      return tell(`the pager "${command}" ended with ${code}; if it did not show all, set KPI_PAGER, or use --no-pager`)
    hasFailed = true
    await io.stdout.write(held)
    await tell(`the pager "${command}" ended with ${code}, so the whole is printed; set KPI_PAGER, or use --no-pager`)
  }
  const write = async (text: string): Promise<void> => {
    if (hasFailed) return io.stdout.write(text)
    if (held !== undefined) held += text
    try {
      await pager.write(text)
    } catch (error) {
      if (error instanceof ClosedPipe) await end()
      if (!hasFailed) throw error
    }
    if (held !== undefined && held.length > HELD) held = undefined
  }
  return { write, end }
}

/** Starts the pager; undefined where there is no such program. */
const openSink = async (io: Io, command: string, tell: Tell): Promise<Sink | undefined> => {
  const pager = await io.openPager(command)
  return pager && throughPager(io, command, pager, tell)
}

/** Describes an output that is paged, and what ends it. */
type Screen = { readonly output: Output; readonly end: () => Promise<void> }

/** Creates an output that goes to a pager once it is longer than the screen, and to the terminal where it is not. */
const createScreen = (io: Io, command: string, tell: Tell): Screen => {
  const room = io.stdout.rows ?? Infinity
  let [held, lines, pager]: [string, number, Sink | undefined] = ['', 0, undefined]
  let isOpen = true
  const release = async (): Promise<void> => {
    const text = held
    held = ''
    isOpen = false
    await (pager ?? io.stdout).write(text)
  }
  const write = async (text: string): Promise<void> => {
    if (!isOpen) return (pager ?? io.stdout).write(text)
    held += text
    lines += linesIn(text)
    if (lines < room) return
    pager = await openSink(io, command, tell)
    await release()
  }
  const end = async (): Promise<void> => {
    if (isOpen) await release()
    await pager?.end()
  }
  return { output: { ...io.stdout, write }, end }
}

/** Runs a command whose output is paged where it is longer than the screen. What it printed is shown even if it fails. */
export const paged = async <T>(io: Io, command: string, tell: Tell, run: (io: Io) => Promise<T>): Promise<T> => {
  const { output, end } = createScreen(io, command, tell)
  try {
    return await run(withStdout(io, output))
  } finally {
    await end()
  }
}
