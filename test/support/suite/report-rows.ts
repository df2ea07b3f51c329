import { badQuery, entryOf, post } from './questions.ts'
import type { Row } from './row.ts'
import { IDS } from './ids.ts'

const { ANN, BOB, NOBODY, NORTH, RATIO, SALES, SOUTH, VISITS } = IDS

const report = (query: string, tells: readonly object[]): Row => ({
  ask: `GET /reports/AllDataEntries?${query}`,
  what: `has ${tells.length} rows`,
  status: 200,
  of: 'ArrayOfDataEntry',
  count: tells.length,
  tells,
  sends: { 'x-total-count': String(tells.length) },
})

const FIRST = {
  kpiId: SALES,
  kpiName: 'Sales',
  itemId: ANN,
  itemName: 'Ann Lee',
  periodId: 'D',
  period: 'Daily',
  labelFormat: '#',
  isPercentage: 0,
  hasTarget: 1,
  direction: 'U',
  directionName: 'Up',
  entryDate: '2026-11-20',
  actual: 5,
  target: 7,
  notes: 'n',
}
const SECOND = { ...FIRST, entryDate: '2026-11-21', actual: 1.5, target: 100, notes: null }
const ALL = 'dateFrom=2026-11-01&dateTo=2026-11-30'

export const reportRows: readonly Row[] = [
  report('', [SECOND]),
  report(ALL, [FIRST, SECOND]),
  report(`${ALL}&kpiIds=${SALES},${VISITS}&USERIDS=,+${ANN}%20,`, [FIRST, SECOND]),
  report(`${ALL}&kpiIds=${VISITS}&kpiIds=${NOBODY}`, []),
  {
    ...report(ALL, [{ kpiId: RATIO, kpiName: 'Ratio', periodId: 'W', entryDate: '2026-11-16', actual: 20.5 }]),
    what: 'has what a formula computes',
    before: [post('/kpientries', 'KPIEntry', entryOf({ kpi_id: VISITS, actual: 41 }))],
    count: 4,
    sends: { 'x-total-count': '4' },
  },
  report(`${ALL}&userIds=${BOB}`, []),
  report(
    `${ALL}&groupItemIds=${NORTH}`,
    [FIRST, SECOND].map((row) => ({ ...row, itemId: NORTH, itemName: 'North' })),
  ),
  report(`${ALL}&groupItemIds=${NORTH},${SOUTH}&userIds=${BOB}`, []),
  report(`${ALL}&groupItemIds=${SOUTH}`, []),
  report(`${ALL}&groupItemIds=${IDS.FOREIGN_ITEM},${ANN}`, []),
  {
    ...report(ALL, [{}]),
    ask: `GET /REPORTS/alldataentries/?${ALL.toUpperCase()}`,
    count: 2,
    tells: [FIRST],
    sends: { 'x-total-count': '2' },
  },
  {
    ask: 'HEAD /reports/AllDataEntries',
    what: 'answers as GET without a body',
    status: 200,
    sends: { 'x-total-count': '1' },
  },
  {
    ask: 'OPTIONS /reports/AllDataEntries',
    what: 'tells the methods',
    status: 204,
    sends: { allow: 'GET, HEAD, OPTIONS' },
  },
  {
    ask: 'POST /reports/AllDataEntries',
    what: 'cannot be added to',
    status: 405,
    sends: { allow: 'GET, HEAD, OPTIONS' },
  },
  { ask: 'GET /reports', what: 'is nothing by itself', status: 404 },
  badQuery('/reports/AllDataEntries', 'kpiIds=1,x', /kpiIds/),
  badQuery('/reports/AllDataEntries', 'userIds=ann', /userIds/),
  badQuery('/reports/AllDataEntries', 'groupItemIds=-1', /groupItemIds/),
  badQuery('/reports/AllDataEntries', 'dateFrom=today', /dateFrom/),
  badQuery('/reports/AllDataEntries', 'dateTo=2200-01-01', /dateTo/),
  badQuery('/reports/AllDataEntries', 'dateFrom=2026-12-01', /dateFrom/),
]
