import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { assignment, type AssignmentPatch } from '../../../domain/resources/assignment.ts'
import { type AnyRecord, asPatch } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { type FieldFlag, type FlagValues, requireNoFaults, readFlags } from '../../args/flags.ts'
import { SUMMARY_ONLY } from '../../args/dry-run.ts'
import { idsIn } from '../../args/names.ts'
import { type Act, type Cli, PACED, type Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { addOutput, printsList } from '../../output/printed.ts'
import { emptyBecause, isPrintedAsData, tellEmpty } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { tellLine } from '../verbs/tell-line.ts'
import { createChangeOfUser, KEEP_HISTORY, openTargetHistory } from '../targets/keep-history.ts'
import { addListOptions, addNameOptions, listView, type NamedRecords } from '../verbs/list-options.ts'
import { createNames } from '../verbs/reference-names.ts'
import { sendEach } from '../verbs/send-each.ts'
import { shownAssignment, withTargets } from './effective-target.ts'
import { addGroupItemCommands, ofUsers, type UserItem } from './group-items.ts'
import { addAssignImport } from './import.ts'
import { type OpenPair, openPairs } from './open-pairs.ts'
import type { PlannedPair, SummaryOptions } from './planned.ts'
import { printAssigned } from './print-assigned.ts'
import {
  addSelection,
  type AssignSelection,
  isSelection,
  requireSelection,
  selectedPairs,
  selectionText,
} from './selection.ts'

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
      group
        .command('list')
        .description('list the KPIs of users')
        .option('--users <list>', 'only of these users')
        .option('--kpis <list>', 'only these KPIs'),
    ),
  )
  addExamples(command, 'assign list --users "Ann Lee"', 'assign list --sort user -o csv')
  printsList(command, shownAssignment)
  act(command, async (cli, _, options) => {
    const { columns, select } = listView(shownAssignment, options, cli.printing().format)
    const work = async (client: Client): Promise<NamedRecords> => {
      const kpis = options.kpis === undefined ? undefined : await idsIn(client, 'kpi', '--kpis', options.kpis)
      const assignments = await ofUsers(client, options.users, (id) => client.assignments(id).list())
      const listed = assignments.filter(({ id }) => kpis?.includes(id) ?? true)
      const names = createNames(client)
      const selected = await select(await withTargets(client, listed), names)
      return { shown: await names.inUnits(columns, cli.printing()), records: selected }
    }
    const { shown, records } = await cli.withClient({ of: assignment, verb: 'list' }, work, PACED)
    await cli.printMany(shown, records)
    if (records.length === 0) await tellEmpty(cli, shownAssignment, emptyBecause(options))
  })
}

/** Returns what a line does not say and is asked for at the terminal. */
const askedFor = async (cli: Cli, client: Client, options: FlagValues): Promise<FlagValues> => {
  if (isSelection(options)) return {}
  const { askAssignment } = await import('./ask-assignment.ts')
  return askAssignment(cli, client, options)
}

const addAddCommand = (group: Command, act: Act): void => {
  const command = withValues(
    addSelection(group.command('add').description('assign each of the KPIs to each of the users')),
  )
    .option('--dry-run', 'send nothing, and list what would be assigned')
    .option(...SUMMARY_ONLY)
  addExamples(
    command,
    'assign add --kpis Revenue,Visits --users ann@example.com',
    'assign add --category Web --users all --dry-run',
    'assign add --kpis all --group Region',
  )
  addOutput(command, async () =>
    [assignment, (await import('./planned.ts')).plannedAssignment].map((of) => ({ of, isList: true })),
  )
  act(command, async (cli, _, options) => {
    const signal = cli.io.interruption()
    if (isSelection(options) || !cli.canAsk) requireSelection(options)
    const work = async (client: Client): Promise<void> => {
      const answers = await askedFor(cli, client, options)
      const given = { ...options, ...answers }
      const values = await valuesOf(client, given)
      const pairs = await openPairs(cli, client, await selectedPairs(client, given), values)
      const [history, changeOf] = [await openTargetHistory(cli, client, options, signal), createChangeOfUser(client)]
      if (options.dryRun) {
        const { printPlannedAssignments } = await import('./planned.ts')
        const to = values.user_target ?? null
        if (to !== null)
          await history.foresee(
            pairs.map(
              ({ user, id }) =>
                () =>
                  changeOf(user, id, null, to),
            ),
          )
        await printPlannedAssignments(cli, client, pairs, values, options)
        return tellLine(cli, command, answers)
      }
      const add = async ({ user, id, place }: OpenPair): Promise<AnyRecord> => {
        const { user_target: target = null } = values
        if (target !== null) await history.before(() => changeOf(user, id, null, target))
        return client.assignments(user).add({ ...values, id, sort_order: values.sort_order ?? place })
      }
      const sent = await sendEach(pairs, add, { signal })
      await history.tell()
      await printAssigned(cli, client, sent, 'assigned')
      await tellLine(cli, command, answers)
    }
    await cli.withClient({ of: assignment, verb: 'add' }, work, { signal })
  })
}

