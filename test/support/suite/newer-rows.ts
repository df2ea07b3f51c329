import { breakdownItemRows } from './breakdown-item-rows.ts'
import { IDS } from './ids.ts'
import { itemEntryRows, itemReportRows } from './item-entry-rows.ts'
import { post, put } from './questions.ts'
import type { Row } from './row.ts'
import { kpi } from './world.ts'

const { GENERAL, IDLE, NEW_KPI, NUMBER, SALES } = IDS

const WITHOUT_CATEGORY = Object.fromEntries(Object.entries(kpi('New')).filter(([name]) => name !== 'category_id'))

/** What goes well in the newer variant with the types and the fields that it demands. */
const strictRows: readonly Row[] = [
  ...['category_id', 'aggregate_function'].map((field): Row => ({
    ...post('/kpis', 'KPI', { ...kpi('New'), [field]: null }),
    what: `does not take null for ${field}`,
    status: 422,
    faults: [field],
  })),
  {
    ...post(`/kpicategories/${IDLE}/kpis`, 'KPI', WITHOUT_CATEGORY),
    what: 'is in the category of its path',
    status: 201,
    of: 'KPI',
    tells: { id: NEW_KPI, category_id: IDLE },
    sends: { location: `/v1/kpicategories/${IDLE}/kpis/${NEW_KPI}` },
  },
  {
    ...put(`/kpis/${SALES}`, 'KPI', { name: 'Turnover', is_active: false, target_default: 99.5 }),
    what: 'changes what is sent',
    status: 200,
    of: 'KPI',
    tells: { name: 'Turnover', is_active: false, target_default: 99.5, category_id: GENERAL },
  },
  {
    ...put(`/kpiunits/${NUMBER}`, 'KPIUnit', { is_percentage: true }),
    what: 'changes what is sent',
    status: 200,
    of: 'KPIUnit',
    tells: { is_percentage: true, name: 'Number' },
  },
  {
    ...put(`/kpis/${SALES}`, 'KPI', { target_default: null }),
    what: 'clears with null',
    status: 200,
    of: 'KPI',
    tells: { target_default: null },
  },
]

const XML = 'application/xml'

const READABLE = [
  ['/kpis', '/users', '/kpicategories', '/kpicategories/1/kpis', '/kpiunits', '/kpifrequencies', '/kpiicons'],
  ['/kpientries', '/breakdownitems', '/reports/AllDataEntries', '/health'],
].flat()

const xmlRows: readonly Row[] = READABLE.flatMap((path): Row[] => [
  { ask: `GET ${path}`, what: 'does not speak XML', status: 415, headers: { 'content-type': XML } },
  { ask: `GET ${path}`, what: 'does not answer in XML', status: 406, headers: { accept: XML } },
  { ask: `GET ${path}`, what: 'says so first', status: 406, headers: { 'content-type': XML, accept: 'text/xml' } },
])

/** What answers tell of the key. */
const keyRows: readonly Row[] = [
  {
    ask: 'GET /kpis',
    what: 'tells of the key',
    status: 200,
    of: 'ArrayOfKPI',
    sends: {
      'x-key-id': '1',
      'x-key-name': 'all',
      'x-key-user': /^boss%40/,
      'x-key-scopes': /^kpis:read,.*breakdowns:write$/,
      'x-key-expires': undefined,
    },
  },
  {
    ask: 'GET /kpis',
    what: 'tells strangers nothing of keys',
    status: 401,
    headers: { authorization: '' },
    sends: { 'x-key-id': undefined },
  },
]

/** What only the newer variant is asked. */
export const newerRows: readonly Row[] = [
  ...breakdownItemRows,
  ...itemEntryRows,
  ...itemReportRows,
  ...strictRows,
  ...xmlRows,
  ...keyRows,
]
