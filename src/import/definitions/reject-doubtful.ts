import { findDoubtfulNames, isMeantName } from '../../changes/names/doubtful-names.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { nameFieldsOf } from '../../domain/kinds.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import type { DefinitionOptions } from './columns.ts'
import type { ExistingDefinitions } from './existing.ts'
import type { DefinitionKind } from './kinds.ts'
import type { DefinitionAction } from './plan.ts'

/** Sets how many names are compared in one turn. */
const NAMES_OF_TURN = 500

type NewName = { readonly role: string; readonly name: string }

/** Holds what the names of planned rows are judged by. */
type Judging = {
  readonly kind: DefinitionKind
  readonly options: Pick<DefinitionOptions, 'numbersAs'>
  readonly signal: AbortSignal
}

/** Returns the names that a row would store, but those that `--by-name` says are meant. */
const newNamesOf = (plan: DefinitionAction, { kind, options }: Judging): NewName[] =>
  plan.action === 'create' || plan.action === 'update'
    ? nameFieldsOf(kind.of).flatMap((role) => {
        const name = plan.values[role]
        return typeof name === 'string' && !isMeantName(options.numbersAs, role) ? [{ role, name }] : []
      })
    : []

/**
 * Rejects the rows whose names may stand for no value, or look like others with letters of another script, unless
 * `--by-name` says that they are meant.
 */
export const rejectDoubtful = async (
  judging: Judging,
  existing: Pick<ExistingDefinitions, 'keys'>,
  plans: readonly DefinitionAction[],
): Promise<DefinitionAction[]> => {
  const { kind, signal } = judging
  const { of, key } = kind
  const pause = pauseEvery(NAMES_OF_TURN, signal)
  const news = plans.map((plan) => newNamesOf(plan, judging))
  const doubts = new Map<string, ReadonlyMap<string, string>>()
  for (const role of nameFieldsOf(of)) {
    const names = news.flat().flatMap((one) => (one.role === role ? [one.name] : []))
    const known = role === key ? existing.keys() : []
    doubts.set(role, await findDoubtfulNames({ names, known, areKpis: of.name === kpi.name }, pause))
  }
  return plans.map((plan, at) => {
    const reasons = (news[at] ?? []).flatMap(({ role, name }) => {
      const why = doubts.get(role)?.get(name)
      return why === undefined ? [] : [`${role} "${name}" ${why}: correct it, or --by-name ${role} takes it as it is`]
    })
    return reasons.length > 0 ? { action: 'reject', row: plan.row, reasons } : plan
  })
}
