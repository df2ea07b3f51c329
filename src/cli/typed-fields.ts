import type { Issue } from '../domain/errors.ts'
import { UNASSIGNED } from '../domain/rules.ts'
import { flagName } from './args/flags.ts'
import { shellWord } from './output/text.ts'

/** Describes what a service refused: in one sentence, and field by field. */
type Refusal = { readonly message: string; readonly issues: readonly Issue[] }

/** Returns the flag that gave a field on a line, under this name or that for several; undefined if none did. */
const flagTyped = (field: string, args: readonly string[]): string | undefined => {
  const flag = `--${flagName(field)}`
  return [flag, `${flag}s`].find((one) => args.some((arg) => arg === one || arg.startsWith(`${one}=`)))
}

/** Returns the command that makes up for a refusal, behind a semicolon; nothing if there is none. */
const nextStep = (message: string): string => {
  const { kpi, user } = UNASSIGNED.exec(message)?.groups ?? {}
  if (kpi === undefined || user === undefined) return ''
  return `; assign it: kpi assign add --kpis ${shellWord(kpi)} --users ${shellWord(user)}`
}

/** Returns a refusal for people: with the flags that they typed instead of the fields of the interface. */
export const inTypedFlags = <R extends Refusal>(refusal: R, args: readonly string[]): R => {
  let { message } = refusal
  const issues = refusal.issues.map((issue) => {
    const flag = flagTyped(issue.field, args)
    if (flag === undefined) return issue
    const told = { ...issue, field: flag, message: issue.message + nextStep(issue.message) }
    message = message.replace(`${issue.field}: ${issue.message}`, () => `${told.field}: ${told.message}`)
    return told
  })
  return { ...refusal, message, issues }
}
