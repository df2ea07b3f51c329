import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Exchange } from '../client/http/network-exchange.ts'
import { createMemoryLimit, delayOptimizing, spareMemory } from './v8-flags.ts'
import { ClosedPipe, leadsToTerminal, type Output, standardError, standardOutput } from './standard-output.ts'
import type { ProjectFile } from './target/project.ts'

/** Describes a program that shows text page by page. */
export type Pager = {
  /** Throws `ClosedPipe` once the reader has left. */
  readonly write: (text: string) => Promise<void>
  /** Ends the text, and resolves once the reader has left. */
  readonly end: () => Promise<PagerEnd>
}

/** Describes how a pager ended. */
type PagerEnd = {
  /** Holds its exit code; undefined where a signal ended it. */
  readonly code: number | undefined
  /** Tells that it ended before the text did, so that it cannot have read all. */
  readonly isEarly: boolean
}

/** Describes the world of a command: everything that it may touch outside of its own memory. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly platform: string
  /** Names the version of Node.js that runs this. */
  readonly nodeVersion: string
  /** Tells, by number, which user this runs as; undefined where the system has none. */
  readonly uid: number | undefined
  /** Holds the project file of the working directory, once it was read. */
  readonly project?: ProjectFile | undefined
  /** Names a folder for temporary files. */
  readonly tempDir: string
  readonly stdin: Readable
  readonly stdinIsTerminal: boolean
  readonly stdout: Output
  readonly stderr: Output
  /** Adds texts with secrets that standard error must not show, as it shows none of the command line. */
  readonly guard?: (texts: readonly string[]) => void
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /** Holds when the job began of which this is a step, in milliseconds since 1970: its days count from then. */
  readonly begun?: number
  /** Tells that this is a step of a job, which prints into the job's log. */
  readonly isStep?: boolean
  /** Takes the warnings of a step of a job. */
  readonly onWarning?: ((text: string) => Promise<void>) | undefined
  /** Takes the days that a step of a job works on, by their flags, where its line has words for them or leaves them open. */
  readonly tellDays?: ((days: Readonly<Record<string, string>>) => Promise<void>) | undefined
  /** Sets how long this step of a job waits for a service that is down; else it does until its deadline. */
  readonly longestOutageMs?: number | undefined
  /** Tells that what a step reads was found by a pattern, and not named: it has to be a regular file. */
  readonly readsFound?: boolean
  /** Holds when this command line began, in milliseconds since 1970: its deadline counts from then. */
  readonly startedAt?: number
  /** Names the time zone of the system, or of TZ. */
  readonly timeZone: () => string
  /** Tells by how many minutes clocks there are ahead of UTC at a moment, in milliseconds since 1970. */
  readonly offsetAt: (nowMs: number) => number
  /** Returns milliseconds on a monotonic clock. */
  readonly uptime: () => number
  /** Resolves after so many milliseconds, or at once where `signal` is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Returns a signal that is aborted after so many milliseconds, and keeps no process alive. */
  readonly alarm: (milliseconds: number) => AbortSignal
  readonly random: (bytes: number) => Uint8Array
  /**
   * Returns a signal that is aborted when the user or the system asks to stop. A second request ends the process at
   * once.
   */
  readonly interruption: () => AbortSignal
  /** Returns the same signal without asking for it: it is aborted only where another part of the command has. */
  readonly watchedInterruption: () => AbortSignal
  /** Calls a function when the system asks to read files again (SIGHUP), as after a log was rotated. */
  readonly onReload: (listener: () => void) => void
  /** Replaces the network, in tests. */
  readonly network?: (timeoutMs: number) => Exchange
  /** Starts a program that shows what is written to it at the terminal; undefined if there is no such program. */
  readonly openPager: (command: string) => Promise<Pager | undefined>
  /** Keeps memory small; to be called again and again during work on much data. */
  readonly limitMemory: () => void
  /** Keeps memory small, for work whose parts are read and forgotten. */
  readonly spareMemory: () => void
  /** Keeps the end of a short command over HTTP from waiting for the compilation of its parser. */
  readonly delayOptimizing: () => void
}

