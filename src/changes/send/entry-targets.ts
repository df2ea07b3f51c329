import type { Client } from '../../client/client.ts'
import { readCalendar } from '../../client/operations/calendar.ts'
import { entryPages } from '../../client/operations/entry-pages.ts'
import { entryWithTarget } from '../../client/operations/entry-with-target.ts'
import { Aborted } from '../../client/transport.ts'
import { LAST_ENTRY_DAY } from '../../domain/day.ts'
import type { Decimal } from '../../domain/decimal.ts'
import { periodStart } from '../../domain/period.ts'
import type { Entry } from '../../domain/resources/entry.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { datedTargetOn, datedTargetsIn } from '../../domain/targets/dated-targets.ts'
import type { Change } from '../records/change.ts'

/** Describes dated targets, and the change that asks for them. */
type AskedTargets = { readonly text: string; readonly change: Change }

/** Holds the dated targets that changes ask for: those of KPIs, and those of users by KPI. */
type Asked = Map<number, { own?: AskedTargets; readonly users: Map<number, AskedTargets> }>

/** Returns the id of the KPI that a change of targets is about. */
const kpiOf = ({ record }: Change): number | undefined =>
  record.kind.name === 'kpi' ? record.id : record.above['kpi']?.id

const askedBy = (changes: readonly Change[]): Asked => {
  const asked: Asked = new Map()
  for (const change of changes) {
    const { fields, record } = change
    const text = fields.find(({ config }) => config.name === 'targets')?.after
    const kpi = kpiOf(change)
    if (typeof text !== 'string' || kpi === undefined) continue
    const known = asked.get(kpi) ?? { users: new Map<number, AskedTargets>() }
    asked.set(kpi, known)
    const user = record.above['user']?.id
    if (record.kind.name === 'kpi') known.own = { text, change }
    else if (user !== undefined) known.users.set(user, { text, change })
  }
  return asked
}

/** Tells which users have a target of their own for a KPI, which the service shows; each is asked for once. */
const createOwnTargets = (client: Client, kpi: number): ((user: number) => Promise<boolean>) => {
  const known = new Map<number, Promise<boolean>>()
  const read = async (user: number): Promise<boolean> =>
    (await client.assignments(user).list()).some(({ id, user_target }) => id === kpi && user_target !== null)
  return (user) => {
    const own = known.get(user) ?? read(user)
    known.set(user, own)
    return own
  }
}

/** Says which entries cannot get the target of their day. */
type LeftEntries = {
  /** Names KPIs without a default target, of which such a service shows no target of any entry. */
  readonly hidden: string[]
  /** Counts entries of people that are left alone, as the interface does not show whether they have targets of their own. */
  unknown: number
}

/** Describes a stored entry without a target, the target of its day, and the change that asks for it. */
type LackingEntry = { readonly entry: Entry; readonly target: Decimal; readonly change: Change }

/**
 * Yields the stored entries of each KPI that have no target of their own, with the target that changes ask for on their
 * day: the user's, else the KPI's. Those of people are left alone over the newer variant, which shows no assignments.
 */
