import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { splitList } from '../../src/cli/args/names.ts'
import { HOSTILE_NAMES, MARKER } from '../support/hostile-names.ts'
import { kpiNamed } from '../support/import.ts'
import { isInstalled, openShellTerminal, type ShellName } from '../support/shell-terminal.ts'
import { embeddedUser, type User } from '../support/user.ts'

/** How the beginning of a name is typed, in front of it. */
const BEGINNINGS = [
  'kpis get ',
  'kpis get "',
  "kpis get '",
  "kpis get $'",
  'kpis get \\',
  'kpis get q"" "',
  'report --kpis Visits,',
  'report --kpis "Visits,',
  "report --kpis 'Visits,",
  'report --kpis Visits,"',
  'report --kpis=',
  'report --kpis="',
  "report --kpis='Visits,",
  'report --kpis=Visits,',
]

/** Readline's key that puts all completions into the line. */
const INSERT_ALL = '\u001b*'

/** Those that every shell completes. */
const ALWAYS = [
  'kpis get ',
  'kpis get "',
  "kpis get '",
  'report --kpis Visits,',
  'report --kpis "Visits,',
  'report --kpis=',
]

/** Escapes what is no letter and no digit, as every shell reads it. */
const escaped = (text: string): string => text.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '\\$&')

/** Lines that end in the beginning of a name; each way to begin one comes with every fifth name. */
const linesFor = (name: string, at: number): string[] => {
  const begun = /^q\d+z/.exec(name)?.[0] ?? ''
  const letters = Array.from(name)
  const half = letters.slice(0, Math.max(begun.length, Math.ceil(letters.length * 0.6))).join('')
  return [
    ...BEGINNINGS.filter((_, way) => (at + way) % 5 === 0).map((beginning) => beginning + begun),
    at % 2 === 0 || /['\\]/.test(half) ? `kpis get ${escaped(half)}` : `kpis get '${half}`,
  ]
}

/** Returns the names that a command got, of a line without its last word. */
const namesGot = (args: readonly string[]): readonly string[] => {
  const last = (args.at(-1) ?? '').replace('--kpis=', '')
  return last.startsWith('Visits,') ? splitList(last) : [last]
}

describe('completion in a shell at a terminal runs nothing, and hands names over whole', () => {
  let user: User
  beforeEach(async () => {
    user = await embeddedUser()
    await user.client.kpis.add(kpiNamed('Visits'))
    for (const name of HOSTILE_NAMES) await user.client.kpis.add(kpiNamed(name))
    await user.kpi('kpis', 'list')
  })
  afterEach(() => user[Symbol.asyncDispose]())

  test.each<ShellName>(['bash', 'zsh', 'fish'])(
    '%s',
    async (shell) => {
      const missing = [shell, 'script'].filter((program) => !isInstalled(program))
      if (missing.length > 0) {
        process.stderr.write(`completion in ${shell} was not tried: ${missing.join(' and ')} not found\n`)
        return
      }
      const { stdout: script } = await user.kpi('completion', shell)
      const complete = async (args: readonly string[]): Promise<string> => (await user.kpi(...args)).stdout
      await using terminal = await openShellTerminal(shell, script, user.folder, complete)
      const completed = new Set<string>()
      for (const [at, name] of HOSTILE_NAMES.entries()) {
        for (const beginning of linesFor(name, at)) {
          const typed = `kpi ${beginning}`
          if (shell === 'bash') await terminal.complete(typed, INSERT_ALL)
          const { line, received } = await terminal.complete(typed)
          expect([typed, line, existsSync(user.folder.in(MARKER))]).toEqual([typed, line, false])
          if (line.trimEnd() === typed.trimEnd()) continue
          const isOpen = shell === 'fish' && /["'].*[/=@:.,-]$/.test(line)
          if (isOpen && received.length === 0) continue
          const expected = beginning.includes('Visits,') ? ['Visits', name] : [name]
          expect([typed, line, received.map(namesGot)]).toEqual([typed, line, [expected]])
          completed.add(beginning.slice(0, beginning.lastIndexOf('q')))
        }
      }
      for (const beginning of ALWAYS) expect(completed).toContain(beginning)
    },
    120_000,
  )
})
