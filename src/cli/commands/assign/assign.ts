import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { type AnyRecord, asPatch } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { type FieldFlag, type FlagValues, requireNoFaults, readFlags } from '../../args/flags.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import { idsIn } from '../../args/names.ts'
import { type Act, type Cli, PACED, type Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { addOutput, printsList } from '../../output/printed.ts'
import { emptyBecause, tellEmpty } from '../../output/short-answer.ts'
import { tellLine } from '../verbs/tell-line.ts'
import { FOLLOW_TARGETS, KEEP_HISTORY } from '../targets/keep-history.ts'
import { openChangedTargets } from '../targets/target-changes.ts'
import { addListOptions, addNameOptions, listView, type NamedRecords } from '../verbs/list-options.ts'
import { createNames } from '../verbs/reference-names.ts'
import { isThereAlready, settleAlready, tellAlready } from './assigned-already.ts'
import { shownAssignment, withTargets } from './effective-target.ts'
import { addGroupItemCommands, ofUsers } from './group-items.ts'
import { addAssignImport } from './import.ts'
import { changesOf, makeLinks, planAsked } from './links.ts'
import { printAssigned } from './print-assigned.ts'
import { addRemoveCommand } from './remove.ts'
import { addSelection, isSelection, requireSelection, selectLinks } from './selection.ts'

const withValues = <Arguments extends unknown[], Flags extends OptionValues>(command: Command<Arguments, Flags>) =>
  command
    .option('--target <number>', "the user's own target; an empty one falls back to the KPI's")
    .option('--sort-order <n>', "place on the user's entry screen")
    .option(...KEEP_HISTORY)
    .option(...FOLLOW_TARGETS)

const { user_target, sort_order } = assignment.fields
const VALUES: readonly FieldFlag[] = [
  { flag: 'target', name: 'user_target', field: user_target },
  { flag: 'sort-order', name: 'sort_order', field: sort_order },
]

/** Returns the given target and place; an empty target means none. */
const valuesOf = async (client: Client, flags: FlagValues): Promise<AnyRecord> =>
  requireNoFaults(await readFlags(client, VALUES, flags))

const targetIn = (values: AnyRecord): Decimal | null | undefined => asPatch(assignment, values).user_target

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
    if (records.length === 0)
      await tellEmpty(cli, shownAssignment, emptyBecause(options), 'add one with: kpi assign add')
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
  addOutput(command, async () => [
    { of: assignment, isList: true },
    { of: (await import('./planned.ts')).plannedAssignment, isList: true },
    { of: (await import('../../output/dry-run-counts.ts')).assignAddCounts, isList: false },
  ])
  act(command, async (cli, _, options) => {
    requireDryRun(options)
    if (isSelection(options) || !cli.canAsk) requireSelection(options)
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const answers = await askedFor(cli, client, options)
      const given = { ...options, ...answers }
      const values = await valuesOf(client, given)
      const selected = await selectLinks(client, given)
      const adding = { ...selected, command: 'assign add', values, policy: { existing: 'skip' } } as const
      const targets = await openChangedTargets(cli, client, options, signal)
      if (options.dryRun) {
        const { printPlannedAssignments } = await import('./planned.ts')
        const plan = await planAsked(client, adding, signal)
        await settleAlready(cli, plan, targetIn(values))
        await targets.foresee(changesOf(plan))
        await printPlannedAssignments(cli, client, plan, options)
        return tellLine(cli, command, answers)
      }
      await makeLinks({ cli, client, signal }, adding, {
        targets,
        confirm: async (plan) => {
          await settleAlready(cli, plan, targetIn(values))
          await targets.confirm(async () => changesOf(plan))
        },
        isListed: (one) => !isThereAlready(one),
        onOutcome: async ({ result, change }) => {
          if (result === 'skip') await tellAlready(cli, change.record)
        },
        print: (made) => printAssigned(cli, client, made, 'assigned'),
      })
      await tellLine(cli, command, answers)
    }
    await cli.withClient({ of: assignment, verb: 'add' }, work, { signal: cli.io.interruption() })
  })
}

const addUpdateCommand = (group: Command, act: Act): void => {
  const command = withValues(
    addSelection(group.command('update').description('change the target or the place of assignments')),
  )
    .option('--dry-run', 'send nothing, and say what would change')
    .option(...SUMMARY_ONLY)
  addExamples(command, 'assign update --kpis Revenue --users "Ann Lee" --target 120')
  addOutput(command, async () => [
    { of: assignment, isList: true },
    { of: (await import('./planned.ts')).plannedChange, isList: true },
    { of: (await import('../../output/dry-run-counts.ts')).assignUpdateCounts, isList: false },
  ])
  act(command, async (cli, _, options) => {
    requireSelection(options)
    requireDryRun(options)
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const values = await valuesOf(client, options)
      if (Object.keys(values).length === 0)
        throw new UsageError('nothing to change was given: --target or --sort-order')
      const selected = await selectLinks(client, options)
      const updating = { ...selected, command: 'assign update', values, policy: { onlyExisting: true } } as const
      const targets = await openChangedTargets(cli, client, options, signal)
      if (options.dryRun) {
        const { printPlannedChanges } = await import('./planned.ts')
        const plan = await planAsked(client, updating, signal)
        await targets.foresee(changesOf(plan))
        return printPlannedChanges(cli, client, plan, { verb: 'update', values }, options)
      }
      await makeLinks({ cli, client, signal }, updating, {
        targets,
        confirm: (plan) => targets.confirm(async () => changesOf(plan)),
        print: (made) => printAssigned(cli, client, made, 'updated'),
      })
    }
    await cli.withClient({ of: assignment, verb: 'update' }, work, { signal: cli.io.interruption() })
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
