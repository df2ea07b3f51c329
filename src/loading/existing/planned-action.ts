import type { TargetFacts } from '../../domain/targets/dated-targets.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import type { Issue } from '../../domain/errors.ts'
import { ACTUAL, type EntryBlock, NOTES, TARGET } from '../../domain/entry-block.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { type EntryValues, faultsOfValues, mergeEntry, sameValues } from '../../domain/rules.ts'
import type { Summary } from '../../reading/entries/summary.ts'
import type { ImportOptions, OnConflict } from '../../reading/options/options.ts'
import { ownerOf, storedKey } from '../../domain/entry-key.ts'
import { shellWord } from '../../reading/options/flag-text.ts'
import type { Reference } from '../../reading/directory/reference.ts'
import type { Rejects } from '../../reading/rejects/rejects.ts'
import type { Batch } from '../../reading/rows/batches.ts'
import { isProvisionalDraft } from '../../reading/directory/lookup.ts'
import { type ExistingEntries, type ExistingEntry, type ExistingEntryMap } from './existing-entries.ts'

/**
 * Names what a run would do with an entry, or with a row that yields none: `send` if the outcome cannot be known in
 * advance, because the key may not read what it depends on; `add` if the actual is added to the existing one; `skip` if
 * an existing entry is left alone.
 */
export type ActionName = 'create' | 'update' | 'add' | 'unchanged' | 'skip' | 'send' | 'reject'

/** Describes the planned action for a draft; `nothing` if it clears an entry that does not exist. */
export type PlannedAction = {
  readonly action: ActionName | 'nothing'
  readonly reason: string
  /** Holds the values before and after, where the action changes what is stored. */
  readonly change?: ValueChange
  /** Tells that it is not sent, as the service would refuse it although nothing would change. */
  readonly isKept?: true
}

/** Describes the values of an entry before and after a change. */
export type ValueChange = { readonly before: EntryValues; readonly after: EntryValues }

const isNone = (value: unknown): boolean => value === undefined || value === null

/** Tells whether a draft gives no value and only clears. */
export const onlyClears = ({ actual, target, notes }: EntryDraft): boolean =>
  isNone(actual) && isNone(target) && isNone(notes)

/** Returns the faults that the service finds, as one reason. */
export const reasonOf = (faults: readonly Issue[]): string =>
  faults.map(({ field, message }) => `${field}: ${message}`).join('; ')

/** Describes the plan for a draft whose outcome cannot be known in advance: it is sent. */
export const UNDECIDED: PlannedAction = { action: 'send', reason: '' }

const plan = (action: PlannedAction['action']): PlannedAction => ({ action, reason: '' })

const reject = (reason: string): PlannedAction => ({ action: 'reject', reason })

/** Returns the planned action for a draft according to the stored values. */
const judgeValues = (
  draft: EntryDraft,
  stored: ExistingEntry | undefined,
  kpi: TargetFacts,
  isAdding: boolean,
): PlannedAction => {
  const after = mergeEntry(stored, isAdding ? { ...draft, addToActual: true } : draft, kpi)
  const faults = faultsOfValues(after, kpi)
  if (faults.length > 0) return reject(reasonOf(faults))
  if (!stored) return plan('create')
  if (sameValues(stored, after)) return plan('unchanged')
  return { ...plan(isAdding ? 'add' : 'update'), change: { before: stored, after } }
}

/** Returns the plan that all given plans share, else UNDECIDED. */
const agreed = ([one, ...others]: readonly PlannedAction[]): PlannedAction =>
  one && others.every(({ action, reason }) => action === one.action && reason === one.reason) ? one : UNDECIDED

/** Returns the entries that may be stored: if the target may be a default, one with it and one without. */
const possible = (stored: ExistingEntry | undefined): readonly (ExistingEntry | undefined)[] =>
  stored?.isTargetOpen ? [stored, { ...stored, target: null }] : [stored]

/** Returns the action that `--on-conflict` alone decides for an existing entry; undefined if it decides none. */
const judgeConflict = ({ actual }: ExistingEntry, onConflict: OnConflict): PlannedAction | undefined => {
  if (onConflict === 'skip') return plan('skip')
  if (onConflict !== 'error') return undefined
  const holds = actual === null ? 'without an actual' : `actual ${formatDecimal(actual)}`
  return reject(`there is an existing entry: ${holds}, and --on-conflict is error`)
}

/** Names the reference data that planned actions need. */
type JudgeBy = Pick<Reference, 'kpis' | 'faultsOf' | 'isLocked'>

/** Returns flags that give an entry the values that it has not. */
const correctionOf = ({ before, after }: ValueChange): string => {
  const flags = (['actual', 'target', 'notes'] as const).flatMap((field) => {
    const value = after[field]
    if (value === before[field]) return []
    const text = value === null ? '' : typeof value === 'bigint' ? formatDecimal(value) : value
    return [`--${field}=${shellWord(text)}`]
  })
  return flags.join(' ')
}

/** Plans what becomes of the values of a locked user: those that are stored stay, and others are refused. */
const judgeLocked = (
  judged: PlannedAction,
  stored: ExistingEntry | undefined,
  faults: readonly string[],
): PlannedAction => {
  const { action, change } = judged
  if (action === 'unchanged') return { ...judged, isKept: true }
  if (action === 'send') return judged
  const reason = faults.join('; ')
  const id = stored?.ids.at(-1)
  return reject(
    change === undefined || id === undefined
      ? reason
      : `${reason}, and other values are stored: kpi entries update ${id} ${correctionOf(change)} corrects them`,
  )
}

