import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import type { TargetChange } from '../../../import/history/target-change.ts'
import type { Cli } from '../../cli.ts'
import type { TargetHistory } from './target-history.ts'

/** Holds the flag of commands that change targets, and its help. */
export const KEEP_HISTORY = [
  '--keep-history',
  'before a target changes, write the old one onto the stored entries without their own, so that past reports stay',
] as const

/** Holds the flag that answers the question whether past reports may follow a target, and its help. */
export const FOLLOW_TARGETS = ['-y, --yes', 'do not ask whether past reports may follow a new target'] as const

/** Holds the flags of a command that changes targets. */
export type TargetFlags = { readonly keepHistory?: true | undefined; readonly yes?: true | undefined }

/** Creates what looks after the past of the targets that a command changes. */
export const openTargetHistory = async (
  cli: Cli,
  client: Client,
  { keepHistory, yes }: TargetFlags,
  signal: AbortSignal,
): Promise<TargetHistory> => {
  const { createTargetHistory } = await import('./target-history.ts')
  return createTargetHistory(cli, client, { keeps: keepHistory === true, isConfirmed: yes === true }, signal)
}

/** Looks after the past of targets when records are updated, by flags of its own. */
export type TargetWatch = {
  readonly addFlags: (command: CommandUnknownOpts) => void
  readonly open: typeof openTargetHistory
}

/** Looks after the past of default targets when KPIs are updated. */
export const watchDefaults: TargetWatch = {
  addFlags: (command: CommandUnknownOpts) => void command.option(...KEEP_HISTORY).option(...FOLLOW_TARGETS),
  open: openTargetHistory,
}

/** Returns the change of the target that counts for a user, whose own target changes; null stands for none of their own. */
type ChangeOfUser = (user: number, kpi: number, from: Decimal | null, to: Decimal | null) => Promise<TargetChange>

/** Creates what tells the changes of users' targets; the default target of each KPI is read once. */
export const createChangeOfUser = (client: Client): ChangeOfUser => {
  const defaults = new Map<number, Promise<Decimal | null>>()
  const defaultOf = (id: number): Promise<Decimal | null> => {
    const known = defaults.get(id) ?? client.kpis.get(id).then(({ target_default }) => target_default)
    defaults.set(id, known)
    return known
  }
  return async (user, kpi, from, to) => {
    const usual = await defaultOf(kpi)
    return { user, kpi, from: from ?? usual, to: to ?? usual }
  }
}
