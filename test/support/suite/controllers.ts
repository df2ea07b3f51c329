import { IDS } from './ids.ts'
import { user } from './world.ts'

/** A controller, and enough of what it takes to ask it everything that all of them are asked. */
export type Controller = {
  readonly name: string
  readonly root: string
  /** The path of all of them, and how many there are. */
  readonly list: string
  readonly count: number
  /** The id of one of them, in that path, and what is known of it. */
  readonly id: number | string
  readonly shown: object
  /** Ids that are not there, and paths that lead through another one's parent. */
  readonly absent: readonly (number | string)[]
  readonly elsewhere?: readonly string[]
  /** What makes one, where it is then, and what it is like. */
  readonly makes?: { readonly body: object; readonly id: number; readonly shown: object }
  /** What changes it, and what it is like then. */
  readonly changes?: { readonly body: object; readonly shown: object }
  /** A field that null clears. */
  readonly clears?: string
  /** Fields without which none is made. */
  readonly mandatory?: readonly string[]
  /** Values that a field refuses. */
  readonly refuses?: readonly (readonly [field: string, value: unknown, only?: 'json'])[]
  /** Fields that it shows and does not take. */
  readonly readOnly?: object
  /** The id of one that can be deleted. */
  readonly deletes?: number
}

const {
  ANN,
  BOB,
  BOSS,
  CURRENCY,
  EMPTY,
  ENTRY,
  FOREIGN,
  FOREIGN_ITEM,
  FREE,
  GENERAL,
  IDLE,
  NEW_CATEGORY,
  NEW_ENTRY,
  NEW_GROUP,
  NEW_ITEM,
  NEW_KPI,
  NEW_UNIT,
  NEW_USER,
  NOBODY,
  NORTH,
  NUMBER,
  OLD,
  REGION,
  SALES,
  SOUTH,
  VISITS,
} = IDS

const LONG_AGO = '2001-02-03T04:05:06'
const STAMPS = { created_at: LONG_AGO, updated_at: LONG_AGO }
const EMAIL = `${'e'.repeat(139)}@example.com`

const KPI_BODY = {
  category_id: IDLE,
  icon_id: 3,
  unit_id: 2,
  frequency_id: 'M',
  name: 'Calls & <more>',
  description: 'Made by "phone"',
  target_default: 12.5,
  value_direction: 'D',
  aggregate_function: 'AVG',
  sort_order: -7,
  is_active: true,
}

const KPI_REFUSES: Controller['refuses'] = [
  ['name', 'n'.repeat(101)],
  ['name', 5, 'json'],
  ['name', 'a\u007fb'],
  ['name', { first: 'x' }],
  ['description', '📈'.repeat(151)],
  ['frequency_id', 'd'],
  ['frequency_id', 'DW'],
  ['value_direction', 'X'],
  ['aggregate_function', 'MAX'],
  ['target_default', 'much'],
  ['target_default', '1,5'],
  ['target_default', '100000000000000'],
  ['sort_order', 32_768],
  ['sort_order', 'first'],
  ['icon_id', 99],
  ['icon_id', 40_000],
  ['category_id', NOBODY],
  ['category_id', FOREIGN],
  ['unit_id', FOREIGN],
  ['is_active', 'yes'],
]

const NAMED: Controller['refuses'] = [
  ['name', 'n'.repeat(101)],
  ['name', 7, 'json'],
  ['sort_order', 'last'],
  ['sort_order', -32_769],
]

const ENTRY_BODY = { user_id: ANN, kpi_id: VISITS, entry_date: '2026-11-19', actual: 1234.5678, notes: 'two\nlines' }

