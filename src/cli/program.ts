import { Command, CommanderError, type CommandUnknownOpts, Help, type Option } from '@commander-js/extra-typings'
import { inOurWords, type OurLine, withSortJoined, withTypedFlags } from './args/aliases.ts'
import { requirePaths } from './args/path-texts.ts'
import { isFirst } from './args/first-flags.ts'
import { HELP_LAYOUT, HELP_TOPICS, type HelpTopic, OF_EVERY_COMMAND } from './args/help-layout.ts'
import { refuseFlagsAsValues } from './args/flag-values.ts'
import { onlyNameOthers } from './args/other-commands.ts'
import { isLogJson } from './args/raw-options.ts'
import { type Act, type Cli, createCli, type ReadLine } from './cli.ts'
import { commandGroups, START } from './command-groups.ts'
import { EXIT, type ExitCode, exitOf, UsageError } from './exit.ts'
import type { Io } from './io.ts'
import { createLog } from './output/log.ts'
import { outputOf } from './output/printed.ts'
import { oneLine } from './output/width.ts'
import { reflow } from './output/wrap-lines.ts'
import { byPages, readOutput, runCommand } from './run-command.ts'
import type { Output } from './standard-output.ts'
import { requireFlags } from './target/network.ts'
import { isOutputJson } from './target/output-format.ts'
import { type GlobalFlags, optionOf, PATH_VARIABLES, SETTINGS } from './target/settings.ts'

const DESCRIPTION = `Keeps key performance indicators, administers them, and imports data into them in bulk.

Without a profile it uses the embedded service in your data directory: nothing has to be set up.`

const AFTER_HELP = `
Start with:
  kpi demo                              import and report real data
  kpi kpis list
  kpi entries import data.csv --dry-run
  kpi report --from -30d

Learn more:
  kpi COMMAND --help                    the flags of a command, with examples
  kpi help TOPIC                        ${HELP_TOPICS.join(', ')}
  kpi doctor                            what is set, which service is used, and whether it works

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 partly done, 4 not authorised,
5 service not reachable, 6 stopped with work left, 7 not in this variant, 8 running already,
9 plan found differences, 10 a target missed or a value missing, 130 interrupted.`

/** Ends the help of each command below the program, whose flags are not listed again. */
const GLOBAL_FLAGS = `\n${OF_EVERY_COMMAND}, such as -o json, --profile and --quiet: kpi --help`

/** Holds what commander writes: help, what stands below its flags, and what is on its way to standard error. */
type Written = {
  help: string
  below: string
  /** Names the command of which only the flags that people use first are shown. */
  short?: CommandUnknownOpts | undefined
  readonly errors: Promise<void>[]
}

const nothingWritten = (): Written => ({ help: '', below: '', errors: [] })

const helpWidth = ({ columns }: Output): number => columns ?? 100

/** Returns what follows the flags in help, at the width of the screen; the help itself has it already. */
const closing = (text: string, output: Output): string =>
  text.startsWith('Usage:') ? text : reflow(text, helpWidth(output))

/** Returns the flags that help lists: all, or those that people use first. */
const firstOptions = (command: CommandUnknownOpts, { short }: Written): Option[] => {
  const all: Option[] = new Help().visibleOptions(command)
  return short === command ? all.filter(isFirst) : all
}

