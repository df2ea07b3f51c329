import type { Row } from './row.ts'

const NO_BASIC = { sends: { 'www-authenticate': 'Basic realm="kpi"', 'retry-after': undefined } }

export const accessRows: readonly Row[] = [
  { ask: 'GET /kpis', what: 'needs credentials', status: 401, headers: { authorization: '' }, ...NO_BASIC },
  { ask: 'GET /kpis', what: 'needs Basic', status: 401, headers: { authorization: 'Bearer x' }, ...NO_BASIC },
  { ask: 'GET /kpis', what: 'needs Base64', status: 401, headers: { authorization: 'Basic !' }, ...NO_BASIC },
  {
    ask: 'GET /kpis',
    what: 'needs a login name of the account',
    status: 401,
    login: 'nobody@example.com',
    ...NO_BASIC,
  },
  { ask: 'GET /kpis', what: 'does not let a locked user in', status: 401, login: 'lou@example.com', ...NO_BASIC },
  { ask: 'GET /kpis', what: 'lets any active user in', status: 200, login: 'ANN@example.com', of: 'ArrayOfKPI' },
  {
    ask: 'POST /nothing',
    what: 'asks for credentials first',
    status: 401,
    headers: { authorization: '' },
    ...NO_BASIC,
  },
  {
    ask: 'GET /kpis',
    what: 'is not another account by its host',
    status: 401,
    headers: { host: 'neighbour.example.com' },
  },
  {
    ask: 'GET /kpis',
    what: 'may be any other host',
    status: 200,
    headers: { host: 'x.example.com' },
    of: 'ArrayOfKPI',
  },
  {
    ask: 'GET /kpis',
    what: 'is off',
    status: 403,
    from: 'off',
    says: /not enabled/,
    sends: { 'retry-after': undefined },
  },
  { ask: 'POST /kpis', what: 'is off', status: 403, from: 'off', body: {}, root: 'KPI', says: /not enabled/ },
  {
    ask: 'GET /kpis',
    what: 'is not in the plan',
    status: 403,
    from: 'individual',
    says: /individual/,
    sends: { 'retry-after': undefined },
  },
  {
    ask: 'GET /health',
    what: 'is for anybody',
    status: 200,
    headers: { authorization: '' },
    of: 'Health',
    tells: { status: 'ok' },
  },
  { ask: 'HEAD /Health/', what: 'is for anybody', status: 200, headers: { authorization: '' } },
  { ask: 'POST /health', what: 'cannot be changed', status: 405, sends: { allow: 'GET, HEAD, OPTIONS' } },
  {
    ask: 'OPTIONS /openapi.json',
    what: 'is for anybody',
    status: 204,
    headers: { authorization: '' },
    sends: { allow: 'GET, HEAD, OPTIONS' },
  },
  { ask: 'HEAD /OpenAPI.json', what: 'is for anybody', status: 200, headers: { authorization: '' } },
  { ask: 'DELETE /openapi.json', what: 'stays', status: 405, sends: { allow: 'GET, HEAD, OPTIONS' } },
]
