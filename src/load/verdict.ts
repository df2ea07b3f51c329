import type { Client } from '../client/client.ts'
import { entryPages } from '../client/entry-pages.ts'
import { readIfAllowed } from '../client/read-if-allowed.ts'
import type { Day } from '../domain/day.ts'
import type { Issue } from '../domain/errors.ts'
import type { Entry, EntryDraft } from '../domain/resources/entry.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import { faultsOfValues, mergeEntry, sameValues } from '../domain/rules.ts'
import { ownerOf } from './owner.ts'
import type { Reference } from './reference.ts'

/** What a run would do with an entry, or with a row that comes to none; `send` where the key may not read what would tell. */
export type Action = 'create' | 'update' | 'unchanged' | 'send' | 'reject'

/** What a draft would come to; `nothing` where it clears an entry that is not there. */
export type Verdict = { readonly action: Action | 'nothing'; readonly reason: string }

const ENTRIES = 'entries'

type Series = { readonly owner: number; readonly kpiId: number; from: Day; to: Day }

/** The stretches of sorted drafts that belong to one owner and KPI. */
const seriesOf = (drafts: readonly EntryDraft[]): Series[] => {
  const list: Series[] = []
  for (const draft of drafts) {
    const [owner, { kpi_id, entry_date }] = [ownerOf(draft), draft]
    const last = list.at(-1)
    if (last && last.owner === owner && last.kpiId === kpi_id) last.to = entry_date
    else list.push({ owner, kpiId: kpi_id, from: entry_date, to: entry_date })
  }
  return list
}

/** What is stored, by owner, KPI and day. */
type StoredEntries = ReadonlyMap<string, Entry>

const keyOf = (owner: number, kpi: number, day: Day): string => `${owner}/${kpi}/${day}`

const fetchStored = async (client: Client, drafts: readonly EntryDraft[]): Promise<StoredEntries> => {
  const stored = new Map<string, Entry>()
  for (const { owner, ...series } of seriesOf(drafts)) {
    const whose = owner < 0 ? { sourceId: -owner } : { userId: owner }
    for await (const page of entryPages(client, { ...series, ...whose })) {
      // A service that does not know the filter answers those of all items.
      const own = owner < 0 ? page.filter(({ source_id }) => source_id === -owner) : page
      for (const entry of own) stored.set(keyOf(owner, entry.kpi_id, entry.entry_date), entry)
    }
  }
  return stored
}

/** What is stored, where the key may read it; it is asked for but once whether it may. */
const storedIfAllowed = async (
  client: Client,
  drafts: readonly EntryDraft[],
  { unchecked }: Reference,
): Promise<StoredEntries | undefined> => {
  if (unchecked.has(ENTRIES)) return undefined
  const stored = await readIfAllowed(client, fetchStored(client, drafts))
  if (!stored) unchecked.add(ENTRIES)
  return stored
}

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

/** What each of some sorted drafts would come to, by what is stored now. */
export const judgeDrafts = async (
  client: Client,
  drafts: readonly EntryDraft[],
  reference: Reference,
): Promise<Verdict[]> => {
  const stored = await storedIfAllowed(client, drafts, reference)
  if (!stored) return drafts.map(() => UNKNOWN)
  return drafts.map((draft) =>
    judge(draft, stored.get(keyOf(ownerOf(draft), draft.kpi_id, draft.entry_date)), reference),
  )
}
