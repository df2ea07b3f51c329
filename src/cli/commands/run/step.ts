import { nearest } from '../../../client/nearest.ts'
import type { Option } from '@commander-js/extra-typings'
import { isMap, isScalar, isSeq } from 'yaml'
import { faultAt, textOf, type YamlReader } from '../../../codec/yaml-reader.ts'
import {
  ADDRESS_PARTS,
  partsOf,
  QUERY_FLAGS,
  STEP_KINDS,
  type StepKind,
  stepKinds,
  stepParts,
} from './job-definition.ts'

/** Holds the flags of a step as the words of a line. */
export type FlagWords = readonly (readonly [flag: string, value: string | true])[]

/** Names what holds something secret: a variable of the environment, or a file. */
export type SecretSource = { readonly env: string | undefined; readonly file: string | undefined }

/** Describes one step of a job. */
export type Step = {
  readonly line: number
  readonly kind: StepKind
  /** Holds what it works on: files, or an address; nothing for a report or a check. */
  readonly targets: readonly string[]
  readonly flags: FlagWords
  /** Names the folder to which imported files are moved. */
  readonly moveTo: string | undefined
  /** Says where the address of a webhook comes from that is not in the job. */
  readonly address: SecretSource
  /** Says where the secret of a webhook comes from. */
  readonly token: SecretSource
  /** Tells that the job goes on where the step fails. */
  readonly goesOn: boolean
}

/** Describes what is wrong with a step: at which flag (`--from`) or which part of it, and why. */
export type StepFault = { readonly at: string; readonly message: string }

/** Holds what is known of commands. */
export type StepChecks = {
  readonly optionsOf: (kind: StepKind) => readonly Option[]
  /** Returns what is wrong with a step whose parts can be read. */
  readonly faultsOf: (step: Step) => Promise<readonly StepFault[]>
}

/** Describes a job that is read: its nodes, its faults so far, and how steps are checked. */
export type Reading = { readonly reader: YamlReader; readonly checks: StepChecks }

type Pair = ReturnType<YamlReader['pairsOf']>[number]

const STEP_KEYS: readonly string[] = ['flags', ...Object.keys(stepParts)]

/** Returns the end of a fault that says what a name may have meant. */
export const hint = (name: string, names: readonly string[]): string => {
  if (names.length === 0) return ''
  const near = nearest(name, names)
  return near === undefined ? `; there are ${names.join(', ')}` : `; did you mean ${near}?`
}

/** Reads a part that is one text. */
export const readText = ({ reader: { faults } }: Reading, { name, node, line }: Pair): string | undefined => {
  const text = textOf(node)
  if (typeof text === 'string' && text.trim() !== '') return text.trim()
  const why = text === undefined ? 'is one text, and here is more' : 'is empty; say what it is, or leave it out'
  faults.push(faultAt(line, `${name} ${why}`))
  return undefined
}

const longName = ({ long }: Option): string => (long ?? '').slice(2)

/** Reads the value of a flag; a list is one value with commas. */
const readFlagValue = ({ resolve }: YamlReader, node: unknown): string | true | undefined => {
  if (isSeq(node)) {
    const texts = node.items.map((one) => textOf(resolve(one)))
    return texts.every((text) => typeof text === 'string') ? texts.join(',') : undefined
  }
  if (isScalar(node) && node.value === true) return true
  return textOf(node) ?? undefined
}

/** Tells whether a flag takes a value, by its own parser. */
export const accepts = ({ parseArg }: Option, value: string): boolean => {
  try {
    parseArg?.(value, undefined)
    return true
  } catch {
    return false
  }
}

/** Returns what is wrong with a value of a flag; undefined if nothing is. */
const faultOfFlag = (option: Option, value: string | true): string | undefined => {
  if (value === true) return option.required ? 'takes a value' : undefined
  if (!option.required && !option.optional) return 'is true or false, and takes no other value'
  if (accepts(option, value)) return undefined
  return option.argChoices ? `must be one of ${option.argChoices.join(', ')}` : `cannot be ${value}`
}

