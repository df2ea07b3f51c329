import { looseName } from '../../../client/directory.ts'
import { type Issue, KpiError, MOST_FAULTS } from '../../../domain/errors.ts'
import { nameForm } from '../../../domain/name-form.ts'
import type { Pause } from '../../../domain/pause.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { pauseEvery } from '../../../client/next-turn.ts'
import { untilDeadline } from '../../args/deadline.ts'
import { namesIn } from '../../args/names.ts'
import { inputName, readInput } from '../../args/json-input.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { readThings } from './account.ts'
import { type Change, countChanges, type Counts, rowsOf } from './planning/changes.ts'
import { KIND_NAMES, type KindName, sections } from './planning/kinds.ts'
import { nameIn } from './planning/match.ts'
import { type Plan, planChanges } from './planning/plan.ts'
import { type Configuration, readConfiguration } from './planning/read-file.ts'
import { type ApplyRecord, thingsMade } from './record.ts'
import { readPlan, requireSameAccount, requireUnmoved, type SavedPlan } from './saved-plan.ts'
import type { Target } from './target.ts'
import type { Thing, Things } from './planning/things.ts'

/** Sets how many parts of a file, or things of a plan, are worked on before signals and timers run. */
const PARTS_OF_TURN = 1000

/** Describes the file of a line: a configuration, or a plan that was made from one. */
export type Source = {
  /** Names it in messages. */
  readonly name: string
  /** Holds the path of the configuration. */
  readonly file: string
  readonly text: string
  readonly configuration: Configuration
  readonly prune: boolean
  /** Lists the sections whose new names are meant, whatever they could stand for. */
  readonly byName: readonly string[]
  readonly saved: SavedPlan | undefined
}

/** Describes the flags that say how a file is read. */
export type SourceFlags = { readonly prune?: true | undefined; readonly byName?: string[] | undefined }

/** Returns the sections that `--by-name` names. */
const sectionsIn = (given: readonly string[] = []): string[] => {
  const names = namesIn('--by-name', ...given).map((name) => name.trim())
  const unknown = names.find((name) => !sections.has(name))
  if (unknown === undefined) return names
  throw new UsageError(`--by-name ${unknown} is not one of ${[...sections.keys()].join(', ')}`)
}

const kindsIn = (names: Iterable<string>): KindName[] =>
  [...names].flatMap((name) => sections.get(name)?.kind.name ?? [])

/** Reads the file that a line names, or `-` for standard input. */
export const readSource = async (cli: Cli, file: string, flags: SourceFlags): Promise<Source> => {
  const { prune = false } = flags
  const byName = sectionsIn(flags.byName)
  const text = await readInput(cli, file)
  const name = inputName(file)
  const saved = readPlan(text, name)
  if (saved && byName.length > 0)
    throw new UsageError(`${name} is a plan, which says already which names are meant; leave out --by-name`)
  if (saved && prune) throw new UsageError(`${name} is a plan, which says already whether to prune; leave out --prune`)
  if (prune && file === '-') throw new UsageError('--prune needs a file with a name, whose earlier applies it goes by')
  const configuration = await untilDeadline(cli.io, cli.flags.deadline, ({ signal }) =>
    readConfiguration(saved?.configuration ?? text, pauseEvery(PARTS_OF_TURN, signal)),
  )
  const settled = { prune: saved?.prune ?? prune, byName: saved?.byName ?? byName }
  return { name, file: saved?.file ?? file, text, configuration, ...settled, saved }
}

/** Throws all faults of a file at once, by line. */
const refuseFaults = (name: string, faults: readonly Issue[]): void => {
  const lineOf = ({ field }: Issue): number => Number(field.replace('line ', ''))
  const issues = faults.toSorted((one, other) => lineOf(one) - lineOf(other))
  const [first, ...others] = issues
  if (!first) return
  const more = issues.length < MOST_FAULTS ? '' : ', and may have more: mend these first'
  const message =
    others.length === 0
      ? `${name}, ${first.field}: ${first.message}`
      : `${name} has ${countOf(issues.length, 'fault')}${more}`
  throw new KpiError('invalid', message, { issues })
}