async function* entriesLacking(
  client: Client,
  changes: readonly Change[],
  left: LeftEntries,
): AsyncGenerator<readonly LackingEntry[]> {
  const calendar = await readCalendar(client)
  for (const [kpi, { own, users }] of askedBy(changes)) {
    const record: Kpi = await client.kpis.get(kpi)
    if (record.target_default === null) {
      left.hidden.push(record.name)
      continue
    }
    const hasOwn = createOwnTargets(client, kpi)
    const lackingOf = async (entry: Entry): Promise<LackingEntry[]> => {
      const { user_id: user, entry_date: day } = entry
      if (entry.target !== null || entry.kpi_id !== kpi) return []
      const start = periodStart(record.frequency_id, day, calendar)
      const asked = [user === null ? undefined : users.get(user), own].find(
        (one) => one && datedTargetOn(one.text, start),
      )
      const target = datedTargetOn(asked?.text, start)?.target
      if (!asked || target === undefined) return []
      const one = [{ entry, target, change: asked.change }]
      if (asked !== own || user === null) return one
      if (client.variant === 'classic') return (await hasOwn(user)) ? [] : one
      left.unknown += 1
      return []
    }
    const [only] = own === undefined && users.size === 1 ? users.keys() : []
    const all = [own, ...users.values()].flatMap((one) => datedTargetsIn(one?.text).map(({ from }) => from))
    for await (const page of entryPages(client, {
      from: Math.min(...all),
      to: LAST_ENTRY_DAY,
      kpiId: kpi,
      userId: only,
    })) {
      const some: LackingEntry[] = []
      for (const entry of page) some.push(...(await lackingOf(entry)))
      yield some
    }
  }
}

/** Counts what was done with the entries of services without dated targets. */
type WrittenTargets = Readonly<LeftEntries> & { readonly entries: number }

/**
 * Writes dated targets onto the stored entries without a target, on a service that has one target for all days. Entries
 * that have got theirs are left alone, so that the same may be done again, and again when there are more entries. `note`
 * receives the entries of a change, as they are to be, before they are written.
 */
export const writeEntryTargets = async (
  client: Client,
  changes: readonly Change[],
  {
    signal,
    note,
  }: { readonly signal: AbortSignal; readonly note: (change: Change, entries: readonly Entry[]) => void },
): Promise<WrittenTargets> => {
  const left: LeftEntries = { hidden: [], unknown: 0 }
  let written = 0
  for await (const some of entriesLacking(client, changes, left)) {
    for (const [change, lacking] of Map.groupBy(some, (one) => one.change))
      note(change, lacking.map(({ entry, target }) => ({ ...entry, target }))) // prettier-ignore
    for (const { entry, target } of some) {
      if (signal.aborted) throw new Aborted('it was interrupted while targets were written onto entries')
      await client.entries.update(entry.id, entryWithTarget(client, entry, target))
      written += 1
    }
  }
  return { ...left, entries: written }
}

/** Names what a service without dated targets has. */
const ONE_TARGET = 'this service has one target for all days'

/** Finds the KPIs of which some stored entries lack a target that changes ask for, and says why others cannot get theirs. */
export const findUnwritten = async (
  client: Client,
  changes: readonly Change[],
): Promise<{ readonly isUnwritten: (change: Change) => boolean; readonly left: string }> => {
  const [kpis, left]: [Set<number | undefined>, LeftEntries] = [new Set(), { hidden: [], unknown: 0 }]
  for await (const some of entriesLacking(client, changes, left)) for (const { entry } of some) kpis.add(entry.kpi_id)
  const text = leftText(left)
  return { isUnwritten: (change) => kpis.has(kpiOf(change)), left: text === '' ? '' : `${ONE_TARGET}: ${text}` }
}

const countedEntries = (count: number): string => (count === 1 ? '1 stored entry' : `${count} stored entries`)

/** Says which entries do not get the target of their day, and what to do; empty where all do. */
const leftText = ({ hidden, unknown }: LeftEntries): string => {
  const left = `${countedEntries(unknown)} of people without a target ${unknown === 1 ? 'was' : 'were'} left alone, as this interface does not show whether they have targets of their own: the same over the classic interface writes them`
  const without = `without a default target it shows none of ${hidden.join(', ')}: give it one first`
  return [...(unknown === 0 ? [] : [left]), ...(hidden.length === 0 ? [] : [without])].join('; ')
}

/** Says what became of dated targets on a service that has none. */
export const writtenText = ({ entries, ...rest }: WrittenTargets): string => {
  const left = leftText(rest)
  const written = `${countedEntries(entries)} without a target got that of the day, and later ones get it when the same is done again`
  return `${ONE_TARGET}: ${written}${left === '' ? '' : `; ${left}`}`
}
