import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { ROOT } from '../documents.ts'
import type { Kept } from '../faulty/account.ts'
import { type Folder, temporaryFolder } from '../folder.ts'
import { COMPILE_CACHE } from '../process.ts'
import type { Random } from '../random.ts'
import { flagsOf, type Job } from './job.ts'
import { complaintsAtEnd, complaintsMeanwhile, type Seen } from './judge.ts'
import type { Ended } from './run.ts'
import { rejectedIn } from './simulate.ts'

/** Where a job goes. */
export type Target = {
  readonly env: Readonly<Record<string, string>>
  readonly entries: () => Promise<readonly Kept[]>
  /** Calls whenever something is seen of a run from outside: a request that arrives, a file that is written. */
  readonly onSight: (listener: () => void) => void
}

/** When a process is killed: so many milliseconds after its start, or after so many things have been seen of it. */
type Kill = { readonly afterMs: number; readonly atSight?: number }

/** How a run was about to end that had told its summary when it was killed: with that, it is over. */
const codeOf = (stdout: string): number | undefined => {
  if (!stdout.endsWith('}\n')) return undefined
  const { left, rejected } = JSON.parse(stdout) as Readonly<Record<string, number>>
  return left === 0 ? (rejected === 0 ? 0 : 3) : undefined
}

const runOnce = async (folder: Folder, { env, onSight }: Target, job: Job, kill: Kill | undefined): Promise<Ended> => {
  const args = [join(ROOT, 'bin', 'kpi.js'), 'entries', 'import', 'data.csv', '-o', 'json', ...flagsOf(job)]
  const surroundings = { HOME: folder.path, TMPDIR: folder.path, ...COMPILE_CACHE, ...env }
  const child = spawn(process.execPath, args, {
    cwd: folder.path,
    env: surroundings,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const over = new AbortController()
  const end = (): void => void child.kill('SIGKILL')
  let sights = 0
  onSight(() => {
    sights += 1
    // Some milliseconds on, so that it is killed while it sends, waits, reads and writes down.
    if (kill && sights === kill.atSight) void setTimeout(kill.afterMs).then(end)
  })
  if (kill && kill.atSight === undefined) {
    setTimeout(kill.afterMs, undefined, { signal: over.signal }).then(end, () => undefined)
  }
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  over.abort()
  const exit = code ?? codeOf(stdout)
  return exit === undefined ? { code: exit, home: folder.path } : { code: exit, stdout, stderr, home: folder.path }
}

/** Long enough for a process to start. */
const LONGEST_MS = 500

/** What came of a job whose runs were killed. */
export type Killed = { readonly kills: number; readonly complaints: readonly string[]; readonly said: string }

/** How much is killed, and when. */
export type Killing = { readonly kills: number; readonly sights: readonly [from: number, to: number] }

const drawKill = ({ chance, whole }: Random, { sights }: Killing): Kill =>
  chance(0.15) ? { afterMs: whole(0, LONGEST_MS) } : { atSight: whole(...sights), afterMs: whole(0, 12) }

/** Runs a job by the same command, killed so many times, until it has nothing more to do. */
export const runKilled = async (job: Job, target: Target, random: Random, killing: Killing): Promise<Killed> => {
  using folder = temporaryFolder()
  writeFileSync(folder.in('data.csv'), job.sheet.text)
  let kills = 0
  for (;;) {
    const kill = kills < killing.kills ? drawKill(random, killing) : undefined
    const ended = await runOnce(folder, target, job, kill)
    if (ended.code === undefined) kills += 1
    const entries = await target.entries()
    const rejected = rejectedIn(folder.path)
    const seen: Seen = { ended, writes: 0, troubles: [], isLockedOut: false, isStopped: false, rejected, isLate: false }
    const complaints = [
      ...complaintsMeanwhile(job, entries, seen),
      ...(ended.code === undefined ? [] : complaintsAtEnd(job, entries, seen)),
    ]
    const said = ended.code === undefined ? '' : ended.stderr + ended.stdout
    if (ended.code !== undefined || complaints.length > 0) return { kills, complaints, said }
  }
}
