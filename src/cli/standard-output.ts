import type { Writable } from 'node:stream'

/** Thrown if the reader of our output has gone, which is not our failure. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe'
}

/** Describes a stream that text is written to. */
export type Output = {
  /** Resolves once there is room for more (back-pressure), so that memory does not grow. */
  readonly write: (text: string) => Promise<void>
  /** Writes at once, where `write` holds lines back until the end of a command whose reader is a program. */
  readonly writeNow?: ((text: string) => Promise<void>) | undefined
  /** Ignores a reader that goes away, for commands that do more than print. */
  readonly outlast: () => void
  readonly isTerminal: boolean
  /** Holds the terminal's width; undefined where there is none or it is not known. */
  readonly columns: number | undefined
  /** Holds the terminal's height; undefined where there is none or it is not known. */
  readonly rows: number | undefined
  /** Returns the stream, for packages that write by themselves. */
  readonly stream: () => Writable
}

/** Numbers standard output and standard error, as the operating system does. */
type Descriptor = 1 | 2

const streamOf = (descriptor: Descriptor): NodeJS.WriteStream => (descriptor === 1 ? process.stdout : process.stderr)

/** Tells whether a stream leads to a terminal, which may be gone. */
export const leadsToTerminal = (descriptor: Descriptor): boolean => {
  const { fstatSync, statSync } = process.getBuiltinModule('node:fs')
  try {
    const found = fstatSync(descriptor)
    return found.isCharacterDevice() && found.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev
  } catch {
    return false
  }
}

const isTerminal = (descriptor: Descriptor): boolean =>
  leadsToTerminal(descriptor) && process.getBuiltinModule('node:tty').isatty(descriptor)

/**
 * Opens what a stream leads to for writing that never waits; returns undefined where that is not sure. A pipe is opened
 * anew for that: whoever else writes to it may wait.
 */
const openDirect = (descriptor: Descriptor): number | undefined => {
  const { constants, fstatSync, openSync } = process.getBuiltinModule('node:fs')
  try {
    const found = fstatSync(descriptor)
    if (found.isFile() || found.isCharacterDevice()) return descriptor
    const isPipe = process.platform === 'linux' && found.isFIFO()
    return isPipe ? openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK) : undefined
  } catch {
    return undefined
  }
}

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined)
const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/**
 * Creates what writes text as far as that goes without waiting, and returns the rest. It does without the streams of
 * Node.js, which take longer to make than a short command does to print.
 */
const createDirect = (descriptor: Descriptor): ((text: string) => Uint8Array) => {
  const { writeSync } = process.getBuiltinModule('node:fs')
  let direct = openDirect(descriptor)
  return (text) => {
    const bytes = Buffer.from(text)
    if (direct === undefined) return bytes
    try {
      const rest = bytes.subarray(writeSync(direct, bytes))
      if (rest.length > 0) direct = undefined
      return rest
    } catch (error) {
      direct = undefined
      if (codeOf(errorOf(error)) === 'EAGAIN') return bytes
      throw error
    }
  }
}

const GONE: ReadonlySet<unknown> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED'])

/** Creates what writes a text whole, and fails again once it has failed. */
const createWrite = (descriptor: Descriptor, open: () => Writable): Output['write'] => {
  let failure: Error | undefined
  const fail = (error: Error): Error => (failure = GONE.has(codeOf(error)) ? new ClosedPipe() : error)
  let direct: ReturnType<typeof createDirect> | undefined
  let stream: Writable | undefined
  const writeToStream = (rest: Uint8Array): Promise<void> => {
    stream ??= open().on('error', fail)
    return new Promise((resolve, reject) => {
      stream?.write(rest, (error) => (error ? reject(error) : resolve()))
    })
  }
  return async (text) => {
    if (failure) throw failure
    try {
      direct ??= createDirect(descriptor)
      const rest = direct(text)
      if (rest.length > 0) await writeToStream(rest)
    } catch (error) {
      throw fail(errorOf(error))
    }
  }
}

/** Returns standard output or standard error as an output. */
const outputTo = (descriptor: Descriptor): Output => {
  let outlasts = false
  const stream = (): NodeJS.WriteStream => streamOf(descriptor)
  const isOnTerminal = isTerminal(descriptor)
  const write = createWrite(descriptor, stream)
  return {
    write: (text) =>
      write(text).catch((error: unknown) => {
        if (!(outlasts && error instanceof ClosedPipe)) throw error
      }),
    outlast: () => {
      outlasts = true
    },
    isTerminal: isOnTerminal,
    // A terminal without a known size reports 0.
    columns: (isOnTerminal && stream().columns) || undefined,
    rows: (isOnTerminal && stream().rows) || undefined,
    stream,
  }
}

/** Returns standard output. */
export const standardOutput = (): Output => outputTo(1)

/** Returns standard error: work goes on where nobody reads it. */
export const standardError = (): Output => {
  const output = outputTo(2)
  return { ...output, write: (text) => output.write(text).catch(() => undefined) }
}
