import { resolve } from 'node:path'
import { type Configuration, readConfiguration } from '../../../changes/from/yaml.ts'
import { readWrittenNumbers } from '../../../changes/from/written-numbers.ts'
import { doubtsOf } from '../../../changes/plan/doubts.ts'
import type { Policy } from '../../../changes/plan/match.ts'
import type { NotInInput } from '../../../changes/plan/not-in-input.ts'
import { type Plan, planChanges } from '../../../changes/plan/plan.ts'
import { countChanges, type Counts, planRows } from '../changes/plan-rows.ts'
import { type Account, readSnapshot } from '../../../changes/records/access.ts'
import { desiredName } from '../../../changes/records/desired.ts'
import { type KindName, kinds, sectionOf, sections } from '../../../changes/records/kind-fields.ts'
import { type AccountRecord, labelOf, type Snapshot } from '../../../changes/records/snapshot.ts'
import { withoutWritten } from '../../../changes/send/dated-outside.ts'
import type { Client } from '../../../client/client.ts'
import { pauseEvery } from '../../../client/next-turn.ts'
import { faultAt, lineOfFault } from '../../../codec/yaml-reader.ts'
import { listFirst, MOST_LISTED } from '../../../domain/count-text.ts'
import { type Issue, KpiError, MOST_FAULTS } from '../../../domain/errors.ts'
import { nameForm } from '../../../domain/name-form.ts'
import type { Pause } from '../../../domain/pause.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { untilDeadline } from '../../args/deadline.ts'
import { inputName, readInput } from '../../args/json-input.ts'
import { namesIn } from '../../args/names.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { pluralOf } from '../../output/short-answer.ts'
import { toDoText } from '../../output/summary.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { isSetting } from '../../target/read-project.ts'
import type { Target } from './account.ts'
import { type Made, recordsMade } from './made.ts'
import { readPlan, requireSameAccount, requireUnmoved, type SavedPlan } from './saved-plan.ts'

/** Sets how many parts of a file, or things of a plan, are worked on before signals and timers run. */
const PARTS_OF_TURN = 1000

/** Describes the file of a line: a configuration, or a plan that was made from one. */
export type Source = {
  /** Names it in messages. */
  readonly name: string
  /** Holds the configuration as the line names it, and its absolute path. */
  readonly file: string
  readonly path: string
  readonly text: string
  readonly configuration: Configuration
  readonly prune: boolean
  /** Lists the sections whose new names are meant, whatever they could stand for. */
  readonly byName: readonly string[]
  readonly saved: SavedPlan | undefined
  /** Bounds the records that may be deleted. */
  readonly mostDeletes: number
  /** Tells that what the account has beside the file is told, and so is read. */
  readonly tellsRest?: true
}

/** Describes the flags that say how a file is read. */
export type SourceFlags = {
  readonly prune?: true | undefined
  readonly byName?: string[] | undefined
  readonly maxDeletes?: string | undefined
}

/** Returns the sections that `--by-name` names. */
const sectionsIn = (given: readonly string[] = []): string[] => {
  const names = namesIn('--by-name', ...given).map((name) => name.trim())
  const unknown = names.find((name) => !sections.has(name))
  if (unknown === undefined) return names
  throw new UsageError(`--by-name ${unknown} is not one of ${[...sections.keys()].join(', ')}`)
}

const kindsIn = (names: Iterable<string>): KindName[] =>
  [...names].flatMap((name) => sections.get(name)?.kind.name ?? [])

const readMost = (text: string | undefined): number => {
  if (text === undefined) return Infinity
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`--max-deletes ${text} is not a whole number`)
}

/** Reads the file that a line names, or `-` for standard input. */
export const readSource = async (cli: Cli, file: string, flags: SourceFlags): Promise<Source> => {
  const { prune = false } = flags
  const byName = sectionsIn(flags.byName)
  const mostDeletes = readMost(flags.maxDeletes)
  const text = await readInput(cli, file)
  const name = inputName(file)
  const saved = readPlan(text, name)
  if (saved && byName.length > 0)
    throw new UsageError(`${name} is a plan, which says already which names are meant; leave out --by-name`)
  if (saved && prune) throw new UsageError(`${name} is a plan, which says already whether to prune; leave out --prune`)
  if (prune && file === '-') throw new UsageError('--prune needs a file with a name, whose earlier applies it goes by')
  const configuration = await untilDeadline(cli.io, cli.flags.deadline, ({ signal }) =>
    readConfiguration(saved?.configuration ?? text, isSetting, pauseEvery(PARTS_OF_TURN, signal)),
  )
  const settled = { prune: saved?.prune ?? prune, byName: saved?.byName ?? byName, mostDeletes }
  const source = saved?.file ?? file
  const path = source === '-' ? source : resolve(cli.io.cwd, source)
  return { name, file: source, path, text, configuration, ...settled, saved }
}

