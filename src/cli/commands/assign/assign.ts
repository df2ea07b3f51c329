import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { INT16_MAX } from '../../../domain/field-value.ts'
import { assignment, type AssignmentPatch } from '../../../domain/resources/assignment.ts'
import { type AnyRecord, asPatch } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { type FieldFlag, type FlagValues, requireNoFaults, readFlags } from '../../args/flags.ts'
import { type Act, type Cli, PACED, type Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printsList } from '../../output/printed.ts'
import { createChangeOfUser, KEEP_HISTORY, openTargetHistory } from '../targets/keep-history.ts'
import { addListOptions, addNameOptions, listView } from '../verbs/list-options.ts'
import { createNames, type Names } from '../verbs/reference-names.ts'
import { sendEach } from '../verbs/send-each.ts'
import { shownAssignment, withTargets } from './effective-target.ts'
import { addGroupItemCommands, type Assignable, ofUsers, type UserItem, listPairs, USERS_FLAG } from './group-items.ts'
import { addAssignImport } from './import.ts'
import { printAssigned } from './print-assigned.ts'

const KPIS: Assignable = { kind: 'kpi', flag: 'kpis' }
const KPIS_FLAG = ['--kpis <list>', 'KPIs by id or name, separated by commas'] as const

const withValues = <Arguments extends unknown[], Flags extends OptionValues>(command: Command<Arguments, Flags>) =>
  command
    .option('--target <number>', "the user's own target; an empty one falls back to the KPI's")
    .option('--sort-order <n>', "place on the user's entry screen")
    .option(...KEEP_HISTORY)

const { user_target, sort_order } = assignment.fields
const VALUES: readonly FieldFlag[] = [
  { flag: 'target', name: 'user_target', field: user_target },
  { flag: 'sort-order', name: 'sort_order', field: sort_order },
]

/** Returns the given target and place; an empty target means none. */
const valuesOf = async (client: Client, flags: FlagValues): Promise<AssignmentPatch> =>
  asPatch(assignment, requireNoFaults(await readFlags(client, VALUES, flags)))

const addListCommand = (group: Command, act: Act): void => {
  const command = addNameOptions(
    addListOptions(
      group.command('list').description('list the KPIs of users').option('--users <list>', 'only of these users'),
    ),
  )
  addExamples(command, 'assign list --users "Ann Lee"', 'assign list --sort user -o csv')
  printsList(command, shownAssignment)
  act(command, async (cli, _, options) => {
    const { columns, select } = listView(shownAssignment, options, cli.printing().format)
    const work = async (client: Client): Promise<AnyRecord[]> => {
      const assignments = await ofUsers(client, options.users, (id) => client.assignments(id).list())
      return select(await withTargets(client, assignments), createNames(client))
    }
    const records = await cli.withClient({ of: assignment, verb: 'list' }, work, PACED)
    await cli.printMany(columns, records)
  })
}

/** Names a KPI and its user: `Revenue is assigned to Ann Lee`. */
const pairLabel = async (names: Names, user: number, kpi: number): Promise<string> =>
  `${await names.nameOf('kpi', kpi)} is assigned to ${await names.nameOf('user', user)}`

/** Describes a pair that is not assigned yet, with its place. */
type OpenPair = UserItem & { readonly place: number }

/** Returns the pairs that are not assigned yet, each with the place after the last of its user. */
const openPairs = async (cli: Cli, client: Client, pairs: readonly UserItem[]): Promise<OpenPair[]> => {
  const open: OpenPair[] = []
  const names = createNames(client)
  for (const [user, own] of Map.groupBy(pairs, (pair) => pair.user)) {
    const held = await client.assignments(user).list()
    let place = Math.max(0, ...held.map((one) => one.sort_order))
    for (const { id: kpi } of own) {
      if (held.some((one) => one.id === kpi)) {
        await cli.note(`${await pairLabel(names, user, kpi)} already; kpi assign update changes its target`)
      } else open.push({ user, id: kpi, place: (place = Math.min(place + 1, INT16_MAX)) })
    }
  }
  return open
}

