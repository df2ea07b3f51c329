import type { Desired } from '../../../changes/records/desired.ts'
import type { Planned } from '../../../changes/plan/plan.ts'
import { settleLeftDoubles } from '../../../changes/send/doubles.ts'
import { sentFields } from '../../../changes/send/note-change.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { readDraft } from '../../../codec/json.ts'
import type { Issue } from '../../../domain/errors.ts'
import { type AnyRecord, notesOnDefaults, type ParsedFields } from '../../../domain/schema.ts'
import {
  addUsualFields,
  camelCase,
  fieldFlags,
  flagName,
  type FlagValues,
  readFlags,
  requireNoFaults,
} from '../../args/flags.ts'
import { readBodies } from '../../args/json-input.ts'
import { pluralOf } from '../../output/short-answer.ts'
import { createCompletion } from './complete-body.ts'
import type { RecordedRun } from '../changes/recorded-run.ts'
import {
  bodyOf,
  type Command,
  desiredOf,
  fromKind,
  type ListPlan,
  makeListed,
  planList,
  snapshotOf,
  type Values,
  withRun,
} from './make-listed.ts'
import { printPlanned } from './dry-run-rows.ts'
import { createNames } from './reference-names.ts'
import { printSent } from './send-each.ts'

/** Describes new records as a line gives them: by flags, or by the objects of a file. */
type Given = {
  readonly bodies: readonly object[] | undefined
  readonly flags: FlagValues
  /** Holds the place in the list to start from, counted from 1. */
  readonly start: number
  readonly collection: { readonly list: () => Promise<readonly AnyRecord[]> }
  /** Holds the id of what all of them lie in, by its field. */
  readonly parent: AnyRecord
}

const draftFromFlags = async (
  { cli, client, of }: Command,
  flags: FlagValues,
  list: () => Promise<readonly AnyRecord[]>,
): Promise<Values> => {
  const note = (text: string): unknown => cli.note(text)
  const given = await readFlags(client, fieldFlags(of), flags, { kpis: () => [], note })
  await addUsualFields(client, of, flags, given, list)
  return requireNoFaults(given)
}

const draftsFromJson = (
  { client, of, signal }: Command,
  bodies: readonly object[],
  list: () => Promise<readonly AnyRecord[]>,
  check: (drafts: readonly Values[]) => Promise<readonly Issue[]>,
): Promise<readonly Values[]> => {
  const complete = createCompletion(of, createNames(client), list)
  return readBodies(bodies, of, {
    complete,
    read: (body): ParsedFields<Values> => readDraft(bodyOf(of), body, true),
    check,
    signal,
  })
}

/** Creates records, or says in a dry run which ones; all is read before the first is sent. */
export const createListed = async (command: Command, given: Given): Promise<void> => {
  const { client } = command
  const { flags, bodies, parent, collection } = given
  let reading: Promise<readonly AnyRecord[] | undefined> | undefined
  const read = (): Promise<readonly AnyRecord[] | undefined> => (reading ??= readIfAllowed(client, collection.list()))
  const list = async (): Promise<readonly AnyRecord[]> => (await read()) ?? collection.list()
  const check = async (drafts: readonly Values[]): Promise<readonly Issue[]> => {
    const { plan, items } = await planNew(command, given, { drafts, existing: await read() })
    return plan.takenNames(items)
  }
  const drafts = bodies
    ? await draftsFromJson(command, bodies, list, check)
    : [await draftFromFlags(command, flags, list)]
  const known = { drafts, existing: await read() }
  if (flags['dryRun'] === true) return foresee(command, given, known)
  await withRun(command, { flags, bodies, parent }, (run) => createBy(command, given, known, run))
}

/** Describes what is to be created, and what exists; undefined where the key may not read that. */
type Known = { readonly drafts: readonly Values[]; readonly existing: readonly AnyRecord[] | undefined }

/** Returns the records that an earlier part of the run created, by their places, and that are still there. */
const madeBefore = ({ drafts, existing }: Known, { earlier }: RecordedRun): ReadonlyMap<number, number> => {
  const there = existing && new Set(existing.map(({ id }) => Number(id)))
  return new Map(
    drafts.flatMap((_, at) => {
      const id = earlier.settledAt(at + 1).findLast(({ outcome }) => outcome === 'done')?.recordId
      return id === undefined || there?.has(id) === false ? [] : [[at + 1, id] as const]
    }),
  )
}

