import { badQuery } from './questions.ts'
import type { Row } from './row.ts'
import { IDS } from './ids.ts'

const { ANN, BOB, ENTRY, SALES, TODAY, VISITS } = IDS

const page = (query: string, ids: readonly number[]): Row => ({
  ask: `GET /kpientries?${query}`,
  what: `lists ${ids.join(' and ') || 'none'}`,
  status: 200,
  of: 'ArrayOfKPIEntry',
  count: ids.length,
  tells: ids.map((id) => ({ id })),
})

/** Lists of entries. */
export const entryListRows: readonly Row[] = [
  page('dateFrom=2026-11-20', [ENTRY, TODAY]),
  page('DATEFROM=2026-11-20&dateto=2026-11-20', [ENTRY]),
  page(`dateFrom=2026-01-01&userid=${ANN}&kpiid=${SALES}`, [ENTRY, TODAY]),
  page(`dateFrom=2026-01-01&userid=${BOB}`, []),
  page(`dateFrom=2026-01-01&kpiid=${VISITS}`, []),
  page('dateFrom=2026-01-01&rows=1', [ENTRY]),
  page('dateFrom=2026-01-01&rows=1&page=2', [TODAY]),
  page('dateFrom=2026-01-01&rows=1&page=3', []),
  badQuery('/kpientries', 'dateFrom=2026-02-30', /dateFrom/),
  badQuery('/kpientries', 'dateFrom=2026-11-02&dateTo=2026-11-01', /dateFrom/),
  badQuery('/kpientries', 'rows=0', /rows/),
  badQuery('/kpientries', 'rows=501', /rows/),
  badQuery('/kpientries', 'page=x', /page/),
  badQuery('/kpientries', 'userid=ann', /userid/),
  badQuery('/kpientries', 'kpiid=1%27%20or%201=1', /kpiid/),
  { ask: 'GET /kpientries/list', what: 'is for POST only', status: 405, sends: { allow: 'POST, OPTIONS' } },
]