const addAddCommand = (group: Command, act: Act): void => {
  const command = withValues(
    group
      .command('add')
      .description('assign each of the KPIs to each of the users')
      .requiredOption(...KPIS_FLAG)
      .requiredOption(...USERS_FLAG),
  )
  addExamples(command, 'assign add --kpis Revenue,Visits --users ann@example.com --target 100')
  printsList(command, assignment)
  act(command, async (cli, _, options) => {
    const signal = cli.io.interruption()
    const work = async (client: Client): Promise<void> => {
      const values = await valuesOf(client, options)
      const pairs = await openPairs(cli, client, await listPairs(client, KPIS, options.kpis, options.users))
      const [history, changeOf] = [await openTargetHistory(cli, client, options, signal), createChangeOfUser(client)]
      const add = async ({ user, id, place }: OpenPair): Promise<AnyRecord> => {
        const { user_target: target = null } = values
        if (target !== null) await history.before(() => changeOf(user, id, null, target))
        return client.assignments(user).add({ ...values, id, sort_order: values.sort_order ?? place })
      }
      const sent = await sendEach(pairs, add, { signal })
      await history.tell()
      await printAssigned(cli, client, sent, 'assigned')
    }
    await cli.withClient({ of: assignment, verb: 'add' }, work, { signal })
  })
}

const addUpdateCommand = (group: Command, act: Act): void => {
  const command = withValues(
    group
      .command('update')
      .description('change the target or the place of assignments')
      .requiredOption(...KPIS_FLAG)
      .requiredOption(...USERS_FLAG),
  )
  addExamples(command, 'assign update --kpis Revenue --users "Ann Lee" --target 120')
  printsList(command, assignment)
  act(command, async (cli, _, options) => {
    const signal = cli.io.interruption()
    const work = async (client: Client): Promise<void> => {
      const values = await valuesOf(client, options)
      if (Object.keys(values).length === 0)
        throw new UsageError('nothing to change was given: --target or --sort-order')
      const [history, changeOf] = [await openTargetHistory(cli, client, options, signal), createChangeOfUser(client)]
      const update = async ({ user, id }: UserItem): Promise<AnyRecord> => {
        const assignments = client.assignments(user)
        const { user_target: target } = values
        if (target !== undefined) {
          await history.before(async () => changeOf(user, id, (await assignments.get(id)).user_target, target))
        }
        return assignments.update(id, values)
      }
      const sent = await sendEach(await listPairs(client, KPIS, options.kpis, options.users), update, { signal })
      await history.tell()
      await printAssigned(cli, client, sent, 'updated')
    }
    await cli.withClient({ of: assignment, verb: 'update' }, work, { signal })
  })
}

const addRemoveCommand = (group: Command, act: Act): void => {
  const command = group
    .command('remove')
    .description('remove KPIs from users; their entries stay')
    .requiredOption(...KPIS_FLAG)
    .requiredOption(...USERS_FLAG)
    .option('-y, --yes', 'do not ask')
  addExamples(command, 'assign remove --kpis Revenue --users ann@example.com')
  act(command, async (cli, _, options) => {
    const needs = { of: assignment, verb: 'remove' } as const
    cli.requireCapabilities(needs)
    const { requireConfirmation } = await import('../../args/prompt.ts')
    await requireConfirmation(cli, options.yes, `remove KPIs ${options.kpis} from users ${options.users}`)
    const work = async (client: Client): Promise<void> => {
      const names = createNames(client)
      for (const { user, id: kpi } of await listPairs(client, KPIS, options.kpis, options.users)) {
        const [what, whose] = [await names.nameOf('kpi', kpi), await names.nameOf('user', user)]
        await client.assignments(user).remove(kpi)
        await cli.note(`removed ${what} from ${whose}`)
      }
    }
    await cli.withClient(needs, work, PACED)
  })
}

/** Registers `kpi assign …` */
export const assign: Register = (group, act) => {
  addListCommand(group, act)
  addAddCommand(group, act)
  addUpdateCommand(group, act)
  addRemoveCommand(group, act)
  addAssignImport(group, act)
  addGroupItemCommands(group, act)
}
