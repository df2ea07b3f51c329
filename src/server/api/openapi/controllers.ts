/** Describes a group of operations: where it is, what it is called, and how its operations are named. */
type Controller = {
  readonly path: string
  readonly name: string
  readonly about: string
  /** Holds the singular and plural in names of operations. */
  readonly one: string
  readonly many: string
}

/** Lists the controllers of both variants. */
export const controllers: readonly Controller[] = [
  {
    path: '/users',
    name: 'Users',
    about: 'The people of the account. The newer variant reads them; they are changed in the application.',
    one: 'User',
    many: 'Users',
  },
  {
    path: '/users/{user_id}/kpis',
    name: 'Users / KPIs',
    about: 'KPIs that are assigned to a user: only those may be reported for them.',
    one: 'UserKpi',
    many: 'UserKpis',
  },
  {
    path: '/users/{user_id}/groupitems',
    name: 'Users / Group Items',
    about: 'Group items that a user belongs to. New entries of the user carry them.',
    one: 'UserGroupItem',
    many: 'UserGroupItems',
  },
  { path: '/groups', name: 'Groups', about: 'What values are grouped by.', one: 'Group', many: 'Groups' },
  {
    path: '/groups/{group_id}/items',
    name: 'Groups / Group Items',
    about: 'The items of a group.',
    one: 'GroupItem',
    many: 'GroupItems',
  },
  {
    path: '/kpicategories',
    name: 'KPI Categories',
    about: 'What KPIs are sorted into.',
    one: 'KpiCategory',
    many: 'KpiCategories',
  },
  {
    path: '/kpicategories/{category_id}/kpis',
    name: 'KPI Categories / KPIs',
    about: 'The KPIs of one category.',
    one: 'CategoryKpi',
    many: 'CategoryKpis',
  },
  {
    path: '/kpis',
    name: 'KPIs',
    about: 'What is measured: unit, frequency, direction, and how a period is made of its entries.',
    one: 'Kpi',
    many: 'Kpis',
  },
  {
    path: '/kpifrequencies',
    name: 'KPI Frequencies',
    about: 'How often a KPI is measured: a fixed list.',
    one: 'KpiFrequency',
    many: 'KpiFrequencies',
  },
  {
    path: '/kpiunits',
    name: 'KPI Units',
    about: 'Units of measure, and how their values are shown.',
    one: 'KpiUnit',
    many: 'KpiUnits',
  },
  {
    path: '/kpiicons',
    name: 'KPI Icons',
    about: 'Icons that KPIs are shown with: a fixed list.',
    one: 'KpiIcon',
    many: 'KpiIcons',
  },
  {
    path: '/kpientries',
    name: 'KPI Entries',
    about: 'Values of KPIs, one by one or in batches.',
    one: 'KpiEntry',
    many: 'KpiEntries',
  },
  {
    path: '/kpientries/sums',
    name: 'KPI Entries / Sums',
    about: 'What entries come to, by KPI: how many there are, and the sum of their actuals.',
    one: 'EntrySum',
    many: 'EntrySums',
  },
  {
    path: '/kpientries/runs',
    name: 'KPI Entries / Runs',
    about:
      'What runs have replaced, deleted, or put group items onto: batches with the header `Kpi-Run` and such requests, to be seen and taken back.',
    one: 'RunBatch',
    many: 'RunEntries',
  },
  {
    path: '/breakdownitems',
    name: 'Breakdown Items',
    about: 'What values are broken down by: people, channels, regions.',
    one: 'BreakdownItem',
    many: 'BreakdownItems',
  },
  {
    path: '/reports',
    name: 'Reports',
    about: 'Processed values by KPI, item and period.',
    one: 'DataEntry',
    many: 'DataEntries',
  },
  {
    path: '/reports/AllDataEntries/days',
    name: 'Reports / Days',
    about: 'Digests of the processed values of each day, by which what has changed is found.',
    one: 'DataEntryDay',
    many: 'DataEntryDays',
  },
  { path: '/health', name: 'Health', about: 'Whether the service answers.', one: 'Health', many: 'Health' },
  { path: '/openapi.json', name: 'Description', about: 'This document.', one: 'Description', many: 'Descriptions' },
]

/** Returns the controller of a path: the most specific one. */
export const controllerOf = (path: string): Controller => {
  const [closest] = controllers
    .filter((one) => path === one.path || path.startsWith(`${one.path}/`))
    .sort((left, right) => right.path.length - left.path.length)
  if (!closest) throw new Error(`${path} belongs to no controller`)
  return closest
}
