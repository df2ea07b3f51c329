import type { Client } from '../../client/client.ts'
import { readCalendar } from '../../client/operations/calendar.ts'
import { entryPages } from '../../client/operations/entry-pages.ts'
import { entryWithTarget } from '../../client/operations/entry-with-target.ts'
import { Aborted } from '../../client/transport.ts'
import { type Day, LAST_ENTRY_DAY } from '../../domain/day.ts'
import type { Decimal } from '../../domain/decimal.ts'
import { periodStart } from '../../domain/period.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { datedTargetOn, datedTargetsIn } from '../../domain/targets/dated-targets.ts'
import type { Change } from '../records/change.ts'

/** Holds the dated targets that changes ask for: those of KPIs, and those of users by KPI. */
type Asked = Map<number, { own?: string; readonly users: Map<number, string> }>

const askedBy = (changes: readonly Change[]): Asked => {
  const asked: Asked = new Map()
  for (const { fields, record } of changes) {
    const text = fields.find(({ config }) => config.name === 'targets')?.after
    const isOfKpi = record.kind.name === 'kpi'
    const kpi = isOfKpi ? record.id : record.above['kpi']?.id
    if (typeof text !== 'string' || kpi === undefined) continue
    const known = asked.get(kpi) ?? { users: new Map<number, string>() }
    asked.set(kpi, known)
    const user = record.above['user']?.id
    if (isOfKpi) known.own = text
    else if (user !== undefined) known.users.set(user, text)
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

/** Counts what was done with the entries of services without dated targets. */
type WrittenTargets = {
  readonly entries: number
  /** Names KPIs without a default target, of which such a service shows no target of any entry. */
  readonly hidden: readonly string[]
  /** Counts entries of people that were left alone, as the interface does not show whether they have targets of their own. */
  readonly unknown: number
}

/**
 * Writes dated targets onto the stored entries that have no target of their own, on a service that has one target for all
 * days: the user's of the day, else the KPI's. Entries that have got theirs are left alone, so that the same may be done
 * again, and again when there are more entries; so are those of people over the newer variant, which shows no assignments.
 */
export const writeEntryTargets = async (
  client: Client,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<WrittenTargets> => {
  const calendar = await readCalendar(client)
  const hidden: string[] = []
  let [written, unknown] = [0, 0]
  for (const [kpi, { own, users }] of askedBy(changes)) {
    const record: Kpi = await client.kpis.get(kpi)
    if (record.target_default === null) {
      hidden.push(record.name)
      continue
    }
    const hasOwn = createOwnTargets(client, kpi)
    const targetOf = async (user: number | null, day: Day): Promise<Decimal | undefined> => {
      const start = periodStart(record.frequency_id, day, calendar)
      const ofUser = user === null ? undefined : datedTargetOn(users.get(user), start)
      if (ofUser) return ofUser.target
      const ofKpi = datedTargetOn(own, start)
      if (!ofKpi || user === null) return ofKpi?.target
      if (client.variant === 'classic') return (await hasOwn(user)) ? undefined : ofKpi.target
      unknown += 1
      return undefined
    }
    const [only] = own === undefined && users.size === 1 ? users.keys() : []
    const from = Math.min(...[own, ...users.values()].flatMap((text) => datedTargetsIn(text).map((one) => one.from)))
    for await (const page of entryPages(client, { from, to: LAST_ENTRY_DAY, kpiId: kpi, userId: only })) {
      for (const entry of page) {
        if (signal.aborted) throw new Aborted('it was interrupted while targets were written onto entries')
        if (entry.target !== null || entry.kpi_id !== kpi) continue
        const target = await targetOf(entry.user_id, entry.entry_date)
        if (target === undefined) continue
        await client.entries.update(entry.id, entryWithTarget(client, entry, target))
        written += 1
      }
    }
  }
  return { entries: written, hidden, unknown }
}

/** Says what became of dated targets on a service that has none. */
export const writtenText = ({ entries, hidden, unknown }: WrittenTargets): string => {
  const counted = (count: number): string => (count === 1 ? '1 stored entry' : `${count} stored entries`)
  const count = counted(entries)
  const left =
    unknown === 0
      ? ''
      : `; ${counted(unknown)} of people without a target ${unknown === 1 ? 'was' : 'were'} left alone, as this interface does not show whether they have targets of their own: the same over the classic interface writes them`
  const without =
    hidden.length === 0 ? '' : `; without a default target it shows none of ${hidden.join(', ')}: give it one first`
  return `this service has one target for all days: ${count} without a target got that of the day, and later ones get it when the same is done again${left}${without}`
}