/** Returns the planned action for a draft, from the stored entry and the service's rules. */
export const planAction = (
  draft: EntryDraft,
  stored: ExistingEntry | undefined,
  { kpis, faultsOf, isLocked }: JudgeBy,
  onConflict: OnConflict = 'update',
): PlannedAction => {
  const kpi = kpis.byId.get(draft.kpi_id)
  if (!kpi && kpis.unread === undefined) return reject('there is no such KPI')
  if (!stored && onlyClears(draft)) return kpi ? plan('nothing') : UNDECIDED
  // A draft that is skipped or rejected anyway need not pass the other checks.
  const settled = stored && judgeConflict(stored, onConflict)
  if (settled) return settled
  const ofPair = kpi ? faultsOf(ownerOf(draft), kpi.id) : []
  const mayStay = stored !== undefined && isLocked(ownerOf(draft)) && onConflict !== 'add'
  if (ofPair.length > 0 && !mayStay) return reject(ofPair.join('; '))
  // If the key may not read KPIs, the plan must be the same whether the KPI has targets or drops them.
  const kinds = kpi ? [kpi] : [{ target_default: null }, { target_default: 0n }]
  const isAdding = onConflict === 'add'
  const judged = agreed(kinds.flatMap((kind) => possible(stored).map((one) => judgeValues(draft, one, kind, isAdding))))
  return ofPair.length > 0 ? judgeLocked(judged, stored, ofPair) : judged
}

const NOTHING_STORED: ExistingEntryMap = new Map()

/** Plans what becomes of entries, which must come in the order of their keys. */
export type Planner = {
  /** Tells whether anything is decided of some entries before they are sent; else all of them are. */
  readonly isNeeded: (block: EntryBlock) => boolean
  /** Returns the planned action for each draft. */
  readonly plan: (drafts: readonly EntryDraft[]) => Promise<readonly PlannedAction[]>
}

const GIVEN = ACTUAL.given | TARGET.given | NOTES.given

/** Tells whether an entry of a block only clears. */
const hasClears = ({ flags, count }: EntryBlock): boolean =>
  flags.subarray(0, count).some((given) => (given & GIVEN) === 0)

/** Tells whether a block has entries of locked users. */
const hasLocked = ({ owner, count }: EntryBlock, { isLocked }: JudgeBy): boolean => {
  let last = 0
  return owner.subarray(0, count).some((one) => {
    // Most entries have the owner of the one before.
    const isSame = one === last
    last = one
    return !isSame && isLocked(one)
  })
}

/** Tells whether the existing entry of every draft must be known before anything is sent. */
export const readsFirst = ({ onConflict, onlyChanges }: ImportOptions): boolean =>
  onlyChanges || onConflict === 'skip' || onConflict === 'error'

/**
 * Creates the planner of drafts. Unless `isAll` is set, it reads existing entries only for drafts that clear; the
 * service tells what becomes of the others when they are sent.
 */
export const createPlanner = (
  existing: ExistingEntries,
  reference: JudgeBy,
  { onConflict }: ImportOptions,
  isAll: boolean,
): Planner => ({
  isNeeded: (block) => isAll || hasClears(block) || hasLocked(block, reference),
  plan: async (drafts) => {
    const isAsked = (draft: EntryDraft): boolean => isAll || onlyClears(draft) || reference.isLocked(ownerOf(draft))
    const asked = isAll ? drafts : drafts.filter(isAsked)
    // Nothing is stored of what does not exist yet.
    const known = asked.filter((draft) => !isProvisionalDraft(draft))
    const stored = known.length > 0 ? await existing.of(known) : asked.length > 0 ? NOTHING_STORED : undefined
    return drafts.map((draft) => {
      // Refuse all values of a locked user where what is stored cannot be read.
      if (!stored) return reference.isLocked(ownerOf(draft)) ? planAction(draft, undefined, reference) : UNDECIDED
      if (!isAsked(draft)) return UNDECIDED
      const key = storedKey(ownerOf(draft), draft.kpi_id, draft.entry_date)
      return planAction(draft, stored.get(key), reference, onConflict)
    })
  },
})

/** Names the parts of a run that choosing entries needs. */
type Choosing = {
  readonly decide: Planner
  readonly options: ImportOptions
  readonly summary: Summary
  readonly rejects: Pick<Rejects, 'add'>
}

const NOT_SENT: ReadonlySet<PlannedAction['action']> = new Set(['nothing', 'reject', 'skip'])

/** Tells whether a draft is sent. */
export const isSent = ({ action, isKept }: PlannedAction, { onlyChanges }: ImportOptions): boolean =>
  !NOT_SENT.has(action) && !isKept && !(onlyChanges && action === 'unchanged')

/** Describes what is left of a batch to send, and the planned action for each draft of the original batch. */
type Chosen = { readonly left: Batch; readonly plans: readonly PlannedAction[] }

/**
 * Chooses the entries of a batch to send, and counts the others: clears of entries that do not exist, and entries that
 * are left alone or would not change. Entries that the service would refuse become rejects.
 */
export const chooseEntries = async (batch: Batch, { decide, options, summary, rejects }: Choosing): Promise<Chosen> => {
  if (!decide.isNeeded(batch.block)) return { left: batch, plans: [] }
  const plans = await decide.plan(batch.drafts)
  const isLeft = plans.map((plan, at) => {
    if (isSent(plan, options)) return true
    const lines = [batch.lines[at] ?? 0].flat()
    if (plan.action === 'nothing') summary.empty += lines.length
    if (plan.action === 'skip') summary.skipped += 1
    if (plan.action === 'unchanged') summary.unchanged += 1
    if (plan.action === 'reject') for (const line of lines) rejects.add(line, plan.reason)
    return false
  })
  return { left: isLeft.every(Boolean) ? batch : batch.where((at) => isLeft[at] === true), plans }
}