/** Throws all faults of a file at once, by line. */
const refuseFaults = (name: string, faults: readonly Issue[]): void => {
  const issues = faults.toSorted((one, other) => lineOfFault(one) - lineOfFault(other))
  const [first, ...others] = issues
  if (!first) return
  const more = issues.length < MOST_FAULTS ? '' : ', and may have more: mend these first'
  const message =
    others.length === 0
      ? `${name}, ${first.field}: ${first.message}`
      : `${name} has ${countOf(issues.length, 'fault')}${more}`
  throw new KpiError('invalid', message, { issues })
}

/** Tells for which users more is to be read: those that the file speaks of, and those of what was made. */
const usersWanted = ({ configuration, tellsRest }: Source, made: readonly Made[]): ((user: AnyRecord) => boolean) => {
  const wanted = new Set(
    configuration.desired.flatMap((one) => {
      const user = one.references['user'] ?? (tellsRest && one.kind.name === 'user' ? desiredName(one) : undefined)
      return user === undefined ? [] : nameForm(user)
    }),
  )
  const ids = new Set(made.map(({ user }) => user))
  return ({ id, email }) => ids.has(Number(id)) || wanted.has(`#${Number(id)}`) || wanted.has(nameForm(String(email)))
}

/** Describes a plan with what it was made from. */
export type Prepared = {
  readonly snapshot: Snapshot
  readonly plan: Plan
  readonly rows: readonly AnyRecord[]
  readonly counts: Counts
  /** Lists what to warn of: new names that nearly are known ones, names that stand for what is called a little otherwise, and entries that get no target. */
  readonly doubts: readonly string[]
  /** Says how numbers with units and scales were read. */
  readonly notes: readonly string[]
}

/** Returns the policy of a configuration: all of it holds, and `--by-name` names sections. */
const policyOf = ({ client }: Account, byName: readonly string[]): Policy => {
  const meant = new Set(kindsIn(byName))
  return {
    isConfiguration: true,
    isByIdAlone: client.variant === 'v1',
    isMeant: ({ name }) => meant.has(name),
    takesName: ({ name }) => `--by-name ${sectionOf(name)}`,
  }
}

/** Returns the faults of the items that a plan refuses, with their lines. */
const faultsIn = ({ planned }: Plan): Issue[] =>
  planned.flatMap(({ desired, reasons }) =>
    reasons.map(({ field, message }) => faultAt(desired.lines?.[field] ?? desired.line, message)),
  )

/** Settles what earlier parts of a run left in an account as it was read; tells whether it is to be read again. */
type IsToReadAgain = (snapshot: Snapshot) => Promise<boolean>

/** Reads the account and plans; refuses a file with faults, and a saved plan that does not fit any longer. */
const prepareBy = async (
  target: Target,
  source: Source,
  readMade: () => readonly Made[],
  pause: Pause,
  isToReadAgain: IsToReadAgain,
): Promise<Prepared> => {
  const { configuration, name, saved, prune, byName } = source
  const kinds = kindsIn(configuration.sections.keys())
  const made = prune ? readMade() : []
  const read = (): Promise<Snapshot> =>
    readSnapshot(target, [...kinds, ...made.map(({ kind }) => kind)], usersWanted(source, made))
  const first = await read().catch((error: unknown) => {
    refuseFaults(name, configuration.faults)
    throw error
  })
  const snapshot = (await isToReadAgain(first)) ? await read() : first
  if (saved) requireSameAccount(saved, target.service, target.accountName())
  const deleted = recordsMade(snapshot, made)
  const numbers = readWrittenNumbers(configuration.desired, snapshot)
  const left: string[] = []
  const planned = await planChanges(snapshot, numbers.desired, policyOf(target, byName), pause, deleted)
  const plan = await withoutWritten(target.client, planned, (text) => void left.push(text))
  refuseFaults(name, [...configuration.faults, ...numbers.faults, ...faultsIn(plan)].slice(0, MOST_FAULTS))
  const { changes } = plan
  const hasNew = changes.some(({ action }) => action === 'create')
  const known = prune || !hasNew ? deleted : recordsMade(snapshot, readMade())
  const gone = known.filter(({ desired }) => !desired)
  const rows = planRows(snapshot, changes)
  if (saved) requireUnmoved(saved, rows)
  const unchanged = plan.planned.filter(({ action }) => action === 'unchanged').length
  const doubts = [...doubtsOf(snapshot, changes, gone), ...left]
  return { snapshot, plan, rows, counts: countChanges(changes, unchanged), doubts, notes: numbers.notes }
}

