import { formatDecimal } from '../../domain/decimal.ts'
import type { Issue } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { faultsOfValues, mergeEntry, sameValues } from '../../domain/rules.ts'
import type { OnConflict } from '../options.ts'
import { ownerOf } from '../owner.ts'
import type { Reference } from '../reference.ts'
import type { StoredEntry } from './standing.ts'

/**
 * What a run would do with an entry, or with a row that comes to none; `send` where the key may not read what would tell,
 * `add` where its actual is added to the one that is there, `skip` where an entry is there and is left alone.
 */
export type Action = 'create' | 'update' | 'add' | 'unchanged' | 'skip' | 'send' | 'reject'

/** What a draft would come to; `nothing` where it clears an entry that is not there. */
export type Verdict = { readonly action: Action | 'nothing'; readonly reason: string }

const isNone = (value: unknown): boolean => value === undefined || value === null

/** Whether a draft gives no value, but only clears. */
export const onlyClears = ({ actual, target, notes }: EntryDraft): boolean =>
  isNone(actual) && isNone(target) && isNone(notes)

/** The faults that the service finds, as one reason. */
export const reasonOf = (faults: readonly Issue[]): string =>
  faults.map(({ field, message }) => `${field}: ${message}`).join('; ')

/** Where it is not known what becomes of a draft. */
export const UNKNOWN: Verdict = { action: 'send', reason: '' }

const verdict = (action: Verdict['action']): Verdict => ({ action, reason: '' })

const reject = (reason: string): Verdict => ({ action: 'reject', reason })

/** What a draft makes of the values that are stored. */
const judgeValues = (
  draft: EntryDraft,
  stored: StoredEntry | undefined,
  kpi: Pick<Kpi, 'target_default'>,
  isAdding: boolean,
): Verdict => {
  const after = mergeEntry(stored, isAdding ? { ...draft, addToActual: true } : draft, kpi)
  const faults = faultsOfValues(after, kpi)
  if (faults.length > 0) return reject(reasonOf(faults))
  if (!stored) return verdict('create')
  if (sameValues(stored, after)) return verdict('unchanged')
  return verdict(isAdding ? 'add' : 'update')
}

/** What all of several verdicts say, if they do. */
const agreed = ([one, ...others]: readonly Verdict[]): Verdict =>
  one && others.every(({ action, reason }) => action === one.action && reason === one.reason) ? one : UNKNOWN

/** What may be stored: where it is open whether a target is the entry's own, either. */
const possible = (stored: StoredEntry | undefined): readonly (StoredEntry | undefined)[] =>
  stored?.isTargetOpen ? [stored, { ...stored, target: null }] : [stored]

/** What an entry that is there comes to by that alone. */
const judgeConflict = ({ actual }: StoredEntry, onConflict: OnConflict): Verdict | undefined => {
  if (onConflict === 'skip') return verdict('skip')
  if (onConflict !== 'error') return undefined
  const holds = actual === null ? 'without an actual' : `actual ${formatDecimal(actual)}`
  return reject(`there is an entry already: ${holds}, and --on-conflict is error`)
}

/** What of a reference tells what becomes of drafts. */
export type JudgeBy = Pick<Reference, 'kpis' | 'faultsOf'>

/** What a draft comes to by what is stored, and the rules that the service goes by. */
export const judge = (
  draft: EntryDraft,
  stored: StoredEntry | undefined,
  { kpis, faultsOf }: JudgeBy,
  onConflict: OnConflict = 'update',
): Verdict => {
  const kpi = kpis.byId.get(draft.kpi_id)
  if (!kpi && kpis.unread === undefined) return reject('there is no such KPI')
  if (!stored && onlyClears(draft)) return kpi ? verdict('nothing') : UNKNOWN
  // What is left alone need not be allowed to change.
  const settled = stored && judgeConflict(stored, onConflict)
  if (settled) return settled
  const ofPair = kpi ? faultsOf(ownerOf(draft), kpi.id) : []
  if (ofPair.length > 0) return reject(ofPair.join('; '))
  // Where the key may not read KPIs: what is the same whether the KPI has targets or drops them.
  const kinds = kpi ? [kpi] : [{ target_default: null }, { target_default: 0n }]
  const isAdding = onConflict === 'add'
  return agreed(kinds.flatMap((kind) => possible(stored).map((one) => judgeValues(draft, one, kind, isAdding))))
}
