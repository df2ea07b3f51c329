import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A program and its arguments; `input` goes to its standard input. */
export type Command = { readonly program: string; readonly args: readonly string[]; readonly input?: string }

export const node = (...args: string[]): Command => ({ program: process.execPath, args })
export const kpi = (...args: string[]): Command => node(join(import.meta.dirname, '..', 'bin', 'kpi.js'), ...args)
export const sqlite = (database: string, input: string): Command => ({ program: 'sqlite3', args: [database], input })

/** Runs a command to its end and answers its output; a failure ends the measuring. */
export const run = ({ program, args, input }: Command, env: Record<string, string> = {}): string => {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    input,
    env: { ...process.env, ...env },
    maxBuffer: 1 << 30,
  })
  if (error) throw new Error(`cannot run ${program}: ${error.message}`)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr.toString()}`)
  return stdout.toString()
}

/** Milliseconds that a command takes as a whole process. */
export const timeOf = (command: Command, env: Record<string, string> = {}): number => {
  const startedAt = performance.now()
  run(command, env)
  return performance.now() - startedAt
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
