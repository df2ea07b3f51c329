import { requireBundled } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import type { Named } from '../../../client/directory.ts'
import { Aborted } from '../../../client/transport.ts'
import { type Day, FIRST_ENTRY_DAY, formatDay } from '../../../domain/day.ts'
import { isNotFound, KpiError } from '../../../domain/errors.ts'
import type { CarriedGroupItem } from '../../../domain/resources/entry-run.ts'
import { intendEntries } from '../../../runs/entries-change.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import { readDateDays } from '../../args/entry-date.ts'
import { faultOfDays, isPlainDate } from '../../args/relative-dates.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { placeFlags } from '../../target/settings.ts'
import { learnAccount } from '../../target/service-of.ts'

/** Sets the users of one request. */
const USERS_AT_A_TIME = 1000

/** Describes the flags that put group items onto entries. */
type OntoFlags = { readonly ontoEntries?: true | undefined; readonly from?: string | undefined }

/** Holds group items and users, and the first day of the entries that the items are put onto. */
export type OntoEntries = {
  readonly groupItems: readonly Named[]
  readonly users: readonly Named[]
  readonly from: Day
}

/** Refuses a first day without `--onto-entries`, that without a first day, and a word that is no day. */
export const requireFirstDay = ({ ontoEntries, from }: OntoFlags): void => {
  if (ontoEntries && from === undefined)
    throw new UsageError(
      '--onto-entries needs the first day of the entries: add --from with a date, this-year and the like',
    )
  if (!ontoEntries && from !== undefined) throw new UsageError('--from goes with --onto-entries')
  const fault = from === undefined ? undefined : faultOfDays(from)
  if (fault !== undefined) throw new UsageError(`--from ${fault}`)
}

const entriesText = (count: number): string => countOf(count, 'entry', 'entries')

const refuse = (isBundled: boolean): void =>
  requireBundled(
    isBundled,
    '--onto-entries',
    'leaves the entries that are there with the group items that their people had then',
    'leave the flag out to give group items for new entries',
  )

/** Counts the entries that do not carry a group item, some users at a time. */
const countWithout = async (
  client: Client,
  item: number,
  users: readonly Named[],
  from: Day,
): Promise<Pick<CarriedGroupItem, 'left' | 'first_day'>> => {
  let [left, first]: [number, Day | null] = [0, null]
  for (const some of someOf(users)) {
    const order = { group_item_id: item, user_ids: idsText(some), date_from: from, dry_run: true }
    const one = await client.entries.carry('dry-run', order)
    left += one.left
    if (one.first_day !== null) first = Math.min(first ?? one.first_day, one.first_day)
  }
  return { left, first_day: first }
}

const someOf = (users: readonly Named[]): (readonly Named[])[] =>
  Array.from({ length: Math.ceil(users.length / USERS_AT_A_TIME) }, (_, at) =>
    users.slice(at * USERS_AT_A_TIME, (at + 1) * USERS_AT_A_TIME),
  )

const idsText = (users: readonly Named[]): string => users.map(({ id }) => id).join(',')

const MOST_NAMED = 3

const usersText = (users: readonly Named[]): string =>
  users.length > MOST_NAMED ? countOf(users.length, 'user') : users.map(({ name }) => name).join(', ')

/** Reads from which day on group items are put onto entries; undefined where they are not. Refuses a service that cannot. */
export const readOntoEntries = async (
  cli: Cli,
  client: Client,
  { ontoEntries, from }: OntoFlags,
  { groupItems, users }: Pick<OntoEntries, 'groupItems' | 'users'>,
): Promise<OntoEntries | undefined> => {
  if (!ontoEntries || from === undefined) return undefined
  await learnAccount(client)
  refuse(client.isBundled())
  const { day: today, zone } = cli.today()
  const days = await readDateDays(client, from, today)
  // An earlier version of the service has no such path: find that out before anything is changed.
  const [item, user] = [groupItems[0], users[0]]
  if (item && user) await countWithout(client, item.id, [user], days.from).catch(refuseEarlier)
  if (!isPlainDate(from)) await cli.note(`--from ${shellWord(from)} is ${formatDay(days.from)} in ${zone}`)
  return { groupItems, users, from: days.from }
}

