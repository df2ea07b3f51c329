import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { Batch } from '../batch.ts'
import type { ImportOptions } from '../options.ts'
import { ownerOf } from '../owner.ts'
import type { Rejects } from '../rejects.ts'
import { type Standing, storedKey } from './standing.ts'
import type { Summary } from '../summary.ts'
import { judge, type JudgeBy, onlyClears, UNKNOWN, type Verdict } from './verdict.ts'

/** Says of drafts, in the order of their keys, what the run does with them. */
export type Decide = (drafts: readonly EntryDraft[]) => Promise<readonly Verdict[]>

/** Whether it has to be known of every draft what is stored, before anything is sent. */
export const readsFirst = ({ onConflict, onlyChanges }: ImportOptions): boolean =>
  onlyChanges || onConflict === 'skip' || onConflict === 'error'

/**
 * What the run does with drafts, by what is stored of them. Where `isAll` is not set only of those that clear, as the
 * service tells of the others when they are sent: they are to be sent.
 */
export const decideBy =
  (standing: Standing, reference: JudgeBy, { onConflict }: ImportOptions, isAll: boolean): Decide =>
  async (drafts) => {
    const asked = isAll ? drafts : drafts.filter(onlyClears)
    const stored = asked.length > 0 ? await standing.of(asked) : undefined
    if (!stored) return drafts.map(() => UNKNOWN)
    return drafts.map((draft) => {
      if (!isAll && !onlyClears(draft)) return UNKNOWN
      const key = storedKey(ownerOf(draft), draft.kpi_id, draft.entry_date)
      return judge(draft, stored.get(key), reference, onConflict)
    })
  }

/** What of a run the choice is made with. */
export type Choosing = {
  readonly decide: Decide
  readonly options: ImportOptions
  readonly summary: Summary
  readonly rejects: Pick<Rejects, 'add'>
}

const NOT_SENT: ReadonlySet<Verdict['action']> = new Set(['nothing', 'reject', 'skip'])

/** Whether something is sent of a draft. */
export const isSent = ({ action }: Verdict, { onlyChanges }: ImportOptions): boolean =>
  !NOT_SENT.has(action) && !(onlyChanges && action === 'unchanged')

/** A batch as it is to be sent, and what the run does with each draft of the one that it was chosen from. */
export type Chosen = { readonly left: Batch; readonly verdicts: readonly Verdict[] }

/**
 * Chooses what of a batch is sent, and counts what is not: clears of entries that are not there, entries that are left
 * alone or would not change. What the service would refuse becomes rejects.
 */
export const chooseFrom = async (batch: Batch, { decide, options, summary, rejects }: Choosing): Promise<Chosen> => {
  const verdicts = await decide(batch.drafts)
  const isLeft = verdicts.map((verdict, at) => {
    if (isSent(verdict, options)) return true
    const lines = [batch.lines[at] ?? 0].flat()
    if (verdict.action === 'nothing') summary.empty += lines.length
    if (verdict.action === 'skip') summary.skipped += 1
    if (verdict.action === 'unchanged') summary.unchanged += 1
    if (verdict.action === 'reject') for (const line of lines) rejects.add(line, verdict.reason)
    return false
  })
  const left = isLeft.every(Boolean)
    ? batch
    : { drafts: batch.drafts.filter((_, at) => isLeft[at]), lines: batch.lines.filter((_, at) => isLeft[at]) }
  return { left, verdicts }
}
