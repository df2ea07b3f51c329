import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import { KpiError } from '../../../domain/errors.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { SUMMARY_ONLY } from '../../args/dry-run.ts'
import type { Act, Cli } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { isPrintedAsData } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { createChangeOfUser, KEEP_HISTORY, openTargetHistory } from '../targets/keep-history.ts'
import type { TargetHistory, WayBack } from '../targets/target-history.ts'
import { createNames } from '../verbs/reference-names.ts'
import { sendEach } from '../verbs/send-each.ts'
import type { UserItem } from './group-items.ts'
import type { PlannedPair, SummaryOptions } from './planned.ts'
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

/** Returns the user's own target; undefined if there is no such assignment. */
const ownTarget = async (client: Client, { user, id }: UserItem): Promise<Decimal | null | undefined> => {
  try {
    return (await client.assignments(user).get(id)).user_target
  } catch (error) {
    if (error instanceof KpiError && error.code === 'not_found') return undefined
    throw error
  }
}

/** Asks whether to remove assignments, and says before that what past reports would show. */
const confirm = async (
  cli: Cli,
  client: Client,
  pairs: readonly UserItem[],
  options: RemoveOptions,
  history: TargetHistory,
): Promise<void> => {
  if (!options.yes && cli.canAsk) {
    const changeOf = createChangeOfUser(client)
    await history.foresee(
      pairs.map((pair) => async () => {
        const from = await ownTarget(client, pair)
        return from === undefined ? undefined : changeOf(pair.user, pair.id, from, null)
      }),
    )
  }
  const { requireConfirmation } = await import('../../args/prompt.ts')
  await requireConfirmation(
    cli,
    options.yes,
    `remove ${countOf(pairs.length, 'assignment')} (${selectionText(options)})`,
  )
}

/** Says what removing would do to past reports, and which assignments would be removed. */
const lookAhead = async (
  cli: Cli,
  client: Client,
  pairs: readonly UserItem[],
  options: RemoveOptions,
  history: TargetHistory,
): Promise<void> => {
  const changeOf = createChangeOfUser(client)
  const { printPlannedChanges, readPlanned } = await import('./planned.ts')
  const planned = await readPlanned(client, pairs, { user_target: null })
  await history.foresee(
    planned.map(
      ({ user, id, from }) =>
        () =>
          changeOf(user, id, from, null),
    ),
  )
  await printPlannedChanges(cli, client, 'remove', planned, options)
}

/** Removes the selected assignments, and looks after the past of targets that users had of their own. */
const removePairs = async (cli: Cli, client: Client, options: RemoveOptions, signal: AbortSignal): Promise<void> => {
  const pairs = await selectedPairs(client, options)
  const [history, changeOf] = [await openTargetHistory(cli, client, options, signal), createChangeOfUser(client)]
  if (options.dryRun) return lookAhead(cli, client, pairs, options, history)
  await confirm(cli, client, pairs, options, history)
  const names = createNames(client)
  const removed: PlannedPair[] = []
  const remove = async ({ user, id: kpi }: UserItem): Promise<AnyRecord> => {
    const [what, whose] = [await names.nameOf('kpi', kpi), await names.nameOf('user', user)]
    const assignments = client.assignments(user)
    const { user_target: from } = await assignments.get(kpi)
    await history.before(() => changeOf(user, kpi, from, null))
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
  addOutput(command, async () => [{ of: (await import('./planned.ts')).plannedChange, isList: true }])
  act(command, async (cli, _, options) => {
    const needs = { of: assignment, verb: 'remove' } as const
    requireSelection(options)
    cli.requireCapabilities(needs)
    const signal = cli.io.interruption()
    await cli.withClient(needs, (client) => removePairs(cli, client, options, signal), { signal })
  })
}
