import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { formatDay } from '../../../domain/day.ts'
import { type Decimal, formatDecimal } from '../../../domain/decimal.ts'
import { KpiError } from '../../../domain/errors.ts'
import { type Assignment, assignment } from '../../../domain/resources/assignment.ts'
import { type AnyRecord, asPatch, asRecord } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { type FieldFlag, type FlagValues, requireNoFaults, readFlags } from '../../args/flags.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import { tellLine } from '../../args/tell-line.ts'
import { type Act, type Cli, type Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { isForPeople } from '../../output/print.ts'
import { addOutput } from '../../output/printed.ts'
import { isShort } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { FOLLOW_TARGETS, FROM_DAY, KEEP_HISTORY } from '../targets/target-flags.ts'
import { nameRecords } from '../verbs/list-options.ts'
import { createNames } from '../verbs/reference-names.ts'
import { addGroupItemCommands } from './group-items.ts'
import { addAssignImport } from './import.ts'
import type { DatedValues } from '../targets/from-day.ts'
import type { GivenTarget, HeldLink, MadeLinks } from './links.ts'
import { addListCommand, shownAssignment, withTargets } from './list.ts'
import { addRemoveCommand } from './remove.ts'
import { addSelection, type AssignSelection, isSelection, requireSelection, selectLinks } from './selection.ts'

const withValues = <Arguments extends unknown[], Flags extends OptionValues>(command: Command<Arguments, Flags>) =>
  command
    .option('--target <number>', "the user's own target; an empty one falls back to the KPI's")
    .option(...FROM_DAY)
    .option('--sort-order <n>', "place on the user's entry screen")
    .option(...KEEP_HISTORY)
    .option(...FOLLOW_TARGETS)

const { user_target, sort_order } = assignment.fields
const VALUES: readonly FieldFlag[] = [
  { flag: 'target', name: 'user_target', field: user_target },
  { flag: 'sort-order', name: 'sort_order', field: sort_order },
]

/** Returns the given target and place; an empty target means none. */
const valuesOf = async (cli: Cli, client: Client, flags: FlagValues & AssignSelection): Promise<AnyRecord> => {
  const kpis = async (): Promise<number[]> => (await selectLinks(client, flags)).known.map(({ id }) => id)
  return requireNoFaults(await readFlags(client, VALUES, flags, { kpis, note: (text) => cli.note(text) }))
}

/** Returns those values, and the change of a day that the target is with `--from`. */
const datedValuesOf = async (cli: Cli, client: Client, flags: FlagValues & AssignSelection): Promise<DatedValues> => {
  const { readDatedValues } = await import('../targets/from-day.ts')
  return readDatedValues(cli, client, flags['from'], await valuesOf(cli, client, flags), {
    name: 'user_target',
    flag: '--target',
  })
}

/** Sets how many assignments are told one by one. */
const TOLD_EACH = 10

/** Says in notes what was assigned: each assignment, or how many they are. */
const tellAssigned = async (
  cli: Cli,
  client: Client,
  assigned: readonly Assignment[],
  done: 'assigned' | 'updated',
): Promise<void> => {
  if (assigned.length === 0) return
  if (assigned.length > TOLD_EACH) return cli.note(`${done} ${countOf(assigned.length, 'KPI', 'KPIs')} of users`)
  const names = createNames(client)
  for (const { user_id, id } of assigned) {
    const [kpi, user] = [await names.nameOf('kpi', id), await names.nameOf('user', user_id)]
    await cli.note(done === 'assigned' ? `assigned ${kpi} to ${user}` : `updated ${kpi} of ${user}`)
  }
}

/**
 * Prints the assignments that were sent, and those that needed no change, with names and the targets that count in a
 * table, or at a terminal says what was done. What was sent is printed even if no names can be read.
 */
const printAssigned = async (
  cli: Cli,
  client: Client,
  { records, unchanged }: MadeLinks,
  done: 'assigned' | 'updated',
): Promise<void> => {
  const assigned = records.map((record) => asRecord(assignment, record))
  const isTable = isForPeople(cli.printing().format)
  const print = async (): Promise<void> => {
    if (isShort(cli)) {
      const changed = assigned.filter((_, at) => !unchanged.has(records[at] ?? {}))
      await tellAssigned(cli, client, changed, done)
      if (unchanged.size > 0) await cli.note(`${countOf(unchanged.size, 'assignment')} unchanged`)
      return
    }
    if (!isTable) return cli.printMany(assignment.shown, records)
    const named = await nameRecords(client, shownAssignment, await withTargets(client, assigned), {}, cli.printing())
    return cli.printMany(named.shown, named.records)
  }
  await print().catch((error: unknown) => {
    if (!(error instanceof KpiError)) throw error
    return cli.printMany(assignment.brief, records)
  })
}

/** Sets up to how many assignments are named one by one. */
const FEW = 5

const alreadyText = ({ what, user }: HeldLink): string => `${what} is assigned to ${user} already`

const hasNoTarget = ({ record: { above } }: HeldLink): boolean => {
  const { target_default, targets = null } = above['kpi']?.stored ?? {}
  return target_default === null && targets === null
}

/** Returns the error for assignments that have another target than is given: adding would not set it. */
const otherTargetError = async (held: readonly HeldLink[], given: GivenTarget, what: string): Promise<KpiError> => {
  const { targetHeld } = await import('./links.ts')
  const targetText = (target: Decimal | null, one: HeldLink): string => {
    if (target !== null) return formatDecimal(target)
    return hasNoTarget(one) ? 'none' : 'that of the KPI'
  }
  const labels = held.slice(0, FEW).map((one) => {
    const change = [targetHeld(one, given), given.target].map((target) => targetText(target, one))
    const day = given.from === undefined ? '' : ` from ${formatDay(given.from)} on`
    return `${alreadyText(one)} with another target${day}: ${change.join(' → ')}`
  })
  const more = held.length > FEW ? ` (and ${held.length - FEW} more)` : ''
  const { adviceOnTargets } = await import('../../../reading/entries/notes.ts')
  const lacking = new Set(held.filter(hasNoTarget).map(({ what }) => what))
  const steps = [
    ...adviceOnTargets([...lacking]),
    ...(held.every(hasNoTarget) ? [] : ['kpi assign update changes targets']),
  ]
  return new KpiError('conflict', `${labels.join('; ')}${more}; ${what}; ${steps.join('; ')}`)
}

/** Says which assignments are there already, or how many. */
const tellAlready = async (cli: Cli, held: readonly HeldLink[]): Promise<void> => {
  if (held.length > FEW) return cli.note(`${held.length} are assigned already; kpi assign update changes their targets`)
  for (const one of held) await cli.note(`${alreadyText(one)}; kpi assign update changes its target`)
}

/** Returns what a line does not say and is asked for at the terminal. */
const askedFor = async (cli: Cli, client: Client, options: FlagValues): Promise<FlagValues> => {
  if (isSelection(options)) return {}
  const { askAssignment } = await import('./ask-assignment.ts')
  return askAssignment(cli, client, options)
}

/** Adds `kpi assign add` */
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
    ...(await import('./links.ts')).plannedPrints('assign add'),
  ])
  act(command, async (cli, _, options) => {
    requireDryRun(options)
    if (isSelection(options) || !cli.canAsk) requireSelection(options)
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const answers = await askedFor(cli, client, options)
      const given = { ...options, ...answers }
      const { values, datedTargets } = await datedValuesOf(cli, client, given)
      const target = asPatch(assignment, values).user_target
      const adding = { ...(await selectLinks(client, given)), command: 'assign add', values, datedTargets } as const
      const { hasTarget, runLinks } = await import('./links.ts')
      await runLinks({ cli, client, signal, flags: options }, adding, {
        requireSame: async (held, what) => {
          const [dated] = datedTargets ?? []
          const asked: GivenTarget | undefined = dated ?? (target === undefined ? undefined : { target })
          const others = asked ? held.filter((one) => !hasTarget(one, asked)) : []
          if (asked && others.length > 0) throw await otherTargetError(others, asked, what)
        },
        tellAlready: (held) => tellAlready(cli, held),
        print: (made) => printAssigned(cli, client, made, 'assigned'),
      })
      await tellLine(cli, command, answers)
    }
    await cli.withClient({ of: assignment, verb: 'add' }, work, { signal: cli.io.interruption() })
  })
}

/** Adds `kpi assign update` */
const addUpdateCommand = (group: Command, act: Act): void => {
  const command = withValues(
    addSelection(group.command('update').description('change the target or the place of assignments')),
  )
    .option('--dry-run', 'send nothing, and say what would change')
    .option(...SUMMARY_ONLY)
  addExamples(command, 'assign update --kpis Revenue --users "Ann Lee" --target 120')
  addOutput(command, async () => [
    { of: assignment, isList: true },
    ...(await import('./links.ts')).plannedPrints('assign update'),
  ])
  act(command, async (cli, _, options) => {
    requireSelection(options)
    requireDryRun(options)
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const { values, datedTargets } = await datedValuesOf(cli, client, options)
      if (Object.keys(values).length === 0 && !datedTargets)
        throw new UsageError('nothing to change was given: --target or --sort-order')
      const updating = {
        ...(await selectLinks(client, options)),
        command: 'assign update',
        values,
        datedTargets,
      } as const
      const { runLinks } = await import('./links.ts')
      await runLinks({ cli, client, signal, flags: options }, updating, {
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