const createProgram = (io: Io, version: string, written: Written, isJson = false): Command => {
  const program = new Command('kpi')
    .description(DESCRIPTION)
    .version(version, '-V, --version', 'print the version')
    .option(...optionOf(SETTINGS.profile))
    .option(...optionOf(SETTINGS.dataDir))
    .option(...optionOf(SETTINGS.output))
    .option('--jq <filter>', 'print what this filter of the language of jq makes of the JSON')
    .option(...optionOf(SETTINGS.timeout))
    .option(...optionOf(SETTINGS.deadline))
    .option('--lock <name>', 'end with 8 if another command runs with the lock of this name')
    .option(...optionOf(SETTINGS.caFile))
    .option(...optionOf(SETTINGS.timeZone))
    .option('--no-input', 'never prompt; missing input is an error')
    .option(...optionOf(SETTINGS.color))
    .option(...optionOf(SETTINGS.pager))
    .option('-q, --quiet', 'no notes and no progress on standard error')
    .option('--verbose', 'tell each request, and what is decided, on standard error')
    .option('--debug', 'as --verbose, with headers and bodies; credentials are left out')
    .option(...optionOf(SETTINGS.logFormat))
    .addHelpText('after', AFTER_HELP)
    .addHelpText('afterAll', ({ command }) => (command.parent ? GLOBAL_FLAGS : ''))
    .helpOption('-h, --help', 'show the help of a command')
    .addHelpCommand(
      new Command('help [command...]').description('show help; with --json, all of it for programs').helpGroup(START),
    )
    .configureHelp({ ...HELP_LAYOUT, visibleOptions: (command) => firstOptions(command, written) })
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        const part = closing(text, io.stdout)
        if (text.startsWith('Usage:')) written.help += part
        else written.below += part
      },
      // Commander throws errors as well; they are printed where all errors are. Only help is printed here. Help beside
      // an error is for people.
      writeErr: (text) =>
        isJson || text.startsWith('error:') || written.errors.push(io.stderr.write(closing(text, io.stderr))),
      getOutHelpWidth: () => helpWidth(io.stdout),
      getErrHelpWidth: () => helpWidth(io.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  return program
}

/** Returns the program with every command, for what documents it. */
export const describeProgram = async (version: string, io: Io): Promise<Command> => {
  const program = createProgram(io, version, nothingWritten())
  for (const [name, { heading, summary, load }] of Object.entries(commandGroups)) {
    const register = await load()
    register(program.command(name).description(summary).helpGroup(heading), () => undefined)
  }
  return program
}

/** Prints help, page by page where it is longer than the screen. */
const printHelp = (io: Io, args: readonly string[], text: string): Promise<void> =>
  byPages(io, { pager: !args.includes('--no-pager') }, createLog(io, 'text', false).note, ({ stdout }) =>
    stdout.write(text),
  )

/** Prints the help of a command, and of all below it, for programs. */
const printHelpJson = async (args: readonly string[], version: string, io: Io): Promise<ExitCode> => {
  const { helpJson } = await import('./help-json.ts')
  const words = args.filter((arg) => !arg.startsWith('-'))
  await io.stdout.write(helpJson(await describeProgram(version, io), words))
  return 0
}

/** Returns the topic that a line asks help about; undefined where it names a command, or nothing. */
const topicIn = ([help, ...words]: readonly string[]): HelpTopic | undefined => {
  const asked = words.find((word) => !word.startsWith('-'))
  return help === 'help' ? HELP_TOPICS.find((one) => one === asked) : undefined
}

/** Prints the help of a topic. */
const printTopic = async (io: Io, args: readonly string[], topic: HelpTopic): Promise<ExitCode> => {
  const { topicText } = await import('./help-topics.ts')
  await printHelp(io, args, topicText(topic, helpWidth(io.stdout)))
  return EXIT.done
}

/** Lets flags of lists be given more than once, as if they were one list. */
const joinLists = (command: CommandUnknownOpts): void => {
  for (const option of command.options.filter(({ flags }) => flags.includes('<list>'))) {
    option.argParser((value, before) => (typeof before === 'string' ? `${before},${value}` : value))
  }
  for (const below of command.commands) joinLists(below)
}

/** Rewrites `kpi help kpis list` as `kpi kpis list --help`, at any depth; `kpi help help` is `kpi help`. */
const helpAsFlag = (args: readonly string[]): readonly string[] => {
  if (args[0] !== 'help') return args
  return [...args.slice(args[1] === 'help' ? 2 : 1), '--help']
}

/** Refuses help for a word that names no command: each word behind `kpi help`, or before `--help` one where only commands can be. */
const requireHelped = ({ command, stray }: OurLine, isEach: boolean): void => {
  const takesWords = command.commands.length === 0 || command.registeredArguments.length > 0
  if (stray === undefined || (takesWords && !isEach)) return
  throw new CommanderError(EXIT.usage, 'commander.unknownCommand', `error: unknown command '${stray}'`)
}

/** Returns the words of a command line that are neither flags nor values of global flags. */
const wordsIn = (args: readonly string[], { options }: Command): string[] => {
  const withValue = options.filter(({ required, optional }) => required || optional)
  const flags = new Set(withValue.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)))
  return args.filter((word, at) => !word.startsWith('-') && !flags.has(args[at - 1] ?? ''))
}

