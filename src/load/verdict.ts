import type { Issue } from '../domain/errors.ts'
import type { Entry, EntryDraft } from '../domain/resources/entry.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import { faultsOfValues, mergeEntry, sameValues } from '../domain/rules.ts'
import { ownerOf } from './owner.ts'
import type { Reference } from './reference.ts'
import { type Standing, storedKey } from './standing.ts'

/** What a run would do with an entry, or with a row that comes to none; `send` where the key may not read what would tell. */
export type Action = 'create' | 'update' | 'unchanged' | 'send' | 'reject'

/** What a draft would come to; `nothing` where it clears an entry that is not there. */
export type Verdict = { readonly action: Action | 'nothing'; readonly reason: string }

const isNone = (value: unknown): boolean => value === undefined || value === null

/** Whether a draft gives no value, but only clears. */
export const onlyClears = ({ actual, target, notes }: EntryDraft): boolean =>
  isNone(actual) && isNone(target) && isNone(notes)

/** The faults that the service finds, as one reason. */
export const reasonOf = (faults: readonly Issue[]): string =>
  faults.map(({ field, message }) => `${field}: ${message}`).join('; ')

const UNKNOWN: Verdict = { action: 'send', reason: '' }

const reject = (reason: string): Verdict => ({ action: 'reject', reason })

/** What a draft makes of the values that are stored. */
const judgeValues = (draft: EntryDraft, stored: Entry | undefined, kpi: Pick<Kpi, 'target_default'>): Verdict => {
  const after = mergeEntry(stored, draft, kpi)
  const faults = faultsOfValues(after, kpi)
  if (faults.length > 0) return reject(reasonOf(faults))
  if (!stored) return { action: 'create', reason: '' }
  return { action: sameValues(stored, after) ? 'unchanged' : 'update', reason: '' }
}

/** Where the key may not read KPIs: what is the same whether the KPI has targets or drops them. */
const judgeUnread = (draft: EntryDraft, stored: Entry | undefined): Verdict => {
  if (!stored && onlyClears(draft)) return UNKNOWN
  const [one, other] = [null, 0n].map((target_default) => judgeValues(draft, stored, { target_default }))
  return one && one.action === other?.action ? one : UNKNOWN
}

/** By the rules that the service goes by. */
const judge = (draft: EntryDraft, stored: Entry | undefined, { kpis, faultsOf }: Reference): Verdict => {
  const kpi = kpis.byId.get(draft.kpi_id)
  if (!kpi) return kpis.unread === undefined ? reject('there is no such KPI') : judgeUnread(draft, stored)
  if (!stored && onlyClears(draft)) return { action: 'nothing', reason: '' }
  const ofPair = faultsOf(ownerOf(draft), kpi.id)
  return ofPair.length > 0 ? reject(ofPair.join('; ')) : judgeValues(draft, stored, kpi)
}

/** What each of some sorted drafts would come to, by what is stored. */
export const judgeDrafts = async (
  standing: Standing,
  drafts: readonly EntryDraft[],
  reference: Reference,
): Promise<Verdict[]> => {
  const stored = await standing.of(drafts)
  if (!stored) return drafts.map(() => UNKNOWN)
  return drafts.map((draft) =>
    judge(draft, stored.get(storedKey(ownerOf(draft), draft.kpi_id, draft.entry_date)), reference),
  )
}
