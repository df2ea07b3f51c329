import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './documents.ts'
import { type Folder, temporaryFolder } from './folder.ts'
import { COMPILE_CACHE } from './process.ts'

/** A shell in a home of its own, with `kpi` on its path and the examples in its working directory. */
export type Terminal = {
  readonly folder: Folder
  /** Runs a command line, and answers all that it printed, errors included, as a terminal shows it. */
  readonly type: (command: string) => Promise<string>
} & AsyncDisposable

const MARK = '\u0001done'

/** What is there to type in: the shell goes on from command to command, with its folder, variables and exit code. */
export const openTerminal = (): Terminal => {
  const folder = temporaryFolder()
  const bin = folder.in('bin')
  mkdirSync(bin)
  symlinkSync(join(ROOT, 'bin', 'kpi.js'), join(bin, 'kpi'))
  cpSync(join(ROOT, 'examples'), folder.in('examples'), { recursive: true })
  const path = `${bin}:${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`
  const env = { PATH: path, HOME: folder.path, LANG: 'C.UTF-8', TMPDIR: folder.path, ...COMPILE_CACHE }
  const shell: ChildProcess = spawn('bash', ['--norc', '--noprofile'], { cwd: folder.path, env, detached: true })
  shell.stdin?.write('exec 2>&1\n')
  const type = (command: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = ''
      const read = (chunk: Buffer): void => {
        text += chunk.toString()
        const end = text.indexOf(MARK)
        if (end < 0) return
        shell.stdout?.off('data', read)
        shell.off('exit', reject)
        resolve(text.slice(0, end))
      }
      shell.once('exit', reject)
      shell.stdout?.on('data', read)
      shell.stdin?.write(`${command}\n__code=$?; printf '${MARK}'; (exit $__code)\n`)
    })
  return {
    folder,
    type,
    [Symbol.asyncDispose]: async () => {
      // What was started in the background goes with the shell.
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
      folder[Symbol.dispose]()
      await Promise.resolve()
    },
  }
}
