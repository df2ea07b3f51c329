import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import type { Act, Cli } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { isPrintedAsData } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { KEEP_HISTORY, openUserTargets } from '../targets/keep-history.ts'
import type { WayBack } from '../targets/target-history.ts'
import { createNames } from '../verbs/reference-names.ts'
import { sendEach } from '../verbs/send-each.ts'
import type { UserItem } from './group-items.ts'
import type { PlannedPair, PlannedPairs, SummaryOptions } from './planned.ts'
import { addSelection, type AssignSelection, requireSelection, selectedPairs, selectionText } from './selection.ts'

type RemoveOptions = AssignSelection &
  SummaryOptions & {
    readonly dryRun?: true | undefined
    readonly keepHistory?: true | undefined
    readonly yes?: true | undefined
  }

/** Returns how past reports become what they were: the target of an assignment that is gone cannot be set. */
const wayBackFromRemoval: WayBack = (old) =>
  old === undefined
    ? 'to keep past reports as they were, assign the KPIs with the old targets again, then remove them with --keep-history'
    : `to keep past reports at ${old}, assign the KPI with --target ${old} again, then remove it with --keep-history`

/** Prints the assignments that were removed as data; people read them in notes. */
const printRemoved = async (cli: Cli, client: Client, removed: readonly PlannedPair[]): Promise<void> => {
  if (removed.length === 0 || !isPrintedAsData(cli)) return
  const { printChanges } = await import('./planned.ts')
  await printChanges(cli, client, removed)
}

/** Describes a removal: what it is run with, and the assignments that are selected. */
type Removal = {
  readonly cli: Cli
  readonly client: Client
  readonly pairs: readonly UserItem[]
  readonly options: RemoveOptions
  readonly signal: AbortSignal
}

/** Reads the assignments that are to be removed, and says what past reports would show. */
const foresee = async ({ cli, client, pairs, options, signal }: Removal): Promise<PlannedPairs> => {
  const { readPlanned } = await import('./planned.ts')
  const read = await readPlanned(client, pairs, { user_target: null }, 'remove', signal)
  const { history, changeOf } = await openUserTargets(cli, client, options, signal)
  await history.foresee(
    read.planned.map(
      ({ user, id, from }) =>
        () =>
          changeOf(user, id, from, null),
    ),
  )
  return read
}

/** Says what removing would do to past reports, and which assignments would be removed. */
const lookAhead = async (removal: Removal): Promise<void> => {
  const read = await foresee(removal)
  const { printPlannedChanges } = await import('./planned.ts')
  await printPlannedChanges(removal.cli, removal.client, 'remove', read, removal.options)
}

/**
 * Asks whether to remove assignments, and says before that what past reports would show. Leaves it to the removal to
 * refuse what is not assigned, behind the others.
 */
const confirm = async (removal: Removal): Promise<void> => {
  const { cli, pairs, options, signal } = removal
  if (!options.yes && cli.canAsk) {
    const { failure } = await foresee(removal)
    if (failure && signal.aborted) throw failure
  }
  const { requireConfirmation } = await import('../../args/prompt.ts')
  await requireConfirmation(
    cli,
    options.yes,
    `remove ${countOf(pairs.length, 'assignment')} (${selectionText(options)})`,
  )
}

/** Removes the selected assignments, and looks after the past of targets that users had of their own. */
const removePairs = async (cli: Cli, client: Client, options: RemoveOptions, signal: AbortSignal): Promise<void> => {
  const pairs = await selectedPairs(client, options)
  const removal = { cli, client, pairs, options, signal }
  if (options.dryRun) return lookAhead(removal)
  await confirm(removal)
  const { history, changeOf } = await openUserTargets(cli, client, options, signal)
  // Who was asked has read what past reports show.
  const isSaid = !options.yes && !options.keepHistory
  const names = createNames(client)
  const removed: PlannedPair[] = []
  const remove = async ({ user, id: kpi }: UserItem): Promise<AnyRecord> => {
    const [what, whose] = [await names.nameOf('kpi', kpi), await names.nameOf('user', user)]
    const assignments = client.assignments(user)
    const { user_target: from } = await assignments.get(kpi)
    if (!isSaid) await history.before(() => changeOf(user, kpi, from, null))
    await assignments.remove(kpi)
    removed.push({ user, id: kpi, from, to: null })
    await cli.note(`removed ${what} from ${whose}`)
    return {}
  }
  const { failure } = await sendEach(pairs, remove, { signal })
  await history.tell(wayBackFromRemoval)
  await printRemoved(cli, client, removed)
  if (failure) throw failure
}

/** Adds `kpi assign remove` */
export const addRemoveCommand = (group: Command, act: Act): void => {
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
  addOutput(command, async () => [
    { of: (await import('./planned.ts')).plannedChange, isList: true },
    { of: (await import('../../output/dry-run-counts.ts')).assignRemoveCounts, isList: false },
  ])
  act(command, async (cli, _, options) => {
    const needs = { of: assignment, verb: 'remove' } as const
    requireSelection(options)
    requireDryRun(options)
    cli.requireCapabilities(needs)
    const work = (client: Client, signal: AbortSignal): Promise<void> => removePairs(cli, client, options, signal)
    await cli.withClient(needs, work, { signal: cli.io.interruption() })
  })
}