/** Returns assignments as they are, with the target that each would have. */
const readPlanned = async (
  client: Client,
  pairs: readonly UserItem[],
  { user_target }: AssignmentPatch,
): Promise<PlannedPair[]> => {
  const planned: PlannedPair[] = []
  for (const { user, id } of pairs) {
    const { user_target: from } = await client.assignments(user).get(id)
    planned.push({ user, id, from, to: user_target === undefined ? from : user_target })
  }
  return planned
}

const addUpdateCommand = (group: Command, act: Act): void => {
  const command = withValues(
    addSelection(group.command('update').description('change the target or the place of assignments')),
  )
    .option('--dry-run', 'send nothing, and say what would change')
    .option(...SUMMARY_ONLY)
  addExamples(command, 'assign update --kpis Revenue --users "Ann Lee" --target 120')
  addOutput(command, async () =>
    [assignment, (await import('./planned.ts')).plannedChange].map((of) => ({ of, isList: true })),
  )
  act(command, async (cli, _, options) => {
    requireSelection(options)
    const signal = cli.io.interruption()
    const work = async (client: Client): Promise<void> => {
      const values = await valuesOf(client, options)
      if (Object.keys(values).length === 0)
        throw new UsageError('nothing to change was given: --target or --sort-order')
      const [history, changeOf] = [await openTargetHistory(cli, client, options, signal), createChangeOfUser(client)]
      const pairs = await selectedPairs(client, options)
      if (options.dryRun) {
        const planned = await readPlanned(client, pairs, values)
        const to = values.user_target
        if (to !== undefined)
          await history.foresee(
            planned.map(
              ({ user, id, from }) =>
                () =>
                  changeOf(user, id, from, to),
            ),
          )
        const { printPlannedChanges } = await import('./planned.ts')
        return printPlannedChanges(cli, client, 'update', planned, options)
      }
      const update = async ({ user, id }: UserItem): Promise<AnyRecord> => {
        const assignments = client.assignments(user)
        const { user_target: target } = values
        if (target !== undefined) {
          await history.before(async () => changeOf(user, id, (await assignments.get(id)).user_target, target))
        }
        return assignments.update(id, values)
      }
      const sent = await sendEach(pairs, update, { signal })
      await history.tell()
      await printAssigned(cli, client, sent, 'updated')
    }
    await cli.withClient({ of: assignment, verb: 'update' }, work, { signal })
  })
}

/** Prints the assignments that were removed as data; people read them in notes. */
const printRemoved = async (cli: Cli, client: Client, removed: readonly PlannedPair[]): Promise<void> => {
  if (removed.length === 0 || !isPrintedAsData(cli)) return
  const { printChanges } = await import('./planned.ts')
  await printChanges(cli, client, removed)
}

/** Removes the selected assignments, and looks after the past of targets that users had of their own. */
const removePairs = async (
  cli: Cli,
  client: Client,
  options: AssignSelection & SummaryOptions & { readonly dryRun?: true | undefined; readonly yes?: true | undefined },
  signal: AbortSignal,
): Promise<void> => {
  const [history, changeOf] = [await openTargetHistory(cli, client, options, signal), createChangeOfUser(client)]
  const pairs = await selectedPairs(client, options)
  if (options.dryRun) {
    const planned = await readPlanned(client, pairs, { user_target: null })
    await history.foresee(
      planned.map(
        ({ user, id, from }) =>
          () =>
            changeOf(user, id, from, null),
      ),
    )
    const { printPlannedChanges } = await import('./planned.ts')
    return printPlannedChanges(cli, client, 'remove', planned, options)
  }
  const { requireConfirmation } = await import('../../args/prompt.ts')
  await requireConfirmation(
    cli,
    options.yes,
    `remove ${countOf(pairs.length, 'assignment')} (${selectionText(options)})`,
  )
  const names = createNames(client)
  const removed: PlannedPair[] = []
  try {
    for (const { user, id: kpi } of pairs) {
      const [what, whose] = [await names.nameOf('kpi', kpi), await names.nameOf('user', user)]
      const assignments = client.assignments(user)
      const { user_target: from } = await assignments.get(kpi)
      await history.before(() => changeOf(user, kpi, from, null))
      await assignments.remove(kpi)
      removed.push({ user, id: kpi, from, to: null })
      await cli.note(`removed ${what} from ${whose}`)
    }
    await history.tell()
  } finally {
    await printRemoved(cli, client, removed)
  }
}

const addRemoveCommand = (group: Command, act: Act): void => {
  const command = addSelection(group.command('remove').description('remove KPIs from users; their entries stay'))
    .option(...KEEP_HISTORY)
    .option('--dry-run', 'send nothing, and say what would be removed')
    .option(...SUMMARY_ONLY)
    .option('-y, --yes', 'do not ask')
  addExamples(
    command,
    'assign remove --kpis Revenue --users ann@example.com --dry-run',
    'assign remove --kpis Revenue --users ann@example.com --keep-history',
  )
  addOutput(command, async () => [{ of: (await import('./planned.ts')).plannedChange, isList: true }])
  act(command, async (cli, _, options) => {
    const needs = { of: assignment, verb: 'remove' } as const
    requireSelection(options)
    cli.requireCapabilities(needs)
    const signal = cli.io.interruption()
    await cli.withClient(needs, (client) => removePairs(cli, client, options, signal), { signal })
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
