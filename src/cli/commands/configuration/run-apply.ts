import type { Client } from '../../../client/client.ts'
import { KpiError } from '../../../domain/errors.ts'
import { type AnyRecord, resource } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printSummary } from '../../output/summary.ts'
import { countOf } from '../../output/text.ts'
import { startMeter } from '../entries/import/import-job.ts'
import { openTargetHistory } from '../targets/keep-history.ts'
import type { TargetHistory } from '../targets/target-history.ts'
import { sendEach } from '../verbs/send-each.ts'
import { type AccountFlags, learnAccount, withTarget } from './account.ts'
import { type Change, countChanges } from './planning/changes.ts'
import { prepare, type Prepared, readSource, type Source, type SourceFlags } from './prepare.ts'
import { type ApplyRecord, openRecord, recordPath } from './record.ts'
import { createSending } from './send.ts'
import { createTargetChanges } from './target-changes.ts'
import { nounOf, type Thing } from './planning/things.ts'
import type { Target } from './target.ts'
import { requireNoMoreDeleted } from './saved-plan.ts'
import { deletesText, plannedDeletes, tellDeletes, tellKept, tellPlan } from './tell-plan.ts'

/** Defines the summary of an apply. */
export const applySummary = resource({
  name: 'apply_summary',
  plural: 'apply_summaries',
  title: 'summary of an apply',
  path: '',
  verbs: [],
  fields: {
    created: { kind: 'integer', about: 'Things that were created' },
    updated: { kind: 'integer', about: 'Things that were changed' },
    deleted: { kind: 'integer', about: 'Things that were deleted' },
    unchanged: { kind: 'integer', about: 'Things that were as the file says' },
    left: { kind: 'integer', about: 'Changes that were not made' },
    requests: { kind: 'integer', about: 'Requests that were answered' },
    refused: { kind: 'integer', about: 'Requests that were refused because of the rate limit, and sent again' },
    waited: { kind: 'decimal', about: 'Seconds that requests waited for the rate limit' },
    seconds: { kind: 'decimal', about: 'How long it took' },
  },
})

const WORDS = {
  created: ['created', 'created'],
  updated: ['updated', 'updated'],
  deleted: ['deleted', 'deleted'],
  unchanged: ['unchanged', 'unchanged'],
} as const

/** Describes the flags of `kpi apply`. */
type ApplyFlags = AccountFlags &
  SourceFlags & {
    readonly maxDeletes?: string | undefined
    readonly yes?: true | undefined
    readonly keepHistory?: true | undefined
  }

const readMost = (text: string | undefined): number => {
  if (text === undefined) return Infinity
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`--max-deletes ${text} is not a whole number`)
}

/** Refuses too many deletes, and asks before any. */
const confirmDeletes = async (
  cli: Cli,
  client: Client,
  name: string,
  prepared: Prepared,
  flags: ApplyFlags,
): Promise<void> => {
  const {
    plan,
    counts: { deleted },
  } = prepared
  if (deleted > readMost(flags.maxDeletes))
    throw new KpiError(
      'conflict',
      `${countOf(deleted, 'thing')} would be deleted, more than --max-deletes ${flags.maxDeletes}; nothing was done`,
    )
  await tellKept(cli, client, prepared)
  if (flags.yes) return tellDeletes(cli, client, prepared)
  const { requireConfirmation } = await import('../../args/prompt.ts')
  await requireConfirmation(
    cli,
    flags.yes,
    `delete ${countOf(deleted, 'thing')} that ${name} no longer has: ${await deletesText(client, plan.changes)}`,
  )
}

