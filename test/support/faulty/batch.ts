import { type FaultyAccount, type Held, type Kept, keyOf } from './account.ts'
import type { Kind } from './kinds.ts'
import { type Fault, judge, type Ledger, type Sent } from './entries.ts'

/** What a batch comes to: its counts, or the faults for which nothing of it is kept. */
export type BatchOutcome = { readonly counts: Readonly<Record<string, number>> } | { readonly faults: readonly Fault[] }

const same = (left: Held, right: Held): boolean =>
  left.actual === right.actual && left.target === right.target && left.notes === right.notes

const isFaults = (judged: ReturnType<typeof judge>): judged is readonly Fault[] => Array.isArray(judged)

/** Judges each entry on what the ones before it leave, or as a new one where it doubles, then keeps all of them or none. */
export const keepBatch = (
  account: FaultyAccount,
  ledger: Ledger,
  bodies: readonly Sent[],
  post: Kind['post'],
): BatchOutcome => {
  const pending = new Map<string, { stored: Kept | undefined; held: Held }>()
  const [created, updated, unchanged] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const faults: Fault[] = []
  for (const [index, body] of bodies.entries()) {
    const named = judge(account, body, { actual: 0n, target: 0n, notes: '' })
    const key = isFaults(named) ? '' : keyOf(named.key)
    const found = ledger.find(key)
    const stored = post === 'double' ? undefined : found
    if (found && post === 'conflict') {
      faults.push({ index, field: 'entry_date', message: 'there is an entry for that user, KPI and date' })
      continue
    }
    const before = pending.get(key)?.held ?? stored
    const judged = judge(account, body, before)
    if (isFaults(judged)) {
      faults.push(...judged.map((fault) => ({ index, ...fault })))
      continue
    }
    const group = before ? (same(before, judged.held) ? unchanged : updated) : created
    group.add(key)
    pending.set(key, { stored, held: judged.held })
  }
  if (faults.length > 0) return { faults }
  for (const [key, { stored, held }] of pending) {
    const [user = 0, kpi = 0, date = ''] = key.split('/')
    const place = { user: Number(user), kpi: Number(kpi), date }
    if (!stored) ledger.add(place, held)
    else if (!same(stored, held)) ledger.change(stored.id, { ...place, ...held })
  }
  const [rows_created, rows_updated, rows_unchanged] = [created.size, updated.size, unchanged.size]
  return { counts: { rows_added: rows_created + rows_updated, rows_created, rows_updated, rows_unchanged } }
}
