import { UsageError } from './exit.ts'
import type { Cli } from './cli.ts'

/** Asks for a line at the terminal; `secret` ones are not shown. Without a terminal, what is missing is wrong usage. */
export const askText = async (cli: Cli, message: string, missing: string, secret = false): Promise<string> => {
  if (!cli.canAsk) throw new UsageError(missing)
  const { default: inquirer } = await import('inquirer')
  const prompt = inquirer.createPromptModule({ input: cli.io.stdin, output: cli.io.stderr.stream })
  const { answer } = await prompt<{ answer: string }>([
    secret ? { type: 'password', name: 'answer', message, mask: true } : { type: 'input', name: 'answer', message },
  ])
  return answer.trim()
}

/** Asks for a yes before something is removed. Without a terminal only `--yes` is one. */
export const mustBeWanted = async (cli: Cli, yes: unknown, what: string): Promise<void> => {
  if (yes === true) return
  if (!cli.canAsk) throw new UsageError(`${what} needs --yes where nobody can be asked`)
  const { default: inquirer } = await import('inquirer')
  const prompt = inquirer.createPromptModule({ input: cli.io.stdin, output: cli.io.stderr.stream })
  const { answer } = await prompt<{ answer: boolean }>([
    { type: 'confirm', name: 'answer', message: `${what}?`, default: false },
  ])
  if (!answer) throw new Error('nothing was done')
}
