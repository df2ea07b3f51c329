import type { NearName } from '../../changes/names/near-names.ts'
import type { Decimal } from '../../domain/decimal.ts'
import type { Frequency } from '../../domain/period.ts'

/** Describes the unit of a new KPI: one that exists, or a new one. */
export type UnitChoice =
  | { readonly kind: 'existing'; readonly id: number; readonly name: string; readonly is_percentage: boolean }
  | {
      readonly kind: 'new'
      readonly name: string
      readonly display_format: string
      readonly is_percentage: boolean
    }

/** Describes a KPI to create. */
export type MissingKpi = {
  readonly id: number
  readonly name: string
  readonly frequency_id: Frequency
  readonly unit: UnitChoice
  readonly aggregate_function: 'SUM' | 'AVG'
  readonly target_default: Decimal | null
  /** Says why each of these was chosen, one sentence each. */
  readonly evidence: readonly string[]
}

/** Describes a user to create. */
export type MissingUser = {
  readonly id: number
  readonly name: string
  readonly first_name: string
  readonly last_name: string | null
  readonly email: string
}

/** Describes a breakdown item to create. */
type MissingItem = { readonly id: number; readonly name: string }

/** Describes all that an import creates before it sends entries; ids are provisional. */
export type MissingPlan = {
  readonly kpis: readonly MissingKpi[]
  readonly users: readonly MissingUser[]
  readonly items: readonly MissingItem[]
  /** Names the group of new breakdown items; undefined if there are none. */
  readonly group: string | undefined
  /** Names the category of new KPIs. */
  readonly category: string
  /** Lists new names that are nearly those of things that exist. */
  readonly near: readonly NearName[]
}