type Made = ReturnType<ApplyRecord['made']>

/** Tells for which users more is to be read: those that the file speaks of, and those of what was made. */
const usersWanted = ({ items }: Configuration, made: Made): ((user: AnyRecord) => boolean) => {
  const wanted = new Set(
    items.flatMap(({ references }) => (references['user'] === undefined ? [] : nameForm(references['user']))),
  )
  const ids = new Set(made.map(({ user }) => user))
  return ({ id, email }) => ids.has(Number(id)) || wanted.has(`#${Number(id)}`) || wanted.has(nameForm(String(email)))
}

/** Describes a plan with what it was made from. */
export type Prepared = {
  readonly things: Things
  readonly plan: Plan
  readonly rows: readonly AnyRecord[]
  readonly counts: Counts
  /** Lists new names that nearly are known ones, and names that stand for what is called a little otherwise. */
  readonly doubts: readonly string[]
}

/** Returns what an item names in another form than the account, whose name stays as it is. */
const otherwiseNamed = (things: Things): string[] =>
  KIND_NAMES.flatMap(things.ofKind).flatMap(({ kind, record, name, item }) => {
    const given = item && record ? nameIn(item) : name
    const what = kind.name === 'user' ? 'address' : 'name'
    return given === name ? [] : [`${kind.of.title} "${given}" is the stored "${name}", whose ${what} stays as it is`]
  })

const doubtsOf = (things: Things, changes: readonly Change[]): string[] => {
  const keyOf = ({ kind, name, above }: Thing): string =>
    `${kind.name} ${above['group']?.serial ?? ''} ${looseName(name)}`
  const known = new Map(
    KIND_NAMES.flatMap(things.ofKind)
      .filter(({ record, name }) => record !== undefined && name !== '')
      .map((thing) => [keyOf(thing), thing.name]),
  )
  const fresh = new Map<string, string>()
  const nearlyKnown = changes.flatMap(({ action, thing }) => {
    if (action !== 'create' || thing.name === '') return []
    const [key, title] = [keyOf(thing), thing.kind.of.title]
    const near = known.get(key)
    const twin = fresh.get(key)
    fresh.set(key, thing.name)
    if (near !== undefined)
      return [`${title} "${thing.name}" is new, and differs from "${near}" only in case, blanks or dashes`]
    if (twin === undefined) return []
    return [`${title} "${thing.name}" is new beside the new "${twin}", which is the same name in another spelling`]
  })
  return [...nearlyKnown, ...otherwiseNamed(things)]
}

/** Reads the account and plans; refuses a file with faults, and a saved plan that does not fit any longer. */
const prepareBy = async (target: Target, source: Source, made: Made, pause: Pause): Promise<Prepared> => {
  const { configuration, name, saved, prune, byName } = source
  const kinds = kindsIn(configuration.sections.keys())
  const reading = readThings(target, [...kinds, ...made.map(({ kind }) => kind)], usersWanted(configuration, made))
  const things = await reading.catch((error: unknown) => {
    refuseFaults(name, configuration.faults)
    throw error
  })
  if (saved) requireSameAccount(saved, target.service, target.account())
  const isByIdAlone = target.client.variant === 'v1'
  const options = { made: prune ? thingsMade(things, made) : [], isByIdAlone, byName: new Set(kindsIn(byName)) }
  const plan = await planChanges(things, configuration.items, options, pause)
  refuseFaults(name, [...configuration.faults, ...plan.faults])
  const { changes, unchanged } = plan
  const rows = rowsOf(things, changes)
  if (saved) requireUnmoved(saved, rows)
  return { things, plan, rows, counts: countChanges(changes, unchanged), doubts: doubtsOf(things, changes) }
}

/** Reads the account and plans, until the deadline of the line, or until it is asked to stop. */
export const prepare = (cli: Cli, target: Target, source: Source, made: Made): Promise<Prepared> =>
  untilDeadline(
    cli.io,
    cli.flags.deadline,
    ({ signal }) => prepareBy(target, source, made, pauseEvery(PARTS_OF_TURN, signal)),
    cli.io.interruption(),
  )
