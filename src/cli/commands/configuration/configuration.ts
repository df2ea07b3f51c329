import type { Command } from '@commander-js/extra-typings'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import { addExamples } from '../../args/examples.ts'
import { collect } from '../../args/flags.ts'
import type { Register } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { KEEP_HISTORY } from '../targets/target-flags.ts'
import { addStoreFlag } from '../../target/bundled-store.ts'

const FILE = 'a configuration in YAML, or - for standard input'

const withAccount = (command: Command) =>
  addStoreFlag(command).option('--account <name>', 'the account of the bundled service on this machine')

const withFile = (command: ReturnType<typeof withAccount>) =>
  command.option('--to-file <file>', 'write to this file').option('--force', 'replace a file that is there')

/** Registers `kpi dump` */
export const dump: Register = (command, act) => {
  const declared = withFile(withAccount(command))
  addExamples(declared, 'dump', 'dump --to-file kpi.yaml')
  act(declared, async (cli, _, flags) => (await import('./dump.ts')).runDump(cli, flags), {
    fileFormats: ['yaml'],
  })
}

const PRUNE = 'delete what earlier applies of this file created and it no longer has'

const BY_NAME = [
  '--by-name <section,...>',
  'sections whose new names are meant, also N/A, or one that looks like another',
  collect,
] as const

/** Registers `kpi plan` */
export const plan: Register = (command, act) => {
  const declared = withFile(withAccount(command))
    .argument('<file>', FILE)
    .option('--prune', PRUNE)
    .option(...BY_NAME)
    .option('--exit-code', 'end with exit code 9 if anything would change')
    .option('--summary-only', 'only say how much would change')
  addExamples(declared, 'plan kpi.yaml', 'plan kpi.yaml --exit-code', 'plan kpi.yaml --prune --to-file plan.json')
  addOutput(declared, async () => (await import('./plan.ts')).planPrints)
  act(declared, async (cli, [file], flags) => (await import('./plan.ts')).runPlan(cli, file, flags))
}

/** Registers `kpi apply` */
export const apply: Register = (command, act) => {
  const declared = withAccount(command)
    .argument('<file>', `${FILE}, or a plan that kpi plan has saved`)
    .option('--prune', PRUNE)
    .option(...BY_NAME)
    .option(...KEEP_HISTORY)
    .option('--max-deletes <n>', 'do nothing if more than this many things would be deleted')
    .option('--dry-run', 'send nothing, and show what kpi plan shows')
    .option(...SUMMARY_ONLY)
    .option('-y, --yes', 'do not ask before anything is changed or deleted')
  addExamples(declared, 'apply kpi.yaml', 'apply kpi.yaml --prune --max-deletes 3 --yes', 'apply plan.json')
  addOutput(declared, async () => [
    { of: (await import('./apply.ts')).applySummary, isList: false },
    ...(await import('./plan.ts')).planPrints,
  ])
  act(declared, async (cli, [file], flags) => {
    requireDryRun(flags)
    if (flags.dryRun) return (await import('./plan.ts')).runPlan(cli, file, flags)
    return (await import('./apply.ts')).runApply(cli, file, flags)
  })
}
