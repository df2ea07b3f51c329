import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommanderError, type CommandUnknownOpts, type OptionValues } from '@commander-js/extra-typings'
import type { Capability } from '../../../client/capabilities.ts'
import { isAddress, isBareAddress, shownSource } from '../../../client/http/address.ts'
import { nextTurn } from '../../../client/next-turn.ts'
import type { Day } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { Cli, ReadLine } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { faultOfPattern, findFiles } from './find-files.ts'
import { NO_STEPS, stepKinds } from './job-definition.ts'
import { outputOf } from '../../output/printed.ts'
import { asksFirst } from '../../args/dry-run.ts'
import { optionsOf } from '../../args/path-texts.ts'
import { argumentOf, flagOf, type LinePart, partsOfLine, wordsTo } from './line-parts.ts'
import {
  argumentsOf,
  flagValue,
  IMPORT,
  isImport,
  type Step,
  type StepCommand,
  type StepFault,
  type StepPart,
} from './step.ts'
import { isPattern, type LinesPlace, wholeLine } from './step-lines.ts'
import { faultsOfKept, faultsOfMoving, faultsOfOutputs } from './step-places.ts'

/** Describes where steps run: the job's world, and the folder of the job. */
type StepPlace = LinesPlace & {
  readonly cli: Cli
  /** Holds the world of a step that prints nothing. */
  readonly world: Io
  /** Holds the day on which the job began. */
  readonly today: Day
  /** Holds the folders that earlier steps make. */
  readonly made: readonly string[]
  /** Holds the files that earlier steps move away. */
  readonly moved: ReadonlySet<string>
  /** Holds the mappings that earlier steps save, which cannot be read before. */
  readonly saved: ReadonlySet<unknown>
}

/** Returns why a line cannot be, if that is what an error says; others are no fault of the line. */
const messageOf = (error: unknown): string => {
  if (error instanceof CommanderError || error instanceof UsageError || error instanceof KpiError) return error.message
  throw error
}

/** Reads a command line in the world of a step, as it would be run; throws what the program says of it. */
const readWords = async ({ cli, world }: StepPlace, words: readonly string[]): Promise<ReadLine> => {
  const read = await cli.read(wholeLine(cli, words), world)
  if (!read) throw new UsageError('help is for people who type; a job needs a command')
  const path = wordsTo(read.command).join(' ')
  const why = NO_STEPS[path]
  if (why !== undefined) throw new UsageError(`kpi ${path} is no step of a job: ${why}`)
  return read
}

/** Describes a step's command line as the program reads it. */
type Line = { readonly read: ReadLine; readonly parts: readonly StepPart[] }

/** Tells whether a part is a flag without a value. */
const isBare = ({ of, words }: StepPart): boolean => of === 'flag' && words.length === 1

/** Tells whether an error says that a line has more arguments than its command takes. */
const isExcess = (error: unknown): boolean =>
  error instanceof CommanderError && error.code === 'commander.excessArguments'

/** Reads the parts that a file names one by one; the value of a flag that takes none is no argument. */
const readNamed = async (place: StepPlace, parts: readonly StepPart[]): Promise<ReadLine> => {
  const read = await readWords(
    place,
    parts.flatMap(({ words }) => words),
  ).catch((error: unknown) => {
    if (!isExcess(error)) throw error
  })
  if (read?.command.args.length === parts.filter(({ of }) => of === 'argument').length) return read
  // Behind an equals sign the value is refused as one.
  return readWords(
    place,
    parts.flatMap(({ of, words }) => (of === 'flag' ? [words.join('=')] : words)),
  )
}

/** Returns a part of a typed line whose word for a single day is that day, as the log can be read on a later one. */
const withDays = (part: LinePart, today: Day): LinePart => {
  const [word = '', value] = part.words
  const flag = flagOf(part)
  if (flag === undefined) return part
  if (value !== undefined) return { ...part, words: [word, flagValue(flag, value, today)] }
  return word === flag ? part : { ...part, words: [`${flag}=${flagValue(flag, word.slice(flag.length + 1), today)}`] }
}

/** Reads the parts of a step as its command line, and divides a line that is typed as a whole into its parts. */
const readCommand = async (place: StepPlace, { kind, line }: Step, parts: readonly StepPart[]): Promise<Line> => {
  if (kind === 'run') {
    const words = parts.flatMap((part) => part.words)
    const read = await readWords(place, words)
    return { read, parts: partsOfLine(read.command, words).map((part) => ({ ...withDays(part, place.today), line })) }
  }
  const given = parts.filter(({ of }) => of !== 'off')
  // A flag that lacks its value must not take the next one for that.
  const read = await readNamed(
    place,
    given.toSorted((one, other) => Number(isBare(one)) - Number(isBare(other))),
  )
  const options = optionsOf(read.command)
  // Leaving out a flag that the command has not is a mistake as well.
  for (const { of, words } of parts)
    if (of === 'off' && !options.some(({ long }) => long === words[0]))
      await readWords(place, [...wordsTo(read.command), ...words])
  return { read, parts: given }
}

