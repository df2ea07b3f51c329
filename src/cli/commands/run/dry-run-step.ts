import { looseName } from '../../../domain/name-form.ts'
import { resolve } from 'node:path'
import type { OptionValues } from '@commander-js/extra-typings'
import { isAddress, shownSource } from '../../../client/http/address.ts'
import { manifestPath } from '../../../export/report/manifest.ts'
import { isDevice } from '../../../files/place.ts'
import { splitList } from '../../args/names.ts'
import { EXIT } from '../../exit.ts'
import { hearingPlans, type PlannedThing } from '../entries/import/planned-things.ts'
import { requestOf, type SelectionFlags } from '../report/report-flags.ts'
import { createJobFiles } from './job-files.ts'
import { silentLog } from './job-log.ts'
import { LOADED, type Running } from './outcome.ts'
import { runLine } from './run-steps.ts'
import { flagOf } from './line-parts.ts'
import { argumentsOf, IMPORT, isImport, type Step, type StepCommand, textOfFlag } from './step.ts'
import type { StepLine } from './step-lines.ts'
import { type Lack, lackBy } from './step-needs.ts'
import { withFlag } from './step-places.ts'

/** Lists the flags that say how an import creates things. */
const WAYS_OF_CREATION: ReadonlySet<string> = new Set([
  '--create-assignments',
  '--email-pattern',
  '--frequency',
  '--unit',
  '--category',
  '--group',
])

/** Returns the flags of a step that say how it creates things, with their words. */
const waysOf = ({ parts }: Step): ReadonlyMap<string, readonly string[]> =>
  new Map(
    parts.flatMap((part) => {
      const flag = flagOf(part)
      return flag !== undefined && WAYS_OF_CREATION.has(flag) ? [[flag, part.words]] : []
    }),
  )

/** Returns the flags of a step as the program read them. */
const flagsOf = ({ command }: Step): OptionValues => command?.flags ?? {}

/** Lists the flags of output, which a trial does without. */
const OUTPUTS: ReadonlySet<string> = new Set(['--to-file', '--force', '--excel'])

/** Matches the paths of commands that take back what earlier ones did. */
const UNDO = /\bundo$/

/** Tells whether an import, or another command, sends nothing anyway. */
const sendsNothing = ({ dryRun, explain }: OptionValues): boolean => dryRun === true || explain === true

/** Returns the kinds of things that an import creates. */
const kindsCreated = ({ createMissing, createAssignments }: OptionValues): string[] => [
  ...(createMissing === true ? ['all'] : []),
  ...(Array.isArray(createMissing) ? createMissing.flatMap((list) => splitList(String(list))) : []),
  ...(createAssignments === true ? ['assignments'] : []),
]

/** Lists the flags that select users, KPIs and the like by their names; entries are exported by flags of their own. */
const SELECTIONS = {
  kpis: ['kpis', 'kpi'],
  category: ['category'],
  users: ['users', 'user'],
  groupItems: ['groupItems'],
}

/** Says how a step, or one of its lines, would end, as far as that can be known before. */
export type Outlook = { readonly lack?: Lack; readonly untried?: string }

const AMID_CHANGES: Outlook = { untried: 'not tried: an earlier step makes or moves what it reads' }
const AMID_OTHERS: Outlook = { untried: 'not tried: an earlier step may change what it works on' }
const UNKNOWN: Outlook = { untried: 'not tried: a dry run checks only the flags of this command' }
const AMID_CREATION: Outlook = { untried: 'not tried: an earlier step may create what it names' }

/** Says why a source is not read before the job runs; undefined where it is. */
const unreadSource = (cwd: string, source: string): Outlook | undefined => {
  if (source === '-') return { untried: 'not tried: a dry run reads no standard input' }
  if (isAddress(source)) return { untried: `not tried: a dry run reads no addresses, as ${shownSource(source)}` }
  return isDevice(resolve(cwd, source)) ? { untried: `not tried: a dry run reads no devices, as ${source}` } : undefined
}

/** Describes how a dry run of a line ended, all that it said of that, and what it would create. */
type Trial = Lack & { readonly planned: readonly PlannedThing[] }

/** Returns what a trial refuses: its rejected rows by their reasons, or all of it. */
const refusalsOf = ({ details = [], message }: Trial): readonly string[] => {
  const rejected = details.filter((line) => line.startsWith(REJECTED))
  return rejected.length > 0 ? rejected : [message]
}

/** Begins the lines that say which rows are rejected; the ways out are below them. */
const REJECTED = 'rejected: '

/** Tells whether a step creates things of a kind. */
const creates = (step: Step, { kind }: PlannedThing): boolean =>
  kindsCreated(flagsOf(step)).some((one) => one === 'all' || one === kind)

