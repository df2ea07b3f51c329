import { Fault } from '../../../domain/errors.ts'
import type { OptionValues } from '@commander-js/extra-typings'
import { isMap, isScalar, isSeq } from 'yaml'
import type { Capability } from '../../../client/capabilities.ts'
import { nearestOrAll } from '../../../client/nearest.ts'
import { faultAt, textOf, type YamlReader } from '../../../codec/yaml-reader.ts'
import type { Day } from '../../../domain/day.ts'
import { bashWords } from '../../args/bash-words.ts'
import { parseRelativeDate } from '../../args/relative-dates.ts'
import type { Cli } from '../../cli.ts'
import type { GlobalFlags } from '../../target/settings.ts'
import {
  MOST_RETRIES,
  type Part,
  partsOf,
  STEP_KINDS,
  type StepKind,
  stepKinds,
  stepParts,
  UNTIL_DEADLINE,
} from './job-definition.ts'
import { argumentOf, DATE, dated, type LinePart } from './line-parts.ts'

/** Names what holds something secret: a variable of the environment, or a file. */
export type SecretSource = { readonly env: string | undefined; readonly file: string | undefined }

/** Describes the command of a step as the program reads it. */
export type StepCommand = {
  /** Holds its words: `entries import`. */
  readonly path: string
  readonly flags: OptionValues & GlobalFlags
  readonly cli: () => Cli
  /** Holds what it needs of the service; undefined where that is not known before it runs. */
  readonly needs: readonly Capability[] | undefined
  /** Says how it is tried without changing anything: as it is, by `--dry-run`, or not at all. */
  readonly trial: 'as it is' | 'dry run' | undefined
}

/** Describes a part of a step's command line, with its line in the file. */
export type StepPart = LinePart & { readonly line: number }

/** Describes one step of a job. */
export type Step = {
  readonly line: number
  readonly kind: StepKind
  /** Holds its command line, with the day of the job in the place of `{date}`; a webhook has none. */
  readonly parts: readonly StepPart[]
  /** Holds the words of it in which the day is. */
  readonly daily: readonly string[]
  /** Describes its command; undefined for a webhook, and for a line that cannot be read. */
  readonly command: StepCommand | undefined
  /** Names the folder to which imported files are moved. */
  readonly moveTo: string | undefined
  /** Holds the address of a webhook, where that is in the job. */
  readonly url: string | undefined
  /** Says where the address of a webhook comes from that is not in the job. */
  readonly address: SecretSource
  /** Says where the secret of a webhook comes from. */
  readonly token: SecretSource
  /** Tells that the job goes on where the step fails. */
  readonly goesOn: boolean
  /** Says which files must be there: one at least, or one for each name and pattern. */
  readonly required: 'one' | 'each' | undefined
  /** Holds how often it is tried again while its service fails, at most; undefined where the job says so. */
  readonly retries: number | undefined
}

/** Names the command that has a line for each file of a step. */
export const IMPORT = 'entries import'

/** Returns the text that a flag of a step has. */
export const textOfFlag = ({ command }: Step, name: string): string | undefined => {
  const value: unknown = command?.flags[name]
  return typeof value === 'string' ? value : undefined
}

export const isImport = ({ command }: Step): boolean => command?.path === IMPORT

/** Returns what the command of a step works on. */
export const argumentsOf = ({ parts }: Step): string[] =>
  parts.flatMap(({ of, words }) => (of === 'argument' ? words : []))

/** Describes what is wrong with a step: at which flag (`--from`) or which part of it, and why. */
export type StepFault = { readonly at: string; readonly message: string }

/** Holds what is known of commands. */
export type StepChecks = {
  /** Holds the day on which the job began. */
  readonly today: Day
  /** Reads the command line of a step, and returns what is wrong with that and with the rest of it. */
  readonly check: (step: Step) => Promise<{ readonly step: Step; readonly faults: readonly StepFault[] }>
}

/** Describes a job that is read: its nodes, its faults so far, and how steps are checked. */
export type Reading = { readonly reader: YamlReader; readonly checks: StepChecks }

