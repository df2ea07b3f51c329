import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE, KPI } from '../process.ts'
import type { Folder } from '../folder.ts'
import { type HostileFile, range } from './hostile-file.ts'

/** What a command took: times in milliseconds, memory and temporary files in bytes. */
export type Taken = {
  readonly code: number | string
  readonly elapsed: number
  /** The time of the processor, which other processes hardly change. */
  readonly busy: number
  /** Both since the command was asked to end. */
  readonly elapsedSince: number
  readonly busySince: number
  /** The longest that no signal and no timer could run, in time of the processor; 0 if it was killed. */
  readonly longestTurn: number
  readonly memory: number
  readonly temporary: number
  readonly said: string
}

const LONGEST_TURN = fileURLToPath(new URL('longest-turn.ts', import.meta.url))
const LOOK_MS = 25
const TICK_MS = 10
const KILOBYTE = 1024

/** Returns the most memory that a process and those that it started have taken, in kilobytes. */
const memoryOf = (pid: number | string | undefined): number => {
  const [, peak = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return children.filter((one) => one !== '').reduce((sum, one) => sum + memoryOf(one), Number(peak))
}

/** Looks at a process again and again while it runs, as Linux shows it. */
const watch = (
  child: ChildProcess,
  temporary: string,
): { most: { memory: number; temporary: number }; busy: () => number } => {
  const most = { memory: 0, temporary: 0 }
  let busy = 0
  const home = `/proc/${child.pid}`
  const look = (): void => {
    try {
      const [, times = ''] = readFileSync(`${home}/stat`, 'utf8').split(') ')
      const [user = 0, system = 0] = times.split(' ').slice(11, 13).map(Number)
      busy = Math.max(busy, (user + system) * TICK_MS)
      most.memory = Math.max(most.memory, memoryOf(child.pid) * KILOBYTE)
      const files = readdirSync(`${home}/fd`).map((name) => `${home}/fd/${name}`)
      const ours = files.filter((path) => readlinkSync(path).startsWith(temporary))
      most.temporary = Math.max(
        most.temporary,
        ours.reduce((sum, path) => sum + statSync(path).size, 0),
      )
    } catch {
      // It has ended, or closed a file meanwhile.
    }
  }
  const timer = setInterval(look, LOOK_MS)
  child.once('exit', () => clearInterval(timer))
  return {
    most,
    busy: () => {
      look()
      return busy
    },
  }
}

/** How a command is asked to end: by Ctrl-C after so many milliseconds, or by a deadline of so many seconds. */
export type Ending = { readonly interruptAfter?: number; readonly deadline?: number; readonly killAfter: number }

/** Runs `kpi` on a hostile file that is in a folder, and measures it. */
export const runHostile = async (
  home: Folder,
  { file, args = [], command }: HostileFile,
  ending: Ending,
): Promise<Taken> => {
  const temporary = home.in('tmp')
  mkdirSync(temporary, { recursive: true })
  const words = command ?? ['entries', 'import', 'FILE', '--dry-run', '--summary-only', ...args]
  const given = words.map((word) => (word === 'FILE' ? file : word))
  const { interruptAfter, deadline, killAfter } = ending
  const all = [...KPI.slice(1), ...given, ...(deadline === undefined ? [] : ['--deadline', `${deadline}s`])]
  const began = performance.now()
  const turn = home.in('turn')
  const env = { PATH: process.env['PATH'], HOME: home.path, TMPDIR: temporary, LANG: 'C.UTF-8', KPI_TEST_TURN: turn }
  const child = spawn(process.execPath, ['--import', LONGEST_TURN, ...all], {
    cwd: home.path,
    env: { ...env, ...COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const { most, busy } = watch(child, temporary)
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(0, 4000)))
  const ended = once(child, 'close') as Promise<[number | null, string | null]>
  const asked = { at: (deadline ?? 0) * 1000, busy: 0 }
  const controller = new AbortController()
  const kill = setTimeout(killAfter, undefined, { signal: controller.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  )
  if (interruptAfter !== undefined) {
    await Promise.race([setTimeout(interruptAfter), ended])
    Object.assign(asked, { at: performance.now() - began, busy: busy() })
    child.kill('SIGINT')
  }
  const [code, signal] = await ended
  controller.abort()
  await kill
  const elapsed = performance.now() - began
  return {
    code: code ?? signal ?? 'none',
    elapsed,
    busy: busy(),
    elapsedSince: Math.max(0, elapsed - asked.at),
    busySince: busy() - asked.busy,
    longestTurn: existsSync(turn) ? Number(readFileSync(turn, 'utf8')) : 0,
    ...most,
    said,
  }
}

/** Gives the account of a folder so many users. */
const addUsers = (home: Folder, { users = 0, namedAs }: Pick<HostileFile, 'users' | 'namedAs'>): void => {
  const nameOf = namedAs ?? ((at: number) => [`Anna${at}`, `Berg${(at * 7) % users}`])
  const rows = range(
    users,
    (at) => `${nameOf(at).join(',')},u${at}@big.example,User
`,
  )
  writeFileSync(
    home.in('users.csv'),
    `first_name,last_name,email,user_type
${rows}`,
  )
  const env = { PATH: process.env['PATH'], HOME: home.path, ...COMPILE_CACHE }
  const args = [...KPI.slice(1), 'users', 'import', 'users.csv']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: home.path, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/** Puts a hostile file into a folder, and what it names or needs beside it; returns the size of the files. */
export const putHostile = (home: Folder, { beside, users = 0, namedAs, ...one }: HostileFile): number => {
  if (users > 0) addUsers(home, { users, ...(namedAs && { namedAs }) })
  return [one, ...(beside ? [beside] : [])].reduce((sum, { file, make }) => {
    const content = make()
    writeFileSync(home.in(file), content)
    return sum + content.length
  }, 0)
}
