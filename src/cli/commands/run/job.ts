import { nearestOrAll } from '../../../client/nearest.ts'
import { isMap, isNode, isSeq, type Scalar, visit } from 'yaml'
import { secretsOf } from '../../../client/http/address.ts'
import { type Issue, MOST_FAULTS } from '../../../domain/errors.ts'
import { createYamlReader, faultAt, lineOfFault, type YamlReader } from '../../../codec/yaml-reader.ts'
import type { Pause } from '../../../domain/pause.ts'
import { UsageError } from '../../exit.ts'
import { bounded } from '../../output/width.ts'
import { jobParts, type Part } from './job-definition.ts'
import { flagOf } from './line-parts.ts'
import { readChoice, readStep, readText, retriesOf, type Reading, type Step, type StepChecks } from './step.ts'

/** Describes a job: its lock, deadline and log, and its steps. */
export type Job = {
  readonly lock: string | undefined
  readonly deadline: string | undefined
  readonly log: string | undefined
  /** Holds how often each step is tried again while its service fails, at most. */
  readonly retries: number
  readonly steps: readonly Step[]
}

/** Holds the checks of values by what uses them later; each returns what is wrong. */
type JobChecks = StepChecks & {
  /** Receives the texts of the job that hold addresses, before anything is told; returns what hides their secrets. */
  readonly onAddresses: (texts: readonly string[]) => (text: string) => string
  /** Names the lock that the command line of the job holds. */
  readonly heldLock: string | undefined
  readonly faultOfLock: (name: string) => string | undefined
  readonly faultOfDeadline: (text: string) => string | undefined
  readonly faultOfLog: (file: string) => string | undefined
}

const JOB_KEYS: readonly string[] = [...Object.keys(jobParts), 'steps']
/** Bounds the steps of a job. */
const MOST_STEPS = 1000
const ONE_ONLY = 'a file holds one job, and here another one begins'

const TOO_MANY_STEPS = `a job has at most ${MOST_STEPS} steps; split it into several`

type Pairs = ReturnType<YamlReader['pairsOf']>

/** Reads the parts of a job that are one text. */
const readJobParts = (
  reading: Reading,
  pairs: Pairs,
  { faultOfLock, faultOfDeadline, faultOfLog }: JobChecks,
): Omit<Job, 'steps'> => {
  const said = (name: keyof typeof jobParts, faultOf?: (text: string) => string | undefined): string | undefined => {
    const pair = pairs.find((one) => one.name === name)
    const part: Part = jobParts[name]
    const text = pair && (part.choices ? readChoice(reading, pair, part) : readText(reading, pair))
    const fault = text === undefined ? undefined : faultOf?.(text)
    if (pair && fault !== undefined) reading.reader.faults.push(faultAt(pair.line, fault))
    return text
  }
  return {
    lock: said('lock', faultOfLock),
    deadline: said('deadline', faultOfDeadline),
    log: said('log', faultOfLog),
    retries: retriesOf(said('retry')) ?? 0,
  }
}

/** Returns the values and the names in nodes, each once. */
const scalarsIn = (nodes: readonly unknown[]): ReadonlySet<Scalar> => {
  const found = new Set<Scalar>()
  for (const node of nodes) if (isNode(node)) visit(node, { Scalar: (_, scalar) => void found.add(scalar) })
  return found
}

/** Bounds what is shown of a fault, in characters. */
const MOST_OF_FAULT = 1000

/** Bounds a text of a job, in bytes: a word of a command line can have as many. */
const MOST_BYTES = 131_071

/** Returns why a text can be neither a word of a command nor a path; it is not shown, as it may hold a secret. */
const faultOfText = (text: string): string | undefined => {
  if (text.includes('\0'))
    return 'a text has a NUL character, which no path and no word of a command can have; leave it out'
  if (!text.isWellFormed())
    return String.raw`a text has half a character (such as \ud83d), which cannot be written to a file; leave it out`
  return Buffer.byteLength(text) > MOST_BYTES ? `a text has more than ${MOST_BYTES} bytes; shorten it` : undefined
}

