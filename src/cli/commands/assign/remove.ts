import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { addExamples } from '../../args/examples.ts'
import { requireDryRun, SUMMARY_ONLY, YES } from '../../args/dry-run.ts'
import type { Act } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { countOf } from '../../output/text.ts'
import { KEEP_HISTORY } from '../targets/target-flags.ts'
import type { WayBack } from '../targets/target-history.ts'
import { addSelection, requireSelection, selectionText, selectLinks } from './selection.ts'

/** Returns how past reports become what they were: the target of an assignment that is gone cannot be set. */
const wayBackFromRemoval: WayBack = (old) =>
  old === undefined
    ? 'to keep past reports as they were, assign the KPIs with the old targets again, then remove them with --keep-history'
    : `to keep past reports at ${old}, assign the KPI with --target ${old} again, then remove it with --keep-history`

/** Adds `kpi assign remove` */
export const addRemoveCommand = (group: Command, act: Act): void => {
  const command = addSelection(group.command('remove').description('remove KPIs from users; their entries stay'))
    .option(...KEEP_HISTORY)
    .option('--dry-run', 'send nothing, and say what would be removed')
    .option(...SUMMARY_ONLY)
    .option(...YES)
  addExamples(
    command,
    'assign remove --kpis Revenue --users ann@example.com --dry-run',
    'assign remove --kpis Revenue --users ann@example.com --keep-history',
  )
  addOutput(command, async () => (await import('./links.ts')).plannedPrints('assign remove'))
  act(command, async (cli, _, options) => {
    const needs = { of: assignment, verb: 'remove' } as const
    requireSelection(options)
    requireDryRun(options)
    cli.requireCapabilities(needs)
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const { printRemoved, runLinks } = await import('./links.ts')
      const selected = await selectLinks(client, options)
      const count = countOf(selected.users.length * selected.known.length, 'assignment')
      const removal = { ...selected, command: 'assign remove' } as const
      await runLinks({ cli, client, signal, flags: options }, removal, {
        question: `remove ${count} (${selectionText(options)})`,
        wayBack: wayBackFromRemoval,
        print: ({ records }) => printRemoved(cli, client, records),
      })
    }
    await cli.withClient(needs, work, { signal: cli.io.interruption() })
  })
}
