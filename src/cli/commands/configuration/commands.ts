import type { Command, OptionValues } from '@commander-js/extra-typings'
import { addExamples } from '../../args/examples.ts'
import type { Register } from '../../cli.ts'

/** Adds the flags that say what a plan holds. */
const addPlanFlags = <Arguments extends unknown[], Flags extends OptionValues>(command: Command<Arguments, Flags>) =>
  command
    .option('--prune', 'also delete what an earlier run of this file created and the file no longer names')
    .option('--max-deletes <n>', 'refuse to delete more than this')
    .option('--summary-only', 'print only the counts')

/** Registers `kpi plan` */
export const plan: Register = (group, act) => {
  const command = addPlanFlags(group.argument('<file>', 'the configuration, or - for standard input'))
    .option('--to-file <file>', 'keep the plan, for kpi apply --plan')
    .option('--force', 'replace the file of --to-file')
    .option('--exit-code', 'end with 9 if anything would change')
  addExamples(command, 'plan kpi-setup.yaml', 'plan kpi-setup.yaml --exit-code --summary-only')
  act(command, async (cli, [file], flags) => (await import('./run.ts')).runPlan(cli, file, flags))
}

/** Registers `kpi apply` */
export const apply: Register = (group, act) => {
  const command = addPlanFlags(group.argument('<file>', 'the configuration, or - for standard input'))
    .option('--plan <file>', 'only if exactly the changes of this kept plan are made')
    .option('-y, --yes', 'do not ask before anything is deleted')
  addExamples(command, 'apply kpi-setup.yaml', 'apply kpi-setup.yaml --prune --max-deletes 3 --yes')
  act(command, async (cli, [file], flags) => (await import('./run.ts')).runApply(cli, file, flags))
}

/** Registers `kpi dump` */
export const dump: Register = (group, act) => {
  const command = group
    .option('--to-file <file>', 'write it to a file instead of standard output')
    .option('--force', 'replace the file')
  addExamples(command, 'dump', 'dump --to-file kpi-setup.yaml')
  act(command, async (cli, _, flags) => (await import('./run.ts')).runDump(cli, flags))
}
