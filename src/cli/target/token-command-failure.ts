import { createRedaction } from '../../client/http/redaction.ts'
import { KpiError } from '../../domain/errors.ts'
import { hideFields } from '../output/hide-credentials.ts'
import { oneLine } from '../output/width.ts'

/** Sets how much a token command may print, in bytes. */
export const MOST_PRINTED = 1 << 20

/** Sets how much of what a command printed is looked for in what it says: no secret is longer. */
const LONGEST_SECRET = 4096
const LONGEST_WORDS = 200

/** Matches a long word, which may be a secret if it has letters and digits. */
const LONG_WORD = /[\w+=.-]{20,}/g

/** Describes how a command ended, and what it printed. */
export type CommandEnd = {
  readonly status: number | null
  readonly signal: string | null
  readonly isTooMuch: boolean
  readonly stdout: string
  readonly stderr: string
}

/** Returns the last line that a command said beside its secret, without what may be secret in it. */
const lastWords = ({ stdout, stderr }: CommandEnd): string => {
  const lines = stderr.split(/[\r\n]+/)
  const line = oneLine(lines.findLast((one) => one.trim() !== '') ?? '').trim()
  const printed = createRedaction(stdout.slice(0, LONGEST_SECRET).trim(), undefined)
  const shown = hideFields(printed.text(line)).replaceAll(LONG_WORD, (word) =>
    /\d/.test(word) && /[A-Za-z]/.test(word) ? '…' : word,
  )
  return shown.length > LONGEST_WORDS ? `${shown.slice(0, LONGEST_WORDS - 1)}…` : shown
}

/** Returns the error for a token command that failed; it never holds what the command printed, which may be the secret. */
export const tokenCommandFailure = (end: CommandEnd): KpiError => {
  const command = "the profile's token command"
  if (end.isTooMuch) {
    const message = `${command} printed more than 1 MiB, which no token has, and was cut off; it should print the token alone`
    return new KpiError('unauthorized', message)
  }
  const words = lastWords(end)
  const how = end.status === null ? (end.signal ?? 'no status') : `status ${end.status}`
  return new KpiError('unauthorized', `${command} failed (${how})${words === '' ? '' : `: ${words}`}`)
}
