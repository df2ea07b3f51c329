import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { faultOfDays } from './args/relative-dates.ts'
import { countOf, shellWord } from './output/text.ts'

/** Lists the flags whose values are most often typed without them, the likeliest first. */
const USUAL_FLAGS = ['--name', '--first-name', '--kpi', '--kpis', '--user', '--users', '--account'] as const
/** Lists the flags that take a day, or the first of some. */
const DAY_FLAGS = ['--from', '--date'] as const
/** Matches the flags whose values may have blanks: a text, or names. */
const MAY_HAVE_BLANKS = /<(?:text|kpi|user|item|list|id\|name[^>]*)>/
const TEXT = '<text>'
const DAY = '<day>'

/** Describes words that no flag and no argument takes: the line that they are in, and where they begin. */
type Stray = {
  readonly command: CommandUnknownOpts
  readonly line: readonly string[]
  readonly at: number
  readonly text: string
}

const isDays = (text: string): boolean => text !== '' && faultOfDays(text) === undefined

const optionNamed = ({ options }: CommandUnknownOpts, name: string | undefined): Option | undefined =>
  options.find(({ short, long, hidden, required }) => required && !hidden && (long === name || short === name))

/** Returns the first words of a line that a command takes no more, those behind one another as one text. */
const strayIn = (command: CommandUnknownOpts, line: readonly string[]): Stray => {
  const words = command.args.slice(command.registeredArguments.length)
  const at = line.indexOf(words[0] ?? '')
  const end = words.findIndex((word, place) => line[at + place] !== word)
  return { command, line, at, text: words.slice(0, end < 0 ? undefined : end).join(' ') }
}

/** Returns the flag just before stray words, with the whole value that was probably meant; undefined if none ends there. */
const flagBefore = ({ command, line, at, text }: Stray): { option: Option; value: string } | undefined => {
  const before = line[at - 1] ?? ''
  const [, joined, behind] = /^(--[\w-]+)=(.*)$/s.exec(before) ?? []
  const option = optionNamed(command, joined ?? line[at - 2])
  const value = `${behind ?? before} ${text}`
  if (option === undefined) return undefined
  const isMeant = option.flags.includes(DAY) ? isDays(value) : MAY_HAVE_BLANKS.test(option.flags)
  return isMeant ? { option, value } : undefined
}

/** Returns the flag that stray words are probably a value of: the first that the command has, and the line has not. */
const flagLeftOut = ({ command, line, text }: Stray): string | undefined => {
  const given = new Set(line.map((word) => word.split('=', 1)[0]))
  return [...(isDays(text) ? DAY_FLAGS : []), ...USUAL_FLAGS].find(
    (flag) => !given.has(flag) && optionNamed(command, flag) !== undefined,
  )
}

/** Returns what may have been meant by stray words behind flags, as it is typed. */
const flagsMeant = (stray: Stray): string[] => {
  const before = flagBefore(stray)
  const quoted = before ? [`${before.option.long} ${shellWord(before.value)}`] : []
  const isWhole = before !== undefined && [TEXT, DAY].some((kind) => before.option.flags.includes(kind))
  const other = isWhole ? undefined : flagLeftOut(stray)
  return other === undefined ? quoted : [...quoted, `${other} ${shellWord(stray.text)}`]
}

/** Returns the name with blanks that was probably meant by the argument of a command and what is behind it. */
const nameMeant = ({ command, line, at, text }: Stray): string[] => {
  const last = command.registeredArguments.at(-1)
  const before = command.args[command.registeredArguments.length - 1]
  return last?.name() === 'name' && before === line[at - 1] ? [shellWord(`${before} ${text}`)] : []
}

/** Says which word of a line is too much for a command, and how it is typed if it was meant. */
export const sayStray = (command: CommandUnknownOpts, path: string, line: readonly string[]): string => {
  const stray = strayIn(command, line)
  const count = command.registeredArguments.length
  const why = count === 0 ? 'no flag stands before it' : `it takes ${countOf(count, 'word')}`
  const meant = [...(count === 0 ? [] : nameMeant(stray)), ...flagsMeant(stray)]
  const next = meant.length === 0 ? `${path} --help shows what it takes` : `Did you mean ${meant.join(' or ')}?`
  return `${path}: ${shellWord(line[stray.at] ?? '')} is too much: ${why} (${next})`
}
