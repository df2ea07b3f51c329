import { Fault } from '../../domain/errors.ts'
import { valueOfText } from '../../domain/field-value.ts'
import { assignment } from '../../domain/resources/assignment.ts'
import { faultsOfUserTarget } from '../../domain/rules.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { recognizeColumns, unassignedColumns } from '../columns/header.ts'
import { faultsOfNeeded, namedColumns, requireClear } from '../columns/named-columns.ts'
import type { RefusedRow } from '../entries/desired-rows.ts'
import { nameFinder, type ColumnFormats } from '../detect/survey.ts'
import { Misread } from '../formats/evidence.ts'
import { withoutMissing } from '../formats/missing-words.ts'
import type { ImportOptions, Role } from '../options/options.ts'
import { faultOfSurplus, type Row } from '../../tabular/source/table.ts'
import type { Reference } from '../directory/reference.ts'
import { cellReader } from '../rows/owner-reader.ts'

/** Lists the roles that files of assignments and of entries share. */
export const ASSIGN_ROLES: readonly Role[] = ['user', 'kpi', 'target']

/** Lists the roles that every row needs. */
const NEEDED = ['user', 'kpi'] as const

/** Lists the interface's own names, so that a list can be imported. */
const OWN_NAMES: Readonly<Record<string, Role>> = { id: 'kpi', user_target: 'target' }
const PLACE = /^\s*(?:sort[ _-]?order|place|position)\s*$/i

/** Describes the columns of a file of assignments. */
type AssignmentPlan = ColumnPlan & { readonly place: number | undefined }

/** Finds out what each column means; everything that is unclear is one error. */
export const planAssignments = (header: readonly string[], options: ImportOptions): AssignmentPlan => {
  const found = namedColumns(header, options)
  recognizeColumns(found, ASSIGN_ROLES)
  for (const at of unassignedColumns(found)) {
    const role = OWN_NAMES[header[at]?.trim().toLowerCase() ?? '']
    if (role && !found.roles.has(role)) found.roles.set(role, at)
  }
  const [place, again] = unassignedColumns(found).filter((at) => PLACE.test(header[at] ?? ''))
  if (place !== undefined) found.ignored.add(place)
  if (again !== undefined)
    found.issues.push({
      field: 'sort_order',
      message: `is both "${header[place ?? 0]}" and "${header[again]}"; leave one out (--ignore)`,
    })
  const constants = NEEDED.flatMap((role) => {
    const constant = options[role]
    return constant === undefined ? [] : [[role, constant] as const]
  })
  requireClear([...found.issues, ...faultsOfNeeded(found, NEEDED, new Map(constants))])
  const unused = unassignedColumns(found).map((at) => header[at] ?? '')
  return { header, roles: found.roles, joined: found.joined, wide: undefined, unused, place }
}

/** Describes an assignment that a row asks for; an empty cell keeps the stored value. */
export type AssignmentRow = {
  readonly line: number
  readonly user: number
  readonly kpi: number
  readonly target: bigint | undefined
  readonly place: number | undefined
  /** Tells whether the target had more than four decimals. */
  readonly isRounded: boolean
}

/** Reads a row, or returns all that is wrong with it. */
export type AssignReader = (row: Row) => AssignmentRow | RefusedRow

const placeOf = (text: string): number | Fault => {
  const value = valueOfText(assignment.fields.sort_order, text)
  return value instanceof Fault ? value : Number(value)
}

/**
 * Creates a reader of the rows of a file by its plan. It collects KPIs without a target for which users are given one.
 */
export const assignReader = (
  plan: AssignmentPlan,
  options: ImportOptions,
  reference: Reference,
  formats: ColumnFormats,
  onNoTarget: (kpi: string) => void,
): AssignReader => {
  const targets = formats.numbers.get(plan.roles.get('target') ?? -1)
  const userIn = cellReader(plan, 'user', options.user, nameFinder(formats, 'user'))
  const kpiIn = cellReader(plan, 'kpi', options.kpi, nameFinder(formats, 'kpi'))
  const textAt = (cells: readonly string[], at: number | undefined): string => cells[at ?? -1]?.trim() ?? ''
  const valueOf = withoutMissing(options.missing)
  return ({ line, cells }) => {
    const { header, roles, place: placeAt } = plan
    const surplus = faultOfSurplus(cells, header)
    if (surplus !== undefined) return { reasons: [surplus], isMisread: true }
    const reasons: string[] = []
    let isMisread = false
    const accept = <T>(value: T | Fault, name = ''): T | undefined => {
      if (!(value instanceof Fault)) return value
      isMisread ||= value instanceof Misread
      reasons.push(name + value.message)
      return undefined
    }
    const [user, kpi] = [accept(userIn(cells))?.id, accept(kpiIn(cells))?.id]
    const [target, place] = [valueOf(textAt(cells, roles.get('target'))), textAt(cells, placeAt)]
    const number = target === '' || !targets ? undefined : accept(targets.read(target, line), 'target ')
    const wanted = {
      line,
      target: number?.value,
      isRounded: number?.rounded ?? false,
      place: place === '' ? undefined : accept(placeOf(place), 'sort_order '),
    }
    const known = kpi === undefined ? undefined : reference.kpis.byId.get(kpi)
    const faults = known ? faultsOfUserTarget(known, wanted.target) : []
    if (known && faults.length > 0) onNoTarget(known.name)
    reasons.push(...faults.map(({ message }) => message))
    return user === undefined || kpi === undefined || reasons.length > 0
      ? { reasons, isMisread }
      : { ...wanted, user, kpi }
  }
}
