import type { Cli } from '../../cli.ts'
import { untilDeadline } from '../../args/deadline.ts'
import { EXIT, type ExitCode } from '../../exit.ts'
import { inTurns } from '../../output/print.ts'
import { CHANGED_FIELD, PLANNED, printDryRunCounts, printPlan } from '../../output/plan.ts'
import { dryRunCounts } from '../../output/summary.ts'
import { learnAccount } from '../../target/service-of.ts'
import { pathWord } from '../../output/text.ts'
import { type AccountFlags, withTarget } from './account.ts'
import { type NotInInput, recordsNotInInput } from '../../../changes/plan/not-in-input.ts'
import type { Printed } from '../../output/printed.ts'
import { printable } from '../../../domain/schema.ts'
import { type FileFlags, readyFile, STDOUT, writeOutput } from '../../files/named-output.ts'
import {
  prepare,
  type Prepared,
  readSource,
  requireMeantDeletes,
  type SourceFlags,
  tellPlan,
  tellRest,
} from './prepare.ts'
import { readMade } from './made.ts'
import { writePlan } from './saved-plan.ts'
import { openTargetHistory } from '../targets/target-flags.ts'

/** Describes the flags of `kpi plan`. */
type PlanFlags = AccountFlags &
  FileFlags &
  SourceFlags & {
    readonly exitCode?: true | undefined
    readonly summaryOnly?: true | undefined
    /** Tells that it is the dry run of an apply, which is refused as the apply would be. */
    readonly dryRun?: true | undefined
    readonly keepHistory?: true | undefined
  }

/** Defines a row of a plan: what is done to a field. */
const planRow = printable('plan_row', 'row of a plan', {
  action: { kind: 'text', about: 'create, update or delete' },
  section: { kind: 'text', about: 'Section of the file' },
  name: PLANNED.name,
  ...CHANGED_FIELD,
})

const planCounts = dryRunCounts('plan', 'Records', ['created', 'updated', 'deleted', 'unchanged'], {
  not_in_file: {
    kind: 'integer',
    about: "Records of the account that the file's sections do not have, and that would be left alone",
  },
})

/** Lists what a plan prints. */
export const planPrints: readonly Printed[] = [
  { of: planRow, isList: true },
  { of: planCounts, isList: false },
]

/** Prints a row for each change, or the counts alone. */
const printChanges = async (
  cli: Cli,
  { rows, counts }: Prepared,
  rest: readonly NotInInput[],
  { summaryOnly }: PlanFlags,
): Promise<void> => {
  const beside = rest.reduce((sum, { records }) => sum + records.length, 0)
  if (summaryOnly) return printDryRunCounts(cli, planCounts, { ...counts, not_in_file: beside })
  await untilDeadline(cli.io, cli.flags.deadline, ({ signal }) => printPlan(cli, planRow, inTurns(rows, signal)))
}

/** Runs `kpi plan`: says what an apply would do. */
export const runPlan = async (cli: Cli, file: string, flags: PlanFlags): Promise<ExitCode> => {
  const source = { ...(await readSource(cli, file, flags)), tellsRest: true } as const
  await readyFile(cli, flags)
  const signal = cli.io.interruption()
  const { prepared, planned, rest } = await withTarget(cli, flags, source.configuration, signal, async (target) => {
    const { client, service } = target
    await learnAccount(client)
    const account = target.accountName()
    const { path, prune, byName, text, saved } = source
    const prepared = await prepare(cli, target, source, () => readMade(cli.io, { service, account, source: path }))
    const { changes } = prepared.plan
    await tellPlan(cli, prepared)
    const rest = recordsNotInInput(prepared.snapshot, source.configuration.sections.keys(), changes)
    await tellRest(cli, source, rest)
    const deleting = prepared.counts.deleted > 0 ? await import('./deletes.ts') : undefined
    await deleting?.tellDeletes(cli, client, changes)
    await deleting?.tellKept(cli, client, prepared)
    if (flags.dryRun) await requireMeantDeletes(client, source, prepared)
    await (await openTargetHistory(cli, client, flags, signal)).foresee(changes)
    const deletes = flags.toFile === undefined ? [] : ((await deleting?.plannedDeletes(client, changes)) ?? [])
    const configuration = saved?.configuration ?? text
    const planned = { service, account, file: path, prune, byName, configuration, rows: prepared.rows, deletes }
    return { prepared, planned, rest }
  })
  const { toFile } = flags
  if (toFile !== undefined) await writeOutput(cli, toFile, writePlan(planned))
  if (toFile !== undefined && toFile !== STDOUT)
    await cli.note(`the plan is in ${toFile}: kpi apply ${pathWord(toFile)}`)
  // Where the plan itself goes to standard output, nothing else does.
  if (toFile !== STDOUT) await printChanges(cli, prepared, rest, flags)
  return flags.exitCode && prepared.plan.changes.length > 0 ? EXIT.differences : EXIT.done
}
