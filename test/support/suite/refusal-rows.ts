import { entryOf, post } from './questions.ts'
import type { Row } from './row.ts'
import { kpi } from './world.ts'

const TEN_MEBIBYTES = 10 * 1024 * 1024
const TOO_LARGE = Buffer.alloc(TEN_MEBIBYTES + 1, ' ')

/** Says nothing of what is inside. */
const NEUTRAL = /^(?![^]*(?:no such|relation|does not exist|select|insert|\.ts\b))[^]*logged as request/i

/** Refusals that no other list has. */
export const refusalRows: readonly Row[] = [
  { ask: 'POST /kpis', what: 'is too large', status: 413, raw: { json: TOO_LARGE, xml: TOO_LARGE }, says: /10 MiB/ },
  { ask: 'PUT /kpis/1', what: 'is too large', status: 413, raw: { json: TOO_LARGE, xml: TOO_LARGE }, says: /10 MiB/ },
  { ask: `GET /kpis?x=${'x'.repeat(8200)}`, what: 'is too long', status: 414 },
  { ask: `GET /${'x'.repeat(8200)}`, what: 'is too long', status: 414 },
  { ask: 'GET /nothing', what: 'is not there', status: 404 },
  { ask: 'POST /nothing', what: 'is not there', status: 404, body: {}, root: 'KPI' },
  { ask: 'GET /breakdownitems', what: 'is of the newer variant', status: 404 },
  { ask: 'GET /kpis/..%2f..%2fetc%2fpasswd', what: 'is no file', status: 404 },
  { ask: 'TRACE /kpis', what: 'is not possible', status: 405, sends: { allow: 'GET, POST, HEAD, OPTIONS' } },
  { ask: 'GET /kpientries/1', what: 'is unforeseen', from: 'broken', status: 500, says: NEUTRAL },
  {
    ...post('/kpientries/list', 'KPIEntryList', { entries: [entryOf({ actual: 1 })] }),
    what: 'is unforeseen',
    from: 'broken',
    status: 500,
    says: NEUTRAL,
  },
  { ask: 'GET /kpis', what: 'goes on beside that', from: 'broken', status: 200, of: 'ArrayOfKPI' },
  {
    ...post('/kpis', 'KPI', kpi('x')),
    what: 'has no store',
    from: 'unavailable',
    status: 503,
    says: /try again/,
    sends: { 'retry-after': /^[1-9]\d*$/ },
  },
  {
    ask: 'DELETE /kpis/1',
    what: 'has no store',
    from: 'unavailable',
    status: 503,
    says: /try again/,
    sends: { 'retry-after': /^[1-9]\d*$/ },
  },
]
