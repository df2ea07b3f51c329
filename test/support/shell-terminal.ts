import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { once } from 'node:events'
import type { Folder } from './folder.ts'

export type ShellName = 'bash' | 'zsh' | 'fish'

/** What came of a line: what a key has made of it, and what `kpi` got once it was entered. */
export type Typed = { readonly line: string; readonly received: readonly (readonly string[])[] }

/** A shell at a terminal, in which somebody types. Its `kpi` runs in the test, and nothing but completion does anything. */
export type ShellTerminal = {
  /** Types a line and a key, Tab if none is said; Enter, too, where that has changed the line. */
  readonly complete: (line: string, key?: string) => Promise<Typed>
} & AsyncDisposable

/** Tells whether a program is on the path. */
export const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))

const MARK = '\u001e'
const [TAB, ENTER, SHOW, CLEAR] = ['\t', '\r', '\u0018s', '\u0005\u0015']

/** Asks the test what `kpi` prints, with its arguments as they are. */
const KPI = `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/$ASK_PORT
printf '%s\\0' "$#" "$@" >&3
IFS= read -r -d '' text <&3
printf %s "$text"
`

/** Shows the line that is being typed at ^Xs, and says when the shell is ready for a line. */
const SET_UP: Readonly<Record<ShellName, string>> = {
  bash: `stty cols 500; PS1='' PS2=$'\\036P\\036' HISTFILE=
bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; bind 'set completion-query-items 0'
show() { printf '\\036L%s\\036' "$READLINE_LINE"; }
bind -x '"\\C-xs": show'
PROMPT_COMMAND='printf "\\036P\\036"'
`,
  zsh: `stty cols 500; PROMPT='' PROMPT2=$'\\036P\\036' RPROMPT='' PROMPT_EOL_MARK=''
unsetopt beep; autoload -Uz compinit; compinit -u -D
show() { printf '\\036L%s\\036' "$BUFFER" }
zle -N show; bindkey '^Xs' show; bindkey '^U' kill-whole-line
precmd() { printf '\\036P\\036' }
`,
  fish: `stty cols 500; set -g fish_greeting; set -g fish_autosuggestion_enabled 0
function fish_prompt; end
function tell --on-event fish_prompt; printf '\\036P\\036'; end
function show; printf '\\036L%s\\036' (commandline | string collect); end
function enter; commandline --is-valid; and commandline -f execute; or printf '\\036P\\036'; end
bind \\r enter; bind \\cxs show; bind \\cu 'commandline ""'
`,
}

const START: Readonly<Record<ShellName, (setUp: string) => string>> = {
  bash: (setUp) => `bash --noprofile --rcfile ${setUp} -i`,
  zsh: () => 'zsh -d -i',
  fish: (setUp) => `fish --no-config -i -C 'source ${setUp}'`,
}

/** Reads arguments as they come, each ended by a zero, their count first; undefined until all are there. */
const argumentsIn = (text: string): readonly string[] | undefined => {
  const [count = '', ...parts] = text.split('\0')
  return parts.length > Number(count) ? parts.slice(0, -1) : undefined
}

type Answer = (args: readonly string[]) => Promise<string>

/** Starts what answers for `kpi`; keeps what was asked that is no completion. */
const listenFor = async (complete: Answer): Promise<{ port: number; received: (readonly string[])[] } & Disposable> => {
  const received: (readonly string[])[] = []
  const answer = async (args: readonly string[]): Promise<string> => {
    if (args[0] === '__complete') return complete(args)
    received.push(args)
    return ''
  }
  const server = createServer((socket) => {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const args = argumentsIn(text)
      if (args) void answer(args).then((printed) => socket.end(printed))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { port, received, [Symbol.dispose]: () => server.close() }
}

/** Waits for what a shell shows between two marks, of one kind. */
const listenTo = (shell: ChildProcess): ((kind: string) => Promise<string>) => {
  let [text, heard] = ['', (): void => undefined]
  shell.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    heard()
  })
  return async (kind) => {
    const begin = MARK + kind
    while (true) {
      const at = text.indexOf(begin)
      const end = at < 0 ? -1 : text.indexOf(MARK, at + begin.length)
      if (end >= 0) {
        const found = text.slice(at + begin.length, end)
        text = text.slice(end + 1)
        return found
      }
      await new Promise<void>((resolve) => (heard = resolve))
    }
  }
}

/** Opens a shell at a terminal, with the script of its completion loaded, in a folder that is its home. */
export const openShellTerminal = async (
  name: ShellName,
  script: string,
  folder: Folder,
  complete: Answer,
): Promise<ShellTerminal> => {
  const asked = await listenFor(complete)
  const [bin, setUp] = [folder.in(`bin-${name}`), folder.in(name === 'zsh' ? '.zshrc' : `setup.${name}`)]
  mkdirSync(bin)
  writeFileSync(join(bin, 'kpi'), KPI)
  chmodSync(join(bin, 'kpi'), 0o755)
  writeFileSync(setUp, SET_UP[name] + script)
  const { path: home } = folder
  const path = `${bin}:${process.env['PATH'] ?? ''}`
  const env = { PATH: path, HOME: home, ZDOTDIR: home, TERM: 'xterm', LANG: 'C.UTF-8', ASK_PORT: String(asked.port) }
  const options = { cwd: home, env, detached: true } as const
  const shell = spawn('script', ['-qfec', START[name](setUp), '/dev/null'], options)
  const shown = listenTo(shell)
  await shown('P')
  const read = async (keys: string): Promise<string> => {
    shell.stdin.write(keys + SHOW)
    return shown('L')
  }
  return {
    complete: async (line, key = TAB) => {
      asked.received.length = 0
      const completed = await read(line + key)
      if (completed.trimEnd() === line.trimEnd()) await read(CLEAR)
      else {
        shell.stdin.write(ENTER)
        await shown('P')
        // Fish closes no quotes behind what looks like the middle of a word, and waits for more.
        shell.stdin.write(CLEAR)
      }
      return { line: completed, received: [...asked.received] }
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(shell, 'exit')
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
      await ended
      asked[Symbol.dispose]()
    },
  }
}