/** Returns the lines that are checked: an import has one for each of its files, of which some are not known yet. */
const linesToCheck = async (place: StepPlace, { read, parts }: Line): Promise<readonly ReadLine[]> => {
  const files = parts.flatMap(({ of, words }) => (of === 'argument' ? words : []))
  const named = files.filter((file) => !isPattern(file))
  if (wordsTo(read.command).join(' ') !== IMPORT || files.length === 0) return [read]
  const flags = parts.flatMap(({ of, words }) => (of === 'flag' ? words : []))
  return Promise.all(
    (named.length === 0 ? ['file'] : named).map((file) =>
      readWords(place, [...wordsTo(read.command), argumentOf(file), ...flags]),
    ),
  )
}

/** Refuses the flags of a list that none of the lists takes which its command may print. */
const requireListed = async (command: CommandUnknownOpts, flags: OptionValues): Promise<void> => {
  const { applyListOptions, chooseColumns, listView } = await import('../verbs/list-options.ts')
  const hasNames = optionsOf(command).some(({ long }) => long === '--names')
  let refusal: UsageError | undefined
  for (const { of, isOpen, more } of (await outputOf(command)?.prints()) ?? []) {
    if (isOpen || more) return
    try {
      if (hasNames) listView(of, flags, 'json')
      else {
        chooseColumns(of, flags, 'json')
        applyListOptions(of, [], flags)
      }
      return
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      refusal = error
    }
  }
  if (refusal) throw refusal
}

/** Refuses a line for what its command would refuse only once it runs: a missing yes, or a field that its records lack. */
const requireRunnable = async ({ command, flags }: ReadLine): Promise<void> => {
  if (asksFirst(command, flags))
    throw new UsageError(`kpi ${wordsTo(command).join(' ')} needs --yes, as a job can ask nobody`)
  if (optionsOf(command).some(({ long }) => long === '--columns')) await requireListed(command, flags)
}

/** Checks a line as its command would; returns what it needs of the service, and what is wrong. */
const checkLine = async (
  place: StepPlace,
  line: Line,
): Promise<{ readonly needs: readonly Capability[] | undefined; readonly messages: readonly string[] }> => {
  const messages = new Set<string>()
  const changed = place.saved.has(line.read.flags['mapping']) ? { mapping: undefined } : {}
  let needs: readonly Capability[] | undefined
  for (const one of await linesToCheck(place, line)) {
    try {
      needs = await one.check(changed)
      await requireRunnable(one)
    } catch (error) {
      messages.add(messageOf(error))
    }
  }
  return { needs, messages: [...messages] }
}

/** Matches the paths of commands that change nothing, and print what there is. */
const READS = /(?:^| )(?:list|get|show|plan|history|status|verify)$/

/** Says how a command is tried without changing anything. */
const trialOf = (path: string, command: CommandUnknownOpts): StepCommand['trial'] => {
  if (READS.test(path)) return 'as it is'
  return optionsOf(command).some(({ long }) => long === '--dry-run') ? 'dry run' : undefined
}

/** Returns the flags that a fault names, in its order. */
const flagsIn = (message: string): string[] => [...message.matchAll(/--[\p{L}\d_-]+/gu)].map(([flag]) => flag)

/** Returns the flag that a part names, also to leave it out. */
const nameOf = ({ words: [word = ''] }: StepPart): string => word

/** Returns the part that a fault is about: with the first flag that it names of those that are given, or the value that it quotes. */
const partAtFault = (parts: readonly StepPart[], message: string): StepPart | undefined => {
  const [named] = flagsIn(message).flatMap((flag) => parts.filter((part) => nameOf(part) === flag))
  return named ?? parts.find(({ words }) => words.some((word) => message.includes(`"${word}"`)))
}

/**
 * Reads the command line of a step; returns it as far as it can be read, and a fault for each flag that its command
 * refuses: after each, the line is read without the flag.
 */
