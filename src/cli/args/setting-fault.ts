import type { Fault } from '../../domain/errors.ts'
import { UsageError } from '../exit.ts'
import { shellWord } from '../output/text.ts'

/**
 * Returns the error about a setting that cannot be used: what it is called where it was set, its text, and why. A text
 * that may hold a secret is left out, and a fault that is a sentence of its own has it already.
 */
export const settingFault = (as: string, text: string | undefined, { message, verb }: Fault): UsageError =>
  new UsageError(
    verb === undefined
      ? `${as}: ${message}`
      : [as, ...(text === undefined ? [] : [shellWord(text)]), message].join(' '),
  )
