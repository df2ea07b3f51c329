import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { userGroupItem } from '../../../domain/resources/groups.ts'
import { requireDryRun, SUMMARY_ONLY, YES } from '../../args/dry-run.ts'
import { addExamples } from '../../args/examples.ts'
import { listedIn } from '../../args/names.ts'
import { type Act, type Cli, PACED } from '../../cli.ts'
import { addOutput, printsList } from '../../output/printed.ts'
import { addListOptions, addNameOptions, chooseColumns } from '../verbs/list-options.ts'
import { addGroupItemsImport } from './group-items-import.ts'
import type { MadeLinks, SelectedLinks } from './links.ts'
import { ofUsers, runList } from './list.ts'

/** Holds the flag that lists users, and its help. */
const USERS_FLAG = ['--users <list>', 'users by id, name or e-mail address, separated by commas'] as const

/** Returns every user of a line, and the group items that it lists. */
const selectItems = async (
  client: Client,
  { groupItems, users }: { readonly groupItems: string; readonly users: string },
): Promise<SelectedLinks> => {
  const known = await listedIn(client, 'group_item', '--group-items', groupItems)
  return { known, users: await listedIn(client, 'user', '--users', users) }
}

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
  act(command, (cli, _, options) =>
    runList(cli, userGroupItem, options, 'kpi assign group-items add', (client) =>
      ofUsers(client, options.users, (id) => client.userGroupItems(id).list()),
    ),
  )
}

/** Prints what users have got, or have had. */
const printItems = (cli: Cli, { records }: MadeLinks): Promise<void> =>
  cli.printMany(chooseColumns(userGroupItem, {}, cli.printing().format), records)

const addAddCommand = (group: Command, act: Act): void => {
  const command = group
    .command('add')
    .description('give each of the group items to each of the users; new entries carry them')
    .requiredOption(...ITEMS_FLAG)
    .requiredOption(...USERS_FLAG)
    .option(
      '--onto-entries',
      'put the group items onto the entries of these users, too, from a day on, in few requests (bundled service)',
    )
    .option('--from <day>', 'with --onto-entries: first day of these entries: a date, this-year and the like')
    .option('--dry-run', 'send nothing, and list what would be given')
    .option(...SUMMARY_ONLY)
  addExamples(
    command,
    'assign group-items add --group-items North,South --users 3,ann@example.com',
    'assign group-items add --group-items North --users "Ann Lee" --dry-run',
    'assign group-items add --group-items North --users "Ann Lee" --onto-entries --from 2026-01-01',
  )
  addOutput(command, async () => [
    { of: userGroupItem, isList: true },
    ...(await import('./links.ts')).plannedPrints('assign group-items add'),
  ])
  act(command, async (cli, _, options) => {
    requireDryRun(options)
    const onto = await import('./onto-entries.ts')
    onto.requireFirstDay('onto', options)
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const { runLinks } = await import('./links.ts')
      const adding = { ...(await selectItems(client, options)), command: 'assign group-items add' } as const
      const [groupItems, { users }] = [adding.known, adding]
      const entries = await onto.readItemsOfEntries(cli, client, options, { groupItems, users })
      await runLinks({ cli, client, signal, flags: options }, adding, {
        ...(entries && {
          entries: {
            onto: entries.from,
            foresee: () => onto.foreseeEntries(cli, client, entries),
            put: (run) => onto.changeItemsOfEntries({ cli, client, run, signal }, entries),
          },
        }),
        offer: async ({ records, unchanged }) => {
          const given = new Set(records.flatMap((one) => (unchanged.has(one) ? [] : one['user_id'])))
          if (!cli.io.stderr.isTerminal || given.size === 0) return
          await onto.offerOntoEntries(cli, client, { groupItems, users: users.filter(({ id }) => given.has(id)) })
        },
        tellAlready: async (held) => {
          for (const { user, what } of held) await cli.note(`${user} has ${what} already`)
        },
        print: (made) => printItems(cli, made),
      })
    }
    await cli.withClient({ of: userGroupItem, verb: 'add' }, work, { signal: cli.io.interruption() })
  })
}

const addRemoveCommand = (group: Command, act: Act): void => {
  const command = group
    .command('remove')
    .description('remove group items from users; existing entries keep them, unless --from-entries takes them off')
    .requiredOption(...ITEMS_FLAG)
    .requiredOption(...USERS_FLAG)
    .option(
      '--from-entries',
      'take the group items off the entries of these users, too, from a day on, in few requests (bundled service)',
    )
    .option('--from <day>', 'with --from-entries: first day of these entries: a date, this-year and the like')
    .option('--dry-run', 'send nothing, and say what would be removed')
    .option(...SUMMARY_ONLY)
    .option(...YES)
  addExamples(
    command,
    'assign group-items remove --group-items North --users "Ann Lee" --dry-run',
    'assign group-items remove --group-items North --users "Ann Lee"',
    'assign group-items remove --group-items North --users "Ann Lee" --from-entries --from 2026-01-01',
  )
  addOutput(command, async () => [
    { of: userGroupItem, isList: true },
    ...(await import('./links.ts')).plannedPrints('assign group-items remove'),
  ])
  act(command, async (cli, _, options) => {
    const { yes, dryRun, fromEntries, groupItems, users } = options
    const needs = { of: userGroupItem, verb: 'remove' } as const
    requireDryRun(options)
    const off = await import('./onto-entries.ts')
    off.requireFirstDay('off', options)
    cli.requireCapabilities(needs)
    if (!dryRun && !fromEntries) {
      const { requireConfirmation } = await import('../../args/prompt.ts')
      await requireConfirmation(cli, yes, `remove group items ${groupItems} from users ${users}`, true)
    }
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const { runLinks } = await import('./links.ts')
      const selected = await selectItems(client, options)
      const asked = { groupItems: selected.known, users: selected.users }
      const entries = await off.readItemsOfEntries(cli, client, options, asked)
      const removal = { ...selected, command: 'assign group-items remove', mayLack: entries !== undefined } as const
      await runLinks({ cli, client, signal, flags: options }, removal, {
        ...(entries && {
          entries: {
            onto: entries.from,
            foresee: () => off.foreseeEntries(cli, client, entries),
            put: (run) => off.changeItemsOfEntries({ cli, client, run, signal }, entries),
          },
          question: dryRun ? undefined : await off.askToTakeOff(client, entries),
        }),
        print: (made) => printItems(cli, made),
      })
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
  addGroupItemsImport(items, act)
}
