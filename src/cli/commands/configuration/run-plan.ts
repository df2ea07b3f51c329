import type { Cli } from '../../cli.ts'
import { untilDeadline } from '../../args/deadline.ts'
import { EXIT } from '../../exit.ts'
import { planCounts, printDryRunCounts } from '../../output/dry-run-counts.ts'
import { isForPeople } from '../../output/print.ts'
import { pathWord } from '../../output/text.ts'
import { openTargetHistory } from '../targets/keep-history.ts'
import { type AccountFlags, learnAccount, withTarget } from './account.ts'
import { planRow } from '../../../changes/print/plan-rows.ts'
import { type FileFlags, readyFile, STDOUT, writeOutput } from './output-file.ts'
import { prepare, type Prepared, readSource, type SourceFlags } from './prepare.ts'
import { type Made, readMade } from './read-applied.ts'
import { writePlan } from './saved-plan.ts'
import { plannedDeletes, tellDeletes, tellKept, tellPlan } from './tell-plan.ts'

/** Describes the flags of `kpi plan`. */
type PlanFlags = AccountFlags &
  FileFlags &
  SourceFlags & {
    readonly exitCode?: true | undefined
    readonly summaryOnly?: true | undefined
  }

/** Prints a row for each change, or the counts alone; for people nothing is printed where there are none. */
const printPlan = async (cli: Cli, { rows, counts }: Prepared, { summaryOnly }: PlanFlags): Promise<void> => {
  if (summaryOnly) return printDryRunCounts(cli, planCounts, counts)
  if (rows.length > 0 || !isForPeople(cli.printing().format))
    await untilDeadline(cli.io, cli.flags.deadline, ({ signal }) => cli.printMany(planRow.shown, rows, signal))
}

/** Runs `kpi plan`: says what an apply would do. */
export const runPlan = async (cli: Cli, file: string, flags: PlanFlags): Promise<number> => {
  const source = await readSource(cli, file, flags)
  await readyFile(cli, flags)
  const { prepared, service, account, deletes } = await withTarget(
    cli,
    flags,
    source.configuration,
    cli.io.interruption(),
    async (target) => {
      await learnAccount(target)
      const { service } = target
      const account = target.accountName()
      const readMadeBefore = (): Made[] => readMade(cli.io, { service, account, source: source.path })
      const prepared = await prepare(cli, target, source, readMadeBefore)
      await tellPlan(cli, prepared)
      await tellDeletes(cli, target.client, prepared)
      if (prepared.counts.deleted > 0) await tellKept(cli, target.client, prepared)
      const history = await openTargetHistory(cli, target.client, {}, cli.io.interruption())
      await history.foresee(prepared.plan.changes)
      const isSaved = flags.toFile !== undefined
      const deletes = isSaved ? await plannedDeletes(target.client, prepared.plan.changes) : []
      return { prepared, service, account, deletes }
    },
  )
  const { rows, counts } = prepared
  if (flags.toFile !== undefined) {
    const configuration = source.saved?.configuration ?? source.text
    const saved = {
      service,
      account,
      file: source.path,
      prune: source.prune,
      byName: source.byName,
      configuration,
      rows,
      deletes,
    }
    await writeOutput(cli, flags.toFile, writePlan(saved))
    if (flags.toFile !== STDOUT) await cli.note(`the plan is in ${flags.toFile}: kpi apply ${pathWord(flags.toFile)}`)
  }
  // Where the plan itself goes to standard output, nothing else does.
  if (flags.toFile !== STDOUT) await printPlan(cli, prepared, flags)
  return flags.exitCode && counts.created + counts.updated + counts.deleted > 0 ? EXIT.differences : EXIT.done
}
