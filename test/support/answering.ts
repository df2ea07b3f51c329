import { execFileSync } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { expect } from 'vitest'
import { run } from '../../src/cli/main.ts'
import { testIo, type World } from './io.ts'
import type { Ran } from './kpi.ts'

export const CTRL_C = '\u0003'

/** What is waited for, each with what is typed then; END closes the terminal. */
export type Questions = readonly (readonly [question: string, text: string])[]

/** Cuts a line that is printed to be pasted into its words, as a shell does. */
export const pasted = (line: string): string[] =>
  execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line.replace(/^kpi /, '')}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

/** Runs a command line at a terminal where somebody types each text once the question before it is there. */
export const answeringIn = async (world: World, questions: Questions, ...args: string[]): Promise<Ran> => {
  const stdin = new PassThrough()
  const { io, stdout, stderr } = testIo({ ...world, terminal: 200, stdin })
  const left = [...questions]
  const shown = io.stderr.stream()
  const write = shown.write.bind(shown)
  let text = ''
  shown.write = (chunk: string | Uint8Array): boolean => {
    text += String(chunk)
    const [next] = left
    if (next && text.includes(next[0])) {
      left.shift()
      text = ''
      setImmediate(() => (next[1] === 'END' ? stdin.end() : stdin.write(next[1])))
    }
    return write(chunk)
  }
  const code = await run(args, io)
  expect(left).toEqual([])
  return { code, stdout: stdout(), stderr: stderr() }
}