/** Lists every controller. */
export const CONTROLLERS: readonly Controller[] = [
  {
    name: 'KPIs',
    root: 'KPI',
    list: '/kpis',
    count: 5,
    id: SALES,
    shown: {
      id: SALES,
      name: 'Sales',
      description: 'What we sold',
      target_default: 100,
      is_active: true,
      is_calculated: false,
    },
    absent: [NOBODY, FOREIGN],
    makes: { body: KPI_BODY, id: NEW_KPI, shown: { ...KPI_BODY, is_calculated: false } },
    changes: {
      body: { name: 'Turnover', is_active: false, target_default: '99.5' },
      shown: { name: 'Turnover', is_active: false, target_default: 99.5, description: 'What we sold', sort_order: 1 },
    },
    clears: 'description',
    mandatory: ['icon_id', 'unit_id', 'frequency_id', 'name', 'value_direction', 'sort_order', 'is_active'],
    refuses: KPI_REFUSES,
    readOnly: { id: NOBODY, is_calculated: true, ...STAMPS },
    deletes: SALES,
  },
  {
    name: 'KPI Categories / KPIs',
    root: 'KPI',
    list: `/kpicategories/${GENERAL}/kpis`,
    count: 5,
    id: SALES,
    shown: { id: SALES, category_id: GENERAL, name: 'Sales' },
    absent: [NOBODY, FOREIGN],
    elsewhere: [
      `/kpicategories/${IDLE}/kpis/${SALES}`,
      `/kpicategories/${NOBODY}/kpis/${SALES}`,
      `/kpicategories/${FOREIGN}/kpis/${FOREIGN}`,
    ],
    makes: { body: KPI_BODY, id: NEW_KPI, shown: { ...KPI_BODY, category_id: GENERAL } },
    changes: {
      body: { name: 'Turnover', category_id: IDLE },
      shown: { name: 'Turnover', category_id: GENERAL, description: 'What we sold' },
    },
    clears: 'target_default',
    mandatory: ['icon_id', 'unit_id', 'frequency_id', 'name', 'value_direction', 'sort_order', 'is_active'],
    refuses: KPI_REFUSES.filter(([field]) => field !== 'category_id'),
    readOnly: { id: NOBODY, is_calculated: true, ...STAMPS },
    deletes: SALES,
  },
  {
    name: 'Users',
    root: 'User',
    list: '/users',
    count: 4,
    id: ANN,
    shown: {
      id: ANN,
      first_name: 'Ann',
      last_name: 'Lee',
      email: 'ann@example.com',
      password: null,
      user_status_id: 'A',
    },
    absent: [NOBODY, FOREIGN, NORTH],
    makes: {
      body: { ...user('Zoë'), last_name: '李', user_type: 'Manager', password: 'secret', can_manage_users: true },
      id: NEW_USER,
      shown: {
        first_name: 'Zoë',
        last_name: '李',
        password: null,
        can_manage_users: true,
        can_admin_settings: false,
        last_login_at: null,
      },
    },
    changes: {
      body: { first_name: 'Anna', user_type: 'Director', password: 'other' },
      shown: { first_name: 'Anna', user_type: 'Director', last_name: 'Lee', password: null },
    },
    clears: 'last_name',
    mandatory: ['user_type', 'user_status_id', 'first_name', 'email'],
    refuses: [
      ['user_type', 'Boss'],
      ['user_status_id', 'X'],
      ['first_name', 'n'.repeat(51)],
      ['last_name', 'n'.repeat(51)],
      ['email', EMAIL],
      ['email', 'nobody'],
      ['can_manage_users', 'maybe'],
    ],
    readOnly: { id: NOBODY, last_login_at: LONG_AGO, last_password_changed_at: LONG_AGO, ...STAMPS },
    deletes: BOB,
  },
  {
    name: 'Users / KPIs',
    root: 'UserKPI',
    list: `/users/${ANN}/kpis`,
    count: 4,
    id: SALES,
    shown: { id: SALES, user_id: ANN, user_target: null, sort_order: 1 },
    absent: [NOBODY, FOREIGN, FREE],
    elsewhere: [`/users/${BOB}/kpis/${SALES}`, `/users/${NOBODY}/kpis/${SALES}`, `/users/${FOREIGN}/kpis/${FOREIGN}`],
    makes: {
      body: { id: FREE, user_target: 0.0001, sort_order: 4 },
      id: FREE,
      shown: { id: FREE, user_id: ANN, user_target: 0.0001, sort_order: 4 },
    },
    changes: { body: { user_target: -5 }, shown: { user_target: -5, sort_order: 1 } },
    clears: 'user_target',
    mandatory: ['id', 'sort_order'],
    refuses: [
      ['user_target', 'x'],
      ['user_target', '123456789012345'],
      ['sort_order', 99_999],
    ],
    readOnly: { user_id: NOBODY, ...STAMPS },
    deletes: OLD,
  },
  {
    name: 'Users / Group Items',
    root: 'UserGroupItem',
    list: `/users/${ANN}/groupitems`,
    count: 1,
    id: NORTH,
    shown: { id: NORTH, user_id: ANN, group_id: REGION, group_name: 'Region', name: 'North' },
    absent: [NOBODY, FOREIGN_ITEM, SOUTH],
    elsewhere: [`/users/${BOB}/groupitems/${NORTH}`, `/users/${NOBODY}/groupitems/${NORTH}`],
    makes: {
      body: { id: SOUTH },
      id: SOUTH,
      shown: { id: SOUTH, user_id: ANN, group_id: REGION, group_name: 'Region', name: 'South' },
    },
    mandatory: ['id'],
    refuses: [
      ['id', 'north'],
      ['id', NOBODY],
      ['id', FOREIGN_ITEM],
      ['id', BOSS],
    ],
    readOnly: { user_id: NOBODY, group_id: NOBODY, group_name: 'x', name: 'x', created_at: LONG_AGO },
    deletes: NORTH,
  },
  {
    name: 'Groups',
    root: 'Group',
    list: '/groups',
    count: 2,
    id: REGION,
    shown: { id: REGION, name: 'Region', sort_order: 1 },
    // 1 is the built-in breakdown of people, which is no group.
    absent: [NOBODY, FOREIGN, 1],
    makes: { body: { name: 'Team' }, id: NEW_GROUP, shown: { name: 'Team', sort_order: 3 } },
    changes: { body: { name: 'Country' }, shown: { name: 'Country', sort_order: 1 } },
    mandatory: ['name'],
    refuses: [...NAMED, ['name', 'n'.repeat(51)]],
    readOnly: { id: NOBODY, ...STAMPS },
    deletes: EMPTY,
  },
  {
    name: 'Groups / Group Items',
    root: 'GroupItem',
    list: `/groups/${REGION}/items`,
    count: 2,
    id: NORTH,
    shown: { id: NORTH, group_id: REGION, name: 'North', sort_order: 1 },
    absent: [NOBODY, FOREIGN_ITEM, BOSS],
    elsewhere: [`/groups/${EMPTY}/items/${NORTH}`, `/groups/${NOBODY}/items/${NORTH}`, `/groups/1/items/${BOSS}`],
    makes: {
      body: { name: 'West', sort_order: 9 },
      id: NEW_ITEM,
      shown: { group_id: REGION, name: 'West', sort_order: 9 },
    },
    changes: { body: { sort_order: 5 }, shown: { sort_order: 5, name: 'North' } },
    mandatory: ['name'],
    refuses: NAMED,
    readOnly: { id: NOBODY, group_id: EMPTY, ...STAMPS },
    deletes: SOUTH,
  },
  {
    name: 'KPI Categories',
    root: 'KPICategory',
    list: '/kpicategories',
    count: 2,
    id: GENERAL,
    shown: { id: GENERAL, name: 'General', sort_order: 1 },
    absent: [NOBODY, FOREIGN],
    makes: { body: { name: 'Finance' }, id: NEW_CATEGORY, shown: { name: 'Finance', sort_order: 3 } },
    changes: { body: { name: 'Usual' }, shown: { name: 'Usual', sort_order: 1 } },
    mandatory: ['name'],
    refuses: [...NAMED, ['name', 'n'.repeat(51)]],
    readOnly: { id: NOBODY, ...STAMPS },
    deletes: IDLE,
  },
  {
    name: 'KPI Units',
    root: 'KPIUnit',
    list: '/kpiunits',
    count: 4,
    id: NUMBER,
    shown: { id: NUMBER, name: 'Number', entry_format: '#', is_percentage: false },
    absent: [NOBODY, FOREIGN],
    makes: {
      body: { name: 'Euro', entry_format: '#.00', display_format: '€ #.00', is_percentage: false },
      id: NEW_UNIT,
      shown: { name: 'Euro', entry_format: '#.00', display_format: '€ #.00', is_percentage: false },
    },
    changes: { body: { is_percentage: 'true' }, shown: { is_percentage: true, name: 'Number' } },
    mandatory: ['name', 'entry_format', 'display_format', 'is_percentage'],
    refuses: [
      ['name', 'n'.repeat(26)],
      ['entry_format', '0,0'],
      ['entry_format', '#'.repeat(26)],
      ['display_format', 'none'],
      ['is_percentage', 2],
    ],
    readOnly: { id: NOBODY, ...STAMPS },
    deletes: CURRENCY,
  },
  {
    name: 'KPI Frequencies',
    root: 'KPIFrequency',
    list: '/kpifrequencies',
    count: 5,
    id: 'W',
    shown: { id: 'W', name: 'Weekly' },
    absent: ['X', 'WW', '1'],
  },
  {
    name: 'KPI Icons',
    root: 'KPIIcon',
    list: '/kpiicons',
    count: 40,
    id: 1,
    shown: { id: 1 },
    absent: [NOBODY, 0],
  },
  {
    name: 'KPI Entries',
    root: 'KPIEntry',
    list: '/kpientries',
    count: 1,
    id: ENTRY,
    shown: { id: ENTRY, user_id: ANN, kpi_id: SALES, entry_date: '2026-11-20', actual: 5, target: 7, notes: 'n' },
    absent: [NOBODY, FOREIGN],
    makes: { body: ENTRY_BODY, id: NEW_ENTRY, shown: { ...ENTRY_BODY, target: null } },
    changes: { body: { actual: 6 }, shown: { actual: 6, target: 7, notes: 'n', entry_date: '2026-11-20' } },
    clears: 'notes',
    mandatory: ['kpi_id', 'entry_date'],
    refuses: [
      ['entry_date', '2026-02-29'],
      ['entry_date', '1899-12-31'],
      ['entry_date', '2200-01-01'],
      ['entry_date', '21.11.2026'],
      ['actual', 'many'],
      ['actual', '1e3'],
      ['notes', 'n'.repeat(501)],
      ['kpi_id', NOBODY],
      ['kpi_id', FOREIGN],
      ['user_id', NOBODY],
      ['user_id', FOREIGN],
      ['setActual', 'perhaps'],
    ],
    readOnly: { id: NOBODY, ...STAMPS },
    deletes: ENTRY,
  },
]
