import type { Command } from 'commander'
import type { Client } from '../../../client/client.ts'
import { userGroupItem } from '../../../domain/resources/groups.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { camelCase, type FlagValues } from '../../args/flags.ts'
import { idsIn, type NamedKind } from '../../args/names.ts'
import type { Act, Cli } from '../../cli.ts'
import { addListOptions, applyListOptions, chooseColumns } from '../verbs/list-options.ts'
import { printAllSent, sendEach } from '../verbs/send-each.ts'

/** Describes what users can be given: its kind, the flag that lists some, and the plural for messages. */
export type Assignable = { readonly kind: NamedKind; readonly flag: string; readonly title: string }

/** Describes a user, and the id of something that they are given. */
export type UserItem = { readonly user: number; readonly id: number }

/** Adds the flags that list users, and what is theirs. */
export const withPairs = (command: Command, { flag, title }: Assignable): Command =>
  command
    .requiredOption(`--${flag} <list>`, `${title} by id or name, separated by commas`)
    .requiredOption('--users <list>', 'users by id, name or e-mail address, separated by commas')

const listOf = (flags: FlagValues, flag: string): string => String(flags[camelCase(flag)])

const usersOf = (client: Client, flags: FlagValues): Promise<number[]> =>
  idsIn(client, 'user', '--users', listOf(flags, 'users'))

/** Returns every user of a line with every item that it lists. */
export const listPairs = async (client: Client, { kind, flag }: Assignable, flags: FlagValues): Promise<UserItem[]> => {
  const ids = await idsIn(client, kind, `--${flag}`, listOf(flags, flag))
  const users = await usersOf(client, flags)
  return users.flatMap((user) => ids.map((id) => ({ user, id })))
}

/** Returns what is about to be removed, for the confirmation. */
export const describeRemoval = ({ flag, title }: Assignable, flags: FlagValues): string =>
  `remove ${title} ${listOf(flags, flag)} from users ${listOf(flags, 'users')}`

/** Returns what the listed users have, or all users. */
export const ofUsers = async <T extends AnyRecord>(
  client: Client,
  flags: FlagValues,
  list: (user: number) => Promise<readonly T[]>,
): Promise<T[]> => {
  const all = async (): Promise<number[]> => (await client.users.list()).map(({ id }) => id)
  const ids = await (flags['users'] === undefined ? all() : usersOf(client, flags))
  return (await Promise.all(ids.map(list))).flat()
}

const ITEMS: Assignable = { kind: 'group_item', flag: 'group-items', title: 'group items' }

const addListCommand = (group: Command, act: Act): void => {
  const command = group
    .command('list')
    .description('list the group items of users')
    .option('--users <list>', 'only of these users')
  addExamples(
    addListOptions(command),
    'assign group-items list --users "Ann Lee"',
    'assign group-items list --filter name=North -o csv',
  )
  act(command, async (cli, _, options) => {
    const columns = chooseColumns(userGroupItem, options, cli.printing().format)
    const records = await cli.withClient({ of: userGroupItem, verb: 'list' }, (client) =>
      ofUsers(client, options, (id) => client.userGroupItems(id).list()),
    )
    await cli.printMany(columns, applyListOptions(userGroupItem, records, options))
  })
}

/** Returns the pairs that are not there yet. */
const openPairs = async (cli: Cli, client: Client, pairs: readonly UserItem[]): Promise<UserItem[]> => {
  const open: UserItem[] = []
  for (const [user, own] of Map.groupBy(pairs, (pair) => pair.user)) {
    const held = new Set((await client.userGroupItems(user).list()).map(({ id }) => id))
    for (const pair of own) {
      if (held.has(pair.id)) await cli.note(`user ${user} has group item ${pair.id} already`)
      else open.push(pair)
    }
  }
  return open
}

const addAddCommand = (group: Command, act: Act): void => {
  const command = group
    .command('add')
    .description('give each of the group items to each of the users; new entries carry them')
  addExamples(withPairs(command, ITEMS), 'assign group-items add --group-items North,South --users 3,ann@example.com')
  act(command, async (cli, _, options) => {
    const sent = await cli.withClient({ of: userGroupItem, verb: 'add' }, async (client) => {
      const pairs = await openPairs(cli, client, await listPairs(client, ITEMS, options))
      return sendEach(pairs, ({ user, id }) => client.userGroupItems(user).add({ id }))
    })
    await printAllSent(cli, userGroupItem, sent)
  })
}

const addRemoveCommand = (group: Command, act: Act): void => {
  const command = group.command('remove').description('remove group items from users; existing entries keep them')
  withPairs(command, ITEMS).option('-y, --yes', 'do not ask')
  addExamples(command, 'assign group-items remove --group-items North --users "Ann Lee"')
  act(command, async (cli, _, options) => {
    const needs = { of: userGroupItem, verb: 'remove' } as const
    cli.requireCapabilities(needs)
    const { requireConfirmation } = await import('../../args/prompt.ts')
    await requireConfirmation(cli, options['yes'], describeRemoval(ITEMS, options))
    await cli.withClient(needs, async (client) => {
      for (const { user, id } of await listPairs(client, ITEMS, options)) {
        await client.userGroupItems(user).remove(id)
        await cli.note(`removed group item ${id} from user ${user}`)
      }
    })
  })
}

/** Registers `kpi assign group-items …` */
export const addGroupItemCommands = (group: Command, act: Act): void => {
  const items = group.command('group-items').description('the group items of users')
  addListCommand(items, act)
  addAddCommand(items, act)
  addRemoveCommand(items, act)
}