const isSaidIn =
  ({ bodies, flags }: Given) =>
  (at: number, name: string): boolean =>
    (bodies ? Reflect.get(bodies[at] ?? {}, name) : flags[camelCase(flagName(name))]) !== undefined

/** Describes the part of a run that goes on: what earlier ones did, and which records they made, by their places. */
type Part = { readonly run?: RecordedRun; readonly made?: ReadonlyMap<number, number> }

/** Returns what is asked for, but what an earlier part of a run made. */
const desiredNew = (
  { of }: Command,
  given: Given,
  { drafts, existing }: Known,
  { run, made }: Part,
): readonly Desired[] => {
  const { flags, parent } = given
  const isSaid = isSaidIn(given)
  // Addresses are compared where nothing is sent, as the service refuses one that another person has.
  const isCompared = existing !== undefined && ('name' in of.fields || !run) && flags['allowDuplicate'] !== true
  return drafts.flatMap((draft, at) => {
    if (made?.has(at + 1)) return []
    // Leave the place to the plan, or a record that an earlier part created would differ in it.
    const isKept = (name: string): boolean => of.fields[name]?.usual !== 'next' || isSaid(at, name)
    const said = Object.entries({ ...draft, ...parent }).filter(([name]) => isKept(name))
    return desiredOf(of, Object.fromEntries(said), { line: at + 1, ...(!isCompared && { isNew: true as const }) })
  })
}

/** Plans new records, but those that an earlier part of a run made; returns the items from the start on. */
const planNew = async (
  command: Command,
  given: Given,
  known: Known,
  part: Part = {},
): Promise<{ readonly plan: ListPlan; readonly items: readonly Planned[] }> => {
  const { drafts, existing } = known
  const desired = desiredNew(command, given, known, part)
  const list = { desired, total: drafts.length, stored: existing ?? [] }
  const plan = await planList(command, list, given.flags, part.run?.earlier.isOurs)
  return { plan, items: plan.planned.filter((one) => one.desired.line >= given.start) }
}

/** Removes what a part of the run that was cut off made beside what another machine made; returns what exists then. */
const settleEarlier = async (command: Command, given: Given, known: Known, run: RecordedRun): Promise<Known> => {
  const { cli, client, ways, signal } = command
  if (!run.earlier.isContinued || !known.existing) return known
  const desired = desiredNew(command, given, known, { run })
  if (desired.some(({ isNew }) => isNew)) return known
  const onWarning = (text: string): void => void cli.log.warn(text)
  const looking = { account: { client, ...ways }, run: run.run, desired, signal, onWarning }
  const isToReadAgain = await settleLeftDoubles(looking, snapshotOf(command, known.existing, desired))
  return isToReadAgain ? { ...known, existing: await given.collection.list() } : known
}

/** Says which defaults new records get because of what they refer to. */
const tellDefaults = async ({ cli, of }: Command, given: Given, { drafts }: Known): Promise<void> => {
  for (const note of notesOnDefaults(of, drafts, isSaidIn(given))) await cli.note(note)
}

const foresee = async (command: Command, given: Given, known: Known): Promise<void> => {
  const { of } = command
  const { plan, items } = await planNew(command, given, known)
  await plan.require(items)
  await tellDefaults(command, given, known)
  const planned = items.flatMap(({ changes: [create] }) =>
    create ? [{ held: {}, values: fromKind(of, sentFields(plan.snapshot, create)) }] : [],
  )
  await printPlanned(command, planned, given.flags['summaryOnly'] === true)
}

const createBy = async (command: Command, given: Given, first: Known, run: RecordedRun): Promise<void> => {
  const { cli, client, of } = command
  const known = await settleEarlier(command, given, first, run)
  const made = madeBefore(known, run)
  const { plan, items } = await planNew(command, given, known, { run, made })
  await plan.require(items)
  await tellDefaults(command, given, known)
  const total = known.drafts.length
  const ids = new Set([...made].flatMap(([place, id]) => (place < given.start ? [] : id)))
  if (ids.size > 0)
    await cli.note(`${ids.size} of ${total} ${pluralOf(of)} were created before, and are not created again`)
  const goOn = (number: number): string => `continue with --start ${number}`
  const sent = await makeListed(command, { plan, items, total, run, goOn })
  const before = (known.existing ?? []).filter(({ id }) => ids.has(Number(id)))
  await printSent(cli, client, of, { ...sent, records: [...before, ...sent.records] }, 'created')
}
