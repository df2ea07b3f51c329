import type { Client } from '../../../client/client.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import { KpiError } from '../../../domain/errors.ts'
import { keepTargets } from '../../../import/history/keep-targets.ts'
import { entriesFollowing, type TargetChange } from '../../../import/history/target-change.ts'
import type { Cli } from '../../cli.ts'
import { countOf } from '../../output/text.ts'

/** Bounds how many entries are read of a service over the network only to count them. */
const MOST_COUNTED = 10_000
/** Bounds for how many changes the entries are counted over the network: each takes a request or more. */
const MOST_CHANGES = 50

/** Looks after the past when targets change: keeps it, or says what becomes of it. */
export type TargetHistory = {
  /** Keeps or counts the entries that follow a change, if it is one; to be awaited before the change is sent. */
  readonly before: (read: () => Promise<TargetChange | undefined>) => Promise<void>
  /** Says at the end what was kept, or what past reports show now. */
  readonly tell: () => Promise<void>
}

/** Describes entries that follow changes: how many there are, and whether there are more. */
type Following = { count: number; isMore: boolean }

const counting = async (client: Client, change: TargetChange, seen: Following): Promise<void> => {
  let count = 0
  for await (const page of entriesFollowing(client, change)) {
    count += page.length
    if (client.isBundled() || count < MOST_COUNTED) continue
    seen.isMore = true
    break
  }
  seen.count += count
}

const targetText = (target: bigint | null): string => (target === null ? 'no target' : formatDecimal(target))

/** Returns the changes that are counted, as they are told: `100 instead of 90`, or that there are several. */
const changeText = ([only, ...others]: readonly TargetChange[]): string =>
  only && others.length === 0 ? `${targetText(only.to)} instead of ${targetText(only.from)}` : 'the new targets'

const entriesText = ({ count, isMore }: Following): string =>
  count === 0
    ? 'there may be stored entries without a target of their own'
    : `${isMore ? 'at least ' : ''}${countOf(count, 'stored entry has', 'stored entries have')} no target of ${count === 1 ? 'its' : 'their'} own`

/** Creates what looks after the past of targets; `keeps` writes today's targets onto stored entries first. */
export const createTargetHistory = (
  { note, log }: Pick<Cli, 'note' | 'log'>,
  client: Client,
  keeps: boolean,
  signal: AbortSignal,
): TargetHistory => {
  const made: TargetChange[] = []
  const seen: Following = { count: 0, isMore: false }
  let kept = 0
  const look = async (read: () => Promise<TargetChange | undefined>): Promise<void> => {
    const change = await read()
    if (!change || change.from === change.to) return
    made.push(change)
    if (keeps && change.from !== null) kept += await keepTargets(client, change, signal)
    else if (client.isBundled() || made.length <= MOST_CHANGES) await counting(client, change, seen)
    else seen.isMore = true
  }
  const before = async (read: () => Promise<TargetChange | undefined>): Promise<void> => {
    try {
      await look(read)
    } catch (error) {
      // Counting is a courtesy: a target may be changed by those who may not read entries.
      if (keeps || !(error instanceof KpiError)) throw error
      if (error.code !== 'not_found') seen.isMore = true
    }
  }
  const tell = async (): Promise<void> => {
    if (kept > 0) await note(`${countOf(kept, 'stored entry', 'stored entries')} got the target that counted until now`)
    if (seen.count === 0 && !seen.isMore) return
    const them = seen.count === 1 && !seen.isMore ? 'it' : 'them'
    const unkept = keeps ? made.filter(({ from }) => from === null) : made
    const how = keeps
      ? 'an entry cannot say that it has no target'
      : `--keep-history first writes the old target onto ${them}`
    await log.note(`${entriesText(seen)}: past reports show ${changeText(unkept)} for ${them}; ${how}`)
  }
  return { before, tell }
}