/** Reads the account and plans, until the deadline of the line, or until it is asked to stop. */
export const prepare = (
  cli: Cli,
  target: Target,
  source: Source,
  readMade: () => readonly Made[],
  isToReadAgain: IsToReadAgain = () => Promise.resolve(false),
): Promise<Prepared> =>
  untilDeadline(
    cli.io,
    cli.flags.deadline,
    ({ signal }) => prepareBy(target, source, readMade, pauseEvery(PARTS_OF_TURN, signal), isToReadAgain),
    cli.io.interruption(),
  )

/** Refuses more deletes than the line allows, and those of a saved plan that would take more with them than it showed. */
export const requireMeantDeletes = async (
  client: Client,
  { saved, mostDeletes }: Source,
  { counts: { deleted }, plan: { changes } }: Prepared,
): Promise<void> => {
  if (deleted === 0) return
  const { requireNoMoreDeleted } = await import('./deletes.ts')
  if (saved) await requireNoMoreDeleted(client, saved.deletes, changes)
  if (deleted <= mostDeletes) return
  const things = countOf(deleted, 'thing')
  throw new KpiError('conflict', `${things} would be deleted, more than --max-deletes ${mostDeletes}; nothing was done`)
}

/** Says how much a plan would do: `3 to create, 1 to update, 12 unchanged`. */
const planText = (counts: Counts): string => {
  const text = toDoText(Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)))
  const { created, updated, deleted } = counts
  return created + updated + deleted === 0 ? `nothing to do${text === '' ? '' : `: ${text}`}` : text
}

/** Names what the account has and the file has not, by kind. */
const restText = ({ kind, records }: NotInInput): string => {
  const { of } = kinds[kind]
  const names = listFirst(records, MOST_LISTED, labelOf)
  return `${countOf(records.length, of.title, pluralOf(of))} (${names})`
}

/** Returns the words by which a command line names a record: its name, or where that needs quotes in a list, its id. */
const namedBy = ({ name, id }: AccountRecord): string => (/[,"]|^\d+$/.test(name) ? `${id}` : shellWord(name))

/** Returns the command that deletes the first of some records; undefined if it takes more than their names. */
const removalOf = ({ kind, records: [first] }: NotInInput): string | undefined => {
  const { kpi, user, group_item: item } = first?.above ?? {}
  if (kpi && user) return `kpi assign remove --kpis ${namedBy(kpi)} --users ${namedBy(user)}`
  if (item && user) return `kpi assign group-items remove --group-items ${namedBy(item)} --users ${namedBy(user)}`
  const isPlain = first !== undefined && Object.keys(first.above).length === 0 && first.name !== ''
  return isPlain ? `kpi ${sectionOf(kind)} delete ${namedBy(first)}` : undefined
}

/** Says what the account has of the sections of the file, and the file has not, and why pruning leaves it. */
export const tellRest = async (cli: Cli, { name, prune }: Source, rest: readonly NotInInput[]): Promise<void> => {
  if (rest.length === 0) return
  await cli.note(`not in ${name}, and left alone: ${rest.map(restText).join('; ')}`)
  if (!prune) return
  const ways = rest.flatMap((one) => removalOf(one) ?? [])
  const shown = ways.length === 0 ? '' : `; by hand: ${ways.join(' or ')}`
  await cli.note(`--prune deletes only what an apply of ${name} has created${shown}`)
}

/** Says how much a plan would do. */
export const tellPlan = async (cli: Cli, { counts, doubts, notes }: Prepared): Promise<void> => {
  for (const note of notes) await cli.note(note)
  await cli.note(planText(counts))
  for (const doubt of doubts) await cli.log.warn(doubt)
}
