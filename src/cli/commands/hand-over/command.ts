import type { Command } from '@commander-js/extra-typings'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import { addExamples } from '../../args/examples.ts'
import type { Act } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { KEEP_HISTORY } from '../targets/target-flags.ts'

/** Declares the flags of `kpi users hand-over`. */
const declareHandOver = (group: Command) =>
  group
    .command('hand-over')
    .description('give the KPIs, own targets and group items of a user to a successor')
    .argument('<name>', 'who leaves: id, name or e-mail address')
    .requiredOption('--to <user>', 'the successor, by id, name or e-mail address')
    .option('--keep', 'leave them with the user who leaves, too')
    .option('--lock-leaver', 'lock the user who leaves, once all is handed over')
    .option(...KEEP_HISTORY)
    .option('--dry-run', 'send nothing, and show what would be done')
    .option(...SUMMARY_ONLY)
    .option('-y, --yes', 'do not ask')

/** Describes the flags of `kpi users hand-over`. */
export type HandOverFlags = ReturnType<ReturnType<typeof declareHandOver>['opts']>

/** Adds `kpi users hand-over` */
export const addHandOver = (group: Command, act: Act): void => {
  const command = declareHandOver(group)
  command.addHelpText(
    'after',
    `
The successor keeps what is there already; where its target differs, that is shown. Entries stay with the user who leaves.
It is taken back by kpi undo with the receipt.`,
  )
  addExamples(
    command,
    'users hand-over ann@example.com --to Bob --dry-run',
    'users hand-over ann@example.com --to Bob --lock-leaver --keep-history --yes',
  )
  addOutput(command, async () => (await import('./hand-over.ts')).handOverPrints)
  act(command, async (cli, [leaver], flags) => {
    requireDryRun(flags)
    return (await import('./hand-over.ts')).runHandOver(cli, leaver, flags)
  })
}