/** Says onto how many entries group items would be put. */
export const foreseeEntries = async (
  cli: Cli,
  client: Client,
  { groupItems, users, from }: OntoEntries,
): Promise<void> => {
  for (const { id, name } of groupItems) {
    const { left } = await countWithout(client, id, users, from)
    await cli.note(`would put ${name} onto ${entriesText(left)} of ${usersText(users)} from ${formatDay(from)} on`)
  }
}

/** Refuses an earlier version of the bundled service, which has no such path. */
const refuseEarlier = (error: unknown): never => {
  if (isNotFound(error) || (error instanceof KpiError && error.code === 'method_not_allowed')) refuse(false)
  throw error
}

/** Puts group items onto the entries that do not carry them, as the record of the run notes before. */
export const putOntoEntries = async (
  { cli, client, signal }: { readonly cli: Cli; readonly client: Client; readonly signal: AbortSignal },
  run: RunRecord,
  { groupItems, users, from }: OntoEntries,
): Promise<void> => {
  for (const { id: group_item_id, name } of groupItems) {
    let done = 0
    for (const some of someOf(users)) {
      const { left: count } = await countWithout(client, group_item_id, some, from)
      if (count === 0) continue
      if (signal.aborted) throw new Aborted('it was interrupted')
      const serviceRun = Buffer.from(cli.io.random(16)).toString('hex')
      const what = `${name} onto ${entriesText(count)} from ${formatDay(from)} on`
      const change = intendEntries(run, { action: 'update', name: what, count, serviceRun })
      const order = { group_item_id, user_ids: idsText(some), date_from: from, dry_run: false }
      for (;;) {
        const { entries, left } = await client.entries.carry(serviceRun, order)
        if (left > 0) continue
        done += entries
        break
      }
      run.settle(change, 'done')
    }
    await cli.note(
      done === 0
        ? `no entry of ${usersText(users)} from ${formatDay(from)} on lacks ${name}`
        : `put ${name} onto ${entriesText(done)} of ${usersText(users)} from ${formatDay(from)} on`,
    )
  }
}

/** Returns the line that puts a group item onto entries. */
const ontoLine = ({ flags }: Pick<Cli, 'flags'>, item: number, users: string, from: Day): string => {
  const words = `kpi assign group-items add --group-items ${item} --users ${users} --onto-entries --from ${formatDay(from)}`
  return [...words.split(' '), ...placeFlags(flags)].map(shellWord).join(' ')
}

/** Says how many entries of users do not carry what these have now, and how they get it; nothing where that cannot be told. */
export const offerOntoEntries = async (
  cli: Cli,
  client: Client,
  { groupItems, users }: Pick<OntoEntries, 'groupItems' | 'users'>,
): Promise<void> => {
  if (!client.isBundled()) return
  for (const { id, name } of groupItems) {
    const { left, first_day } = await countWithout(client, id, users, FIRST_ENTRY_DAY).catch((error: unknown) => {
      if (error instanceof KpiError) return { left: 0, first_day: null }
      throw error
    })
    if (first_day === null) continue
    const line = ontoLine(cli, id, idsText(users), first_day)
    await cli.note(
      `${entriesText(left)} of ${usersText(users)} ${left === 1 ? 'does' : 'do'} not carry ${name}; to put it onto them: ${line}`,
    )
  }
}

/**
 * Says how many entries of some days do not carry a group item that their people have, and how they get it; nothing where
 * there are none, or that cannot be told.
 */
export const tellEntriesWithout = async (
  cli: Cli,
  client: Client | undefined,
  { id, name }: Pick<Named, 'id' | 'name'>,
  days: { readonly from: Day; readonly to: Day },
): Promise<void> => {
  if (!client?.isBundled()) return
  const order = { group_item_id: id, date_from: days.from, date_to: days.to, dry_run: true }
  const found = await client.entries.carry('dry-run', order).catch((error: unknown) => {
    if (error instanceof KpiError) return undefined
    throw error
  })
  if (!found || found.user_ids === null || found.first_day === null) return
  const line = ontoLine(cli, id, found.user_ids, found.first_day)
  await cli.note(
    `${entriesText(found.left)} of these days ${found.left === 1 ? 'is' : 'are'} of people who have ${name}, and ${found.left === 1 ? 'does' : 'do'} not carry it; to put it onto them: ${line}`,
  )
}