type Pair = ReturnType<YamlReader['pairsOf']>[number]

const STEP_KEYS: readonly string[] = ['flags', ...Object.keys(stepParts)]

/** Reads a part that is one text. */
export const readText = ({ reader: { faults } }: Reading, { name, node, line }: Pair): string | undefined => {
  const text = textOf(node)
  if (typeof text === 'string' && text.trim() !== '') return text.trim()
  const why = text === undefined ? 'is one text, and here is more' : 'is empty; say what it is, or leave it out'
  faults.push(faultAt(line, `${name} ${why}`))
  return undefined
}

/** Matches a count. */
const COUNT = /^\d{1,3}$/

/** Reads a part that is one of a few texts, or a count. */
export const readChoice = (reading: Reading, pair: Pair, { choices = [], isCount }: Part): string | undefined => {
  const text = readText(reading, pair)
  if (text === undefined || choices.includes(text)) return text
  if (isCount && COUNT.test(text) && Number(text) <= MOST_RETRIES) return text
  const counts = isCount ? [`a count up to ${MOST_RETRIES}`] : []
  reading.reader.faults.push(faultAt(pair.line, `${pair.name} must be one of ${[...choices, ...counts].join(', ')}`))
  return undefined
}

/** Returns how often a step is tried again at most, as a text says. */
export const retriesOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  return text === UNTIL_DEADLINE ? Infinity : Number(text)
}

/** Reads the value of a flag; a list is one value with commas. */
const readFlagValue = ({ resolve }: YamlReader, node: unknown): string | boolean | undefined => {
  if (isSeq(node)) {
    const texts = node.items.map((one) => textOf(resolve(one)))
    return texts.every((text) => typeof text === 'string') ? texts.join(',') : undefined
  }
  if (isScalar(node) && typeof node.value === 'boolean') return node.value
  return textOf(node) ?? undefined
}

/** Lists the flags that take a day, but for that of an import, whose journal holds the day of its word. */
const DAYS: ReadonlySet<string> = new Set(['--from', '--to'])

/** Returns the flag that a name in a file means: `create_assignments` is the flag `--create-assignments`. */
const flagNamed = (name: string): string => `--${name.replaceAll('_', '-').replace(/^--/, '')}`

/** Returns the value of a flag as a word of a line; words for single days are days already. */
export const flagValue = (flag: string, value: string, today: Day): string =>
  DAYS.has(flag) ? parseRelativeDate(dated(value, today), today) : dated(value, today)

/** Describes the flags of a step, and the names of those that could not be read. */
type ReadFlags = { readonly parts: readonly StepPart[]; readonly wrong: readonly string[] }

/** Reads the flags of a step; one that is switched off is read, too, as it may be none. */
const readFlags = ({ reader, checks }: Reading, pair: Pair | undefined, daily: string[]): ReadFlags => {
  if (pair === undefined) return { parts: [], wrong: [] }
  const { node, line } = pair
  if (!isMap(node)) {
    const below = textOf(node) === null ? ', indented further than flags' : ''
    reader.faults.push(faultAt(line, `flags must be names with values, such as from: yesterday${below}`))
    return { parts: [], wrong: [] }
  }
  const wrong: string[] = []
  const parts = reader.pairsOf(node, line).flatMap(({ name, node: given, line: at }): StepPart[] => {
    const [flag, value] = [flagNamed(name), readFlagValue(reader, given)]
    if (typeof value === 'boolean') return [{ of: value ? 'flag' : 'off', words: [flag], line: at }]
    if (value === undefined) {
      reader.faults.push(faultAt(at, `${name} must be one value, or a list of values`))
      wrong.push(flag)
      return []
    }
    const text = flagValue(flag, value, checks.today)
    if (value.includes(DATE)) daily.push(text)
    return [{ of: 'flag', words: [flag, text], line: at }]
  })
  return { parts, wrong }
}

/** Matches what ends as the name of a file does. */
const FILE_NAME = /\.[a-z]\w*$/i

