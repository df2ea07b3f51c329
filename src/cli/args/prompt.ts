import { setImmediate } from 'node:timers'
import type { Cli } from '../cli.ts'
import { Declined, UsageError } from '../exit.ts'
import { oneLine } from '../output/width.ts'

/** Describes one of several answers: what is shown, and what it stands for. */
export type Choice = { readonly name: string; readonly value: string }

type Validate = (text: string) => true | string

/** Describes a question, as the prompt package takes it. */
type Question = { readonly message: string } & (
  | { readonly type: 'input'; readonly validate?: Validate; readonly default?: string | undefined }
  | { readonly type: 'select'; readonly choices: readonly (string | Choice)[]; readonly default?: string | undefined }
  | { readonly type: 'password'; readonly mask: true; readonly validate?: Validate }
  | { readonly type: 'confirm'; readonly default: boolean }
)

/** Lists the errors of a prompt that ended: Ctrl-C, or a terminal that is gone. */
const PROMPT_ENDED: ReadonlySet<string> = new Set(['ExitPromptError', 'AbortPromptError'])

/**
 * Asks at the terminal. Ends the question when the input ends (Ctrl-D, or a closed terminal): the package would wait.
 */
const ask = async ({ io }: Cli, question: Question): Promise<unknown> => {
  const { default: inquirer } = await import('inquirer')
  const ended = new AbortController()
  // The input also pauses after an answer, which is then processed first.
  const end = (): unknown => setImmediate(() => ended.abort())
  io.stdin.once('pause', end)
  try {
    const prompt = inquirer.createPromptModule({ input: io.stdin, output: io.stderr.stream(), signal: ended.signal })
    const { answer } = await prompt<{ answer: unknown }>([
      { ...question, message: oneLine(question.message), name: 'answer' },
    ])
    return answer
  } catch (error) {
    throw error instanceof Error && PROMPT_ENDED.has(error.name) ? new Declined({ isInterrupted: true }) : error
  } finally {
    io.stdin.off('pause', end)
  }
}

/** Says what is wrong with an answer; undefined where nothing is. */
type FaultOf = (text: string) => string | undefined

/** Asks for a text at the terminal until nothing is wrong with it. Enter alone takes the usual answer. */
export const askValid = async (cli: Cli, message: string, faultOf: FaultOf, usual?: string): Promise<string> => {
  const validate = (text: string): true | string => faultOf(text.trim()) ?? true
  return String(await ask(cli, { type: 'input', message, validate, default: usual })).trim()
}

/** Asks for a secret, which is not shown, until nothing is wrong with it. */
export const askSecret = async (cli: Cli, message: string, faultOf: FaultOf): Promise<string> => {
  const validate = (text: string): true | string => faultOf(text.trim()) ?? true
  return String(await ask(cli, { type: 'password', message, mask: true, validate })).trim()
}

/** Asks at the terminal for one of some texts, or of what they stand for. */
export const askChoice = async (
  cli: Cli,
  message: string,
  choices: readonly (string | Choice)[],
  usual?: string,
): Promise<string> => String(await ask(cli, { type: 'select', message, choices, default: usual }))

/** Asks for a yes before something is removed. Without a terminal only `--yes` is one, and a dry run shows what goes. */
export const requireConfirmation = async (cli: Cli, yes: unknown, what: string, hasDryRun = false): Promise<void> => {
  if (yes === true) return
  const shown = hasDryRun ? '; --dry-run shows what would be done' : ''
  if (!cli.canAsk) throw new UsageError(`${what} needs --yes where nobody can be asked${shown}`)
  await askForYes(cli, what)
}

/** Asks for a yes at the terminal; any other answer ends the command. Enter alone is a no, unless `usual` says yes. */
export const askForYes = async (cli: Cli, what: string, usual = false): Promise<void> => {
  const answer = await ask(cli, { type: 'confirm', message: `${what}?`, default: usual })
  if (answer !== true) throw new Declined({ isInterrupted: false })
}
