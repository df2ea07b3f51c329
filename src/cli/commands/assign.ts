import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { Fault } from '../../domain/errors.ts'
import { valueOfText } from '../../domain/field-value.ts'
import { type Assignment, assignment, type AssignmentPatch } from '../../domain/resources/assignment.ts'
import { asPatch, type FieldValue } from '../../domain/schema.ts'
import type { Act, Register } from '../cli.ts'
import { UsageError } from '../exit.ts'
import type { FlagValues } from '../flags.ts'
import { directoryOf, idsIn } from '../names.ts'
import { addListOptions, applyListOptions, chooseColumns } from '../verbs/list-options.ts'

/** A user and a KPI. */
type Pair = { readonly user: number; readonly kpi: number }

const withPairs = (command: Command): Command =>
  command
    .requiredOption('--kpis <list>', 'KPIs by id or name, with commas between them')
    .requiredOption('--users <list>', 'users by id, name or e-mail address, with commas between them')

const withValues = (command: Command): Command =>
  command
    .option('--target <number>', "the user's own target; an empty one falls back to the KPI's")
    .option('--sort-order <n>', "place on the user's entry screen")

const usersOf = async (client: Client, list: unknown): Promise<number[]> =>
  idsIn(await directoryOf(client, 'user'), String(list))

/** Every user with every KPI. */
const pairsOf = async (client: Client, { kpis, users }: Readonly<Record<string, unknown>>): Promise<Pair[]> => {
  const kpiIds = idsIn(await directoryOf(client, 'kpi'), String(kpis))
  const userIds = await usersOf(client, users)
  return userIds.flatMap((user) => kpiIds.map((kpi) => ({ user, kpi })))
}

/** The target and place that are given; an empty target is none. */
const valuesOf = ({ target, sortOrder }: FlagValues): AssignmentPatch => {
  const values: Record<string, FieldValue> = {}
  const read = (name: 'user_target' | 'sort_order', flag: string, text: unknown): void => {
    if (typeof text !== 'string') return
    const value = valueOfText(assignment.fields[name], text)
    if (value instanceof Fault) throw new UsageError(`${flag} ${value.message}`)
    values[name] = value
  }
  read('user_target', '--target', target)
  read('sort_order', '--sort-order', sortOrder)
  return asPatch(assignment, values)
}

const addListCommand = (group: Command, act: Act): void => {
  const command = group
    .command('list')
    .description('list the KPIs of users')
    .option('--users <list>', 'only of these users')
  act(addListOptions(command), async (cli, _, options) => {
    const records = await cli.withClient(async (client) => {
      const all = async (): Promise<number[]> => (await client.users.list()).map(({ id }) => id)
      const ids = await (options['users'] === undefined ? all() : usersOf(client, options['users']))
      return (await Promise.all(ids.map((id) => client.assignments(id).list()))).flat()
    })
    const columns = chooseColumns(assignment, options, cli.printing().format)
    await cli.printMany(columns, applyListOptions(assignment, records, options))
  })
}

const addAddCommand = (group: Command, act: Act): void => {
  const command = group.command('add').description('assign every one of the KPIs to every one of the users')
  act(withValues(withPairs(command)), async (cli, _, options) => {
    const values = valuesOf(options)
    const added: Assignment[] = []
    await cli.withClient(async (client) => {
      const known = new Map<number, Assignment[]>()
      for (const { user, kpi } of await pairsOf(client, options)) {
        const list = known.get(user) ?? (await client.assignments(user).list())
        known.set(user, list)
        if (list.some(({ id }) => id === kpi)) {
          await cli.note(`KPI ${kpi} is assigned to user ${user} already; kpi assign update changes its target`)
          continue
        }
        const last = Math.max(0, ...list.map(({ sort_order }) => sort_order))
        const made = await client
          .assignments(user)
          .add({ ...values, id: kpi, sort_order: values.sort_order ?? Math.min(last + 1, 32_767) })
        list.push(made)
        added.push(made)
      }
    })
    await cli.printMany(chooseColumns(assignment, {}, cli.printing().format), added)
  })
}

const addUpdateCommand = (group: Command, act: Act): void => {
  const command = group.command('update').description('change the target or place of assignments')
  act(withValues(withPairs(command)), async (cli, _, options) => {
    const values = valuesOf(options)
    if (Object.keys(values).length === 0) throw new UsageError('nothing to change was given: --target or --sort-order')
    const changed = await cli.withClient(async (client) => {
      const records: Assignment[] = []
      for (const { user, kpi } of await pairsOf(client, options)) {
        records.push(await client.assignments(user).update(kpi, values))
      }
      return records
    })
    await cli.printMany(chooseColumns(assignment, {}, cli.printing().format), changed)
  })
}

const addRemoveCommand = (group: Command, act: Act): void => {
  const command = group.command('remove').description('take KPIs from users; what they entered stays')
  act(withPairs(command).option('-y, --yes', 'do not ask'), async (cli, _, options) => {
    const { mustBeWanted } = await import('../prompt.ts')
    await mustBeWanted(
      cli,
      options['yes'],
      `remove KPIs ${String(options['kpis'])} from users ${String(options['users'])}`,
    )
    await cli.withClient(async (client) => {
      for (const { user, kpi } of await pairsOf(client, options)) {
        await client.assignments(user).remove(kpi)
        await cli.note(`removed KPI ${kpi} from user ${user}`)
      }
    })
  })
}

/** `kpi assign …` */
export const assign: Register = (group, act) => {
  addListCommand(group, act)
  addAddCommand(group, act)
  addUpdateCommand(group, act)
  addRemoveCommand(group, act)
}
