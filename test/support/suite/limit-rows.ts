import { post } from './questions.ts'
import type { Row } from './row.ts'
import { IDS } from './ids.ts'
import { kpi } from './world.ts'

/** The limit of the service whose requests are counted, and never reach it. */
export const COUNTED = 10_000

const reached = {
  status: 403,
  from: 'limited',
  says: /limit/,
  sends: {
    'retry-after': '60',
    'x-ratelimit-limit': '1',
    'x-ratelimit-requests': '1',
    'x-ratelimit-duration': '60',
    ratelimit: /r=0/,
    'ratelimit-policy': /q=1;/,
  },
} as const

const counted = {
  from: 'counted',
  sends: {
    'retry-after': undefined,
    'x-ratelimit-limit': String(COUNTED),
    'x-ratelimit-requests': /^[1-9]\d*$/,
    'x-ratelimit-duration': '60',
    ratelimit: /r=9/,
    'ratelimit-policy': /w=60/,
  },
} as const

const unlimited = { 'x-ratelimit-limit': undefined, ratelimit: undefined }

export const limitRows: readonly Row[] = [
  { ask: 'GET /kpis', what: 'is over the limit', ...reached },
  { ask: 'GET /nothing', what: 'is over the limit', ...reached },
  { ...post('/kpis', 'KPI', kpi('x')), what: 'is over the limit', ...reached },
  { ask: 'DELETE /kpis/1', what: 'is over the limit', ...reached },
  { ask: 'GET /health', what: 'has no limit', from: 'limited', status: 200, of: 'Health', sends: unlimited },
  { ask: 'OPTIONS /kpis', what: 'has no limit', from: 'limited', status: 204, sends: unlimited },
  {
    ask: 'GET /kpis',
    what: 'is slowed down after ten wrong logins',
    from: 'limited',
    login: 'wrong@example.com',
    status: 403,
    sends: { 'retry-after': /^[1-9]\d*$/, ...unlimited },
  },
  { ask: `GET /kpis/${IDS.SALES}`, what: 'is counted', status: 200, of: 'KPI', ...counted },
  { ask: `GET /kpis/${IDS.NOBODY}`, what: 'is counted', status: 404, ...counted },
  { ask: 'PATCH /kpis', what: 'is counted', status: 405, ...counted },
  { ...post('/kpis', 'KPI', kpi('')), what: 'is counted', status: 400, faults: ['name'], ...counted },
  { ask: `DELETE /users/${IDS.ANN}`, what: 'is counted', status: 409, ...counted },
  {
    ask: 'GET /kpis',
    what: 'tells strangers nothing of the limit',
    from: 'counted',
    headers: { authorization: '' },
    status: 401,
    sends: unlimited,
  },
]