/** Asks at a terminal before anything is changed, and says what past reports would show; a saved plan was looked at. */
const confirm = async (
  cli: Cli,
  client: Client,
  { name, saved }: Source,
  prepared: Prepared,
  flags: ApplyFlags,
  history: TargetHistory,
): Promise<void> => {
  const { changes } = prepared.plan
  const isAsking = cli.canAsk && !flags.yes && changes.length > 0 && !saved
  if (isAsking) {
    const targetChangeOf = createTargetChanges(client)
    await history.foresee(changes.map((change) => () => targetChangeOf(change)))
  }
  if (prepared.counts.deleted > 0) return confirmDeletes(cli, client, name, prepared, flags)
  if (!isAsking) return
  const { askForYes } = await import('../../args/prompt.ts')
  await askForYes(cli, changes.length === 1 ? 'make this change' : `make these ${changes.length} changes`)
}

const PROGRESS_MS = 30_000

/** Returns sending that notes from time to time how far it is. */
const withProgress = <T>(cli: Cli, total: number, send: (change: Change) => Promise<T>): typeof send => {
  let [done, told] = [0, cli.io.uptime()]
  return async (change) => {
    const sent = await send(change)
    done += 1
    if (cli.io.uptime() - told >= PROGRESS_MS) {
      told = cli.io.uptime()
      await cli.log.note(`${done} of ${countOf(total, 'change')} made`, 'progress', { done, total })
    }
    return sent
  }
}

/** Returns sending that looks after past reports before a target changes. */
const keepingTargets = <T>(
  client: Client,
  history: TargetHistory,
  send: (change: Change) => Promise<T>,
): typeof send => {
  const targetChangeOf = createTargetChanges(client)
  return async (change) => {
    await history.before(() => targetChangeOf(change))
    return send(change)
  }
}

/** Holds what measures an apply, and stops it. */
type Course = { readonly measure: () => AnyRecord; readonly signal: AbortSignal }

const sendChanges = async (
  cli: Cli,
  target: Target,
  { plan: { changes, unchanged }, things }: Prepared,
  record: ApplyRecord,
  history: TargetHistory,
  { measure, signal }: Course,
): Promise<void> => {
  const targetChangeOf = createTargetChanges(target.client)
  const defaults = changes.filter(({ thing }) => thing.kind.name === 'kpi')
  await history.requireKeepable(defaults.map((change) => () => targetChangeOf(change)))
  const removed = new Set<Thing>()
  const onRemoved = async (thing: Thing): Promise<void> => {
    removed.add(thing)
    const again = 'run the same command again to make it what the file says'
    await cli.note(`another machine created the ${nounOf(thing)} at the same moment: it is ${thing.id} now; ${again}`)
  }
  const sending = createSending({ target, things, record, changes, signal, onRemoved })
  const make = keepingTargets(target.client, history, sending)
  const { done, failure } = await sendEach(changes, withProgress(cli, changes.length, make), { signal })
  await history.tell()
  const kept = done.filter(({ action, thing }) => action !== 'create' || !removed.has(thing))
  const counts = countChanges(kept, unchanged + done.length - kept.length)
  const summary = { ...counts, left: changes.length - done.length, ...measure() }
  await printSummary(cli, applySummary, summary, failure ? 'stopped' : 'applied', WORDS)
  if (failure) throw failure
}

/** Runs `kpi apply`: makes an account what a file says. */
export const runApply = async (cli: Cli, file: string, flags: ApplyFlags): Promise<void> => {
  readMost(flags.maxDeletes)
  const source = await readSource(cli, file, flags)
  cli.io.stdout.outlast()
  await withTarget(cli, flags, source.configuration, cli.io.interruption(), async (target, signal) => {
    const measure = startMeter(cli.io, target.client)
    await learnAccount(target)
    const record = openRecord(recordPath(cli.io, target.service, target.account(), source.file))
    try {
      const prepared = await prepare(cli, target, source, source.prune ? record.made() : [])
      await tellPlan(cli, prepared)
      const { saved } = source
      if (saved) requireNoMoreDeleted(saved, await plannedDeletes(target.client, prepared.plan.changes))
      const history = await openTargetHistory(cli, target.client, flags, signal)
      await confirm(cli, target.client, source, prepared, flags, history)
      await sendChanges(cli, target, prepared, record, history, { measure, signal })
    } finally {
      record.close()
    }
  })
}