/** Describes the command that a line names, with what runs it. */
type Found = ReadLine & { readonly run: () => Promise<ExitCode> }

/** Returns what makes what a command works with; it keeps nothing of the program that has read the line. */
const cliOf =
  (version: string, fileFormats: readonly string[] | undefined) =>
  (io: Io, flags: GlobalFlags): Cli =>
    createCli(
      io,
      flags,
      {
        run: (line, world = io) => runProgram(line, version, world),
        read: (line, world) =>
          withParsed({ line, version, io: world, isForPrograms: true }, (found) => Promise.resolve(found)),
      },
      fileFormats,
    )

/** Returns what makes it later, in a scope of its own: one beside the command would keep the whole program. */
const later =
  (cliIn: (io: Io, flags: GlobalFlags) => Cli, io: Io, flags: GlobalFlags): (() => Cli) =>
  () =>
    cliIn(io, flags)

/** Creates what notes, in the place of each command's action, what reads and runs that. */
const createAct =
  (version: string, io: Io, note: (found: Found) => void): Act =>
  (command, action, { fileFormats, checks } = {}) => {
    const cliIn = cliOf(version, fileFormats)
    command.action(() => {
      const flags = command.optsWithGlobals()
      const output = outputOf(command)
      const ownsFile = output?.ownsFile !== false
      note({
        command,
        flags,
        cli: later(cliIn, io, flags),
        check: async (changed) => {
          requirePaths(io, command, PATH_VARIABLES)
          const cli = cliIn(io, await readOutput(flags, ownsFile))
          requireFlags(io, cli.flags)
          if (cli.flags.lock !== undefined) (await import('./target/named-lock.ts')).requireLockName(cli.flags.lock)
          const { jq } = cli.flags
          if (jq !== undefined) await (await import('./jq.ts')).requireJq(io, { ...cli.flags, jq })
          return checks?.(cli, command.processedArgs, { ...command.opts(), ...flags, ...changed })
        },
        run: () => {
          requirePaths(io, command, PATH_VARIABLES)
          return runCommand(flags, {
            io,
            begin: async (world, given) =>
              (await action(cliIn(world, given), command.processedArgs, command.opts())) ?? EXIT.done,
            cliIn,
            ownsFile,
            isPaged: output !== undefined,
          })
        },
      })
    })
  }

/** Adds all groups of commands, and loads the one that is named, with the flags of the command that is. */
const addGroups = async (program: Command, [name, verb]: readonly string[], act: Act): Promise<void> => {
  for (const [one, { heading, summary, load }] of Object.entries(commandGroups)) {
    const group = program.command(one).description(summary).helpGroup(heading)
    if (one !== name) continue
    onlyNameOthers(group, verb)
    ;(await load())(group, act)
    joinLists(group)
  }
}

/** Prints what could complete a line, for the script of a shell: see `commands/completion/scripts.ts`. */
export const complete = async (given: readonly string[], io: Io): Promise<void> => {
  const { readTypedLine } = await import('./commands/completion/typed-line.ts')
  const line = readTypedLine(given)
  if (!line) return
  const { words, current, insertion } = line
  const program = createProgram(io, '', nothingWritten())
  await addGroups(program, wordsIn(words[0] === 'help' ? words.slice(1) : words, program), () => undefined)
  const { candidatesFor } = await import('./commands/completion/candidates.ts')
  const { candidates, hasFiles } = candidatesFor(program, words, current, io)
  const lines = candidates.flatMap(({ value, about }) => {
    const inserted = insertion(value)
    return inserted === undefined ? [] : [`${inserted}\t${oneLine(about)}\t${value}\n`]
  })
  await io.stdout.write(lines.join('') + (hasFiles ? ':files\n' : ''))
}

/** Returns the error about a line that names no command where the help that lists them is not shown. */
const noCommand = ({ command }: OurLine): UsageError => {
  const names = command.commands.map((one) => one.name()).join(', ')
  const path = [command.parent?.parent, command.parent, command].flatMap((one) => (one ? [one.name()] : []))
  return new UsageError(`say which command: ${names}; ${path.join(' ')} --help says what they do`)
}