/** Returns the flag that a name in a file means: `create_assignments` is the flag `create-assignments`. */
const flagNamed = (name: string): string => name.replaceAll('_', '-').replace(/^--/, '')

/** Reads a flag; undefined where it is switched off, or wrong. */
const readFlag = ({ reader, checks }: Reading, kind: StepKind, pair: Pair): FlagWords[number] | undefined => {
  const { name, line, node } = pair
  const flag = flagNamed(name)
  const options = checks.optionsOf(kind)
  const option = options.find((one) => longName(one) === flag)
  if (!option) {
    reader.faults.push(faultAt(line, `${kind} has no flag ${name}${hint(flag, options.map(longName))}`))
    return undefined
  }
  if (isScalar(node) && node.value === false) return undefined
  const value = readFlagValue(reader, node)
  const fault = value === undefined ? 'must be one value, or a list of values' : faultOfFlag(option, value)
  if (fault === undefined && value !== undefined) return [flag, value]
  reader.faults.push(faultAt(line, `${name} ${fault}`))
  return undefined
}

/** Describes the flags of a step, with the lines of those that could be read, and the names of those that could not. */
type ReadFlags = {
  readonly flags: FlagWords
  readonly lines: readonly (readonly [at: string, line: number])[]
  readonly wrong: readonly string[]
}

const NO_FLAGS: ReadFlags = { flags: [], lines: [], wrong: [] }

const readFlags = (reading: Reading, kind: StepKind, { node, line }: Pair): ReadFlags => {
  const { faults, pairsOf } = reading.reader
  if (!isMap(node)) {
    faults.push(faultAt(line, 'flags must be names with values, such as from: yesterday'))
    return NO_FLAGS
  }
  const wrong: string[] = []
  const read = pairsOf(node, line).flatMap((pair) => {
    const before = faults.length
    const words = readFlag(reading, kind, pair)
    if (faults.length > before) wrong.push(flagNamed(pair.name))
    return words ? [{ words, at: [`--${words[0]}`, pair.line] as const }] : []
  })
  return { flags: read.map(({ words }) => words), lines: read.map(({ at }) => at), wrong }
}

/** Matches what ends as the name of a file does. */
const FILE_NAME = /\.[a-z]\w*$/i

/** Says what is wrong with a step that is given something, and takes nothing: a file is for another kind of step. */
const faultOfTarget = (kind: StepKind, given: string | undefined): string => {
  const { toFile } = stepKinds[kind]
  if (toFile !== undefined && given !== undefined && FILE_NAME.test(given))
    return `${kind} is for the log: write a file with the step "- ${toFile}: ${given}"`
  return `${kind} takes nothing but flags: leave out "${given ?? 'what is there'}"`
}

/** Reads what a step works on: one text, or a list; nothing where another part names it. */
const readTargets = (
  { reader }: Reading,
  kind: StepKind,
  { node, line }: Pair,
  isElsewhere: boolean,
): readonly string[] => {
  const { target, isList } = stepKinds[kind]
  const texts = (isSeq(node) ? node.items : [node]).map((one) => textOf(reader.resolve(one)))
  const given = texts.filter((text) => typeof text === 'string')
  if (target === 'none') {
    if (texts.some((text) => text !== null)) reader.faults.push(faultAt(line, faultOfTarget(kind, given[0])))
    return []
  }
  if (isElsewhere && texts.every((text) => text === null)) return []
  const isWhole = given.length > 0 && given.length === texts.length && !given.includes('')
  if (!isWhole) reader.faults.push(faultAt(line, `${kind} needs ${target}`))
  else if (!isList && given.length > 1)
    reader.faults.push(faultAt(line, `${kind} takes one: ${target}; write a step for each`))
  return given
}

