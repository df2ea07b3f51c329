import { type Io, type Pager, withStdout } from '../io.ts'
import type { Output } from '../standard-output.ts'

/** Names the pager where nothing else does: it ends by itself if all fits on the screen, and keeps colours and text. */
const USUAL = 'less -FRX'

/** Returns the pager's command line; undefined where there is no terminal to page on, or the environment wants none. */
export const pagerOf = ({ env, stdout, stdinIsTerminal }: Io): string | undefined => {
  if (!stdout.isTerminal || stdout.rows === undefined || env['TERM'] === 'dumb' || !stdinIsTerminal) return undefined
  const command = env['KPI_PAGER'] ?? env['PAGER'] ?? USUAL
  return ['', 'cat'].includes(command.trim()) ? undefined : command
}

const linesIn = (text: string): number => text.split('\n').length - 1

/** Describes an output that is paged, and what ends it. */
type Screen = { readonly output: Output; readonly end: () => Promise<void> }

/** Creates an output that goes to a pager once it is longer than the screen, and to the terminal where it is not. */
const createScreen = (io: Io, command: string): Screen => {
  const room = io.stdout.rows ?? Infinity
  let [held, lines, pager]: [string, number, Pager | undefined] = ['', 0, undefined]
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
    pager = await io.openPager(command)
    await release()
  }
  const end = async (): Promise<void> => {
    if (isOpen) await release()
    await pager?.end()
  }
  return { output: { ...io.stdout, write }, end }
}

/** Runs a command whose output is paged where it is longer than the screen. What it printed is shown even if it fails. */
export const paged = async <T>(io: Io, command: string, run: (io: Io) => Promise<T>): Promise<T> => {
  const { output, end } = createScreen(io, command)
  try {
    return await run(withStdout(io, output))
  } finally {
    await end()
  }
}
