import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommanderError, type CommandUnknownOpts, type Option, type OptionValues } from '@commander-js/extra-typings'
import { isAddress, isBareAddress, shownSource } from '../../../client/http/address.ts'
import { type Day, parseDay } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import { CIVIL_CALENDAR } from '../../../domain/period.ts'
import { FILE_FORMATS } from '../../../export/report/formats.ts'
import { parseRelativeDays } from '../../args/relative-dates.ts'
import { nextTurn } from '../../../client/next-turn.ts'
import { type Cli, createCli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import type { GlobalFlags } from '../../target/settings.ts'
import { readExportLook } from '../entries/export.ts'
import { parseOptions } from '../entries/import/parsed-options.ts'
import { requireReadable } from '../entries/import/sources.ts'
import { readExportFlags } from '../report/export.ts'
import { readQuestion } from '../report/question-flags.ts'
import { faultOfPattern, findFiles } from './find-files.ts'
import { QUERY_FLAGS, type StepKind, stepKinds } from './job-definition.ts'
import { createSaid, silentLog, stepWorld } from './job-log.ts'
import type { FlagWords, Step, StepFault } from './step.ts'
import { argumentOf, dated, flagWords, isPattern, type LinesPlace } from './step-lines.ts'
import type { ReadLine } from './step-needs.ts'
import { faultsOfKept, faultsOfMoving, faultsOfOutputs, faultsOfPaths } from './step-places.ts'

/** Lists flags of `import` that load nothing, so that the file is not done. */
const LOADS_NOTHING = ['dry-run', 'explain']

/** Holds how each command reads its flags before it asks the service; each throws what is wrong. */
const checks: Partial<Record<StepKind, (cli: Cli, flags: OptionValues) => unknown>> = {
  import: (cli, flags) => parseOptions(cli, ['file'], flags),
  report: (_, flags) => readQuestion(flags),
  export: (cli, flags) => readExportFlags(cli, flags),
  export_entries: (cli, flags) => readExportLook(cli, { layout: 'long', ...flags }, String(flags['toFile'])),
}

/** Describes where steps run: the job's world, the folder of the job, and the day on which it began. */
type StepPlace = LinesPlace & {
  readonly cli: Cli
  /** Holds the folders that earlier steps make. */
  readonly made: readonly string[]
  /** Holds the files that earlier steps move away. */
  readonly moved: ReadonlySet<string>
  /** Returns a command by its words. */
  readonly commandAt: (words: readonly string[]) => CommandUnknownOpts | undefined
}

/** Returns a command below the program, by its words. */
export const commandIn =
  (program: CommandUnknownOpts): StepPlace['commandAt'] =>
  (words) => {
    let command: CommandUnknownOpts | undefined = program
    for (const word of words) command = command?.commands.find((one) => one.name() === word)
    return command
  }

/** Returns the flags that a kind of step may have: those of its command, but for the one that its target is given with. */
export const optionsOfStep = (commandAt: StepPlace['commandAt'], kind: StepKind): readonly Option[] => {
  const { words, flag } = stepKinds[kind]
  if (words.length === 0) return []
  return commandAt(words)?.options.filter(({ hidden, long }) => !hidden && long !== flag) ?? []
}

/** Returns why a line cannot be, if that is what an error says; others are no fault of the line. */
const messageOf = (error: unknown): string => {
  if (error instanceof CommanderError) return error.message.replace(/^error: /, '')
  if (error instanceof UsageError || error instanceof KpiError) return error.message
  throw error
}

/** Reads a command line as its command would, without running it; throws what is wrong. */
export const readLine = (
  { cli, cwd, today, commandAt }: StepPlace,
  step: Step,
  flags: FlagWords,
): ReadLine | undefined => {
  const { words, flag } = stepKinds[step.kind]
  const command = words.length === 0 ? undefined : commandAt(words)
  if (!command) return undefined
  const targets = step.targets.map((target) => dated(target, today))
  const own = flag === undefined ? targets.map(argumentOf) : targets.map((target) => `${flag}=${target}`)
  command.action(() => undefined).parse([...own, ...flagWords(flags, today)], { from: 'user' })
  const given: OptionValues & GlobalFlags = command.opts()
  const { output: _, ...shared } = cli.flags
  const world = stepWorld({ io: cli.io, begun: cli.io.now() }, cwd, silentLog, '', createSaid())
  return { cli: createCli(world, { ...shared, ...given, input: false }, cli, FILE_FORMATS), given }
}

/** Returns what is wrong with a command line. */
const faultOfLine = (place: StepPlace, step: Step, flags: FlagWords): string | undefined => {
  try {
    const line = readLine(place, step, flags)
    if (line) checks[step.kind]?.(line.cli, line.given)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Returns the flags that a fault names, in its order. */
const flagsIn = (message: string): string[] => [...message.matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag)

/** Returns what is wrong with the words for days; only dates can be compared, as others are other days tomorrow. */
const faultsOfDays = (flags: FlagWords, today: Day): StepFault[] => {
  const days = flags.filter(([flag]) => flag === 'from' || flag === 'to')
  const faults = days.flatMap(([flag, value]) => {
    try {
      parseRelativeDays(String(value), { today, calendar: CIVIL_CALENDAR })
      return []
    } catch (error) {
      return [{ at: `--${flag}`, message: `${flag}: ${messageOf(error)}` }]
    }
  })
  const [from, to] = ['from', 'to'].map((name) => parseDay(String(days.find(([flag]) => flag === name)?.[1])))
  const isTurned = from !== undefined && to !== undefined && from > to
  return isTurned ? [...faults, { at: '--from', message: 'from is after to' }] : faults
}

/** Returns a fault for each flag of a step that its command would refuse. */
const faultsOfFlags = (place: StepPlace, step: Step): StepFault[] => {
  const faults = faultsOfDays(step.flags, place.today)
  let left = step.flags.filter(([flag]) => !faults.some(({ at }) => at === `--${flag}`))
  while (true) {
    const message = faultOfLine(place, step, left)
    if (message === undefined) return faults
    const known = faults.length
    // Several faults are one message.
    for (const part of message.split(/; (?=--)/)) {
      const named = flagsIn(part)
      // One that follows from another is none of its own.
      if (faults.some(({ at }) => named.includes(at))) continue
      const at = named.find((one) => left.some(([flag]) => one === `--${flag}`)) ?? step.kind
      faults.push({ at, message: part })
    }
    const wrong = new Set(faults.map(({ at }) => at))
    const before = left.length
    left = left.filter(([flag]) => !wrong.has(`--${flag}`))
    if (faults.length === known || left.length === before) return faults
  }
}

/** Matches what a shell would replace by the value of a variable. */
const VARIABLE = /\$(?:\{\w+\}|[A-Za-z_]\w*)/

/** Returns why a source of an import cannot be read, as its command would say it. */
const faultOfSource = async ({ cwd, today, signal }: StepPlace, target: string): Promise<string | undefined> => {
  try {
    requireReadable(dated(target, today))
  } catch (error) {
    return messageOf(error)
  }
  const [variable] = isAddress(target) ? [] : (VARIABLE.exec(target) ?? [])
  if (variable === undefined || existsSync(resolve(cwd, target))) return undefined
  if ((await findFiles(target, cwd, signal)).length > 0) return undefined
  return `${target}: a job puts no variables in, and there is no file of this name; write what ${variable} stands for, and if that is secret, keep others from reading the job (chmod 600)`
}

/** Returns what is wrong with what an import reads: files and addresses, or the result of a query. */
const faultsOfSources = async (place: StepPlace, step: Step): Promise<StepFault[]> => {
  if (step.kind !== 'import') return []
  const faults: StepFault[] = []
  for (const target of step.targets) {
    const message = await faultOfSource(place, target)
    if (message !== undefined) faults.push({ at: step.kind, message })
  }
  const query = QUERY_FLAGS.find((one) => step.flags.some(([flag]) => flag === one))
  if (query === undefined) return faults
  if (step.targets.length > 0) {
    const message = `${query} imports the result of a query, and files are named, too; leave import empty, or the flag out`
    return [...faults, { at: `--${query}`, message }]
  }
  if (step.moveTo === undefined) return faults
  return [...faults, { at: 'move_to', message: 'move_to goes with files, and a query moves none; leave it out' }]
}

/** Bounds the files and patterns that a step names. */
const MOST_TARGETS = 1000

const LACKS_SCHEME = 'seems to be an address, of which what may be secret is not shown: write https:// before it'

/** Returns why the files of a step cannot be looked for. */
const faultsOfPatterns = async ({ today, cwd, signal }: StepPlace, { kind, targets }: Step): Promise<StepFault[]> => {
  const faultsOf = (message: string | undefined): StepFault[] => (message === undefined ? [] : [{ at: kind, message }])
  if (targets.length > MOST_TARGETS)
    return faultsOf(`a step names at most ${MOST_TARGETS} files and patterns; write * for what differs, or more steps`)
  const patterns = kind === 'import' ? targets.map((one) => dated(one, today)).filter(isPattern) : []
  const faults = patterns.flatMap((one) => faultsOf(faultOfPattern(one)))
  if (faults.length > 0) return faults
  try {
    for (const one of patterns) {
      const found = await findFiles(one, cwd, signal)
      if (found.length === 0 && isBareAddress(one))
        faults.push({ at: kind, message: `${shownSource(one)} ${LACKS_SCHEME}` })
    }
    return faults
  } catch (error) {
    return faultsOf(messageOf(error))
  }
}

/** Returns what is wrong with a step that is a command. */
export const faultsOfCommand = async (place: StepPlace, step: Step): Promise<StepFault[]> => {
  await nextTurn(place.signal)
  const ofPaths = faultsOfPaths(place, step, optionsOfStep(place.commandAt, step.kind))
  if (ofPaths.length > 0) return ofPaths
  const ofFlags = faultsOfFlags(place, step)
  const ofPatterns = await faultsOfPatterns(place, step)
  if (ofPatterns.length > 0) return [...ofFlags, ...ofPatterns]
  const faults = [
    ...ofFlags,
    ...(await faultsOfSources(place, step)),
    ...(await faultsOfMoving(place, step)),
    ...faultsOfOutputs(place, step),
    ...faultsOfKept(place, step),
  ]
  const idle = LOADS_NOTHING.find((one) => step.flags.some(([flag]) => flag === one))
  if (step.moveTo === undefined || idle === undefined) return faults
  return [...faults, { at: 'move_to', message: `move_to does not go with ${idle}, which loads nothing` }]
}
