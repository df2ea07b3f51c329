import { requireBundled } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import type { Named } from '../../../client/directory.ts'
import { namedGroupItems } from '../../../client/operations/group-items.ts'
import { type Day, FIRST_ENTRY_DAY, formatDay } from '../../../domain/day.ts'
import { isNotFound, KpiError } from '../../../domain/errors.ts'
import type { CarriedGroupItem } from '../../../domain/resources/entry-run.ts'
import { readDateDays, tellDay } from '../../args/entry-date.ts'
import { faultOfDays } from '../../args/relative-dates.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { changeByRun, type EntriesRun, stoppedEntries } from '../changes/entries-by-run.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { placeFlags } from '../../target/settings.ts'
import { learnAccount } from '../../target/service-of.ts'

/** Sets the users of one request. */
const USERS_AT_A_TIME = 1000

/** Describes the flags that put group items onto entries, or take them off. */
type EntriesFlags = {
  readonly ontoEntries?: true | undefined
  readonly fromEntries?: true | undefined
  readonly from?: string | undefined
}

/** Holds group items and users, and the first day of the entries that the items are put onto, or taken off. */
export type ItemsOfEntries = {
  readonly way: Way
  readonly groupItems: readonly Named[]
  readonly users: readonly Named[]
  readonly from: Day
}

type Way = 'onto' | 'off'

/** Lists what is said of either way. */
const WAYS = {
  onto: {
    flag: '--onto-entries',
    instead: 'leave the flag out to give group items for new entries',
    would: (item: string, what: string) => `would put ${item} onto ${what}`,
    did: (item: string, what: string) => `put ${item} onto ${what}`,
    none: 'lacks',
  },
  off: {
    flag: '--from-entries',
    instead: 'leave the flag out to remove group items from users, for new entries',
    would: (item: string, what: string) => `would take ${item} off ${what}`,
    did: (item: string, what: string) => `took ${item} off ${what}`,
    none: 'carries',
  },
} as const

/** Refuses a first day without the flag of a way, that without a first day, and a word that is no day. */
export const requireFirstDay = (way: Way, { ontoEntries, fromEntries, from }: EntriesFlags): void => {
  const [{ flag }, isAsked] = [WAYS[way], ontoEntries ?? fromEntries ?? false]
  if (isAsked && from === undefined)
    throw new UsageError(`${flag} needs the first day of the entries: add --from with a date, this-year and the like`)
  if (!isAsked && from !== undefined) throw new UsageError(`--from goes with ${flag}`)
  const fault = from === undefined ? undefined : faultOfDays(from)
  if (fault !== undefined) throw new UsageError(`--from ${fault}`)
}

const entriesText = (count: number): string => countOf(count, 'entry', 'entries')

const refuse = (isBundled: boolean, way: Way): void =>
  requireBundled(
    isBundled,
    WAYS[way].flag,
    'leaves the entries that are there with the group items that their people had then',
    WAYS[way].instead,
  )

/** Counts the entries that a group item is still to be put onto, or taken off, some users at a time. */
const countEntries = async (
  client: Client,
  { way, item, users, from }: Pick<ItemsOfEntries, 'way' | 'users' | 'from'> & { readonly item: number },
): Promise<Pick<CarriedGroupItem, 'left' | 'first_day'> & { readonly userIds: string; readonly others: number[] }> => {
  let [left, first]: [number, Day | null] = [0, null]
  const [others, found]: [Set<number>, string[]] = [new Set(), []]
  for (const some of someOf(users)) {
    const which = { group_item_id: item, user_ids: idsText(some), date_from: from, take_off: way === 'off' }
    const one = await client.entries.carry('dry-run', { ...which, dry_run: true })
    left += one.left
    if (one.first_day !== null) first = Math.min(first ?? one.first_day, one.first_day)
    for (const id of one.other_item_ids?.split(',') ?? []) others.add(Number(id))
    if (one.user_ids !== null) found.push(one.user_ids)
  }
  return { left, first_day: first, userIds: found.join(','), others: [...others] }
}

const someOf = (users: readonly Named[]): (readonly Named[])[] =>
  Array.from({ length: Math.ceil(users.length / USERS_AT_A_TIME) }, (_, at) =>
    users.slice(at * USERS_AT_A_TIME, (at + 1) * USERS_AT_A_TIME),
  )

const idsText = (users: readonly Named[]): string => users.map(({ id }) => id).join(',')

const MOST_NAMED = 3

const usersText = (users: readonly Named[]): string =>
  users.length > MOST_NAMED ? countOf(users.length, 'user') : users.map(({ name }) => name).join(', ')

/**
 * Reads from which day on group items are put onto entries, or taken off; undefined where they are not. Refuses a service that
 * cannot.
 */
export const readItemsOfEntries = async (
  cli: Cli,
  client: Client,
  { ontoEntries, fromEntries, from }: EntriesFlags,
  { groupItems, users }: Pick<ItemsOfEntries, 'groupItems' | 'users'>,
): Promise<ItemsOfEntries | undefined> => {
  if (!(ontoEntries ?? fromEntries) || from === undefined) return undefined
  const way = fromEntries ? 'off' : 'onto'
  await learnAccount(client)
  refuse(client.isBundled(), way)
  const days = await readDateDays(client, from, cli.today().day)
  // An earlier version of the service has no such path: find that out before anything is changed.
  const [item, user] = [groupItems[0], users[0]]
  if (item && user)
    await countEntries(client, { way, item: item.id, users: [user], from: days.from }).catch((error: unknown) =>
      refuseEarlier(error, way),
    )
  await tellDay(cli, from, formatDay(days.from), '--from')
  return { way, groupItems, users, from: days.from }
}

