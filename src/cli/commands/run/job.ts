import { isMap, isNode, isSeq, visit } from 'yaml'
import { hideAddresses, secretsOf } from '../../../client/http/address.ts'
import { createYamlReader, faultAt } from '../../../codec/yaml-reader.ts'
import { UsageError } from '../../exit.ts'
import { jobParts } from './job-definition.ts'
import { hint, readStep, readText, type Reading, type Step, type StepChecks } from './step.ts'

/** Describes a job: its lock, deadline and log, and its steps. */
export type Job = {
  readonly lock: string | undefined
  readonly deadline: string | undefined
  readonly log: string | undefined
  readonly steps: readonly Step[]
}

/** Holds the checks of values by what uses them later; each returns what is wrong. */
type JobChecks = StepChecks & {
  /** Receives the texts of the job that hold addresses, before anything is told. */
  readonly onAddresses: (texts: readonly string[]) => void
  readonly faultOfLock: (name: string) => string | undefined
  readonly faultOfDeadline: (text: string) => string | undefined
  readonly faultOfLog: (file: string) => string | undefined
}

const JOB_KEYS: readonly string[] = [...Object.keys(jobParts), 'steps']
const ONE_ONLY = 'a file holds one job, and here another one begins'

const lineIn = (field: string): number => Number(field.replace('line ', ''))

/** Reads the parts of a job that are one text. */
const readParts = (
  reading: Reading,
  pairs: ReturnType<Reading['reader']['pairsOf']>,
  { faultOfLock, faultOfDeadline, faultOfLog }: JobChecks,
): Omit<Job, 'steps'> => {
  const said = (name: keyof typeof jobParts, faultOf?: (text: string) => string | undefined): string | undefined => {
    const pair = pairs.find((one) => one.name === name)
    const text = pair && readText(reading, pair)
    const fault = text === undefined ? undefined : faultOf?.(text)
    if (pair && fault !== undefined) reading.reader.faults.push(faultAt(pair.line, fault))
    return text
  }
  return { lock: said('lock', faultOfLock), deadline: said('deadline', faultOfDeadline), log: said('log', faultOfLog) }
}

/** Returns what a job says where it holds an address: its values and names, and its lines, which may be no YAML. */
const textsWithAddress = (text: string, contents: unknown): string[] => {
  const texts = text.split('\n')
  if (isNode(contents)) visit(contents, { Scalar: (_, { value }) => void texts.push(String(value)) })
  return texts.filter((one) => secretsOf(one).length > 0)
}

/** Reads a job, and refuses one with faults: all of them are told, each with its line. */
export const readJob = (text: string, file: string, checks: JobChecks): Job => {
  const reader = createYamlReader(text, ONE_ONLY)
  const reading = { reader, checks }
  const { contents, faults, pairsOf, lineOf, resolve } = reader
  checks.onAddresses(textsWithAddress(text, contents))
  const pairs = isMap(contents) ? pairsOf(contents, 1) : []
  if (!isMap(contents) && faults.length === 0) faults.push(faultAt(1, 'a job has steps: a list of what to do'))
  for (const { name, line } of pairs) {
    if (!JOB_KEYS.includes(name)) faults.push(faultAt(line, `${name} is no part of a job${hint(name, JOB_KEYS)}`))
  }
  const parts = readParts(reading, pairs, checks)
  const list = pairs.find(({ name }) => name === 'steps')
  const items = isSeq(list?.node) ? list.node.items : []
  const steps = items.flatMap((one) => readStep(reading, resolve(one), lineOf(one, list?.line ?? 1)))
  if (isMap(contents) && items.length === 0)
    faults.push(faultAt(list?.line ?? 1, 'steps must be a list, with one step at least'))
  if (faults.length === 0) return { ...parts, steps }
  const issues = faults
    .toSorted((one, other) => lineIn(one.field) - lineIn(other.field))
    .map((one) => ({ ...one, message: hideAddresses(one.message) }))
  throw new UsageError(`${file} is not a job that can run`, issues)
}