/** Returns the same world with another standard output. */
export const withStdout = (io: Io, stdout: Output): Io =>
  // Copying it would look at standard input, which opens that.
  new Proxy(io, { get: (target, name: keyof Io) => (name === 'stdout' ? stdout : target[name]) })

const INTERRUPTED = 130
const ECHO_MS = 500

/** Lists what a thread may work on that nothing can interrupt: a name that is looked up, a pipe, a query. */
const HELD: ReadonlySet<string> = new Set([
  'FSReqCallback',
  'FSReqPromise',
  'GetAddrInfoReqWrap',
  'MessagePort',
  'Worker',
])
const SHELL = '/bin/sh'

/**
 * Ends the process at once. `process.exit` waits for each thread, which may take minutes: where one may be held, the
 * process becomes a shell that ends with the same code.
 */
const endProcess = (code: number): void => {
  const { existsSync } = process.getBuiltinModule('node:fs')
  const isHeld = process.getActiveResourcesInfo().some((name) => HELD.has(name))
  if (isHeld && process.platform !== 'win32' && existsSync(SHELL)) {
    process.emit('exit', code)
    process.execve?.(SHELL, ['sh', '-c', `exit ${code}`], {})
  }
  process.exit(code)
}

/** Ends the process at once, with the exit code of one that was interrupted. */
const endInterrupted = (): void => endProcess(INTERRUPTED)

/** Sets how long a process whose work is done may take to end by itself. */
const CLOSING_MS = 300

/** Ends a process whose work is done, where something that nothing can interrupt keeps it. */
export const endSoon = (code: number): void => {
  setTimeout(() => endProcess(code), CLOSING_MS).unref()
}

