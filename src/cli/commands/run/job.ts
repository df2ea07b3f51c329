import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { isMap, isScalar, isSeq } from 'yaml'
import { nearest } from '../../../client/directory.ts'
import { createYamlReader, faultAt, textOf, type YamlReader } from '../../../codec/yaml-reader.ts'
import { KpiError } from '../../../domain/errors.ts'
import { STEP_KINDS, type StepKind, stepKinds } from './step-kinds.ts'

/** Holds the flags of a step as the words of a line. */
type FlagWords = readonly (readonly [flag: string, value: string | true])[]

/** Describes one step of a job. */
export type Step = {
  readonly line: number
  readonly kind: StepKind
  /** Holds what it works on: files, or an address; nothing for a report or a check. */
  readonly targets: readonly string[]
  readonly flags: FlagWords
  /** Names the folder to which imported files are moved. */
  readonly moveTo: string | undefined
  /** Says where the secret of a webhook comes from. */
  readonly token: { readonly env?: string; readonly file?: string }
  /** Tells that the job goes on where the step fails. */
  readonly goesOn: boolean
}

/** Describes a job: what it is called, its lock, deadline and log, and its steps. */
export type Job = {
  readonly lock: string | undefined
  readonly deadline: string | undefined
  readonly log: string | undefined
  readonly steps: readonly Step[]
}

const JOB_KEYS = ['lock', 'deadline', 'log', 'steps'] as const
const STEP_KEYS = ['flags', 'on_failure', 'move_to', 'token_env', 'token_file'] as const

const hint = (name: string, names: readonly string[]): string => {
  const near = nearest(name, names)
  return near === undefined ? `; there are ${names.join(', ')}` : `; did you mean ${near}?`
}

type Reading = { readonly reader: YamlReader; readonly optionsOf: (kind: StepKind) => readonly Option[] }

const longName = ({ long }: Option): string => (long ?? '').slice(2)

/** Reads the value of a flag; a list is one value with commas. */
const readFlagValue = (node: unknown): string | true | undefined => {
  if (isSeq(node)) {
    const texts = node.items.map(textOf)
    return texts.every((text) => typeof text === 'string') ? texts.join(',') : undefined
  }
  if (isScalar(node) && typeof node.value === 'boolean') return node.value ? true : undefined
  return textOf(node) ?? undefined
}

/** Returns what is wrong with a value of a flag; undefined if nothing is. */
const faultOfFlag = (option: Option, value: string | true): string | undefined => {
  if (option.required && value === true) return `takes a value`
  if (!option.required && !option.optional && value !== true) return `is true or false, and takes no other value`
  const { argChoices } = option
  return argChoices && typeof value === 'string' && !argChoices.includes(value)
    ? `must be one of ${argChoices.join(', ')}`
    : undefined
}

const readFlags = ({ reader, optionsOf }: Reading, kind: StepKind, node: unknown, line: number): FlagWords => {
  const { faults, pairsOf, resolve } = reader
  if (!isMap(node)) {
    faults.push(faultAt(line, 'flags must be names with values, such as from: yesterday'))
    return []
  }
  const options = optionsOf(kind)
  return pairsOf(node, line).flatMap(({ name, line: at, node: valueNode }) => {
    const flag = name.replaceAll('_', '-').replace(/^--/, '')
    const option = options.find((one) => longName(one) === flag)
    if (!option) {
      faults.push(faultAt(at, `${kind} has no flag ${name}${hint(flag, options.map(longName))}`))
      return []
    }
    const node = resolve(valueNode)
    if (isScalar(node) && node.value === false) return []
    const value = readFlagValue(node)
    const fault = value === undefined ? 'must be one value, or a list of values' : faultOfFlag(option, value)
    if (fault !== undefined || value === undefined) {
      faults.push(faultAt(at, `${name} ${fault}`))
      return []
    }
    return [[flag, value] as const]
  })
}

/** Reads what a step works on: one text, or a list. */
const readTargets = ({ reader }: Reading, kind: StepKind, node: unknown, line: number): readonly string[] => {
  const { target } = stepKinds[kind]
  const texts = (isSeq(node) ? node.items : [node]).map((one) => textOf(reader.resolve(one)))
  const given = texts.filter((text) => typeof text === 'string')
  if (target === 'none') {
    if (given.length > 0) reader.faults.push(faultAt(line, `${kind} takes nothing but flags: leave out "${given[0]}"`))
    return []
  }
  if (given.length === 0 || given.length < texts.length) reader.faults.push(faultAt(line, `${kind} needs ${target}`))
  return given
}

