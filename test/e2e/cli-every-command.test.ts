import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/exit.ts'
import { answered, COMMANDS, examplesOf, onFreePorts, openShop, wordsOf } from '../support/example-lines.ts'
import { COMPILE_CACHE, KPI } from '../support/process.ts'
import { oneIn } from '../support/soak/tests.ts'
import type { User } from '../support/user.ts'

/** All commands but the server, which ends when it is told to. */
const commands = COMMANDS.filter((name) => name !== 'serve')

/** Where output and errors go: a redirection of the shell, and whether somebody reads what is left. */
type Streams = { readonly to: string; readonly isRead: boolean }

/** What ends a command that was told to read standard input, where nothing comes. */
const LIMITED: readonly string[] = ['--deadline', '1s']

/** Runs a line in a process whose standard input is a pipe that stays silent and open. */
const runSilent = async ({ folder }: User, words: readonly string[], { to, isRead }: Streams) => {
  const env = { PATH: process.env['PATH'], HOME: folder.path, TMPDIR: folder.path, LANG: 'C.UTF-8', ...COMPILE_CACHE }
  const limits = words.includes('--token-stdin') ? LIMITED : []
  const line = ['-c', `exec "$@" ${to}`, 'sh', ...KPI, ...words, ...limits]
  const child = spawn('sh', line, { cwd: folder.path, env, stdio: 'pipe', timeout: 30_000, killSignal: 'SIGKILL' })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  if (isRead) child.stdout.resume()
  else child.stdout.destroy()
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  child.stdin.destroy()
  return { code, signal, stderr }
}

const STREAMS: readonly (readonly [name: string, streams: Streams])[] = [
  ['nobody who reads the output', { to: '', isRead: false }],
  ['output and errors closed', { to: '>&- 2>&-', isRead: true }],
]

describe.each(STREAMS.map((one, row) => [...one, row] as const))('with a silent input and %s', (_, streams, row) => {
  test.each(commands.filter(oneIn(12, 6 * row)))('kpi %s ends, with a code of the table', async (command) => {
    const [example = ''] = await examplesOf(command)
    await using user = await openShop(command)
    const { code, signal, stderr } = await runSilent(user, answered(onFreePorts(wordsOf(example).slice(1))), streams)
    const isOfTable = Object.values<number | null>(EXIT).includes(code)
    expect({ example, signal, isOfTable }).toEqual({ example, signal: null, isOfTable: true })
    expect(stderr).not.toMatch(/\n {4}at |EPIPE|EBADF/)
  })
})
