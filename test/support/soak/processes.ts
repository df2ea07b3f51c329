import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'

/** A part of a soak: which process of how many takes it. */
export type Part = { readonly at: number; readonly of: number }

/**
 * Runs a program in as many processes as there are processors, at most so many; each gets its part as its last two
 * arguments. Visits what each prints, a line of JSON at a time.
 */
export const inProcesses = async (
  program: readonly string[],
  args: readonly number[],
  most: number,
  visit: (line: unknown, at: number) => void,
): Promise<void> => {
  const of = Math.min(availableParallelism(), most)
  const run = async (at: number): Promise<void> => {
    const child = spawn(process.execPath, [...program, ...[...args, at, of].map(String)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close')
    for await (const line of createInterface({ input: child.stdout })) visit(JSON.parse(line), at)
    const [code] = (await ended) as [number | null]
    if (code !== 0) throw new Error(`a process of the soak ended with ${code ?? 'a signal'}`)
  }
  await Promise.all(Array.from({ length: of }, (_, at) => run(at)))
}