/** Asks whether to take group items off users and off as many entries as there are. */
export const askToTakeOff = async (client: Client, asked: ItemsOfEntries): Promise<string> => {
  const { way, groupItems, users, from } = asked
  let count = 0
  for (const { id } of groupItems) count += (await countEntries(client, { way, item: id, users, from })).left
  const names = groupItems.map(({ name }) => name).join(', ')
  return `remove ${names} from ${usersText(users)}, and from ${entriesText(count)} from ${formatDay(from)} on`
}

/** Says onto how many entries group items would be put, or off how many they would be taken. */
export const foreseeEntries = async (cli: Cli, client: Client, asked: ItemsOfEntries): Promise<void> => {
  const { way, groupItems, users, from } = asked
  for (const { id, name } of groupItems) {
    const { left, others } = await countEntries(client, { way, item: id, users, from })
    await cli.note(WAYS[way].would(name, `${entriesText(left)} of ${usersText(users)} from ${formatDay(from)} on`))
    await tellOthers(cli, client, asked, others)
  }
}

/** Says which other items of their group entries carry that have got a group item, and how these are taken off. */
const tellOthers = async (
  cli: Cli,
  client: Client,
  { way, groupItems, users, from }: ItemsOfEntries,
  others: readonly number[],
): Promise<void> => {
  const given = new Set(groupItems.map(({ id }) => id))
  const open = others.filter((id) => !given.has(id))
  if (way === 'off' || open.length === 0) return
  const named = new Map((await namedGroupItems(client)).map((one) => [one.id, one]))
  for (const item of open) {
    const { left, userIds } = await countEntries(client, { way: 'off', item, users, from })
    if (left === 0) continue
    const { name = `#${item}`, within = '' } = named.get(item) ?? {}
    const ids = new Set(userIds.split(',').map(Number))
    const whose = usersText(users.filter(({ id }) => ids.has(id)))
    const line = lineOf(cli, 'off', { item, users: userIds, from })
    await cli.note(
      `${entriesText(left)} of ${whose} from ${formatDay(from)} on ${left === 1 ? 'carries' : 'carry'} ${name} of the same group (${within}), too; to take that off them, and off ${whose}: ${line}`,
    )
  }
}

/** Refuses an earlier version of the bundled service, which has no such path. */
const refuseEarlier = (error: unknown, way: Way): never => {
  if (isNotFound(error) || (error instanceof KpiError && error.code === 'method_not_allowed')) refuse(false, way)
  throw error
}

/** Puts group items onto the entries that do not carry them, or takes them off, as the record of the run notes before. */
export const changeItemsOfEntries = async (changing: EntriesRun, asked: ItemsOfEntries): Promise<void> => {
  const { cli, client } = changing
  const { way, groupItems, users, from } = asked
  const { none, did } = WAYS[way]
  let all = 0
  try {
    for (const { id: group_item_id, name } of groupItems) {
      let done = 0
      const others = new Set<number>()
      for (const some of someOf(users)) {
        const found = await countEntries(client, { way, item: group_item_id, users: some, from })
        for (const id of found.others) others.add(id)
        const { left: count } = found
        if (count === 0) continue
        const what = `${name} ${way} ${entriesText(count)} from ${formatDay(from)} on`
        const isOff = way === 'off'
        const order = { group_item_id, user_ids: idsText(some), date_from: from, take_off: isOff, dry_run: false }
        const before = { done, all }
        await changeByRun(
          changing,
          { action: 'update', name: what, count, isOff },
          (serviceRun) => client.entries.carry(serviceRun, order),
          (changed) => {
            ;[done, all] = [before.done + changed, before.all + changed]
          },
        )
      }
      const whose = `${usersText(users)} from ${formatDay(from)} on`
      await cli.note(
        done === 0 ? `no entry of ${whose} ${none} ${name}` : did(name, `${entriesText(done)} of ${whose}`),
      )
      await tellOthers(cli, client, asked, [...others])
    }
  } catch (error) {
    throw error instanceof Error ? stoppedEntries(changing, error, { done: all, verb: 'changed' }) : error
  }
}

/** Returns the line that puts a group item onto entries, or takes it off. */
const lineOf = (
  { flags }: Pick<Cli, 'flags'>,
  way: Way,
  { item, users, from }: { readonly item: number; readonly users: string; readonly from: Day },
): string => {
  const verb = way === 'onto' ? 'add' : 'remove'
  const words = `kpi assign group-items ${verb} --group-items ${item} --users ${users} ${WAYS[way].flag} --from ${formatDay(from)}`
  return [...words.split(' '), ...placeFlags(flags)].map(shellWord).join(' ')
}

/** Says how many entries of users do not carry what these have now, and how they get it; nothing where that cannot be told. */
export const offerOntoEntries = async (
  cli: Cli,
  client: Client,
  { groupItems, users }: Pick<ItemsOfEntries, 'groupItems' | 'users'>,
): Promise<void> => {
  if (!client.isBundled()) return
  for (const { id, name } of groupItems) {
    const { left, first_day } = await countEntries(client, {
      way: 'onto',
      item: id,
      users,
      from: FIRST_ENTRY_DAY,
    }).catch((error: unknown) => {
      if (error instanceof KpiError) return { left: 0, first_day: null }
      throw error
    })
    if (first_day === null) continue
    const line = lineOf(cli, 'onto', { item: id, users: idsText(users), from: first_day })
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
  const line = lineOf(cli, 'onto', { item: id, users: found.user_ids, from: found.first_day })
  await cli.note(
    `${entriesText(found.left)} of these days ${found.left === 1 ? 'is' : 'are'} of people who have ${name}, and ${found.left === 1 ? 'does' : 'do'} not carry it; to put it onto them: ${line}`,
  )
}
