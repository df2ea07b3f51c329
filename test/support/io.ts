import { hash } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import type { Io } from '../../src/cli/io.ts'
import type { Output } from '../../src/cli/standard-output.ts'

/** The instant that tests live in: 2026-11-21T12:00:00Z, a Saturday. */
export const NOW = Date.parse('2026-11-21T12:00:00Z')

export type OutputTo = { readonly text: () => string; readonly output: Output }

const outputTo = (terminal: boolean, columns: number | undefined): OutputTo => {
  let text = ''
  const write = (part: string): Promise<void> => {
    text += part
    return Promise.resolve()
  }
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString()
      done()
    },
  })
  // As a process's own streams, it is never ended.
  stream.end = () => stream
  return {
    text: () => text,
    output: { write, outlast: () => undefined, isTerminal: terminal, columns, rows: undefined, stream: () => stream },
  }
}

export type World = {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  readonly home: string
  readonly stdin?: string | Uint8Array | Readable
  /** Whether there is a terminal, and how wide it is. */
  readonly terminal?: number
  readonly now?: number
  readonly signal?: AbortSignal
  /** Is aborted when the time of a run is over. */
  readonly alarm?: (milliseconds: number) => AbortSignal
}

/** How many worlds there have been: what is random in one is something else in the next. */
let worlds = 0

export type TestIo = { readonly io: Io; readonly stdout: () => string; readonly stderr: () => string }

/** A world of a test's own: streams in memory, a clock that goes on only by what is slept, a home of its own, nothing of this process. */
export const testIo = (world: World): TestIo => {
  const isTerminal = world.terminal !== undefined
  const [stdout, stderr] = [outputTo(isTerminal, world.terminal), outputTo(isTerminal, world.terminal)]
  const { stdin = '' } = world
  worlds += 1
  const own = worlds
  let drawn = 0
  /** Draws bytes that no other world draws, and the same in each run of a test. */
  const draw = (): Buffer => hash('sha256', `${own} ${(drawn += 1)}`, 'buffer')
  let slept = 0
  const io: Io = {
    env: world.env ?? {},
    cwd: world.cwd ?? world.home,
    home: world.home,
    platform: 'linux',
    nodeVersion: process.versions.node,
    uid: process.getuid?.(),
    tempDir: world.home,
    stdin: stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin)]),
    stdinIsTerminal: isTerminal,
    stdout: stdout.output,
    stderr: stderr.output,
    now: () => Math.floor((world.now ?? NOW) + slept),
    uptime: () => (world.now ?? NOW) + slept,
    timeZone: () => world.env?.['TZ'] ?? 'UTC',
    offsetAt: () => 0,
    sleep: (milliseconds, signal) => {
      if (!signal?.aborted) slept += milliseconds
      return new Promise((resolve) => void setImmediate(resolve))
    },
    alarm: world.alarm ?? (() => new AbortController().signal),
    random: (count) => new Uint8Array(Buffer.concat(Array.from({ length: Math.ceil(count / 32) }, draw), count)),
    interruption: () => world.signal ?? new AbortController().signal,
    watchedInterruption: () => world.signal ?? new AbortController().signal,
    onReload: () => undefined,
    openPager: () => Promise.resolve(undefined),
    limitMemory: () => undefined,
    spareMemory: () => undefined,
    delayOptimizing: () => undefined,
  }
  return { io, stdout: stdout.text, stderr: stderr.text }
}