/** Finds the kind of a step, and tells of everything that is no part of such a step. */
const kindOf = ({ reader: { faults } }: Reading, pairs: readonly Pair[], line: number): StepKind | undefined => {
  const kinds = STEP_KINDS.filter((kind) => pairs.some(({ name }) => name === kind))
  const [kind] = kinds
  for (const { name, line: at } of pairs) {
    if (kinds.some((one) => one === name)) continue
    if (!STEP_KEYS.includes(name))
      faults.push(faultAt(at, `${name} is no step and no part of one${hint(name, [...STEP_KINDS, ...STEP_KEYS])}`))
    else if (kind && kinds.length === 1 && !partsOf(kind).includes(name))
      faults.push(faultAt(at, `${name} is no part of the step ${kind}, which has ${partsOf(kind).join(', ')}`))
  }
  if (kind && kinds.length === 1) return kind
  const why = kind ? `${kinds.join(', ')}, not several` : STEP_KINDS.join(', ')
  faults.push(faultAt(line, `a step is one of ${why}`))
  return undefined
}

/** Reads the parts of a step that are one text. */
const readParts = (reading: Reading, kind: StepKind, pairs: readonly Pair[]) => {
  const text = (name: keyof typeof stepParts): string | undefined => {
    const pair = partsOf(kind).includes(name) ? pairs.find((one) => one.name === name) : undefined
    return pair && readText(reading, pair)
  }
  const goesOn = text('on_failure')
  const { choices } = stepParts.on_failure
  if (goesOn !== undefined && !choices.some((one) => one === goesOn)) {
    const { line = 1 } = pairs.find(({ name }) => name === 'on_failure') ?? {}
    reading.reader.faults.push(faultAt(line, `on_failure must be one of ${choices.join(', ')}`))
  }
  return {
    moveTo: text('move_to'),
    address: { env: text('url_env'), file: text('url_file') },
    token: { env: text('token_env'), file: text('token_file') },
    goesOn: goesOn === 'continue',
  }
}

/** Tells whether other parts than its own say what a step works on: an address that is secret, or a query. */
const isNamedElsewhere = ({ reader: { pairsOf } }: Reading, kind: StepKind, pairs: readonly Pair[]): boolean => {
  if (kind === 'webhook') return pairs.some(({ name }) => ADDRESS_PARTS.some((part) => part === name))
  if (kind !== 'import') return false
  // One of the two alone is a fault of its own.
  return pairs.some(
    ({ name, node, line }) =>
      name === 'flags' &&
      isMap(node) &&
      pairsOf(node, line).some((one) => QUERY_FLAGS.some((flag) => flag === flagNamed(one.name))),
  )
}

/** Reads a step; one that is wrong is told, and left out where it is of no kind. */
export const readStep = async (reading: Reading, node: unknown, line: number): Promise<Step[]> => {
  const { faults, pairsOf } = reading.reader
  if (!isMap(node)) {
    faults.push(faultAt(line, `a step begins with what it does: ${STEP_KINDS.join(', ')}`))
    return []
  }
  const pairs = pairsOf(node, line)
  const kind = kindOf(reading, pairs, line)
  const own = pairs.find(({ name }) => name === kind)
  if (!kind || !own) return []
  const given = partsOf(kind).includes('flags') ? pairs.find(({ name }) => name === 'flags') : undefined
  const before = faults.length
  const targets = readTargets(reading, kind, own, isNamedElsewhere(reading, kind, pairs))
  const hasTargets = faults.length === before
  const { flags, lines, wrong } = given ? readFlags(reading, kind, given) : NO_FLAGS
  const step: Step = { line, kind, targets, flags, ...readParts(reading, kind, pairs) }
  // Without its file or address nothing can be said of the rest.
  if (!hasTargets) return [step]
  const lineOf = new Map([...pairs.map((pair) => [pair.name, pair.line] as const), ...lines])
  for (const { at, message } of await reading.checks.faultsOf(step)) {
    // A fault that follows from a flag that could not be read is none of its own.
    if (!wrong.some((flag) => message.includes(`--${flag}`))) faults.push(faultAt(lineOf.get(at) ?? line, message))
  }
  return [step]
}
