import type { Client } from '../client/client.ts'
import { entryPages } from '../client/entry-pages.ts'
import type { Day } from '../domain/day.ts'
import type { Issue } from '../domain/errors.ts'
import type { Entry, EntryDraft } from '../domain/resources/entry.ts'
import { faultsOfValues, mergeEntry, sameValues } from '../domain/rules.ts'
import type { Reference } from './reference.ts'

/** What a run would do with an entry, or with a row that comes to none. */
export type Action = 'create' | 'update' | 'unchanged' | 'reject'

/** What a draft would come to; `nothing` where it clears an entry that is not there. */
export type Verdict = { readonly action: Action | 'nothing'; readonly reason: string }

type Series = { readonly userId: number; readonly kpiId: number; from: Day; to: Day }

/** The stretches of sorted drafts that belong to one user and KPI. */
const seriesOf = (drafts: readonly EntryDraft[]): Series[] => {
  const list: Series[] = []
  for (const { user_id, kpi_id, entry_date } of drafts) {
    const last = list.at(-1)
    if (last && last.userId === user_id && last.kpiId === kpi_id) last.to = entry_date
    else if (typeof user_id === 'number')
      list.push({ userId: user_id, kpiId: kpi_id, from: entry_date, to: entry_date })
  }
  return list
}

const keyOf = (user: number | null | undefined, kpi: number, day: Day): string => `${user}/${kpi}/${day}`

const fetchStored = async (client: Client, drafts: readonly EntryDraft[]): Promise<Map<string, Entry>> => {
  const stored = new Map<string, Entry>()
  for (const series of seriesOf(drafts)) {
    for await (const page of entryPages(client, series)) {
      for (const entry of page) stored.set(keyOf(entry.user_id, entry.kpi_id, entry.entry_date), entry)
    }
  }
  return stored
}

const isNone = (value: unknown): boolean => value === undefined || value === null

/** Whether a draft gives no value, but only clears. */
export const onlyClears = ({ actual, target, notes }: EntryDraft): boolean =>
  isNone(actual) && isNone(target) && isNone(notes)

/** The faults that the service finds, as one reason. */
export const reasonOf = (faults: readonly Issue[]): string =>
  faults.map(({ field, message }) => `${field}: ${message}`).join('; ')

const reject = (reason: string): Verdict => ({ action: 'reject', reason })

/** By the rules that the service goes by. */
const judge = (draft: EntryDraft, stored: Entry | undefined, { kpis, faultsOf }: Reference): Verdict => {
  const kpi = kpis.byId.get(draft.kpi_id)
  if (!kpi || typeof draft.user_id !== 'number') return reject('there is no such user or KPI')
  if (!stored && onlyClears(draft)) return { action: 'nothing', reason: '' }
  const ofPair = faultsOf(draft.user_id, kpi.id)
  if (ofPair.length > 0) return reject(ofPair.join('; '))
  const after = mergeEntry(stored, draft, kpi)
  const faults = faultsOfValues(after, kpi)
  if (faults.length > 0) return reject(reasonOf(faults))
  if (!stored) return { action: 'create', reason: '' }
  return { action: sameValues(stored, after) ? 'unchanged' : 'update', reason: '' }
}

/** What each of some sorted drafts would come to, by what is stored now. */
export const judgeDrafts = async (
  client: Client,
  drafts: readonly EntryDraft[],
  reference: Reference,
): Promise<Verdict[]> => {
  const stored = await fetchStored(client, drafts)
  return drafts.map((draft) =>
    judge(draft, stored.get(keyOf(draft.user_id, draft.kpi_id, draft.entry_date)), reference),
  )
}
