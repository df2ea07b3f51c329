import type { Client } from '../../../client/client.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import type { Entry } from '../../../domain/resources/entry.ts'
import { KpiError } from '../../../domain/errors.ts'
import { keepTargets } from '../../../import/history/keep-targets.ts'
import { entriesFollowing, isClearing, type TargetChange } from '../../../import/history/target-change.ts'
import type { Cli } from '../../cli.ts'
import { countOf } from '../../output/text.ts'

/** Bounds how many entries are read of a service over the network only to count them. */
const MOST_COUNTED = 10_000
/** Bounds for how many changes the entries are counted over the network: each takes a request or more. */
const MOST_CHANGES = 50

/** Says how past reports become what they were; `old` is the one target that they showed, if there is only one. */
export type WayBack = (old: string | undefined) => string

/** Looks after the past when targets change: keeps it, or says what becomes of it. */
export type TargetHistory = {
  /** Refuses changes whose past cannot be kept though it is to be; to be awaited before anything is sent. */
  readonly requireKeepable: (changes: readonly (() => Promise<TargetChange | undefined>)[]) => Promise<void>
  /** Keeps or counts the entries that follow a change, if it is one; to be awaited before the change is sent. */
  readonly before: (
    read: () => Promise<TargetChange | undefined>,
    onKeep: (entries: readonly Entry[]) => void,
  ) => Promise<void>
  /** Says what changes would do to the past, before one of them is sent. */
  readonly foresee: (changes: readonly (() => Promise<TargetChange | undefined>)[]) => Promise<void>
  /** Asks at a terminal whether to make changes that past reports follow; to be awaited before anything is sent. */
  readonly confirm: (changes: () => Promise<readonly (() => Promise<TargetChange | undefined>)[]>) => Promise<void>
  /** Says at the end what was kept, or what past reports show now, and the way back, which is the usual one by default. */
  readonly tell: (own?: WayBack) => Promise<void>
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

/** Creates what tells whether a KPI has any entries, for which its service is asked once. */
const createHasEntries = (client: Client): ((kpi: number) => Promise<boolean>) => {
  const known = new Map<number, Promise<boolean>>()
  const ask = async (kpiId: number): Promise<boolean> => {
    const { entries } = await client.entries.page({ from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY, kpiId, page: 1 })
    return entries.length > 0
  }
  return (kpi) => {
    const answer = known.get(kpi) ?? ask(kpi)
    known.set(kpi, answer)
    return answer
  }
}

const isAny = ({ count, isMore }: Following): boolean => count > 0 || isMore

const pronounOf = ({ count, isMore }: Following): string => (count === 1 && !isMore ? 'it' : 'them')

const targetText = (target: bigint | null): string => (target === null ? 'no target' : formatDecimal(target))

/** Returns the one change that several come to; undefined if they differ. */
const commonChange = ([first, ...others]: readonly TargetChange[]): TargetChange | undefined =>
  first && others.every(({ from, to }) => from === first.from && to === first.to) ? first : undefined

/** Returns what past reports show: `100 instead of 90`, or that there are several targets. */
const changeText = (changes: readonly TargetChange[]): string => {
  const common = commonChange(changes)
  return common ? `${targetText(common.to)} instead of ${targetText(common.from)}` : 'the new targets'
}

const entriesText = ({ count, isMore }: Following, loses: boolean): string => {
  if (count === 0)
    return loses ? 'stored entries may lose their target' : 'there may be stored entries without a target of their own'
  const most = isMore ? 'at least ' : ''
  return loses
    ? `${most}${countOf(count, 'stored entry loses its target, also one of its own', 'stored entries lose their targets, also those of their own')}`
    : `${most}${countOf(count, 'stored entry has', 'stored entries have')} no target of ${count === 1 ? 'its' : 'their'} own`
}

/**
 * Returns how past reports become what they were. Repeating the command under `--keep-history` would write the new target
 * onto them, so the old one is to be set first.
 */
const wayBack = (changes: readonly TargetChange[], own: WayBack | undefined): string => {
  const common = commonChange(changes)
  if (changes.some(({ from }) => from === null)) return 'an entry cannot say that it has no target'
  if (changes.some(isClearing))
    return common
      ? `to get them back, set --target-default ${targetText(common.from)} again`
      : 'to get them back, set the old defaults again'
  if (own) return own(common && targetText(common.from))
  const flag = changes.some(({ user }) => user === undefined) ? '--target-default' : '--target'
  return common
    ? `to keep past reports at ${targetText(common.from)}, set ${flag} ${targetText(common.from)} again, then change it with --keep-history`
    : 'to keep past reports as they were, set the old targets again, then change them with --keep-history'
}

/** Returns what changes would do to the past. */
const foreseenText = (changes: readonly TargetChange[], seen: Following, keeps: boolean): string => {
  const loses = changes.some(isClearing)
  const entries = entriesText(seen, loses)
  if (loses) return entries
  const shown = `past reports would show ${changeText(changes)} for ${pronounOf(seen)}`
  if (changes.some(({ from }) => from === null))
    return `up to ${entries}: ${shown}; an entry cannot say that it has no target`
  return keeps
    ? `${entries}: --keep-history would first write the old target onto ${pronounOf(seen)}`
    : `${entries}: ${shown}; with --keep-history ${pronounOf(seen) === 'it' ? 'it keeps' : 'they keep'} the old target`
}

/** Returns the question whether to make changes that past reports follow, and how to keep these. */
const questionText = (changes: readonly TargetChange[], seen: Following): string => {
  const change = changes.length === 1 ? 'Change it' : 'Change them'
  if (changes.some(isClearing)) return `${entriesText(seen, true)}. ${change}`
  const isUnkeepable = changes.some(({ from }) => from === null)
  const most = seen.isMore ? 'at least ' : isUnkeepable ? 'up to ' : ''
  const entries = countOf(seen.count, 'stored entry follows', 'stored entries follow')
  const follow = seen.count === 0 ? 'stored entries may follow' : `${most}${entries}`
  const way = isUnkeepable ? 'an entry cannot say that it had none' : `--keep-history keeps ${pronounOf(seen)}`
  return `${follow} the new ${changes.length === 1 ? 'target' : 'targets'} in past reports; ${way}. ${change}`
}

/** Refuses to keep what cannot be kept: without a default, a KPI shows no target of any entry. */
const rejectClearing = (changes: readonly TargetChange[]): void => {
  const cleared = changes.find(isClearing)
  if (!cleared) return
  throw new KpiError(
    'invalid',
    `--keep-history cannot keep past reports of KPI ${cleared.kpi}: a KPI without a default target shows no target at all, also not those of its entries; nothing was written; keep the default, or leave out --keep-history to lose the targets`,
  )
}

/** Says what is done about the past of targets. */
type Treatment = {
  /** Writes today's targets onto stored entries first. */
  readonly keeps: boolean
  /** Leaves out the question whether past reports may follow. */
  readonly isConfirmed: boolean
}

/** Creates what looks after the past of targets. */
export const createTargetHistory = (
  cli: Cli,
  client: Client,
  { keeps, isConfirmed }: Treatment,
  signal: AbortSignal,
): TargetHistory => {
  const { note, log } = cli
  const made: TargetChange[] = []
  const seen: Following = { count: 0, isMore: false }
  /** Holds the changes from no default, whose entries can be told apart afterwards. */
  const hidden: TargetChange[] = []
  let kept = 0
  let isTold = false
  const hasEntries = createHasEntries(client)
  /** Counts the entries that follow a change, which is one of so many, unless that would take too many requests. */
  const countFew = async (change: TargetChange, number: number, following: Following): Promise<void> => {
    if (client.isInProcess) return counting(client, change, following)
    if (change.user !== undefined && !(await hasEntries(change.kpi))) return undefined
    if (number > MOST_CHANGES) following.isMore = true
    else await counting(client, change, following)
    return undefined
  }
  const countHidden = async (): Promise<void> => {
    for (const change of hidden.splice(0)) {
      if ((await client.kpis.get(change.kpi)).target_default === change.to) await counting(client, change, seen)
    }
  }
  const look: TargetHistory['before'] = async (read, onKeep) => {
    const change = await read()
    if (!change || change.from === change.to) return
    if (keeps) rejectClearing([change])
    made.push(change)
    if (change.user === undefined && change.from === null) hidden.push(change)
    else if (keeps && change.from !== null) kept += await keepTargets(client, change, signal, onKeep)
    else await countFew(change, made.length, seen)
  }
  const tolerantly = async (following: Following, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      // Counting is a courtesy: a target may be changed by those who may not read entries.
      if (keeps || !(error instanceof KpiError)) throw error
      if (error.code !== 'not_found') following.isMore = true
    }
  }
  const before: TargetHistory['before'] = async (read, onKeep) => {
    if (keeps || !isTold) await tolerantly(seen, () => look(read, onKeep))
  }
  const tell = async (own?: WayBack): Promise<void> => {
    // Who was asked has read what past reports show.
    if (isTold && !keeps) return
    await tolerantly(seen, countHidden)
    if (kept > 0) await note(`${countOf(kept, 'stored entry', 'stored entries')} got the target that counted until now`)
    if (!isAny(seen)) return
    const unkept = keeps ? made.filter(({ from }) => from === null) : made
    const loses = unkept.some(isClearing)
    const shown = loses ? '' : `: past reports show ${changeText(unkept)} for ${pronounOf(seen)}`
    await log.note(`${entriesText(seen, loses)}${shown}; ${wayBack(unkept, own)}`)
  }
  const requireKeepable: TargetHistory['requireKeepable'] = async (changes) => {
    if (!keeps) return
    for (const read of changes) rejectClearing([(await read()) ?? []].flat())
  }
  /** Counts what follows changes of which none is sent yet. */
  const survey = async (
    changes: readonly (() => Promise<TargetChange | undefined>)[],
  ): Promise<{ planned: TargetChange[]; following: Following }> => {
    const planned: TargetChange[] = []
    const following: Following = { count: 0, isMore: false }
    for (const read of changes) {
      await tolerantly(following, async () => {
        const change = await read()
        if (!change || change.from === change.to) return
        if (keeps) rejectClearing([change])
        planned.push(change)
        await countFew(change, planned.length, following)
      })
    }
    isTold = true
    return { planned, following }
  }
  const foresee: TargetHistory['foresee'] = async (changes) => {
    const { planned, following } = await survey(changes)
    if (isAny(following)) await log.note(foreseenText(planned, following, keeps))
  }
  const confirm: TargetHistory['confirm'] = async (changes) => {
    if (keeps || isConfirmed || !cli.canAsk) return
    const { planned, following } = await survey(await changes())
    if (!isAny(following)) return
    const { askForYes } = await import('../../args/prompt.ts')
    await askForYes(cli, questionText(planned, following))
  }
  return { before, tell, foresee, confirm, requireKeepable }
}
