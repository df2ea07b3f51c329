import { countText } from '../../domain/count-text.ts'
import { UNASSIGNED } from '../../domain/rules.ts'

/** Describes the rows whose KPI is not assigned to their user. */
export type UnassignedRows = {
  readonly rows: number
  /** Holds the first line of them, with the names of its KPI and its user. */
  readonly line: number
  readonly kpi: string
  readonly user: string
  /** Counts the pairs of KPI and user; undefined if there are too many to count. */
  readonly pairs: number | undefined
}

/** Counts rows whose KPI is not assigned to their user. */
type UnassignedCount = {
  /** Counts a row if that is the reason, and tells whether it is. */
  readonly takes: (reason: string, line: number) => boolean
  /** Returns what was counted; undefined if nothing was. */
  readonly counted: () => UnassignedRows | undefined
}

/** Creates the count of rows whose KPI is not assigned to their user, of which so many pairs are told apart. */
export const createUnassignedCount = (most: number): UnassignedCount => {
  const pairs = new Set<string>()
  let first: Pick<UnassignedRows, 'line' | 'kpi' | 'user'> | undefined
  let rows = 0
  return {
    takes: (reason, line) => {
      const found = UNASSIGNED.exec(reason)
      if (!found) return false
      const [pair] = found
      const { kpi = '', user = '' } = found.groups ?? {}
      first ??= { line, kpi, user }
      rows += 1
      if (pairs.size <= most) pairs.add(pair)
      return true
    },
    counted: () => first && { ...first, rows, pairs: pairs.size > most ? undefined : pairs.size },
  }
}

/** Says which KPIs are not assigned to which users: how many pairs, and the first. */
export const unassignedText = ({ kpi, user, pairs }: UnassignedRows): string => {
  if (pairs === 1) return `KPI "${kpi}" is not assigned to user "${user}"`
  const many = pairs === undefined ? 'very many' : countText(pairs)
  return `the KPI is not assigned to the user: ${many} pairs, such as "${kpi}" and "${user}"`
}
