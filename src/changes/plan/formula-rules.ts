import { parseFormula } from '../../domain/calculated/formula-parser.ts'
import {
  clashesWithFormulas,
  faultsOfFormula,
  type Formulas,
  type KpiInFormula,
  rejectUsedKpi,
} from '../../domain/calculated/formula-rules.ts'
import type { Formula } from '../../domain/calculated/formula.ts'
import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { type AnyRecord, asRecord } from '../../domain/schema.ts'
import { type Change, isAccountRecord } from '../records/change.ts'
import { KPIS } from '../records/kind-fields.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'
import type { Reason } from './match.ts'
import type { Planned } from './plan.ts'

/** Returns the fields of a record as a change leaves them, by their names in the interface. */
const fieldsAfter = ({ stored }: AccountRecord, change: Change | undefined): AnyRecord => {
  const changed = [
    ...Object.entries(change?.defaults ?? {}),
    ...(change?.fields ?? []).map(({ config, after }) => [config.as, after] as const),
  ].flatMap(([name, after]) => (isAccountRecord(after) ? [] : [[name, after] as const]))
  return { ...stored, ...Object.fromEntries(changed) }
}

const kpiOf = (id: number, name: string, fields: AnyRecord): KpiInFormula => {
  const { frequency_id, is_active } = asRecord(kpi, { is_active: true, ...fields })
  return { id, name, frequency_id, is_active }
}

const refusalOf = (work: () => void): Issue[] => {
  try {
    work()
    return []
  } catch (error) {
    if (error instanceof KpiError) return [{ field: 'name', message: error.message }]
    throw error
  }
}

/** Tells whether the formulas of an account are known: only the operator of the bundled service sees them. */
const areKnown = (snapshot: Snapshot): boolean => {
  const all = snapshot.ofKind('calculated_kpi')
  return all.length > 0 && all.every(({ stored }) => stored === undefined || typeof stored['formula'] === 'string')
}

/**
 * Refuses what the rules of formulas refuse, by what the account is to be in the end: a formula that uses itself, a KPI that
 * is deleted, closed or made coarser while a formula uses it.
 */
export const refuseByFormulas = (
  snapshot: Snapshot,
  planned: readonly Planned[],
  gone: readonly AccountRecord[],
): readonly Planned[] => {
  const isOfKpi = ({ record }: Planned): boolean => record !== undefined && KPIS.includes(record.kind.name)
  if (!planned.some((one) => one.changes.length > 0 && isOfKpi(one)) || !areKnown(snapshot)) return planned
  const changeOf = new Map(planned.flatMap(({ changes }) => changes.map((one) => [one.record, one] as const)))
  const going = new Set([
    ...gone,
    ...[...changeOf.values()].flatMap((one) => (one.action === 'delete' ? one.record : [])),
  ])
  const base = Math.max(...KPIS.map((kind) => snapshot.largestId(kind)))
  const idOf = ({ id, serial }: AccountRecord): number => id ?? base + serial
  const kpis = new Map<number, KpiInFormula>()
  const formulas = new Map<number, Formula>()
  for (const record of KPIS.flatMap((kind) => snapshot.ofKind(kind))) {
    const change = changeOf.get(record)
    if (going.has(record) || (!record.stored && !change)) continue
    const fields = fieldsAfter(record, change)
    kpis.set(idOf(record), kpiOf(idOf(record), record.name, fields))
    const formula = 'formula' in fields ? parseFormula(String(fields['formula'])) : undefined
    if (formula !== undefined && !(formula instanceof Fault)) formulas.set(idOf(record), formula)
  }
  const all: Formulas = { kpis, formulas }
  const issuesOf = (record: AccountRecord, { action }: Change): Issue[] => {
    const id = idOf(record)
    const before = kpiOf(id, record.name, record.stored ?? {})
    const after = kpis.get(id)
    if (!after) return refusalOf(() => rejectUsedKpi(all, before))
    return [
      ...(record.kind.name === 'calculated_kpi' ? faultsOfFormula(all, after) : []),
      ...(action === 'update' ? clashesWithFormulas(all, before, after) : []),
    ]
  }
  const news = [...changeOf.keys()].filter(({ id }) => id === undefined)
  /** Names KPIs that have no ids yet. */
  const withNewNames = (message: string): string =>
    news.reduce((text, one) => {
      const id = idOf(one)
      return text
        .replaceAll(`KPI ${id} (${one.name})`, `the new KPI ${one.name}`)
        .replaceAll(`[${id}]`, `[${one.name}]`)
    }, message)
  return planned.map((one) => {
    const [change] = one.changes
    if (!one.record || !change || !isOfKpi(one)) return one
    const { fields } = one.record.kind
    const reasons = issuesOf(one.record, change).map(({ field, message }): Reason => {
      const name = fields.find(({ as }) => as === field)?.name ?? field
      const text = withNewNames(message)
      return { field: name, message: name === 'name' ? text : `${name}: ${text}` }
    })
    return reasons.length > 0 ? { ...one, action: 'refuse', changes: [], reasons } : one
  })
}