const oneOf = <T extends string>(
  { reader: { faults } }: Reading,
  name: string,
  node: unknown,
  line: number,
  choices: readonly T[],
): T | undefined => {
  const found = choices.find((one) => one === textOf(node))
  if (!found) faults.push(faultAt(line, `${name} must be one of ${choices.join(', ')}`))
  return found
}

const isStepKey = (name: string): boolean => STEP_KEYS.some((one) => one === name)

const readStep = (reading: Reading, node: unknown, line: number): Step[] => {
  const { faults, pairsOf } = reading.reader
  if (!isMap(node)) {
    faults.push(faultAt(line, `a step begins with what it does: ${STEP_KINDS.join(', ')}`))
    return []
  }
  const pairs = pairsOf(node, line)
  const kinds = STEP_KINDS.filter((kind) => pairs.some(({ name }) => name === kind))
  const [kind] = kinds
  for (const { name, line: at } of pairs) {
    if (isStepKey(name) || kinds.some((one) => one === name)) continue
    faults.push(faultAt(at, `${name} is no step and no part of one${hint(name, [...STEP_KINDS, ...STEP_KEYS])}`))
  }
  if (!kind || kinds.length > 1) {
    faults.push(
      faultAt(
        line,
        kind ? `a step is one of ${kinds.join(', ')}, not several` : `a step is one of ${STEP_KINDS.join(', ')}`,
      ),
    )
    return []
  }
  const at = (name: string) => pairs.find((pair) => pair.name === name)
  const text = (name: string): string | undefined => textOf(at(name)?.node) ?? undefined
  const [own, flags, onFailure] = [at(kind), at('flags'), at('on_failure')]
  return [
    {
      line,
      kind,
      targets: readTargets(reading, kind, own?.node, own?.line ?? line),
      flags: flags ? readFlags(reading, kind, flags.node, flags.line) : [],
      moveTo: text('move_to'),
      token: {
        ...(at('token_env') && { env: text('token_env') ?? '' }),
        ...(at('token_file') && { file: text('token_file') ?? '' }),
      },
      goesOn:
        onFailure !== undefined &&
        oneOf(reading, 'on_failure', onFailure.node, onFailure.line, ['stop', 'continue']) === 'continue',
    },
  ]
}

const ONE_ONLY = 'a file holds one job, and here another one begins'

/** Reads a job, and refuses one with faults: all of them are told, each with its line. */
export const readJob = (text: string, file: string, optionsOf: (kind: StepKind) => readonly Option[]): Job => {
  const reader = createYamlReader(text, ONE_ONLY)
  const { contents, faults, pairsOf, lineOf, resolve } = reader
  const pairs = isMap(contents) ? pairsOf(contents, 1) : []
  if (!isMap(contents) && faults.length === 0) faults.push(faultAt(1, 'a job has steps: a list of what to do'))
  for (const { name, line } of pairs) {
    if (!JOB_KEYS.some((one) => one === name))
      faults.push(faultAt(line, `${name} is no part of a job${hint(name, JOB_KEYS)}`))
  }
  const at = (name: string) => pairs.find((pair) => pair.name === name)
  const list = at('steps')
  const steps = isSeq(list?.node)
    ? list.node.items.flatMap((one) => readStep({ reader, optionsOf }, resolve(one), lineOf(one, list.line)))
    : []
  if (isMap(contents) && steps.length === 0 && faults.length === 0)
    faults.push(faultAt(list?.line ?? 1, 'steps must be a list, with one step at least'))
  if (faults.length > 0) throw new KpiError('malformed', `${file} is not a job that can run`, { issues: faults })
  const said = (name: string): string | undefined => textOf(at(name)?.node) ?? undefined
  return { lock: said('lock'), deadline: said('deadline'), log: said('log'), steps }
}

/** Returns the options of a command below the program, by its words. */
export const optionsAt = (program: CommandUnknownOpts, words: readonly string[]): readonly Option[] => {
  let command: CommandUnknownOpts | undefined = program
  for (const word of words) command = command?.commands.find((one) => one.name() === word)
  return command?.options.filter(({ hidden }) => !hidden) ?? []
}
