import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { addExamples } from '../../args/examples.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import type { Act } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { isPrintedAsData } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { KEEP_HISTORY } from '../targets/keep-history.ts'
import { openChangedTargets } from '../targets/target-changes.ts'
import type { WayBack } from '../targets/target-history.ts'
import { changesOf, type LinkRun, makeLinks, namesOfLink, planAsked } from './links.ts'
import type { SummaryOptions } from './planned.ts'
import { addSelection, type AssignSelection, requireSelection, selectionText, selectLinks } from './selection.ts'

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

/** Holds the values of what is removed: no target. */
const NOTHING = { user_target: null }

/** Removes the selected assignments, and looks after the past of targets that users had of their own. */
const removeSelected = async (run: LinkRun, options: RemoveOptions): Promise<void> => {
  const { cli, client, signal } = run
  const { printChanges, printPlannedChanges } = await import('./planned.ts')
  const selected = await selectLinks(client, options)
  const removal = { ...selected, command: 'assign remove', isAbsent: true } as const
  const targets = await openChangedTargets(cli, client, options, signal)
  if (options.dryRun) {
    const plan = await planAsked(client, removal, signal)
    await targets.foresee(changesOf(plan))
    return printPlannedChanges(cli, client, plan, { verb: 'remove', values: NOTHING }, options)
  }
  const { requireConfirmation } = await import('../../args/prompt.ts')
  await makeLinks(run, removal, {
    targets,
    wayBack: wayBackFromRemoval,
    confirm: async (plan) => {
      if (!options.yes && cli.canAsk) await targets.foresee(changesOf(plan))
      const count = countOf(selected.users.length * selected.known.length, 'assignment')
      await requireConfirmation(cli, options.yes, `remove ${count} (${selectionText(options)})`)
    },
    onOutcome: async ({ result, change: { record } }) => {
      const { what, user } = namesOfLink(record)
      if (result === 'done') await cli.note(`removed ${what} from ${user}`)
    },
    print: async ({ records, failure }) => {
      if (records.length > 0 && isPrintedAsData(cli)) await printChanges(cli, client, records, NOTHING)
      if (failure) throw failure
    },
  })
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
    const work = (client: Client, signal: AbortSignal): Promise<void> =>
      removeSelected({ cli, client, signal }, options)
    await cli.withClient(needs, work, { signal: cli.io.interruption() })
  })
}
