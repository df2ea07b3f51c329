import type { Command } from '@commander-js/extra-typings'
import type { AccountRecord } from '../../../changes/records/snapshot.ts'
import type { Client } from '../../../client/client.ts'
import { userGroupItem } from '../../../domain/resources/groups.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import { addExamples } from '../../args/examples.ts'
import { idsIn, listedIn } from '../../args/names.ts'
import { type Act, type Cli, PACED } from '../../cli.ts'
import { addOutput, printsList } from '../../output/printed.ts'
import { emptyBecause, isPrintedAsData, tellEmpty } from '../../output/short-answer.ts'
import { addListOptions, addNameOptions, chooseColumns, listView } from '../verbs/list-options.ts'
import { createNames } from '../verbs/reference-names.ts'
import { printAllSent } from '../verbs/send-each.ts'
import { type LinkPlan, makeLinks, namesOfLink, planAsked, type SelectedLinks } from './links.ts'

/** Holds the flag that lists users, and its help. */
const USERS_FLAG = ['--users <list>', 'users by id, name or e-mail address, separated by commas'] as const

/** Returns every user of a line, and the group items that it lists. */
const selectItems = async (
  client: Client,
  { groupItems, users }: { readonly groupItems: string; readonly users: string },
): Promise<SelectedLinks> => {
  const known = await listedIn(client, 'group_item', '--group-items', groupItems)
  return { kind: 'user_group_item', known, users: await listedIn(client, 'user', '--users', users) }
}

/** Returns what the listed users have, or all users. */
export const ofUsers = async <T extends AnyRecord>(
  client: Client,
  users: string | undefined,
  list: (user: number) => Promise<readonly T[]>,
): Promise<T[]> => {
  const all = async (): Promise<number[]> => (await client.users.list()).map(({ id }) => id)
  const ids = await (users === undefined ? all() : idsIn(client, 'user', '--users', users))
  return (await Promise.all(ids.map(list))).flat()
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

const tellAlready = (cli: Cli, record: AccountRecord): Promise<void> => {
  const { what, user } = namesOfLink(record)
  return cli.note(`${user} has ${what} already`)
}

const addAddCommand = (group: Command, act: Act): void => {
  const command = group
    .command('add')
    .description('give each of the group items to each of the users; new entries carry them')
    .requiredOption(...ITEMS_FLAG)
    .requiredOption(...USERS_FLAG)
    .option('--dry-run', 'send nothing, and list what would be given')
    .option(...SUMMARY_ONLY)
  addExamples(
    command,
    'assign group-items add --group-items North,South --users 3,ann@example.com',
    'assign group-items add --group-items North --users "Ann Lee" --dry-run',
  )
  addOutput(command, async () => [
    { of: userGroupItem, isList: true },
    { of: (await import('./planned.ts')).plannedGroupItem, isList: true },
    { of: (await import('../../output/dry-run-counts.ts')).groupItemsAddCounts, isList: false },
  ])
  act(command, async (cli, _, options) => {
    requireDryRun(options)
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const selected = await selectItems(client, options)
      const adding = { ...selected, command: 'assign group-items add', policy: { existing: 'skip' } } as const
      const tellSkipped = async ({ list }: LinkPlan): Promise<void> => {
        for (const { action, record } of list) if (action === 'skip' && record) await tellAlready(cli, record)
      }
      if (options.dryRun) {
        const plan = await planAsked(client, adding, signal)
        await tellSkipped(plan)
        const { printPlannedGroupItems } = await import('./planned.ts')
        return printPlannedGroupItems(cli, client, 'add', plan, options)
      }
      await makeLinks({ cli, client, signal }, adding, {
        confirm: tellSkipped,
        isListed: ({ action }) => action !== 'skip',
        onOutcome: async ({ result, change }) => {
          if (result === 'skip') await tellAlready(cli, change.record)
        },
        print: ({ records, failure }) => printAllSent(cli, userGroupItem, { records, failure }),
      })
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
    .option('--dry-run', 'send nothing, and say what would be removed')
    .option(...SUMMARY_ONLY)
    .option('-y, --yes', 'do not ask')
  addExamples(
    command,
    'assign group-items remove --group-items North --users "Ann Lee" --dry-run',
    'assign group-items remove --group-items North --users "Ann Lee"',
  )
  addOutput(command, async () => [
    { of: userGroupItem, isList: true },
    { of: (await import('./planned.ts')).plannedGroupItem, isList: true },
    { of: (await import('../../output/dry-run-counts.ts')).groupItemsRemoveCounts, isList: false },
  ])
  act(command, async (cli, _, options) => {
    const { yes, dryRun, groupItems, users } = options
    const needs = { of: userGroupItem, verb: 'remove' } as const
    requireDryRun(options)
    cli.requireCapabilities(needs)
    if (!dryRun) {
      const { requireConfirmation } = await import('../../args/prompt.ts')
      await requireConfirmation(cli, yes, `remove group items ${groupItems} from users ${users}`)
    }
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const selected = await selectItems(client, { groupItems, users })
      const removal = { ...selected, command: 'assign group-items remove', isAbsent: true } as const
      if (dryRun) {
        const plan = await planAsked(client, removal, signal)
        const { printPlannedGroupItems } = await import('./planned.ts')
        return printPlannedGroupItems(cli, client, 'remove', plan, options)
      }
      await makeLinks({ cli, client, signal }, removal, {
        onOutcome: async ({ result, change: { record } }) => {
          const { what, user } = namesOfLink(record)
          if (result === 'done') await cli.note(`removed ${what} from ${user}`)
        },
        print: async ({ records, failure }) => {
          if (records.length > 0 && isPrintedAsData(cli))
            await cli.printMany(chooseColumns(userGroupItem, {}, cli.printing().format), records)
          if (failure) throw failure
        },
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
}
