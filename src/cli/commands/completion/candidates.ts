import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { KIND_NAMES, type KindName, KINDS } from '../../../domain/kinds.ts'
import { undoReceiptNames } from '../../../runs/entries/receipt.ts'
import { flagOf, inOurWords } from '../../args/aliases.ts'
import { HELP_TOPICS } from '../../args/help-layout.ts'
import { splitList } from '../../args/names.ts'
import type { Io } from '../../io.ts'
import { LOG_FORMATS } from '../../output/log.ts'
import { FORMATS } from '../../output/print.ts'
import { isOneLine } from '../../output/width.ts'
import { type KnownNames, readNames } from '../../target/name-cache.ts'
import { receiptsFolder } from '../../target/folders.ts'
import { readProfiles } from '../../target/profiles.ts'
import { findPlace } from '../../target/place.ts'
import type { GlobalFlags } from '../../target/settings.ts'

/** Describes a text that could stand in a place, and what it is. */
type Candidate = { readonly value: string; readonly about: string }

/** Describes what could stand in a place: texts, and whether files could, too. */
type Candidates = { readonly candidates: readonly Candidate[]; readonly hasFiles: boolean }

/** Returns the kind that a flag or a group of commands is named for: `--users`, `group-items`. */
const kindOfWord = (word: string): KindName | undefined => {
  const name = word.replaceAll('-', '_')
  return word === 'source'
    ? 'breakdown_item'
    : KIND_NAMES.find((kind) => name === kind || name === KINDS[kind].of.plural)
}

/** Matches placeholders of files and folders. */
const FILES = /<(?:file|folder|files)[.>]|^(?:file|folder|files|job)$/

const NOTHING: Candidates = { candidates: [], hasFiles: false }

const named = (values: readonly string[], about = ''): Candidates => ({
  candidates: values.map((value) => ({ value, about })),
  hasFiles: false,
})

/** Returns the choices that a placeholder lists: `<daily|weekly>`. */
const choicesIn = (flags: string): string[] => {
  const listed = /<([^<>]*)>/.exec(flags)?.[1]?.split('|') ?? []
  return listed.length < 2 || listed.some((word) => ['id', 'name', 'email'].includes(word)) ? [] : listed
}

/** Returns the values of a flag. */
const valuesOf = ({ flags, long, argChoices }: Option, io: Io, names: KnownNames): Candidates => {
  const flag = (long ?? '').slice(2)
  if (flag === 'profile') return named([...readProfiles(io).byName.keys()], 'profile')
  if (flag === 'output') return named(FORMATS, 'format')
  if (flag === 'log-format') return named(LOG_FORMATS, 'format')
  // A flag of another name says what it takes: --to <user>.
  const kind = kindOfWord(flag) ?? kindOfWord(/<([a-z-]+)>/.exec(flags)?.[1] ?? '')
  if (kind !== undefined) return named(names[kind] ?? [], kind.replace('_', ' '))
  if (FILES.test(flags)) return { candidates: [], hasFiles: true }
  return named(argChoices ?? choicesIn(flags))
}

/** Returns what an argument of a command may be. */
const argumentsOf = (command: CommandUnknownOpts, at: number, io: Io, names: KnownNames): Candidates => {
  const all: readonly Argument[] = command.registeredArguments
  const argument = all[at] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined)
  if (!argument) return NOTHING
  if (argument.argChoices) return named(argument.argChoices)
  if (FILES.test(argument.name())) return { candidates: [], hasFiles: true }
  const noun = command.parent?.name() ?? ''
  if (argument.name() === 'receipt') return named(undoReceiptNames(receiptsFolder(io)), 'receipt')
  if (noun === 'profiles') return named([...readProfiles(io).byName.keys()], 'profile')
  return named(names[kindOfWord(noun) ?? ''] ?? [])
}

const isFlag = (word: string): boolean => word.startsWith('-') && word !== '-'

const optionsOf = (command: CommandUnknownOpts): Option[] => [
  ...command.options.filter(({ hidden }) => !hidden),
  ...(command.parent ? optionsOf(command.parent) : []),
]

const optionNamed = (command: CommandUnknownOpts, word: string): Option | undefined =>
  optionsOf(command).find(({ short, long }) => [short, long].includes(flagOf(command, word)))

const takesValue = (option: Option | undefined): option is Option => option?.required === true

/** Describes where a line has come to: its command, how many arguments it has, the flag whose value comes, and what was given. */
type Reached = {
  readonly command: CommandUnknownOpts
  readonly given: number
  readonly open: Option | undefined
  readonly flags: GlobalFlags
}

