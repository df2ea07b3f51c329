import { formatDecimal } from '../../domain/decimal.ts'
import type { Issue } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { faultsOfValues, mergeEntry, sameValues } from '../../domain/rules.ts'
import type { Summary } from '../import-types.ts'
import type { ImportOptions, OnConflict } from '../options.ts'
import { ownerOf } from '../entry-key.ts'
import type { Reference } from '../reference.ts'
import type { Rejects } from '../rejects/rejects.ts'
import type { Batch } from '../rows/batches.ts'
import { type ExistingEntries, type ExistingEntry, storedKey } from './existing-entries.ts'

/**
 * Names what a run would do with an entry, or with a row that comes to none: `send` where the key may not read what
 * would tell, `add` where its actual is added to the existing one, `skip` where an existing entry is left alone.
 */
export type ActionName = 'create' | 'update' | 'add' | 'unchanged' | 'skip' | 'send' | 'reject'

/** Describes the planned action for a draft; `nothing` where it clears an entry that does not exist. */
export type PlannedAction = { readonly action: ActionName | 'nothing'; readonly reason: string }

const isNone = (value: unknown): boolean => value === undefined || value === null

/** Tells whether a draft gives no value, but only clears. */
export const onlyClears = ({ actual, target, notes }: EntryDraft): boolean =>
  isNone(actual) && isNone(target) && isNone(notes)

/** Returns the faults that the service finds, as one reason. */
export const reasonOf = (faults: readonly Issue[]): string =>
  faults.map(({ field, message }) => `${field}: ${message}`).join('; ')

/** Plans a draft whose existing entry cannot be read: it is sent. */
export const UNKNOWN: PlannedAction = { action: 'send', reason: '' }

const plan = (action: PlannedAction['action']): PlannedAction => ({ action, reason: '' })

const reject = (reason: string): PlannedAction => ({ action: 'reject', reason })

/** Returns the planned action for a draft by the stored values. */
const judgeValues = (
  draft: EntryDraft,
  stored: ExistingEntry | undefined,
  kpi: Pick<Kpi, 'target_default'>,
  isAdding: boolean,
): PlannedAction => {
  const after = mergeEntry(stored, isAdding ? { ...draft, addToActual: true } : draft, kpi)
  const faults = faultsOfValues(after, kpi)
  if (faults.length > 0) return reject(reasonOf(faults))
  if (!stored) return plan('create')
  if (sameValues(stored, after)) return plan('unchanged')
  return plan(isAdding ? 'add' : 'update')
}

/** Returns what several planned actions agree on, if they do. */
const agreed = ([one, ...others]: readonly PlannedAction[]): PlannedAction =>
  one && others.every(({ action, reason }) => action === one.action && reason === one.reason) ? one : UNKNOWN

/** Returns what may be stored: both cases where it is open whether a target is the entry's own. */
const possible = (stored: ExistingEntry | undefined): readonly (ExistingEntry | undefined)[] =>
  stored?.isTargetOpen ? [stored, { ...stored, target: null }] : [stored]

/** Returns the planned action for an existing entry by `--on-conflict` alone. */
const judgeConflict = ({ actual }: ExistingEntry, onConflict: OnConflict): PlannedAction | undefined => {
  if (onConflict === 'skip') return plan('skip')
  if (onConflict !== 'error') return undefined
  const holds = actual === null ? 'without an actual' : `actual ${formatDecimal(actual)}`
  return reject(`there is an existing entry: ${holds}, and --on-conflict is error`)
}

/** Names the reference data that planned actions need. */
type JudgeBy = Pick<Reference, 'kpis' | 'faultsOf'>

