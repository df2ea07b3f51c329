import type { Client } from '../../client/client.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import { group } from '../../domain/resources/groups.ts'
import type { CheckedFile } from '../check.ts'
import { roleHeader } from '../columns/role-text.ts'
import type { Creation } from '../options.ts'
import { isNameOfTotal } from '../parse/ignored-rows.ts'
import { defineKpi, type KnownOfKpi, type KpiDefaults } from './define-kpi.ts'
import type { Missing } from './missing.ts'
import type { MissingKpi, MissingPlan, MissingUser } from './plan.ts'

/** Names the category and the group that are used if nothing else says which. */
const CATEGORY = 'General'
const GROUP = 'Items'

/** Returns the date format of a file: of its dates, or of its headers that are dates. */
const dateFormatOf = ({ formats, plan }: CheckedFile): string | undefined =>
  plan.wide?.dateFormat ?? formats.date?.column.format.text

/** Returns what is known of each KPI that rows need and the service does not have. */
const knownOf = (checked: CheckedFile, created: Missing): KnownOfKpi[] =>
  (created.kpis?.used() ?? []).map(({ id, name }) => ({
    id,
    name,
    rows: created.evidence.of(id),
    dateFormat: dateFormatOf(checked),
    signs: checked.formats.signsOf(id),
  }))

/** Defines the new KPIs; throws all that is in doubt at once. */
const defineKpis = (known: readonly KnownOfKpi[], defaults: KpiDefaults): MissingKpi[] => {
  const issues: Issue[] = []
  const defined = known.flatMap((one) => {
    const found = defineKpi(one, defaults)
    if ('id' in found) return found
    issues.push(...found)
    return []
  })
  if (issues.length === 0) return defined
  throw new KpiError('malformed', 'it is not clear how to create some KPIs; nothing was sent', {
    issues: issues.filter(({ message }, at) => issues.findIndex((one) => one.message === message) === at),
  })
}

/** Returns the name of the group of new items: as given, else that of the column that names them. */
const groupName = ({ plan }: CheckedFile, asked: string | undefined): string => {
  if (asked !== undefined) return asked
  const header = roleHeader(plan, 'source')
  return header === '' || header.length > group.fields.name.max ? GROUP : header
}

const usersOf = (created: Missing): MissingUser[] =>
  (created.users?.used() ?? []).map(({ id, name, first_name, last_name, email }) => ({
    id,
    name,
    first_name,
    last_name,
    email,
  }))

/** Gives the rows' KPIs what was found, so that they are judged as they will be. */
const applyDefinitions = (created: Missing, defined: readonly MissingKpi[]): void => {
  for (const { id, frequency_id, aggregate_function, target_default } of defined) {
    const one = created.kpis?.lookup.byId.get(id)
    if (one) created.kpis?.replace(id, { ...one, frequency_id, aggregate_function, target_default })
  }
}

const quoted = (name: string): string => (/[, *"]/.test(name) ? JSON.stringify(name) : name)

/** Returns the faults of new things with the name of a total, which would count everything twice. */
const faultsOfTotals = (
  { plan: { wide } }: CheckedFile,
  names: readonly (readonly [kind: string, name: string])[],
): Issue[] =>
  names
    .filter(([, name]) => isNameOfTotal(name))
    .map(([kind, name]) => ({
      field: name,
      message: `would be a new ${kind}, and is the name of a total: --ignore-rows ${quoted(name)} leaves its rows out${wide ? `, --ignore ${quoted(name)} a column of that name` : ''}; --ignore-rows none imports it`,
    }))

const requireNoTotals = (
  checked: CheckedFile,
  { kpis, users, items }: Pick<MissingPlan, 'kpis' | 'users' | 'items'>,
): void => {
  const issues = faultsOfTotals(checked, [
    ...kpis.map(({ name }) => ['KPI', name] as const),
    ...users.map(({ name }) => ['user', name] as const),
    ...items.map(({ name }) => ['breakdown item', name] as const),
  ])
  if (issues.length > 0) {
    throw new KpiError('malformed', 'some names look like those of totals; nothing was sent', { issues })
  }
}

/**
 * Returns all that rows need and the service does not have; undefined if there is nothing. Names of totals are refused,
 * unless the user has settled which rows are left out.
 */
export const planMissing = async (
  client: Client,
  checked: CheckedFile,
  { frequency, unit, category, group: asked }: Creation,
  isRowsSettled: boolean,
): Promise<MissingPlan | undefined> => {
  const { created } = checked.reference
  if (!created) return undefined
  const known = knownOf(checked, created)
  const units = known.length > 0 ? await client.units.list() : []
  const kpis = defineKpis(known, { units, frequency, unit })
  applyDefinitions(created, kpis)
  const items = (created.items?.used() ?? []).map(({ id, name }) => ({ id, name }))
  const users = usersOf(created)
  if (kpis.length + users.length + items.length === 0) return undefined
  if (!isRowsSettled) requireNoTotals(checked, { kpis, users, items })
  return {
    kpis,
    users,
    items,
    group: items.length > 0 ? groupName(checked, asked) : undefined,
    category: category ?? CATEGORY,
  }
}
