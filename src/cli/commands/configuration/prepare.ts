import { looseName } from '../../../client/directory.ts'
import { type Issue, KpiError } from '../../../domain/errors.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { inputName, readInput } from '../../args/json-input.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { readThings } from './account.ts'
import { type Change, countChanges, type Counts, rowsOf } from './planning/changes.ts'
import { type KindName, sections } from './planning/kinds.ts'
import { type Plan, planChanges } from './planning/plan.ts'
import { type Configuration, readConfiguration } from './planning/read-file.ts'
import { type ApplyRecord, thingsMade } from './record.ts'
import { readPlan, requireSameAccount, requireUnmoved, type SavedPlan } from './saved-plan.ts'
import type { Target } from './target.ts'
import type { Thing, Things } from './planning/things.ts'

/** Describes the file of a line: a configuration, or a plan that was made from one. */
export type Source = {
  /** Names it in messages. */
  readonly name: string
  /** Holds the path of the configuration. */
  readonly file: string
  readonly text: string
  readonly configuration: Configuration
  readonly prune: boolean
  readonly saved: SavedPlan | undefined
}

/** Reads the file that a line names, or `-` for standard input. */
export const readSource = async (cli: Cli, file: string, prune = false): Promise<Source> => {
  const text = await readInput(cli, file)
  const name = inputName(file)
  const saved = readPlan(text, name)
  if (saved && prune) throw new UsageError(`${name} is a plan, which says already whether to prune; leave out --prune`)
  if (prune && file === '-') throw new UsageError('--prune needs a file with a name, whose earlier applies it goes by')
  const configuration = readConfiguration(saved?.configuration ?? text)
  return { name, file: saved?.file ?? file, text, configuration, prune: saved?.prune ?? prune, saved }
}

/** Throws all faults of a file at once, by line. */
const refuseFaults = (name: string, faults: readonly Issue[]): void => {
  const lineOf = ({ field }: Issue): number => Number(field.replace('line ', ''))
  const issues = faults.toSorted((one, other) => lineOf(one) - lineOf(other))
  const [first, ...others] = issues
  if (!first) return
  const message =
    others.length === 0 ? `${name}, ${first.field}: ${first.message}` : `${name} has ${countOf(issues.length, 'fault')}`
  throw new KpiError('invalid', message, { issues })
}

type Made = ReturnType<ApplyRecord['made']>

/** Tells for which users more is to be read: those that the file speaks of, and those of what was made. */
const usersWanted = ({ items }: Configuration, made: Made): ((user: AnyRecord) => boolean) => {
  const wanted = new Set(items.flatMap(({ references }) => references['user']?.toLowerCase() ?? []))
  const ids = new Set(made.map(({ user }) => user))
  return ({ id, email }) =>
    ids.has(Number(id)) || wanted.has(`#${Number(id)}`) || wanted.has(String(email).trim().toLowerCase())
}

/** Describes a plan with what it was made from. */
export type Prepared = {
  readonly things: Things
  readonly plan: Plan
  readonly rows: readonly AnyRecord[]
  readonly counts: Counts
  /** Lists new names that differ from known ones only in case or blanks. */
  readonly doubts: readonly string[]
}

const doubtsOf = (things: Things, changes: readonly Change[]): string[] =>
  changes.flatMap(({ action, thing }) => {
    if (action !== 'create' || thing.name === '') return []
    const isNear = (one: Thing): boolean =>
      one.record !== undefined &&
      one.above['group'] === thing.above['group'] &&
      looseName(one.name) === looseName(thing.name)
    const near = things.ofKind(thing.kind.name).find(isNear)
    return near
      ? [`${thing.kind.of.title} "${thing.name}" is new, and differs from "${near.name}" only in case or blanks`]
      : []
  })

/** Reads the account and plans; refuses a file with faults, and a saved plan that does not fit any longer. */
export const prepare = async (target: Target, source: Source, made: Made): Promise<Prepared> => {
  const { configuration, name, saved, prune } = source
  const kinds: KindName[] = [...configuration.sections.keys()].flatMap(
    (section) => sections.get(section)?.kind.name ?? [],
  )
  const reading = readThings(target, [...kinds, ...made.map(({ kind }) => kind)], usersWanted(configuration, made))
  const things = await reading.catch((error: unknown) => {
    refuseFaults(name, configuration.faults)
    throw error
  })
  if (saved) requireSameAccount(saved, target.service, target.account())
  const isByIdAlone = target.client.variant === 'v1'
  const plan = planChanges(things, configuration.items, { made: prune ? thingsMade(things, made) : [], isByIdAlone })
  refuseFaults(name, [...configuration.faults, ...plan.faults])
  const { changes, unchanged } = plan
  const rows = rowsOf(things, changes)
  if (saved) requireUnmoved(saved, rows)
  return { things, plan, rows, counts: countChanges(changes, unchanged), doubts: doubtsOf(things, changes) }
}
