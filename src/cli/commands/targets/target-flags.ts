import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { Cli } from '../../cli.ts'
import type { TargetHistory } from './target-history.ts'

/** Holds the flag of commands that change targets, and its help. */
export const KEEP_HISTORY = [
  '--keep-history',
  'before a target changes, write the old one onto the stored entries without their own, so that past reports stay',
] as const

/** Holds the flag that says on which day a target begins, and its help. */
export const FROM_DAY = [
  '--from <day>',
  'first day of the new target, such as 2027-01-01 or 2027; days before keep theirs, and an empty target ends it',
] as const

/** Holds the flag that answers the question whether past reports may follow a target, and its help. */
export const FOLLOW_TARGETS = ['-y, --yes', 'do not ask whether past reports may follow a new target'] as const

/** Holds the flags of a command that changes targets. */
export type TargetFlags = { readonly keepHistory?: true | undefined; readonly yes?: true | undefined }

/** Creates what looks after the past of the targets that a command changes. */
export const openTargetHistory = async (
  cli: Cli,
  client: Client,
  flags: TargetFlags,
  signal: AbortSignal,
): Promise<TargetHistory> => {
  const { TargetHistory: History } = await import('./target-history.ts')
  return new History(cli, client, flags, signal)
}

/** Looks after the past of targets when records are updated, by flags of its own. */
export type TargetWatch = {
  readonly addFlags: (command: CommandUnknownOpts) => void
  readonly open: typeof openTargetHistory
}

/** Looks after the past of default targets when KPIs are updated. */
export const watchDefaults: TargetWatch = {
  addFlags: (command: CommandUnknownOpts) =>
    void command
      .option(...FROM_DAY)
      .option(...KEEP_HISTORY)
      .option(...FOLLOW_TARGETS),
  open: openTargetHistory,
}
