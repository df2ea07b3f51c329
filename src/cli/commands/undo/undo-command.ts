import { SUMMARY_ONLY, YES } from '../../args/dry-run.ts'
import { addExamples } from '../../args/examples.ts'
import type { Register } from '../../cli.ts'
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
    .argument('[receipt]', 'a receipt that kpi history lists')
    .option('--with-entries', 'also remove the entries of what is removed')
    .option('--dry-run', 'show what would be put back, removed, created again, and left alone')
    .option(...SUMMARY_ONLY)
    .option(...YES)
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
