import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { type Assignment, assignment } from '../../../domain/resources/assignment.ts'
import type { Kpi } from '../../../domain/resources/kpi.ts'
import { hasAnyTarget } from '../../../domain/targets/dated-targets.ts'
import { type AnyRecord, printable, type Resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { idsIn } from '../../args/names.ts'
import { type Act, type Cli, PACED } from '../../cli.ts'
import { printsList } from '../../output/printed.ts'
import { emptyBecause, tellEmpty } from '../../output/short-answer.ts'
import { addListOptions, addNameOptions, listView, type NamedRecords } from '../verbs/list-options.ts'
import { createNames } from '../verbs/reference-names.ts'

/** Defines assignments as tables show them: with the target that counts, and whose it is. */
export const shownAssignment: Resource = {
  ...assignment,
  ...printable(
    assignment.name,
    assignment.title,
    {
      ...assignment.fields,
      target: {
        kind: 'decimal',
        about: 'Target that counts for this user',
        nullable: true,
        inUnitOf: assignment.fields.user_target.inUnitOf,
      },
      target_from: {
        kind: 'choice',
        about: "Whose target it is: the user's own, or the KPI's default",
        nullable: true,
        oneOf: ['user', 'KPI'],
      },
    },
    ['user_id', 'id', 'target', 'target_from', 'sort_order'],
  ),
  // Show only the interface's own fields in csv and json.
  shown: assignment.shown,
}

/**
 * Adds to assignments the target that counts: the user's own, else the KPI's default; none where the KPI has none. A key
 * that may not read KPIs sees only users' own targets.
 */
export const withTargets = async (client: Client, assignments: readonly Assignment[]): Promise<AnyRecord[]> => {
  const kpis = await readIfAllowed(client, client.kpis.list())
  const known = kpis && new Map(kpis.map((kpi: Kpi) => [kpi.id, kpi]))
  return assignments.map((one) => {
    const kpi = known?.get(one.id)
    const [own, usual] = [one.user_target, kpi?.target_default ?? null]
    if (known && !(kpi && hasAnyTarget(kpi))) return { ...one, target: null, target_from: null }
    return { ...one, target: own ?? usual, target_from: own === null ? (usual === null ? null : 'KPI') : 'user' }
  })
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

/** Lists what is read of users, as the options ask for it; `adding` is the command that adds more. */
export const runList = async (
  cli: Cli,
  of: Resource,
  options: Parameters<typeof listView>[1],
  adding: string,
  read: (client: Client) => Promise<readonly AnyRecord[]>,
): Promise<void> => {
  const { columns, select } = listView(of, options, cli.printing().format)
  const work = async (client: Client): Promise<NamedRecords> => {
    const listed = await read(client)
    const names = createNames(client)
    const records = await select(listed, names)
    return { shown: await names.inUnits(columns, cli.printing()), records }
  }
  const { shown, records } = await cli.withClient({ of, verb: 'list' }, work, PACED)
  await cli.printMany(shown, records)
  if (records.length === 0) await tellEmpty(cli, of, emptyBecause(options), `add one with: ${adding}`)
}

/** Adds `kpi assign list` */
export const addListCommand = (group: Command, act: Act): void => {
  const command = addNameOptions(
    addListOptions(
      group
        .command('list')
        .description('list the KPIs of users')
        .option('--users <list>', 'only of these users')
        .option('--kpis <list>', 'only these KPIs'),
    ),
  )
  addExamples(command, 'assign list --users "Ann Lee"', 'assign list --sort user -o csv')
  printsList(command, shownAssignment)
  act(command, (cli, _, options) =>
    runList(cli, shownAssignment, options, 'kpi assign add', async (client) => {
      const kpis = options.kpis === undefined ? undefined : await idsIn(client, 'kpi', '--kpis', options.kpis)
      const assignments = await ofUsers(client, options.users, (id) => client.assignments(id).list())
      return withTargets(
        client,
        assignments.filter(({ id }) => kpis?.includes(id) ?? true),
      )
    }),
  )
}