const checkedLine = async (place: StepPlace, step: Step): Promise<{ step: Step; faults: StepFault[] }> => {
  const faults: StepFault[] = []
  const wrong = new Set<StepPart>()
  let { parts } = step
  let found = step
  while (true) {
    let messages: readonly string[]
    try {
      const line = await readCommand(place, step, parts)
      const { read } = line
      const checked = await checkLine(place, line)
      messages = checked.messages
      const path = wordsTo(read.command).join(' ')
      const trial = trialOf(path, read.command)
      const command = { path, flags: read.flags, cli: read.cli, needs: checked.needs, trial }
      found = { ...step, parts: line.parts, command }
    } catch (error) {
      messages = [messageOf(error)]
    }
    const known = faults.length
    // Several faults may be one message.
    for (const message of messages.flatMap((one) => one.split(/; (?=--)/))) {
      // One that follows from another is none of its own.
      if (faults.some(({ at }) => flagsIn(message).includes(at))) continue
      const part = partAtFault(parts, message)
      if (part) wrong.add(part)
      faults.push({ at: part ? nameOf(part) : step.kind, message })
    }
    const left = parts.filter((part) => part.of === 'command' || part.of === 'argument' || !wrong.has(part))
    if (faults.length === known || left.length === parts.length) return { step: found, faults }
    parts = left
  }
}

/** Matches what a shell would replace by the value of a variable. */
const VARIABLE = /\$(?:\{\w+\}|[A-Za-z_]\w*)/

/** Returns what is wrong with files that hold a variable in their names: nothing puts its value in. */
const faultsOfVariables = async ({ cwd, signal }: StepPlace, step: Step): Promise<StepFault[]> => {
  const faults: StepFault[] = []
  for (const target of argumentsOf(step)) {
    const [variable] = isAddress(target) ? [] : (VARIABLE.exec(target) ?? [])
    if (variable === undefined || existsSync(resolve(cwd, target))) continue
    if ((await findFiles(target, cwd, signal)).length > 0) continue
    const message = `${target}: a job puts no variables in, and there is no file of this name; write what ${variable} stands for, and if that is secret, keep others from reading the job (chmod 600)`
    faults.push({ at: step.kind, message })
  }
  return faults
}

/** Bounds the files and patterns that a step names. */
const MOST_TARGETS = 1000
const TOO_MANY = `a step names at most ${MOST_TARGETS} files and patterns; write * for what differs, or more steps`

const LACKS_SCHEME = 'seems to be an address, of which what may be secret is not shown: write https:// before it'

/** Returns why the files of an import cannot be looked for. */
const faultsOfPatterns = async ({ cwd, signal }: StepPlace, step: Step): Promise<StepFault[]> => {
  const faultsOf = (message: string | undefined): StepFault[] =>
    message === undefined ? [] : [{ at: step.kind, message }]
  const patterns = argumentsOf(step).filter(isPattern)
  const faults = patterns.flatMap((one) => faultsOf(faultOfPattern(one)))
  if (faults.length > 0) return faults
  try {
    for (const one of patterns) {
      const found = await findFiles(one, cwd, signal)
      if (found.length === 0 && isBareAddress(one)) faults.push(...faultsOf(`${shownSource(one)} ${LACKS_SCHEME}`))
    }
    return faults
  } catch (error) {
    return faultsOf(messageOf(error))
  }
}

/** Returns what is wrong with a step whose target is given by a flag of its command, and that flag beside it. */
const faultsOfTwice = ({ kind, parts }: Step): StepFault[] => {
  const { flag } = stepKinds[kind]
  const isTwice = flag !== undefined && parts.filter((part) => flagOf(part) === flag).length > 1
  return isTwice ? [{ at: flag, message: `${flag} is what ${kind} names; leave the flag out` }] : []
}

/** Reads a step that is a command, and returns it with all that is wrong with it. */
export const checkCommand = async (
  place: StepPlace,
  given: Step,
): Promise<{ readonly step: Step; readonly faults: readonly StepFault[] }> => {
  await nextTurn(place.signal)
  // Each line is read by a program of its own, which is forgotten then.
  place.cli.io.limitMemory()
  if (argumentsOf(given).length > MOST_TARGETS) return { step: given, faults: [{ at: given.kind, message: TOO_MANY }] }
  const { step, faults } = await checkedLine(place, given)
  if (!step.command) return { step, faults }
  const ofPatterns = isImport(step) ? await faultsOfPatterns(place, step) : []
  if (ofPatterns.length > 0) return { step, faults: [...faults, ...ofPatterns] }
  return {
    step,
    faults: [
      ...faults,
      ...faultsOfTwice(given),
      ...(isImport(step) ? await faultsOfVariables(place, step) : []),
      ...(await faultsOfMoving(place, step)),
      ...faultsOfOutputs(place, step),
      ...faultsOfKept(place, step),
    ],
  }
}
