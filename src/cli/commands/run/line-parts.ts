import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { optionsOf } from '../../args/path-texts.ts'
import { isAddress } from '../../../client/http/address.ts'
import { type Day, formatDay } from '../../../domain/day.ts'
import { asPath } from '../../output/text.ts'

/**
 * Describes a part of a command line: the words of the command, an argument, a flag with its value, or `--`, behind which are
 * arguments; `off` is a flag that a job names to leave it out.
 */
export type LinePart = {
  readonly of: 'command' | 'argument' | 'flag' | 'end' | 'off'
  readonly words: readonly string[]
}

/** Stands for the day on which a job began. */
export const DATE = '{date}'

/** Puts the day on which a job began in the place of `{date}`. */
export const dated = (text: string, today: Day): string => text.replaceAll(DATE, formatDay(today))

/** Returns what a step names as an argument of its command, which is never a flag. */
export const argumentOf = (target: string): string => (target === '-' || isAddress(target) ? target : asPath(target))

/** Returns the flag of a part: `--from` of `--from yesterday` and of `--from=yesterday`. */
export const flagOf = ({ of, words: [word = ''] }: LinePart): string | undefined =>
  of === 'flag' ? word.split('=', 1)[0] : undefined

/** Returns the words of a command below the program. */
export const wordsTo = (command: CommandUnknownOpts): string[] =>
  command.parent ? [...wordsTo(command.parent), command.name()] : []

/** Returns how many words of a line a flag takes: two where the next one is its value. */
const countWords = (options: readonly Option[], word: string, next: string | undefined): number => {
  const option = options.find(({ long, short }) => word === long || word === short)
  const hasValue = option?.required === true || (option?.optional === true && next?.startsWith('-') === false)
  return hasValue && next !== undefined ? 2 : 1
}

/** Divides the words of a line into its parts, as the program parses it; what is behind `--` are arguments. */
export const partsOfLine = (command: CommandUnknownOpts, words: readonly string[]): LinePart[] => {
  const options = optionsOf(command)
  const end = words.indexOf('--')
  const parts: LinePart[] = []
  let left = wordsTo(command).length
  for (let at = 0; at < words.length;) {
    const word = words[at] ?? ''
    const isFlag = word.startsWith('-') && word !== '-' && (end < 0 || at < end)
    const count = isFlag ? countWords(options, word, words[at + 1]) : 1
    const ofWord = left > 0 ? 'command' : 'argument'
    parts.push({ of: at === end ? 'end' : isFlag ? 'flag' : ofWord, words: words.slice(at, at + count) })
    if (!isFlag && at !== end) left -= 1
    at += count
  }
  return parts
}
