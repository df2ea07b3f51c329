import { archive } from './breakdown-item-rows.ts'
import { IDS } from './ids.ts'
import { entryOf, post, put, STORED } from './questions.ts'
import type { Row } from './row.ts'

const { ANN, ENTRY, FOREIGN_ITEM, FREE, NEW_ENTRY, NOBODY, NORTH, OLD, RATIO, SALES, SOUTH, VISITS } = IDS

const ofItem = (fields: object): object => ({ ...entryOf({}), user_id: undefined, source_id: SOUTH, ...fields })

const madeEntry = (what: string, fields: object, told: object): Row => ({
  ...post('/kpientries', 'KPIEntry', ofItem({ actual: 1, ...fields })),
  what,
  status: 201,
  of: 'KPIEntry',
  tells: { id: NEW_ENTRY, ...told },
  sends: { location: `/v1/kpientries/${NEW_ENTRY}` },
  after: [`/kpientries/${NEW_ENTRY}`, { id: NEW_ENTRY, ...told }],
})

const refusedEntry = (what: string, fields: object, ...faults: string[]): Row => ({
  ...post('/kpientries', 'KPIEntry', ofItem({ actual: 1, ...fields })),
  what: `refuses ${what}`,
  status: 422,
  faults,
})

const SOUTHS = post('/kpientries', 'KPIEntry', ofItem({ actual: 1 }))

/** Entries of breakdown items. */
export const itemEntryRows: readonly Row[] = [
  madeEntry('is of an item', {}, { user_id: null, source_id: SOUTH, actual: 1 }),
  madeEntry('is of an item, whoever has the KPI', { kpi_id: FREE, target: 2 }, { source_id: SOUTH, target: 2 }),
  madeEntry("is of a person by the person's item", { source_id: ANN }, { user_id: ANN, source_id: ANN }),
  madeEntry('is of a person by both', { source_id: ANN, user_id: ANN }, { user_id: ANN, source_id: ANN }),
  madeEntry('is of an item beside a user_id of null', { user_id: null }, { user_id: null, source_id: SOUTH }),
  {
    ...SOUTHS,
    what: 'updates the one of the item',
    before: [post('/kpientries', 'KPIEntry', ofItem({ actual: 5, notes: 'n' }))],
    status: 200,
    of: 'KPIEntry',
    tells: { id: NEW_ENTRY, actual: 1, notes: 'n' },
  },
  {
    ...post('/kpientries', 'KPIEntry', ofItem({ ...STORED, source_id: ANN, actual: 9 })),
    what: "updates the one of a user by the person's item",
    status: 200,
    of: 'KPIEntry',
    tells: { id: ENTRY, user_id: ANN, source_id: ANN, actual: 9, target: 7 },
  },
  refusedEntry('an unknown item', { source_id: NOBODY }, 'source_id'),
  refusedEntry('an item of another account', { source_id: FOREIGN_ITEM }, 'source_id'),
  refusedEntry('an item and somebody else', { user_id: ANN }, 'source_id'),
  refusedEntry('a KPI that the person does not have', { source_id: ANN, kpi_id: FREE }, 'kpi_id'),
  refusedEntry('an inactive KPI', { kpi_id: OLD }, 'kpi_id'),
  refusedEntry('a calculated KPI', { kpi_id: RATIO }, 'kpi_id'),
  refusedEntry('an item in text', { source_id: String(SOUTH) }, 'source_id'),
  { ...refusedEntry('an archived item', {}, 'source_id'), before: [archive(SOUTH)] },
  {
    ...put(`/kpientries/${NEW_ENTRY}`, 'KPIEntry', { actual: 8 }),
    what: 'corrects history of an archived item',
    before: [SOUTHS, archive(SOUTH)],
    status: 200,
    of: 'KPIEntry',
    tells: { source_id: SOUTH, actual: 8 },
  },
  {
    ...put(`/kpientries/${ENTRY}`, 'KPIEntry', { user_id: null, source_id: SOUTH }),
    what: 'moves to an item',
    status: 200,
    of: 'KPIEntry',
    tells: { id: ENTRY, user_id: null, source_id: SOUTH },
  },
  {
    ...post('/kpientries/list', 'KPIEntryList', {
      entries: [ofItem({ actual: 1 }), ofItem({ source_id: ANN, actual: 2 }), entryOf({ actual: 3 })],
    }),
    what: 'takes items and users',
    status: 200,
    of: 'KPIEntryListResult',
    tells: { rows_added: 3, rows_created: 2, rows_updated: 1, rows_unchanged: 0 },
  },
  {
    ...post('/kpientries/list', 'KPIEntryList', {
      entries: [ofItem({ actual: 1 }), ofItem({ source_id: NOBODY, actual: 1 })],
    }),
    what: 'refuses all for an unknown item',
    status: 422,
    faults: ['1.source_id'],
    after: [`/kpientries/${NEW_ENTRY}`, 404],
  },
  {
    ask: `DELETE /breakdownitems/${SOUTH}`,
    what: 'is kept while an entry is its own',
    before: [SOUTHS],
    status: 409,
    says: /archive/,
  },
]

const DAYS = 'dateFrom=2026-11-19&dateTo=2026-11-19'
const report = (query: string, itemIds: readonly number[]): Row => ({
  ask: `GET /reports/AllDataEntries?${DAYS}${query}`,
  what: `is of ${itemIds.join(' and ') || 'nothing'}`,
  before: [SOUTHS, post('/kpientries', 'KPIEntry', entryOf({ actual: 2 }))],
  status: 200,
  of: 'ArrayOfDataEntry',
  count: itemIds.length,
  tells: itemIds.map((itemId) => ({ itemId, kpiId: SALES })),
})

/** Reports of breakdown items. */
export const itemReportRows: readonly Row[] = [
  report('', [ANN, SOUTH]),
  report(`&userIds=${ANN}`, [ANN]),
  report(`&groupItemIds=${SOUTH}`, [SOUTH]),
  report(`&groupItemIds=${NORTH},${SOUTH}`, [NORTH, SOUTH]),
  report(`&kpiIds=${VISITS}`, []),
]