/** Returns an error about a line, in one line and in the words in which it was typed. */
const asTyped = (error: unknown, args: readonly string[], line: OurLine): unknown => {
  if (error instanceof CommanderError) error.message = error.message.replace(/^error: /, '').replaceAll('\n', ' ')
  if (error instanceof UsageError || error instanceof CommanderError)
    error.message = withTypedFlags(error.message, args, line)
  return error
}

/** Tells whether an error is commander's way to end with what was asked for: help, or the version. */
const isAskedFor = (error: unknown): boolean => error instanceof CommanderError && error.exitCode === 0

/** Parses a line; refuses help for what is no command. */
const parse = async (program: Command, line: OurLine, isHelp: boolean): Promise<void> => {
  try {
    await program.parseAsync(line.words, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.code === 'commander.helpDisplayed') requireHelped(line, isHelp)
    throw error
  }
}

const ASKS_HELP: ReadonlySet<string> = new Set(['--help', '-h'])

/** Returns a line without the `--all` of help, and whether it has that. */
const readHelpAll = (args: readonly string[]): { readonly args: readonly string[]; readonly isAll: boolean } => {
  const isAll = args.includes('--all') && args.some((arg) => ASKS_HELP.has(arg))
  return { args: isAll ? args.filter((arg) => arg !== '--all') : args, isAll }
}

/** Returns the help of a command; of one with many flags what fits a screen, and how all is shown. */
const wholeHelp = async ({ stdout }: Io, { help, below, short }: Written): Promise<string> => {
  if (short === undefined || help === '') return help + below
  const { withinScreen } = await import('./args/short-help.ts')
  return withinScreen({ help, below }, short, (end) => closing(end, stdout))
}

/** Describes a command line as it is typed, and who reads it. */
type Typed = {
  readonly line: readonly string[]
  readonly version: string
  readonly io: Io
  /** Tells that nobody reads help beside an error. */
  readonly isForPrograms: boolean
}

/**
 * Parses a command line, and does with its command what `use` does; its errors say what was probably meant. Loads only the
 * group of commands that is named. Help that is asked for is printed; then nothing is returned.
 */
const withParsed = async <T>(
  { line, version, io, isForPrograms }: Typed,
  use: (found: Found | undefined) => Promise<T>,
): Promise<T | undefined> => {
  const { args, isAll } = readHelpAll(withSortJoined(helpAsFlag(line)))
  const written = nothingWritten()
  const program = createProgram(io, version, written, isForPrograms)
  let found: Found | undefined
  let isRead = false
  await addGroups(
    program,
    wordsIn(args, program),
    createAct(version, io, (one) => (found = one)),
  )
  const ours = inOurWords(program, args)
  const { words } = ours
  const asksHelp = words.length === 0 || args.some((arg) => ASKS_HELP.has(arg))
  if (asksHelp && !isAll && ours.command.options.some(isFirst)) written.short = ours.command
  try {
    refuseFlagsAsValues(program, words)
    if (words.length === 0) program.outputHelp()
    else await parse(program, ours, line[0] === 'help')
    isRead = true
    return await use(found)
  } catch (error) {
    if (isAskedFor(error)) return undefined
    written.help = ''
    written.below = ''
    if (isForPrograms && error instanceof CommanderError && error.code === 'commander.help') throw noCommand(ours)
    const { withCommand, withNextStep } = await import('./usage-hints.ts')
    const told = asTyped(withNextStep(error, ours), args, ours)
    throw !isRead || exitOf(told) === EXIT.usage ? withCommand(told, ours) : told
  } finally {
    await Promise.all(written.errors)
    const text = await wholeHelp(io, written)
    if (text !== '') await printHelp(io, args, text)
  }
}

/** Parses a command line and runs its command; returns the exit code. */
export const runProgram = async (line: readonly string[], version: string, world: Io): Promise<ExitCode> => {
  const startedAt = world.now()
  const io = new Proxy(world, {
    get: (target, name: keyof Io) => (name === 'startedAt' ? startedAt : target[name]),
  })
  if (line[0] === 'help' && line.includes('--json')) return printHelpJson(line.slice(1), version, io)
  const topic = topicIn(line)
  if (topic !== undefined) return printTopic(io, line, topic)
  const isForPrograms = isLogJson(line) || isOutputJson(line, io)
  const code = await withParsed({ line, version, io, isForPrograms }, async (found) => found?.run())
  return code ?? EXIT.done
}
