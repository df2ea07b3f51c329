import type { Client } from '../client/client.ts'
import { entryPages } from '../client/entry-pages.ts'
import type { Day } from '../domain/day.ts'
import type { Entry, EntryDraft } from '../domain/resources/entry.ts'
import { faultsOfValues, mergeEntry, sameValues } from '../domain/rules.ts'
import type { Batch } from './batch.ts'
import type { Prepared } from './prepare.ts'
import type { Reference } from './reference.ts'
import type { Summary } from './summary.ts'

/** What a run would do with an entry, or with a row that comes to none. */
export type Action = 'create' | 'update' | 'unchanged' | 'reject'

/** What a dry run says: of an entry, or of a rejected row. */
export type Rehearsed = {
  readonly line: number
  readonly action: Action
  readonly draft?: EntryDraft
  readonly reason: string
}

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

type Verdict = Pick<Rehearsed, 'action' | 'reason'>

/** By the rules that the service goes by. */
const judge = (draft: EntryDraft, stored: Entry | undefined, { kpis }: Reference): Verdict => {
  const kpi = kpis.byId.get(draft.kpi_id)
  if (!kpi) return { action: 'reject', reason: `there is no KPI ${draft.kpi_id}` }
  const after = mergeEntry(stored, draft, kpi)
  const faults = faultsOfValues(after, kpi)
  if (faults.length > 0)
    return { action: 'reject', reason: faults.map(({ field, message }) => `${field}: ${message}`).join('; ') }
  if (!stored) return { action: 'create', reason: '' }
  return { action: sameValues(stored, after) ? 'unchanged' : 'update', reason: '' }
}

const count = (summary: Summary, action: Action): void => {
  if (action === 'create') summary.created += 1
  if (action === 'update') summary.updated += 1
  if (action === 'unchanged') summary.unchanged += 1
}

/** What a batch would come to. Entries that the service would refuse become rejects, told at the end. */
const rehearseBatch = async (client: Client, batch: Batch, prepared: Prepared): Promise<Rehearsed[]> => {
  const { reference, rejects, summary } = prepared
  const stored = await fetchStored(client, batch.drafts)
  return batch.drafts.flatMap((draft, at) => {
    const verdict = judge(draft, stored.get(keyOf(draft.user_id, draft.kpi_id, draft.entry_date)), reference)
    const lines = [batch.lines[at] ?? 0].flat()
    count(summary, verdict.action)
    if (verdict.action !== 'reject') return lines.map((line) => ({ line, draft, ...verdict }))
    for (const line of lines) rejects.add(line, verdict.reason)
    return []
  })
}

/**
 * Does all of an import but send: tells of every entry, in the order of its keys, what a run would do, then of every
 * row that would be a reject, by line. The summary is whole when all has been told.
 */
export async function* rehearse(client: Client, prepared: Prepared): AsyncGenerator<readonly Rehearsed[]> {
  const { summary, rejects, reference } = prepared
  for (const batch of prepared.batches()) yield await rehearseBatch(client, batch, prepared)
  summary.rejected = 0
  summary.assigned = reference.missing().length
  for (const { line, reasons } of rejects.lines()) {
    summary.rejected += 1
    yield [{ line, action: 'reject', reason: reasons.join('; ') }]
  }
}