/** Follows the words of a line. */
const follow = (program: CommandUnknownOpts, words: readonly string[]): Reached => {
  let [command, given, open]: [CommandUnknownOpts, number, Option | undefined] = [program, 0, undefined]
  const values: Record<string, string> = {}
  for (const word of words) {
    if (open) {
      values[open.attributeName()] = word
      open = undefined
    } else if (isFlag(word)) {
      const option = optionNamed(command, word.split('=', 1)[0] ?? '')
      open = takesValue(option) && !word.includes('=') ? option : undefined
    } else {
      const below: CommandUnknownOpts | undefined = command.commands.find((one) => one.name() === word)
      command = below ?? command
      given += below ? 0 : 1
    }
  }
  return { command, given, open, flags: values }
}

/** Tells whether a name can be typed as it is: kpi takes numbers for ids, and what begins with a dash for a flag. */
const canBeTyped = (name: string): boolean => !/^#?\d+$|^-/.test(name)

/** Returns the names of the place that a line talks to that can be typed; none where its settings are wrong. */
const namesFor = (io: Io, flags: GlobalFlags): KnownNames => {
  try {
    const known = Object.entries(readNames(io, findPlace(io, flags)))
    return Object.fromEntries(known.map(([kind, names]) => [kind, names.filter(canBeTyped)]))
  } catch {
    return {}
  }
}

const aboutOf = (text: string): string => text.split('\n', 1)[0] ?? ''

const flagsOf = (command: CommandUnknownOpts): Candidates => ({
  candidates: optionsOf(command).flatMap(({ long, description }) =>
    long === undefined || long === null ? [] : [{ value: long, about: aboutOf(description) }],
  ),
  hasFiles: false,
})

const withPrefix = (prefix: string, { candidates, hasFiles }: Candidates): Candidates => ({
  candidates: candidates.map((one) => ({ ...one, value: prefix + one.value })),
  hasFiles,
})

/** Returns an element as it stands in a list behind others, where a comma would end it. */
const listed = (value: string): string => (/[,"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

/** Returns what could complete the last element of a list, behind the elements before it: all but these. */
const inList = (current: string, found: Candidates): Candidates => {
  const before = current.slice(0, current.lastIndexOf(',') + 1)
  if (before === '') return found
  const given = new Set(splitList(before))
  const others = found.candidates.filter(({ value }) => !given.has(value))
  return withPrefix(before, { ...found, candidates: others.map((one) => ({ ...one, value: listed(one.value) })) })
}

/** Returns the values of a flag, where some of a list may be given. */
const valuesAfter = (option: Option, current: string, io: Io, names: KnownNames): Candidates => {
  const found = valuesOf(option, io, names)
  return option.flags.includes('<list>') ? inList(current, found) : found
}

/** Returns the commands below one that a line could go on with, and nothing else behind `kpi help`. */
const commandsBelow = ({ commands }: CommandUnknownOpts): Candidates => ({
  candidates: commands
    .filter((one) => one.name() !== 'help')
    .map((one) => ({ value: one.name(), about: aboutOf(one.description()) })),
  hasFiles: false,
})

/** Matches a flag with an equals sign, behind which its value comes. */
const WITH_VALUE = /^(--[\w-]+)=/

const allFor = (program: CommandUnknownOpts, words: readonly string[], current: string, io: Io): Candidates => {
  const isHelp = words[0] === 'help'
  const { words: ours } = inOurWords(program, isHelp ? words.slice(1) : words)
  const { command, given, open, flags } = follow(program, ours)
  if (isHelp && given > 0) return NOTHING
  if (isHelp) {
    const { candidates } = commandsBelow(command)
    const topics = command === program ? named(HELP_TOPICS, 'topic').candidates : []
    return { candidates: [...candidates, ...topics], hasFiles: false }
  }
  const names = namesFor(io, flags)
  if (open) return valuesAfter(open, current, io, names)
  const [prefix = '', flag = ''] = WITH_VALUE.exec(current) ?? []
  const option = optionNamed(command, flag)
  if (takesValue(option)) return withPrefix(prefix, valuesAfter(option, current.slice(prefix.length), io, names))
  if (current.startsWith('-')) return flagsOf(command)
  const own = argumentsOf(command, given, io, names)
  return given === 0 ? { ...own, candidates: [...commandsBelow(command).candidates, ...own.candidates] } : own
}

/**
 * Returns what could stand where a line is completed: only what begins as the word does, in any case, and nothing that
 * could steer the terminal.
 */
export const candidatesFor = (
  program: CommandUnknownOpts,
  words: readonly string[],
  current: string,
  io: Io,
): Candidates => {
  const { candidates, hasFiles } = allFor(program, words, current, io)
  const begun = current.toLowerCase()
  const fits = ({ value }: Candidate): boolean => isOneLine(value) && value.toLowerCase().startsWith(begun)
  return { candidates: candidates.filter(fits), hasFiles }
}
