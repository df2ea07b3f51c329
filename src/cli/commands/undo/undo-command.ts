import type { Command } from '@commander-js/extra-typings'
import { SUMMARY_ONLY } from '../../args/dry-run.ts'
import { addExamples } from '../../args/examples.ts'
import type { Act, Register } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { addListOptions } from '../verbs/list-options.ts'

/** Registers `kpi history` */
export const history: Register = (command, act) => {
  const declared = addListOptions(command)
  addExamples(declared, 'history', 'history --limit 5', 'history --filter command=apply -o json')
  addOutput(declared, async () => [{ of: (await import('./history.ts')).historyRow, isList: true }])
  act(declared, async (cli, _, flags) => (await import('./history.ts')).printHistory(cli, flags))
}

/** Registers `kpi undo` */
export const undo: Register = (command, act) => {
  const declared = command
    .argument('[receipt]', 'the receipt that the command named; kpi history lists them')
    .option('--with-entries', 'also remove the entries of what is removed')
    .option('--dry-run', 'show what would be put back, removed, created again, and left alone')
    .option(...SUMMARY_ONLY)
    .option('-y, --yes', 'do not ask')
  addExamples(declared, 'undo')
  addOutput(declared, async () => {
    const { ANY_RUN, undoPrints } = await import('./undo.ts')
    return undoPrints(ANY_RUN)
  })
  act(declared, async (cli, [receipt], flags) => {
    const { ANY_RUN, runUndo } = await import('./undo.ts')
    return runUndo(cli, receipt, flags, ANY_RUN)
  })
}

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
    .option('--yes', 'do not ask')

/** Registers `kpi entries undo` */
export const addUndo = (group: Command, act: Act): void => {
  const command = declareUndo(group)
  addExamples(command, 'entries undo')
  addOutput(command, async () => {
    const { IMPORTS, undoPrints } = await import('./undo.ts')
    return undoPrints(IMPORTS)
  })
  act(command, async (cli, [receipt], flags) => {
    const { IMPORTS, runUndo } = await import('./undo.ts')
    return runUndo(cli, receipt, flags, IMPORTS)
  })
}