const watchInterruption = (controller: AbortController, isHandedOver: boolean): void => {
  let askedAt = 0
  const stop = (): void => {
    // One request may come twice: to the group, and through the process that handed over.
    const isEcho = isHandedOver && Date.now() - askedAt < ECHO_MS
    if (controller.signal.aborted && !isEcho) endInterrupted()
    if (!controller.signal.aborted) askedAt = Date.now()
    controller.abort()
  }
  process.off('SIGTERM', endInterrupted)
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

/** Matches what a shell does not read as words at blanks. */
const SHELL_SIGNS = /[|&;<>()$`\\"'*?[#~=%\n]/

/** Starts the program of a command line, by the shell where that reads it in another way than as words at blanks. */
const startShown = (command: string): ChildProcessByStdio<Writable, null, null> => {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const stdio: ['pipe', 'inherit', 'inherit'] = ['pipe', 'inherit', 'inherit']
  if (process.platform !== 'win32' && SHELL_SIGNS.test(command)) return spawn('sh', ['-c', command], { stdio })
  const [program = '', ...args] = command.trim().split(/\s+/)
  return spawn(program, args, { stdio })
}

/** Sets how long a pager that fails at its start has for that, before it is told that the text has ended. */
const PAGER_START_MS = 250

/** Starts a pager. While it runs, Ctrl-C is for it alone. */
const openPager: Io['openPager'] = async (command) => {
  const child = startShown(command)
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false))
  })
  if (!isStarted) return undefined
  const stay = (): void => undefined
  process.on('SIGINT', stay)
  const closed = new Promise<number | undefined>((resolve) => {
    child.once('close', (code: number | null) => {
      process.off('SIGINT', stay)
      resolve(code ?? undefined)
    })
  })
  let isLeft = false
  child.stdin.on('error', () => (isLeft = true))
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        if (isLeft) reject(new ClosedPipe())
        else child.stdin.write(text, (error) => (error ? reject(new ClosedPipe()) : resolve()))
      }),
    end: async () => {
      const { setTimeout } = process.getBuiltinModule('node:timers/promises')
      const start = setTimeout(PAGER_START_MS, false, { ref: false })
      const isEarly = await Promise.race([closed.then(() => true), start])
      child.stdin.end()
      return { code: await closed, isEarly }
    },
  }
}

/** Tells whether the terminal that started this process is still there; true where there was none. */
const hasTerminal = (): boolean => {
  const fs = process.getBuiltinModule('node:fs')
  try {
    fs.closeSync(fs.openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

/** Returns what ends the process at a SIGHUP whose terminal is gone; any other SIGHUP asks to read files again. */
const reloadAtHangUp = (listener: () => void): (() => void) => {
  const hadTerminal = hasTerminal()
  return () => {
    if (hadTerminal && !hasTerminal()) process.kill(process.pid, 'SIGTERM')
    else listener()
  }
}

/** Holds what is done at a SIGHUP: as a terminal closes, and instead where files are to be read again. */
type HangUp = { end: () => void; reload?: () => void }

/**
 * Ends the process at a SIGHUP, which a terminal sends as it closes. Under `nohup` it goes on: that leaves no terminal
 * to print to. It also lets the signal be ignored, which Node.js undoes at its start.
 */
const watchHangUp = (): HangUp => {
  const hangUp: HangUp = { end: endInterrupted }
  process.on('SIGHUP', () => {
    if (hangUp.reload) hangUp.reload()
    else if (leadsToTerminal(1) || leadsToTerminal(2)) hangUp.end()
  })
  return hangUp
}

/** Names the time zone of this process; not every TZ has a name that is known. */
const nameOfTimeZone = (): string => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string }
  return timeZone ?? (process.env['TZ'] || 'UTC')
}

/**
 * Returns the world of this process, or of the older Node.js that handed over to it. Streams and modules are opened on
 * first use.
 */
export const processIo = (isHandedOver = false): Io => {
  const os = process.getBuiltinModule('node:os')
  // Without these, a shell would see 143 or 129, which are no exit codes of ours.
  process.on('SIGTERM', endInterrupted)
  const hangUp = watchHangUp()
  let [stdout, stderr]: [Output | undefined, Output | undefined] = [undefined, undefined]
  let controller: AbortController | undefined
  let isWatched = false
  const stopping = (): AbortController => (controller ??= new AbortController())
  return {
    env: process.env,
    cwd: process.cwd(),
    platform: process.platform,
    nodeVersion: process.versions.node,
    uid: process.getuid?.(),
    now: Date.now,
    timeZone: nameOfTimeZone,
    offsetAt: (nowMs) => -new Date(nowMs).getTimezoneOffset(),
    uptime: () => performance.now(),
    get home() {
      try {
        return os.homedir()
      } catch {
        // It is none, or too long for the system; whoever uses it says so.
        return process.env['HOME'] ?? ''
      }
    },
    get tempDir() {
      return os.tmpdir()
    },
    get stdin() {
      return process.stdin
    },
    get stdinIsTerminal() {
      return process.stdin.isTTY
    },
    get stdout() {
      return (stdout ??= standardOutput())
    },
    get stderr() {
      return (stderr ??= standardError())
    },
    sleep: async (milliseconds, signal) => {
      const { setTimeout } = process.getBuiltinModule('node:timers/promises')
      await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined)
    },
    alarm: (milliseconds) => AbortSignal.timeout(milliseconds),
    random: (bytes) => process.getBuiltinModule('node:crypto').randomBytes(bytes),
    interruption: () => {
      if (!isWatched) watchInterruption(stopping(), isHandedOver)
      isWatched = true
      // A terminal and its shell may each send a SIGHUP as they end: a second one does not end the process at once.
      hangUp.end = () => stopping().abort()
      return stopping().signal
    },
    watchedInterruption: () => stopping().signal,
    onReload: (listener) => {
      hangUp.reload = reloadAtHangUp(listener)
    },
    openPager,
    limitMemory: createMemoryLimit(),
    spareMemory,
    delayOptimizing,
  }
}