/** Follows what the steps of a job create. */
const createCreation = () => {
  const things = new Set<string>()
  const kinds = new Set<string>()
  const ways = new Map<string, readonly string[]>()
  let [isKnown, isOpen] = [true, false]
  const has = ({ kind, names }: PlannedThing): boolean => names.some((name) => things.has(`${kind} ${name}`))
  return {
    has,
    isKnown: () => isKnown,
    isNone: () => isKnown && things.size === 0,
    /** Notes what a step creates; undefined where that is not known. */
    note: (step: Step, planned: readonly PlannedThing[] | undefined): void => {
      const flags = flagsOf(step)
      const created = kindsCreated(flags)
      if (created.length === 0 || sendsNothing(flags)) return
      if (planned) for (const { kind, names } of planned) for (const name of names) things.add(`${kind} ${name}`)
      else isKnown = false
      if (flags['createMissing'] !== undefined) for (const kind of created) kinds.add(kind)
      for (const [flag, words] of waysOf(step)) ways.set(flag, words)
    },
    /** Notes that a step may have created anything. */
    noteAny: (): void => {
      isKnown = false
      isOpen = true
    },
    isOpen: () => isOpen,
    /** Returns the flags with which a dry run takes as there what earlier steps create. */
    flagsFor: (step: Step): string[] => {
      const own = flagsOf(step)
      const all = [...kinds, ...(own['createMissing'] === undefined ? [] : kindsCreated(own))]
      const ownWays = waysOf(step)
      const others = [...ways].flatMap(([flag, words]) => (ownWays.has(flag) ? [] : words))
      return [
        ...(kinds.size === 0 ? [] : [`--create-missing=${all.includes('all') ? 'all' : all.join(',')}`]),
        ...others,
      ]
    },
    /** Returns a list of names without those that earlier steps create; undefined where none is left. */
    without: (flag: string, list: string): string | undefined => {
      const isCreated = (name: string): boolean =>
        (flag === 'kpis' || flag === 'users') && has({ kind: flag, names: [looseName(name)] })
      const names = splitList(list)
      const left = names.filter((name) => !isCreated(name))
      if (left.length === names.length) return list
      return left.length === 0 ? undefined : left.map((name) => `"${name.replaceAll('"', '""')}"`).join(',')
    },
  }
}

type CreationSoFar = ReturnType<typeof createCreation>

const selectionIn = (given: OptionValues, creation: CreationSoFar): SelectionFlags =>
  Object.fromEntries(
    Object.entries(SELECTIONS).flatMap(([name, flags]) =>
      flags.flatMap((flag) => {
        const text: unknown = given[flag]
        const left = typeof text === 'string' ? creation.without(name, text) : undefined
        return left === undefined ? [] : [[name, left]]
      }),
    ),
  )

