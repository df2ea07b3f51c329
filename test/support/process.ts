import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ROOT } from './documents.ts'
import type { Folder } from './folder.ts'

/** How a process ended, and what it had said. */
export type Ended = {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** A process that runs, gone with the test. */
export type Running = {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves once all that was printed so far matches. */
  readonly says: (pattern: RegExp) => Promise<RegExpExecArray>
  readonly ended: Promise<Ended>
}

type Env = Readonly<Record<string, string>>

const watch = (child: ChildProcessWithoutNullStreams): Running => {
  const text = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()))
  // Whoever reads no more of its input has ended, which is told below.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({
    code: code as number | null,
    signal: signal as string | null,
    ...text,
  }))
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(text.stdout + text.stderr)
        if (!found) return
        child.stdout.off('data', look)
        child.stderr.off('data', look)
        resolve(found)
      }
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      void ended.then(() => reject(new Error(`ended, having said: ${text.stdout}${text.stderr}`)))
      look()
    })
  return { child, says, ended }
}

/** Shares compiled code between the processes of tests: each has a home of its own, and would compile everything anew. */
export const COMPILE_CACHE: Env = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'kpi-compiled') }

/** Starts a program at home in a folder; whoever does so ends it. Tests that run beside others need that. */
export const launch = (home: Folder, [program = '', ...words]: readonly string[], env: Env = {}): Running => {
  const surroundings = { PATH: process.env['PATH'], HOME: home.path, TMPDIR: home.path, LANG: 'C.UTF-8' }
  const all = { ...surroundings, ...COMPILE_CACHE, ...env }
  return watch(spawn(program, words, { cwd: home.path, env: all, stdio: 'pipe' }))
}

/** The words that run `bin/kpi.js`. */
export const KPI: readonly string[] = [process.execPath, join(ROOT, 'bin', 'kpi.js')]

/** Starts a program in a process of its own, at home in a folder. */
export const startProgram = (home: Folder, words: readonly string[], env: Env = {}): Running => {
  const running = launch(home, words, env)
  onTestFinished(() => {
    running.child.kill('SIGKILL')
  })
  return running
}

/** Starts `kpi` so. */
export const startKpi = (home: Folder, args: readonly string[], env?: Env): Running =>
  startProgram(home, [...KPI, ...args], env)

/** Runs `kpi` to its end with a text as its standard input. */
export const runKpi = (home: Folder, args: readonly string[], env: Env = {}, stdin = ''): Promise<Ended> => {
  const { child, ended } = launch(home, [...KPI, ...args], env)
  child.stdin.end(stdin)
  return ended
}
