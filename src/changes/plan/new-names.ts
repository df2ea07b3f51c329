import type { Pause } from '../../domain/pause.ts'
import { nameFieldsOf } from '../../domain/kinds.ts'
import { findDoubtfulNames, NO_VALUE } from '../names/doubtful-names.ts'
import { type Kind, KIND_NAMES, type KindName } from '../records/kind-fields.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'
import type { Reason } from './match.ts'
import type { Planned } from './plan.ts'
import type { Policy } from './policy.ts'

/** Returns the name that an item would store in a field; undefined if none, or none that is new. */
export const newNameIn = ({ changes }: Planned, field: string): string | undefined => {
  const after = changes.flatMap(({ fields }) => fields).find(({ config }) => config.name === field)?.after
  return typeof after === 'string' ? after : undefined
}

/** Returns the names that new ones of a kind are compared with: those beside them that the plan does not change. */
export const namesBeside = (
  snapshot: Snapshot,
  items: readonly Planned[],
  { name: kind }: Kind,
  nameOf: (record: AccountRecord) => unknown,
): string[] => {
  const sharing: readonly KindName[] = kind === 'calculated_kpi' || kind === 'kpi' ? ['kpi', 'calculated_kpi'] : [kind]
  const groups = new Set(items.map(({ record }) => record?.above['group']))
  const changed = new Set(items.map(({ record }) => record))
  return sharing.flatMap(snapshot.ofKind).flatMap((record) => {
    if (!record.stored || changed.has(record) || !groups.has(record.above['group'])) return []
    const name = nameOf(record)
    return typeof name === 'string' && name !== '' ? [name] : []
  })
}

/**
 * Refuses the items whose names may stand for no value, or look like others with letters of another script or with signs
 * that nobody can tell apart, unless the user says that they are meant.
 */
export const refuseDoubtfulNames = async (
  snapshot: Snapshot,
  planned: readonly Planned[],
  policy: Policy,
  pause: Pause,
): Promise<readonly Planned[]> => {
  const reasons = new Map<Planned, Reason[]>()
  for (const kindName of KIND_NAMES) {
    const own = planned.filter(({ desired, changes }) => desired.kind.name === kindName && changes.length > 0)
    const [first] = own
    if (!first) continue
    const { kind } = first.desired
    for (const field of nameFieldsOf(kind.of).filter((name) => !policy.isMeant(kind, name))) {
      const news = own.flatMap((one) => {
        const name = newNameIn(one, field)
        return name === undefined ? [] : [{ one, name }]
      })
      const newOnes = news.map(({ one }) => one)
      const isKey = kind.identity.includes(field)
      const doubts = await findDoubtfulNames(
        {
          names: news.map(({ name }) => name),
          known: isKey ? namesBeside(snapshot, newOnes, kind, ({ stored }) => stored?.[field]) : [],
          areKpis: kindName === 'kpi' || kindName === 'calculated_kpi',
          areExact: isKey && policy.isConfiguration === true,
        },
        pause,
      )
      for (const { one, name } of news) {
        const why = doubts.get(name)
        if (why === undefined || (why === NO_VALUE && policy.takesNoValue)) continue
        const message = `${field} "${name}" ${why}: correct it, or ${policy.takesName(kind, field)} takes it as it is`
        reasons.set(one, [...(reasons.get(one) ?? []), { field, message }])
      }
    }
  }
  if (reasons.size === 0) return planned
  return planned.map((one) => {
    const own = reasons.get(one)
    return own ? { ...one, action: 'refuse', changes: [], reasons: own } : one
  })
}
