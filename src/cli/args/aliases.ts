import type { CommandUnknownOpts } from '@commander-js/extra-typings'

/** Maps the verbs of other programs to ours; the first that a group has is meant. Help does not show them. */
export const VERBS: ReadonlyMap<string, readonly string[]> = new Map([
  ['ls', ['list']],
  ['show', ['get']],
  ['get', ['show']],
  ['create', ['add']],
  ['add', ['create']],
  ['new', ['create', 'add']],
  ['edit', ['update', 'set']],
  ['update', ['set']],
  ['set', ['update']],
  ['rm', ['delete', 'remove']],
  ['delete', ['remove']],
  ['remove', ['delete']],
])

/** Maps flags to those that mean the same where a command takes several things, or just one. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ['--user', '--users'],
  ['--users', '--user'],
  ['--kpi', '--kpis'],
  ['--kpis', '--kpi'],
  ['--target', '--target-default'],
  ['--entry-date', '--date'],
])

const belowNamed = ({ commands }: CommandUnknownOpts, name: string): CommandUnknownOpts | undefined =>
  commands.find((one) => one.name() === name)

/** Returns the command that a word means in a group, under its own name or another program's. */
const meant = (group: CommandUnknownOpts, word: string): CommandUnknownOpts | undefined =>
  [word, ...(VERBS.get(word) ?? [])].map((name) => belowNamed(group, name)).find((one) => one !== undefined)

/** Tells whether a flag of a command, or of one above it, takes the next word for its value. */
const takesValue = ({ options, parent }: CommandUnknownOpts, flag: string): boolean =>
  options.some(({ short, long, required }) => required && (short === flag || long === flag)) ||
  (parent !== null && takesValue(parent, flag))

const hasFlag = ({ options }: CommandUnknownOpts, flag: string): boolean => options.some(({ long }) => long === flag)

/** Returns a flag as its command has it, with the value behind an equals sign if there is one. */
export const flagOf = (command: CommandUnknownOpts, arg: string): string => {
  const [flag = '', ...value] = arg.split('=')
  const other = FLAGS.get(flag)
  const isOther = other !== undefined && !hasFlag(command, flag) && hasFlag(command, other)
  return isOther ? [other, ...value].join('=') : arg
}

/** Describes a line in our words: the command that it names, and the first word behind it that may be meant as one. */
export type OurLine = {
  readonly words: readonly string[]
  readonly command: CommandUnknownOpts
  readonly stray: string | undefined
}

/** Rewrites a line in our words where it has those of other programs: `kpis ls` is `kpis list`. */
export const inOurWords = (program: CommandUnknownOpts, args: readonly string[]): OurLine => {
  let [command, isValue, isAfterFlag]: [CommandUnknownOpts, boolean, boolean] = [program, false, false]
  let stray: string | undefined
  const words = args.map((arg) => {
    const isWord = !isValue && !arg.startsWith('-')
    // Behind a word that is no command nothing is one.
    const below = isWord && stray === undefined ? meant(command, arg) : undefined
    // Behind a flag it may be a value that the flag need not have.
    if (isWord && !below && !isAfterFlag) stray ??= arg
    isValue = !isValue && takesValue(command, arg)
    isAfterFlag = !isWord
    command = below ?? command
    return below?.name() ?? arg
  })
  return { words: words.map((arg) => flagOf(command, arg)), command, stray }
}

const DESCENDING = /^-[a-z]\w/i

/** Joins `--sort` and a field in descending order by an equals sign: in `-period` the program would see its own flag -p. */
export const withSortJoined = (args: readonly string[]): string[] =>
  args.flatMap((arg, at) => {
    if (arg === '--sort' && DESCENDING.test(args[at + 1] ?? '')) return [`--sort=${args[at + 1]}`]
    return args[at - 1] === '--sort' && DESCENDING.test(arg) ? [] : [arg]
  })

/** Returns a message about a line in our words with its flags as they were typed. */
export const withTypedFlags = (message: string, args: readonly string[], { words }: OurLine): string => {
  const nameOf = (arg = ''): string => arg.split('=', 1)[0] ?? ''
  const typed = new Map(words.map((word, at) => [nameOf(word), nameOf(args[at])]))
  return message.replaceAll(/--[a-z-]+/g, (flag) => typed.get(flag) ?? flag)
}
