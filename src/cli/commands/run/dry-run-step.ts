import { resolve } from 'node:path'
import type { OptionValues } from '@commander-js/extra-typings'
import { isAddress } from '../../../client/http/address.ts'
import { isDevice } from '../../../files/place.ts'
import { EXIT } from '../../exit.ts'
import { requestOf, type SelectionFlags } from '../report/report-flags.ts'
import { silentLog } from './job-log.ts'
import type { StepKind } from './job-definition.ts'
import type { Running } from './outcome.ts'
import { runLine } from './run-steps.ts'
import type { FlagWords, Step } from './step.ts'
import { dated, type StepLine } from './step-lines.ts'
import { type Lack, lackBy, type ReadLine } from './step-needs.ts'
import { outputsOf } from './step-places.ts'

/** Lists flags of an import with which it sends nothing anyway. */
const SENDS_NOTHING = ['dry-run', 'explain']

/** Lists flags that say what an import creates, and how. */
const OF_CREATION: ReadonlySet<string> = new Set([
  'create-missing',
  'create-assignments',
  'email-pattern',
  'frequency',
  'unit',
  'category',
  'group',
])

const hasFlag = (flags: FlagWords, ...names: readonly string[]): boolean => flags.some(([flag]) => names.includes(flag))

/** Lists the flags that select users, KPIs and the like by their names; entries are exported by flags of their own. */
const SELECTIONS = {
  kpis: ['kpis', 'kpi'],
  category: ['category'],
  users: ['users', 'user'],
  groupItems: ['groupItems'],
}

const selectionIn = (given: OptionValues): SelectionFlags =>
  Object.fromEntries(
    Object.entries(SELECTIONS).flatMap(([name, flags]) =>
      flags.flatMap((flag) => (typeof given[flag] === 'string' ? [[name, given[flag]]] : [])),
    ),
  )

/** Looks up the names that the flags of a step select by; returns why one is not there. */
const lackOfNames = async (kind: StepKind, { cli, given }: ReadLine): Promise<Lack | undefined> => {
  const flags = kind === 'import' ? {} : selectionIn(given)
  if (Object.keys(flags).length === 0) return undefined
  try {
    await cli.withClient([], (client) => requestOf(client, { from: 0, to: 0 }, flags))
    return undefined
  } catch (error) {
    return lackBy(error)
  }
}

/** Creates what finds how steps of a job would end, in their order, without changing anything. */
export const createStepDryRun = (running: Omit<Running, 'log' | 'rejects'>) => {
  const { cwd, today } = running
  const written = new Set<string>()
  const creation = new Map<string, string | true>()
  const silent = { ...running, log: silentLog }

  /** Tells whether a file is there when the job begins, and can be read twice. */
  const isReadable = (file: string): boolean =>
    file !== '-' && !isAddress(file) && !isDevice(resolve(cwd, file)) && !written.has(resolve(cwd, file))
  /** Returns the flags with which a dry run takes as there what earlier steps create. */
  const createdBefore = ({ flags }: Step): string[] =>
    [...creation]
      .filter(([flag]) => !hasFlag(flags, flag))
      .map(([flag, value]) => (value === true ? `--${flag}` : `--${flag}=${value}`))

  return {
    /** Returns why a step would fail for the names in its flags. */
    names: async ({ kind }: Step, line: ReadLine): Promise<Lack | undefined> =>
      creation.has('create-missing') ? undefined : lackOfNames(kind, line),
    /** Returns how a command line would end, if not well; undefined, too, where that cannot be known before. */
    line: async (step: Step, line: StepLine): Promise<Lack | undefined> => {
      const { kind, flags, targets } = step
      const files =
        kind === 'verify' ? targets.map((one) => dated(one, today)) : [line.file].filter((one) => one !== undefined)
      if ((kind !== 'import' && kind !== 'verify') || !files.every(isReadable)) return undefined
      const more = kind === 'verify' || hasFlag(flags, ...SENDS_NOTHING) ? [] : ['--dry-run', '--summary-only']
      const words = [...line.words, ...(kind === 'import' ? createdBefore(step) : []), ...more]
      const end = await runLine(silent, { ...line, words }, '')
      return end.code === EXIT.done ? undefined : end
    },
    /** Notes what a step leaves to those after it: files, and what it creates. */
    note: (step: Step): void => {
      for (const { file } of outputsOf(step)) written.add(resolve(cwd, dated(file, today)))
      if (step.kind !== 'import') return
      for (const [flag, value] of step.flags) if (OF_CREATION.has(flag)) creation.set(flag, value)
    },
  }
}