/** Says what is wrong with a step that is given something, and takes nothing: a file is for another kind of step. */
const faultOfTarget = (kind: StepKind, given: string | undefined): string => {
  const { toFile } = stepKinds[kind]
  if (toFile !== undefined && given !== undefined && FILE_NAME.test(given))
    return `${kind} is for the log: write a file with the step "- ${toFile}: ${given}"`
  if (given === undefined) return `${kind} takes nothing but flags: indent flags: like ${kind}:`
  return `${kind} takes nothing but flags: leave out "${given}"`
}

/** Reads what a step works on: one text, or a list; nothing where another part may name it. */
const readTargets = ({ reader }: Reading, kind: StepKind, { node, line }: Pair): readonly string[] | undefined => {
  const { target, isList, isOptional } = stepKinds[kind]
  const texts = (isSeq(node) ? node.items : [node]).map((one) => textOf(reader.resolve(one)))
  const given = texts.filter((text) => typeof text === 'string')
  const fail = (message: string): undefined => void reader.faults.push(faultAt(line, message))
  if (target === 'none') return texts.every((text) => text === null) ? [] : fail(faultOfTarget(kind, given[0]))
  if (isOptional && texts.every((text) => text === null)) return []
  if (given.length === 0 || given.length < texts.length || (kind !== 'run' && given.includes('')))
    return fail(`${kind} needs ${target}`)
  return isList || given.length === 1 ? given : fail(`${kind} takes one: ${target}; write a step for each`)
}

/** Tells whether a step has flags without any value. */
const hasEmptyFlags = (pairs: readonly Pair[]): boolean =>
  pairs.some(({ name, node }) => name === 'flags' && textOf(node) === null)

/** Finds the kind of a step, and tells of everything that is no part of such a step. */
const kindOf = ({ reader: { faults } }: Reading, pairs: readonly Pair[], line: number): StepKind | undefined => {
  const kinds = STEP_KINDS.filter((kind) => pairs.some(({ name }) => name === kind))
  const [kind] = kinds
  const known = faults.length
  // Tell only of the flags without values: the lines after them were meant to stand below.
  const isBelow = hasEmptyFlags(pairs)
  for (const { name, line: at } of pairs) {
    if (kinds.some((one) => one === name)) continue
    if (!STEP_KEYS.includes(name) && isBelow) continue
    if (!STEP_KEYS.includes(name))
      faults.push(
        faultAt(at, `${name} is no step and no part of one${nearestOrAll(name, [...STEP_KINDS, ...STEP_KEYS])}`),
      )
    else if (kind && kinds.length === 1 && !partsOf(kind).includes(name))
      faults.push(faultAt(at, `${name} is no part of the step ${kind}, which has ${partsOf(kind).join(', ')}`))
  }
  if (kind && kinds.length === 1) return kind
  // Say nothing twice: a slip in the name of a kind is told already.
  if (!kind && faults.length > known) return undefined
  const why = kind ? `${kinds.join(', ')}, not several` : STEP_KINDS.join(', ')
  faults.push(faultAt(line, `a step is one of ${why}`))
  return undefined
}

/** Says what each text of `required` means. */
const REQUIRED: Readonly<Record<string, Step['required']>> = { true: 'one', each: 'each' }

/** Reads the parts of a step that are one text. */
const readParts = (reading: Reading, kind: StepKind, pairs: readonly Pair[]) => {
  const text = (name: keyof typeof stepParts): string | undefined => {
    const part: Part = stepParts[name]
    const pair = partsOf(kind).includes(name) ? pairs.find((one) => one.name === name) : undefined
    if (!pair) return undefined
    return part.choices ? readChoice(reading, pair, part) : readText(reading, pair)
  }
  const [moveTo, required] = [text('move_to'), text('required')]
  return {
    moveTo: moveTo === undefined ? undefined : dated(moveTo, reading.checks.today),
    address: { env: text('url_env'), file: text('url_file') },
    token: { env: text('token_env'), file: text('token_file') },
    goesOn: text('on_failure') === 'continue',
    required: REQUIRED[required ?? 'false'],
    retries: retriesOf(text('retry')),
  }
}