/** Returns a fault for each text that nothing can be done with. */
const faultsOfTexts = (scalars: ReadonlySet<Scalar>, lineOf: YamlReader['lineOf']): Issue[] =>
  [...scalars].flatMap((scalar) => {
    const fault = faultOfText(String(scalar.value))
    return fault === undefined ? [] : [faultAt(lineOf(scalar, 1), fault)]
  })

/** Reads the keys of a job, and the nodes of its steps. */
const readKeys = async (reader: YamlReader): Promise<{ readonly pairs: Pairs; readonly items: readonly unknown[] }> => {
  const { faults, pairsOf } = reader
  const [pairs, items]: [Pairs[number][], unknown[]] = [[], []]
  for await (const contents of reader.parts(true)) {
    if (!isMap(contents)) {
      if (faults.length === 0) faults.push(faultAt(1, 'a job has steps: a list of what to do'))
      break
    }
    for (const pair of pairsOf(contents, 1)) {
      if (pair.name === 'steps' && isSeq(pair.node)) items.push(...pair.node.items)
      if (!pairs.some(({ name, line }) => name === pair.name && line === pair.line)) pairs.push(pair)
    }
    if (items.length <= MOST_STEPS) continue
    faults.push(faultAt(pairs.find(({ name }) => name === 'steps')?.line ?? 1, TOO_MANY_STEPS))
    break
  }
  return { pairs, items: items.slice(0, MOST_STEPS) }
}

/** Returns a fault for each step that would wait for a lock that its own job holds. */
const faultsOfLocks = (steps: readonly Step[], held: readonly (string | undefined)[]): Issue[] =>
  steps.flatMap((step) => {
    const lock = step.command?.flags.lock
    if (lock === undefined || !held.includes(lock)) return []
    const { line } = step.parts.find((part) => flagOf(part) === '--lock') ?? step
    return [
      faultAt(line, `--lock ${lock} is the lock that the job holds, so that this step would end with 8; leave it out`),
    ]
  })

/** Reads a job, and refuses one with faults: all of them are told, each with its line. */
export const readJob = async (text: string, file: string, checks: JobChecks, pause: Pause): Promise<Job> => {
  const reader = createYamlReader(text, ONE_ONLY, pause)
  const reading = { reader, checks }
  const { faults, lineOf, resolve } = reader
  const { pairs, items } = await readKeys(reader)
  const scalars = scalarsIn([...pairs.map(({ node }) => node), ...items])
  // Look at the lines as well, as a text that is no YAML has no values.
  const texts = [...text.split('\n'), ...[...scalars].map(({ value }) => String(value))]
  const hide = checks.onAddresses(texts.filter((one) => secretsOf(one).length > 0))
  const refuse = (): never => {
    const issues = faults
      .toSorted((one, other) => lineOfFault(one) - lineOfFault(other))
      .map((one) => ({ ...one, message: bounded(hide(one.message), MOST_OF_FAULT) }))
    throw new UsageError(`${file} is not a job that can run`, issues)
  }
  const unusable = faultsOfTexts(scalars, lineOf)
  faults.push(...unusable)
  if (unusable.length > 0) refuse()
  for (const { name, line } of pairs) {
    if (!JOB_KEYS.includes(name))
      faults.push(faultAt(line, `${name} is no part of a job${nearestOrAll(name, JOB_KEYS)}`))
  }
  const parts = readJobParts(reading, pairs, checks)
  const list = pairs.find(({ name }) => name === 'steps')
  const steps: Step[] = []
  for (const one of items) {
    if (faults.length >= MOST_FAULTS) break
    steps.push(...(await readStep(reading, resolve(one), lineOf(one, list?.line ?? 1))))
  }
  faults.push(...faultsOfLocks(steps, [parts.lock, checks.heldLock]))
  // A job without steps, of which a name is wrong, has one fault: the name may be meant for steps.
  if (items.length === 0 && (list !== undefined || faults.length === 0))
    faults.push(
      faultAt(list?.line ?? 1, 'steps must be a list, with one step at least, each behind a dash: "- report:"'),
    )
  return faults.length === 0 ? { ...parts, steps } : refuse()
}
