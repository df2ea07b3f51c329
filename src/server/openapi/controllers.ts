/** A group of operations (decisions, section 2): where it is, what it is called, and how its operations are named. */
export type Controller = {
  readonly path: string
  readonly name: string
  /** One and several of what it holds, as they stand in names of operations. */
  readonly one: string
  readonly many: string
}

/** The controllers of both variants. */
export const controllers: readonly Controller[] = [
  { path: '/users', name: 'Users', one: 'User', many: 'Users' },
  { path: '/users/{user_id}/kpis', name: 'Users / KPIs', one: 'UserKpi', many: 'UserKpis' },
  { path: '/users/{user_id}/groupitems', name: 'Users / Group Items', one: 'UserGroupItem', many: 'UserGroupItems' },
  { path: '/groups', name: 'Groups', one: 'Group', many: 'Groups' },
  { path: '/groups/{group_id}/items', name: 'Groups / Group Items', one: 'GroupItem', many: 'GroupItems' },
  { path: '/kpicategories', name: 'KPI Categories', one: 'KpiCategory', many: 'KpiCategories' },
  {
    path: '/kpicategories/{category_id}/kpis',
    name: 'KPI Categories / KPIs',
    one: 'CategoryKpi',
    many: 'CategoryKpis',
  },
  { path: '/kpis', name: 'KPIs', one: 'Kpi', many: 'Kpis' },
  { path: '/kpifrequencies', name: 'KPI Frequencies', one: 'KpiFrequency', many: 'KpiFrequencies' },
  { path: '/kpiunits', name: 'KPI Units', one: 'KpiUnit', many: 'KpiUnits' },
  { path: '/kpiicons', name: 'KPI Icons', one: 'KpiIcon', many: 'KpiIcons' },
  { path: '/kpientries', name: 'KPI Entries', one: 'KpiEntry', many: 'KpiEntries' },
  { path: '/breakdownitems', name: 'Breakdown Items', one: 'BreakdownItem', many: 'BreakdownItems' },
  { path: '/reports', name: 'Reports', one: 'DataEntry', many: 'DataEntries' },
  { path: '/health', name: 'Health', one: 'Health', many: 'Health' },
  { path: '/openapi.json', name: 'Description', one: 'Description', many: 'Descriptions' },
]

/** The controller that a path belongs to: the one that is named most closely. */
export const controllerOf = (path: string): Controller => {
  const [closest] = controllers
    .filter((one) => path === one.path || path.startsWith(`${one.path}/`))
    .sort((left, right) => right.path.length - left.path.length)
  if (!closest) throw new Error(`${path} belongs to no controller`)
  return closest
}
