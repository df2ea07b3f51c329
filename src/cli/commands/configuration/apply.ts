import { countChanges } from '../changes/plan-rows.ts'
import { nounOf, type Snapshot } from '../../../changes/records/snapshot.ts'
import { readEarlier } from '../../../changes/send/continue-run.ts'
import { settleLeftDoubles } from '../../../changes/send/doubles.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { printSummary, summary } from '../../output/summary.ts'
import { countOf } from '../../output/text.ts'
import { beginRun } from '../../target/runs.ts'
import { learnAccount } from '../../target/service-of.ts'
import { makeChanges } from '../changes/make-changes.ts'
import { keepRun } from '../changes/recorded-run.ts'
import { startMeter } from '../entries/import/import-job.ts'
import { openTargetHistory } from '../targets/target-flags.ts'
import type { TargetHistory } from '../targets/target-history.ts'
import { type AccountFlags, type Target, withTarget } from './account.ts'
import {
  prepare,
  type Prepared,
  readSource,
  requireMeantDeletes,
  type Source,
  type SourceFlags,
  tellPlan,
} from './prepare.ts'
import { readMade } from './made.ts'

const DATED_INSTEAD =
  'here targets: [ { from: DAY, target: N } ] in the file gives a target a first day, and writes nothing onto entries'

/** Defines the summary of an apply. */
export const applySummary = summary('apply_summary', 'summary of an apply', 'Records', [
  'created',
  'updated',
  'deleted',
  'unchanged',
  'left',
])

/** Describes the flags of `kpi apply`. */
type ApplyFlags = AccountFlags &
  SourceFlags & {
    readonly yes?: true | undefined
    readonly keepHistory?: true | undefined
  }

/** Describes an apply under way: its account and its file, what was planned, and what is kept of it. */
type Apply = {
  readonly cli: Cli
  readonly target: Target
  readonly source: Source
  readonly flags: ApplyFlags
  readonly prepared: Prepared
  readonly run: RunRecord
  readonly history: TargetHistory
  readonly signal: AbortSignal
}

/** Asks before anything is deleted. */
const confirmDeletes = async ({ cli, target: { client }, source, prepared, flags }: Apply): Promise<void> => {
  const { changes } = prepared.plan
  const things = countOf(prepared.counts.deleted, 'thing')
  const { deletesText, tellDeletes, tellKept } = await import('./deletes.ts')
  await tellKept(cli, client, prepared)
  if (flags.yes) return tellDeletes(cli, client, changes)
  const { requireConfirmation } = await import('../../args/prompt.ts')
  const what = `delete ${things} that ${source.name} no longer has: ${await deletesText(client, changes)}`
  await requireConfirmation(cli, flags.yes, what, true)
}

/** Asks at a terminal before anything is changed, and says what past reports would show; a saved plan was looked at. */
const confirm = async (apply: Apply): Promise<void> => {
  const { cli, source, prepared, flags, history } = apply
  const { changes } = prepared.plan
  const isAsking = cli.canAsk && !flags.yes && changes.length > 0 && !source.saved
  if (isAsking) await history.foresee(changes)
  if (prepared.counts.deleted > 0) return confirmDeletes(apply)
  if (!isAsking) return
  const { askForYes } = await import('../../args/prompt.ts')
  await askForYes(cli, changes.length === 1 ? 'make this change' : `make these ${changes.length} changes`)
}

/** Sends what is planned; `end` notes that all is sent, also where some was refused. */
const sendPlan = async (
  { cli, target, prepared, run, history, signal }: Apply,
  measure: () => AnyRecord,
  end: () => void,
): Promise<void> => {
  const { plan, snapshot, counts } = prepared
  await history.requireKeepable(plan.changes.filter(({ record }) => record.kind.name === 'kpi'))
  const { done, unchanged, left, isWhole, failure } = await makeChanges(cli, {
    account: target,
    snapshot,
    plan,
    run,
    signal,
    before: (change, noteEntries) => history.before(change, noteEntries),
    onRemoved: ({ record }) =>
      cli.note(
        `another machine created the ${nounOf(record)} at the same moment: it is ${record.id} now, and made what the file says`,
      ),
  })
  if (isWhole) end()
  await history.tell(undefined, DATED_INSTEAD)
  const counted = { ...countChanges(done, counts.unchanged + unchanged), left, ...measure(), receipt: run.receipt }
  await printSummary(cli, applySummary, counted, failure ? 'stopped' : 'applied')
  if (failure) throw failure
}

/** Runs `kpi apply`: makes an account what a file says. */
export const runApply = async (cli: Cli, file: string, flags: ApplyFlags): Promise<void> => {
  const source = await readSource(cli, file, flags)
  cli.io.stdout.outlast()
  await withTarget(cli, flags, source.configuration, cli.io.interruption(), async (target, signal) => {
    const { client, service } = target
    const measure = startMeter(cli.io, client)
    await learnAccount(client)
    const { io } = cli
    const begun = { command: 'apply', service, account: target.accountName(), source: source.path, content: '' }
    const run = beginRun(io, begun)
    await keepRun(cli, run, async (end) => {
      const { configuration } = source
      const onWarning = (text: string): void => void cli.log.warn(text)
      const looking = { account: target, run, desired: configuration.desired, signal, onWarning }
      const settle = (snapshot: Snapshot): Promise<boolean> => settleLeftDoubles(looking, snapshot)
      const prepared = await prepare(cli, target, source, () => readMade(io, begun), settle)
      const earlier = readEarlier(run)
      for (const one of prepared.plan.planned) earlier.settle(one)
      await tellPlan(cli, prepared)
      await requireMeantDeletes(client, source, prepared)
      const history = await openTargetHistory(cli, client, flags, signal)
      const apply: Apply = { cli, target, source, flags, prepared, run, history, signal }
      await confirm(apply)
      await sendPlan(apply, measure, end)
    })
  })
}