/** Creates what finds how steps of a job would end, in their order, without changing anything. */
export const createStepDryRun = (running: Omit<Running, 'log' | 'rejects'>) => {
  const { cwd } = running
  const files = createJobFiles(running)
  const creation = createCreation()
  const mappings = new Set<unknown>()
  let hasImported = false

  /** Does a dry run of a line. */
  const tryLine = async (step: Step, line: StepLine, more: readonly string[] = []): Promise<Trial> => {
    const told: string[] = []
    const log = { ...silentLog, tell: async (text: string) => void told.push(text) }
    const isIdle = step.command?.trial !== 'dry run' || sendsNothing(flagsOf(step))
    const idle = isIdle ? [] : ['--dry-run', ...(isImport(step) ? ['--summary-only'] : [])]
    // A dry run saves how it reads the file, too.
    const saving = step.parts.find((part) => flagOf(part) === '--save-mapping')?.words ?? []
    const at = line.words.indexOf(saving[0] ?? '')
    const words = at < 0 ? line.words : line.words.toSpliced(at, saving.length)
    // Behind -- they would be arguments.
    const all = words.toSpliced([...words, '--'].indexOf('--'), 0, ...more, ...idle)
    const run = () => runLine({ ...running, log }, { ...line, words: all }, '')
    const { result, planned } = await hearingPlans(run)
    const first = told.findIndex((text) => text.startsWith(REJECTED))
    return { ...result, ...(first >= 0 && { details: told.slice(first) }), planned }
  }

  /** Returns how an import would end behind the steps that create things, some of which it may name. */
  const outlookBehind = (step: Step, plain: Trial, trial: Trial): Outlook => {
    if (trial.code !== EXIT.done) {
      const known = refusalsOf(plain)
      // Report only what is refused with and without the records that earlier steps create.
      if (refusalsOf(trial).every((one) => known.includes(one))) return { lack: trial }
    }
    const lacking = trial.planned.filter((one) => !creates(step, one) && !creation.has(one))
    if (creation.isKnown() && lacking.some(({ isLoose }) => isLoose !== true)) return { lack: plain }
    return trial.code === EXIT.done && lacking.length === 0 ? {} : AMID_CREATION
  }

  const outlookOfVerify = async (step: Step, line: StepLine): Promise<Outlook> => {
    const [file = ''] = argumentsOf(step)
    const [own, manifest] = [file, manifestPath(file)].map(files.stateOf)
    if (own === 'gone') return goneBefore(file)
    if (own === 'absent' || (own === 'there' && manifest !== 'made' && manifest !== 'unsure')) {
      const end = await tryLine(step, line)
      return end.code === EXIT.done ? {} : { lack: end }
    }
    if (manifest !== 'absent' && manifest !== 'gone') return AMID_CHANGES
    const message = `${file} has no manifest by then: write it with --manifest (flags: { manifest: true })`
    return { lack: { code: EXIT.failed, message } }
  }

  const goneBefore = (file: string): Outlook => ({
    lack: {
      code: EXIT.failed,
      message: `${file} is not there by then, as an earlier step moves it away: name it where it is then, or leave out one of the steps`,
    },
  })

  const outlookOfImport = async (step: Step, line: StepLine): Promise<Outlook> => {
    const source = line.file ?? textOfFlag(step, 'fromDb') ?? ''
    const unread = unreadSource(cwd, source)
    if (unread) return unread
    const state = files.stateOf(source)
    if (state === 'gone') return goneBefore(source)
    if (state === 'made' || state === 'unsure' || mappings.has(flagsOf(step)['mapping'])) return AMID_CHANGES
    const end = await tryLine(step, line)
    if (end.code !== EXIT.done && state === 'there' && creation.isOpen()) return AMID_CREATION
    const isPlain = end.code === EXIT.done || creation.isNone() || creation.isOpen()
    const trial = isPlain ? end : await tryLine(step, line, creation.flagsFor(step))
    const outlook = isPlain ? { ...(end.code !== EXIT.done && { lack: end }) } : outlookBehind(step, end, trial)
    if (LOADED.has(outlook.lack?.code ?? EXIT.done)) creation.note(step, trial.planned)
    return outlook
  }

  /** Returns how a typed line would end that is tried without changing anything. */
  const outlookOfTyped = async (step: Step, { path }: StepCommand): Promise<Outlook> => {
    const states = argumentsOf(step).map(files.stateOf)
    if (states.some((state) => state === 'made' || state === 'unsure' || state === 'gone')) return AMID_CHANGES
    if (!creation.isNone() || (hasImported && UNDO.test(path))) return AMID_OTHERS
    const words = step.parts.flatMap((part) => (OUTPUTS.has(flagOf(part) ?? '') ? [] : part.words))
    const end = await tryLine(step, { words, file: undefined })
    return end.code === EXIT.done ? {} : { lack: end }
  }

  const outlookOfOutput = (step: Step): Outlook => {
    const kept = files.keptBy(step)
    if (kept === undefined) return {}
    if (!kept.isSure) return { untried: `not tried: an earlier step may have written ${kept.file}` }
    const message = `${kept.file} exists already by then, and this step does not replace files: ${withFlag(step, 'force')}, or name another file`
    return { lack: { code: EXIT.failed, message } }
  }

  return {
    /** Tells whether a file is still there when a step looks for its files. */
    isLeft: ({ file, isFound = false }: StepLine): boolean =>
      !isFound || file === undefined || files.stateOf(file) !== 'gone',
    /** Says that the files of a step are known only when it runs. */
    found: (step: Step): Outlook => (files.findsMore(step) ? AMID_CHANGES : {}),
    /** Looks up the names in the flags of a step. */
    names: async ({ path, flags: given, cli, needs }: StepCommand): Promise<Outlook> => {
      const flags = path === IMPORT || !needs ? {} : selectionIn(given, creation)
      if (Object.keys(flags).length === 0) return {}
      try {
        await cli().withClient([], (client) => requestOf(client, { from: 0, to: 0 }, flags))
        return {}
      } catch (error) {
        const lack = lackBy(error)
        return creation.isKnown() ? { lack } : AMID_CREATION
      }
    },
    /** Returns how a command line would end. */
    line: async (step: Step, line: StepLine): Promise<Outlook> => {
      const { command } = step
      if (command?.path === 'report verify') return outlookOfVerify(step, line)
      if (isImport(step)) return outlookOfImport(step, line)
      const outlook = outlookOfOutput(step)
      if (!command || command.needs || outlook.lack) return outlook
      const { trial } = command
      return trial === undefined ? { ...UNKNOWN, ...outlook } : { ...outlook, ...(await outlookOfTyped(step, command)) }
    },
    /** Notes what a command line leaves to those after it. */
    leave: (step: Step, line: StepLine, { lack, untried }: Outlook): void => {
      if (lack && !LOADED.has(lack.code)) return
      files.leave(step, line)
      const { needs, trial } = step.command ?? {}
      if (!isImport(step)) {
        if (step.kind === 'run' && !needs && trial !== 'as it is' && !sendsNothing(flagsOf(step))) creation.noteAny()
        return
      }
      hasImported ||= !sendsNothing(flagsOf(step))
      if (untried !== undefined) creation.note(step, undefined)
      const saved: unknown = flagsOf(step)['saveMapping']
      if (saved !== undefined) mappings.add(saved)
    },
  }
}
