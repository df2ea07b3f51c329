import type { Command } from '@commander-js/extra-typings'
import { SUMMARY_ONLY, YES } from '../../args/dry-run.ts'
import { addExamples } from '../../args/examples.ts'
import type { Act } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'

const declareUndo = (group: Command) =>
  group
    .command('undo')
    .description(
      'take back an import, row by row, where nothing was changed since: entries get back what they held, those that it created go, and so does what it created with --create-missing; without a receipt, list the receipts',
    )
    .argument('[receipt]', 'the receipt that the import named')
    .option('--with-entries', 'also remove other entries of what is removed')
    .option('--dry-run', 'show what would be put back, removed, and left alone')
    .option(...SUMMARY_ONLY)
    .option(...YES)

/** Registers `kpi entries undo` */
export const addUndo = (group: Command, act: Act): void => {
  const command = declareUndo(group)
  addExamples(command, 'entries undo')
  addOutput(command, async () => {
    const { IMPORTS, undoPrints } = await import('../undo/undo.ts')
    return undoPrints(IMPORTS)
  })
  act(command, async (cli, [receipt], flags) => {
    const { IMPORTS, runUndo } = await import('../undo/undo.ts')
    return runUndo(cli, receipt, flags, IMPORTS)
  })
}
