import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { userGroupItem } from '../../../domain/resources/groups.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { idsIn } from '../../args/names.ts'
import { type ListedKind } from '../../../client/operations/kind-operations.ts'
import { type Act, type Cli, PACED } from '../../cli.ts'
import { printsList } from '../../output/printed.ts'
import { emptyBecause, isPrintedAsData, tellEmpty } from '../../output/short-answer.ts'
import { addListOptions, addNameOptions, chooseColumns, listView } from '../verbs/list-options.ts'
import { createNames } from '../verbs/reference-names.ts'
import { printAllSent, sendEach } from '../verbs/send-each.ts'

/** Describes a kind of thing that users can be given, and the flag that lists some. */
type Assignable = { readonly kind: ListedKind; readonly flag: string }

/** Describes a user, and the id of something that they are given. */
export type UserItem = { readonly user: number; readonly id: number }

/** Holds the flag that lists users, and its help. */
const USERS_FLAG = ['--users <list>', 'users by id, name or e-mail address, separated by commas'] as const

const usersOf = (client: Client, users: string): Promise<number[]> => idsIn(client, 'user', '--users', users)

/** Returns every user of a line with every item that it lists. */
const listPairs = async (
  client: Client,
  { kind, flag }: Assignable,
  items: string,
  users: string,
): Promise<UserItem[]> => {
  const ids = await idsIn(client, kind, `--${flag}`, items)
  const userIds = await usersOf(client, users)
  return userIds.flatMap((user) => ids.map((id) => ({ user, id })))
}

/** Returns what the listed users have, or all users. */
export const ofUsers = async <T extends AnyRecord>(
  client: Client,
  users: string | undefined,
  list: (user: number) => Promise<readonly T[]>,
): Promise<T[]> => {
  const all = async (): Promise<number[]> => (await client.users.list()).map(({ id }) => id)
  const ids = await (users === undefined ? all() : usersOf(client, users))
  return (await Promise.all(ids.map(list))).flat()
}

const ITEMS: Assignable = { kind: 'group_item', flag: 'group-items' }
const ITEMS_FLAG = ['--group-items <list>', 'group items by id or name, separated by commas'] as const

const addListCommand = (group: Command, act: Act): void => {
  const command = addNameOptions(
    addListOptions(
      group
        .command('list')
        .description('list the group items of users')
        .option('--users <list>', 'only of these users'),
    ),
  )
  addExamples(
    command,
    'assign group-items list --users "Ann Lee"',
    'assign group-items list --filter name=North -o csv',
  )
  printsList(command, userGroupItem)
  act(command, async (cli, _, options) => {
    const { columns, select } = listView(userGroupItem, options, cli.printing().format)
    const work = async (client: Client): Promise<AnyRecord[]> =>
      select(await ofUsers(client, options.users, (id) => client.userGroupItems(id).list()), createNames(client))
    const records = await cli.withClient({ of: userGroupItem, verb: 'list' }, work, PACED)
    await cli.printMany(columns, records)
    if (records.length === 0)
      await tellEmpty(cli, userGroupItem, emptyBecause(options), 'add one with: kpi assign group-items add')
  })
}

/** Returns the pairs that are not there yet. */
const openPairs = async (cli: Cli, client: Client, pairs: readonly UserItem[]): Promise<UserItem[]> => {
  const open: UserItem[] = []
  const names = createNames(client)
  for (const [user, own] of Map.groupBy(pairs, (pair) => pair.user)) {
    const held = new Set((await client.userGroupItems(user).list()).map(({ id }) => id))
    for (const pair of own) {
      if (!held.has(pair.id)) open.push(pair)
      else
        await cli.note(`${await names.nameOf('user', user)} has ${await names.nameOf('group_item', pair.id)} already`)
    }
  }
  return open
}

const addAddCommand = (group: Command, act: Act): void => {
  const command = group
    .command('add')
    .description('give each of the group items to each of the users; new entries carry them')
    .requiredOption(...ITEMS_FLAG)
    .requiredOption(...USERS_FLAG)
  addExamples(command, 'assign group-items add --group-items North,South --users 3,ann@example.com')
  printsList(command, userGroupItem)
  act(command, async (cli, _, options) => {
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const pairs = await openPairs(cli, client, await listPairs(client, ITEMS, options.groupItems, options.users))
      const sent = await sendEach(pairs, ({ user, id }) => client.userGroupItems(user).add({ id }), { signal })
      await printAllSent(cli, userGroupItem, sent)
    }
    await cli.withClient({ of: userGroupItem, verb: 'add' }, work, { signal: cli.io.interruption() })
  })
}

const addRemoveCommand = (group: Command, act: Act): void => {
  const command = group
    .command('remove')
    .description('remove group items from users; existing entries keep them')
    .requiredOption(...ITEMS_FLAG)
    .requiredOption(...USERS_FLAG)
    .option('-y, --yes', 'do not ask')
  addExamples(command, 'assign group-items remove --group-items North --users "Ann Lee"')
  printsList(command, userGroupItem)
  act(command, async (cli, _, { yes, groupItems, users }) => {
    const needs = { of: userGroupItem, verb: 'remove' } as const
    cli.requireCapabilities(needs)
    const { requireConfirmation } = await import('../../args/prompt.ts')
    await requireConfirmation(cli, yes, `remove group items ${groupItems} from users ${users}`)
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const names = createNames(client)
      const removed: AnyRecord[] = []
      const remove = async ({ user, id }: UserItem): Promise<AnyRecord> => {
        const [what, whose] = [await names.nameOf('group_item', id), await names.nameOf('user', user)]
        const items = client.userGroupItems(user)
        const held = isPrintedAsData(cli) ? [await items.get(id)] : []
        await items.remove(id)
        removed.push(...held)
        await cli.note(`removed ${what} from ${whose}`)
        return {}
      }
      const { failure } = await sendEach(await listPairs(client, ITEMS, groupItems, users), remove, { signal })
      if (removed.length > 0) await cli.printMany(chooseColumns(userGroupItem, {}, cli.printing().format), removed)
      if (failure) throw failure
    }
    await cli.withClient(needs, work, { ...PACED, signal: cli.io.interruption() })
  })
}

/** Registers `kpi assign group-items …` */
export const addGroupItemCommands = (group: Command, act: Act): void => {
  const items = group.command('group-items').description('the group items of users')
  addListCommand(items, act)
  addAddCommand(items, act)
  addRemoveCommand(items, act)
}