/** Returns the words of a line as a shell makes them of it, but for what that puts in; the program is named or not. */
const wordsOfLine = ([line = '', ...more]: readonly string[]): string[] | Fault => {
  if (more.length > 0) return [line, ...more]
  const words = bashWords(line).filter(({ raw }) => raw !== '')
  const operator = words.find(({ isOperator }) => isOperator)
  if (operator)
    return new Fault(
      `has ${operator.raw}, and no shell reads it: write a step for each command, --to-file for a file, or quote it`,
    )
  return words.at(-1)?.quote ? new Fault('has a quote that is not closed') : words.map(({ text }) => text)
}

/** Reads the command line of a step that is one. */
const partsOfTyped = ({ reader }: Reading, { line }: Pair, targets: readonly string[]): StepPart[] | undefined => {
  const words = wordsOfLine(targets)
  if (words instanceof Fault || words.length === 0) {
    const why = words instanceof Fault ? words.message : 'is empty; say what to do, or leave it out'
    reader.faults.push(faultAt(line, `run ${why}`))
    return undefined
  }
  return [{ of: 'command', words: words[0] === 'kpi' ? words.slice(1) : words, line }]
}

/** Returns the command line that a step of another kind stands for, but for its flags. */
const lineOfKind = (kind: StepKind, targets: readonly string[], line: number): StepPart[] => {
  const { words, flag } = stepKinds[kind]
  if (words.length === 0) return []
  const own = targets.map((target): StepPart => {
    if (flag === undefined) return { of: 'argument', words: [argumentOf(target)], line }
    return { of: 'flag', words: [flag, target], line }
  })
  return [{ of: 'command', words, line }, ...own]
}

/** Reads a step; one that is wrong is told, and left out where it is of no kind. */
export const readStep = async (reading: Reading, node: unknown, line: number): Promise<Step[]> => {
  const { reader, checks } = reading
  const { faults, pairsOf } = reader
  if (!isMap(node)) {
    const kind = STEP_KINDS.find((one) => (textOf(node) ?? '').match(/^\w+/)?.[0] === one)
    const why = kind
      ? `a step is a name with a colon and a blank: write "- ${kind}: …"`
      : `a step begins with what it does: ${STEP_KINDS.join(', ')}`
    faults.push(faultAt(line, why))
    return []
  }
  const pairs = pairsOf(node, line)
  const kind = kindOf(reading, pairs, line)
  const own = pairs.find(({ name }) => name === kind)
  if (!kind || !own) return []
  const targets = readTargets(reading, kind, own)
  const given = partsOf(kind).includes('flags') ? pairs.find(({ name }) => name === 'flags') : undefined
  const daily: string[] = []
  const flags = readFlags(reading, given, daily)
  const others = readParts(reading, kind, pairs)
  // Without its file, address or line nothing can be said of the rest.
  const typed = targets && (kind === 'run' ? partsOfTyped(reading, own, targets) : lineOfKind(kind, targets, own.line))
  if (!targets || !typed) return []
  const date = (word: string): string => {
    const text = dated(word, checks.today)
    if (text !== word) daily.push(text)
    return text
  }
  const parts = [...typed.map((part) => ({ ...part, words: part.words.map(date) })), ...flags.parts]
  const url = kind === 'webhook' ? targets[0] : undefined
  const checked = await checks.check({ line, kind, parts, daily, command: undefined, url, ...others })
  const lineOf = new Map([
    ...parts.map(({ words: [word = ''], line: at }) => [word, at] as const),
    ...pairs.map((pair) => [pair.name, pair.line] as const),
  ])
  for (const { at, message } of checked.faults) {
    // A fault that follows from a flag that could not be read is none of its own.
    if (!flags.wrong.some((flag) => message.includes(flag))) faults.push(faultAt(lineOf.get(at) ?? line, message))
  }
  return [checked.step]
}
