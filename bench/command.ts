import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A program and its arguments; `input` goes to its standard input, `env` beside the variables that are there. */
export type Command = {
  readonly program: string
  readonly args: readonly string[]
  readonly input?: string
  readonly env?: Record<string, string>
}

export const node = (...args: string[]): Command => ({ program: process.execPath, args })
export const kpi = (...args: string[]): Command => node(join(import.meta.dirname, '..', 'bin', 'kpi.js'), ...args)
export const sqlite = (database: string, input: string): Command => ({ program: 'sqlite3', args: [database], input })

/** Runs a command to its end and answers its output, unless that goes to a file; a failure ends the measuring. */
export const run = (
  { program, args, input, env: own }: Command,
  env: Record<string, string> = {},
  output: 'pipe' | number = 'pipe',
): string => {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    input,
    stdio: ['pipe', output, 'pipe'],
    env: { ...process.env, ...own, ...env },
    maxBuffer: 1 << 30,
  })
  if (error) throw new Error(`cannot run ${program}: ${error.message}`)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr.toString()}`)
  return String(stdout)
}

/** Milliseconds that a command takes as a whole process that prints to a file: Node.js gives no real pipe to another. */
export const timeOf = (command: Command, env: Record<string, string> = {}): number => {
  const path = join(tmpdir(), `kpi-bench-${process.pid}.txt`)
  const output = openSync(path, 'w')
  const startedAt = performance.now()
  run(command, env, output)
  const time = performance.now() - startedAt
  closeSync(output)
  rmSync(path)
  return time
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN

/** The median times of commands that are run in turn, so that a slow spell of the machine falls on all of them. */
export const timesOf = <Name extends string>(commands: Record<Name, Command>, rounds: number): Record<Name, number> => {
  const names = Object.keys(commands) as Name[]
  const times = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) times.get(name)?.push(timeOf(commands[name]))
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<Name, number>
}

/** The most memory that a Node.js command ever held, in MB. */
export const peakMemoryOf = (command: Command, folder: string): number => {
  const [hook, result] = [join(folder, 'peak.mjs'), join(folder, 'peak.txt')]
  const code = `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(${JSON.stringify(result)}, String(process.resourceUsage().maxRSS)))`
  writeFileSync(hook, code)
  run(command, { NODE_OPTIONS: `--import file://${hook}` })
  const kilobytes = Number(readFileSync(result, 'utf8'))
  rmSync(result)
  return kilobytes / 1024
}