/** Returns the planned action for a draft, by what is stored and the service's rules. */
export const planAction = (
  draft: EntryDraft,
  stored: ExistingEntry | undefined,
  { kpis, faultsOf }: JudgeBy,
  onConflict: OnConflict = 'update',
): PlannedAction => {
  const kpi = kpis.byId.get(draft.kpi_id)
  if (!kpi && kpis.unread === undefined) return reject('there is no such KPI')
  if (!stored && onlyClears(draft)) return kpi ? plan('nothing') : UNKNOWN
  // An entry that is left alone needs no permission to change.
  const settled = stored && judgeConflict(stored, onConflict)
  if (settled) return settled
  const ofPair = kpi ? faultsOf(ownerOf(draft), kpi.id) : []
  if (ofPair.length > 0) return reject(ofPair.join('; '))
  // Where the key may not read KPIs: what is the same whether the KPI has targets or drops them.
  const kinds = kpi ? [kpi] : [{ target_default: null }, { target_default: 0n }]
  const isAdding = onConflict === 'add'
  return agreed(kinds.flatMap((kind) => possible(stored).map((one) => judgeValues(draft, one, kind, isAdding))))
}

/** Says of drafts, in the order of their keys, what the run does with them. */
export type PlanActions = (drafts: readonly EntryDraft[]) => Promise<readonly PlannedAction[]>

/** Tells whether the existing entry of every draft must be known before anything is sent. */
export const readsFirst = ({ onConflict, onlyChanges }: ImportOptions): boolean =>
  onlyChanges || onConflict === 'skip' || onConflict === 'error'

/**
 * Creates what decides the planned actions of drafts, by their existing entries. Unless `isAll` is set, only those of
 * drafts that clear: the service tells of the others when they are sent.
 */
export const createPlanner =
  (existing: ExistingEntries, reference: JudgeBy, { onConflict }: ImportOptions, isAll: boolean): PlanActions =>
  async (drafts) => {
    const asked = isAll ? drafts : drafts.filter(onlyClears)
    const stored = asked.length > 0 ? await existing.of(asked) : undefined
    if (!stored) return drafts.map(() => UNKNOWN)
    return drafts.map((draft) => {
      if (!isAll && !onlyClears(draft)) return UNKNOWN
      const key = storedKey(ownerOf(draft), draft.kpi_id, draft.entry_date)
      return planAction(draft, stored.get(key), reference, onConflict)
    })
  }

/** Names the parts of a run that the choice needs. */
type Choosing = {
  readonly decide: PlanActions
  readonly options: ImportOptions
  readonly summary: Summary
  readonly rejects: Pick<Rejects, 'add'>
}

const NOT_SENT: ReadonlySet<PlannedAction['action']> = new Set(['nothing', 'reject', 'skip'])

/** Tells whether anything of a draft is sent. */
export const isSent = ({ action }: PlannedAction, { onlyChanges }: ImportOptions): boolean =>
  !NOT_SENT.has(action) && !(onlyChanges && action === 'unchanged')

/** Describes a batch as it is to be sent, and the planned action for each draft of the original one. */
type Chosen = { readonly left: Batch; readonly plans: readonly PlannedAction[] }

/**
 * Chooses what of a batch is sent, and counts the rest: clears of entries that do not exist, entries that are left
 * alone or would not change. What the service would refuse becomes rejects.
 */
export const chooseEntries = async (batch: Batch, { decide, options, summary, rejects }: Choosing): Promise<Chosen> => {
  const plans = await decide(batch.drafts)
  const isLeft = plans.map((plan, at) => {
    if (isSent(plan, options)) return true
    const lines = [batch.lines[at] ?? 0].flat()
    if (plan.action === 'nothing') summary.empty += lines.length
    if (plan.action === 'skip') summary.skipped += 1
    if (plan.action === 'unchanged') summary.unchanged += 1
    if (plan.action === 'reject') for (const line of lines) rejects.add(line, plan.reason)
    return false
  })
  const left = isLeft.every(Boolean)
    ? batch
    : { drafts: batch.drafts.filter((_, at) => isLeft[at]), lines: batch.lines.filter((_, at) => isLeft[at]) }
  return { left, plans }
}
