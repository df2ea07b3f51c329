import type { Controller } from './controllers.ts'
import type { Row } from './row.ts'

const allowOf = (...methods: (string | false | undefined)[]): string =>
  methods.filter((method) => typeof method === 'string').join(', ')

const lists = ({ root, list, count, shown, makes }: Controller): Row[] => {
  const all: Row = { ask: `GET ${list}`, what: 'lists them all', status: 200, of: `ArrayOf${root}`, count }
  const allow = allowOf('GET', makes && 'POST', 'HEAD', 'OPTIONS')
  const some = list === '/kpientries' ? [] : [shown]
  const upper = list.toUpperCase()
  const refuses = (method: string): Row => ({
    ask: `${method} ${list}`,
    what: 'is not possible for all of them',
    status: 405,
    sends: { allow },
    ...(method !== 'DELETE' && { body: {}, root }),
  })
  return [
    { ...all, tells: some, sends: { 'x-request-id': /./ } },
    { ...all, ask: `GET ${list}?unknown=1&x=%3Cy%3E&__proto__=2`, what: 'ignores unknown query parameters' },
    { ...all, ask: `GET ${upper}/`, what: 'takes another case and a slash at the end' },
    {
      ask: `HEAD ${list}`,
      what: 'answers as GET without a body',
      status: 200,
      sends: { 'content-length': /^[1-9]\d+$/ },
    },
    { ask: `OPTIONS ${list}`, what: 'tells the methods', status: 204, sends: { allow } },
    { ask: `GET ${list}`, what: 'needs credentials', status: 401, headers: { authorization: '' } },
    { ask: `GET ${list}/nothing/below`, what: 'has nothing below', status: 404 },
    ...['PUT', 'DELETE', 'PATCH', ...(makes ? [] : ['POST'])].map(refuses),
  ]
}

const ones = ({ root, list, id, shown, absent, elsewhere = [], makes, changes, deletes }: Controller): Row[] => {
  const path = `${list}/${id}`
  const allow = allowOf('GET', changes && 'PUT', deletes !== undefined && 'DELETE', 'HEAD', 'OPTIONS')
  const missing = [...absent.map((one) => `${list}/${one}`), ...elsewhere]
  const sent = changes ?? { body: {} }
  const no = { status: 404, says: /there is no/ }
  return [
    { ask: `GET ${path}`, what: 'shows one', status: 200, of: root, tells: shown },
    { ask: `GET ${path.toUpperCase()}/?X=1`, what: 'takes another case', status: 200, of: root, tells: shown },
    {
      ask: `HEAD ${path}`,
      what: 'answers as GET without a body',
      status: 200,
      sends: { 'content-length': /^[1-9]\d+$/ },
    },
    {
      ask: `OPTIONS ${path}`,
      what: 'tells the methods',
      status: 204,
      sends: { allow },
      headers: { authorization: '' },
    },
    ...missing.map((one): Row => ({ ask: `GET ${one}`, what: 'is not there', ...no })),
    ...['abc', '1.5', '-1', '9'.repeat(30), '%20', '1%2F2'].map((one): Row => ({
      ask: `GET ${list}/${one}`,
      what: 'is no id',
      ...no,
    })),
    ...(changes ? missing : []).map((one): Row => ({
      ask: `PUT ${one}`,
      what: 'is not there',
      ...no,
      body: sent.body,
      root,
    })),
    ...(deletes === undefined ? [] : missing).map((one): Row => ({
      ask: `DELETE ${one}`,
      what: 'is not there',
      ...no,
    })),
    ...['POST', 'PATCH', ...(changes ? [] : ['PUT']), ...(deletes === undefined ? ['DELETE'] : [])].map(
      (method): Row => ({ ask: `${method} ${path}`, what: 'is not possible for one', status: 405, sends: { allow } }),
    ),
    ...(makes
      ? [{ ask: `GET ${path}`, what: 'needs good credentials', status: 401, headers: { authorization: 'Basic eDp5' } }]
      : []),
  ]
}

const malformed = (ask: string, root: string): Row[] => [
  { ask, what: 'cannot be cut short', status: 400, raw: { json: '{"name":', xml: `<${root}><name>` } },
  { ask, what: 'cannot be empty', status: 400, raw: { json: '', xml: '' } },
  { ask, what: 'must be one object', status: 400, raw: { json: '[{}]', xml: `<ArrayOf${root}/>` } },
  {
    ask,
    what: 'must be UTF-8',
    status: 400,
    raw: { json: Uint8Array.of(0x22, 0xff, 0x22), xml: Uint8Array.of(0x3c, 0xff, 0x3e) },
  },
  ...(['json', 'xml'] as const).map((only): Row => ({
    ask,
    what: 'takes no other type',
    status: 415,
    headers: { 'content-type': 'text/plain', accept: `application/${only}` },
    raw: { json: '{}', xml: '<a/>' },
    only,
  })),
]

const adds = ({ root, list, makes, mandatory = [], refuses = [], readOnly }: Controller): Row[] => {
  if (!makes) return []
  const { body, id, shown } = makes
  const ask = `POST ${list}`
  const without = (field: string): object => Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))
  const made = { status: 201, of: root, tells: { id, ...shown }, sends: { location: `/api${list}/${id}` } }
  return [
    { ask, what: 'makes one', body, root, ...made, after: [`${list}/${id}`, { id, ...shown }] },
    {
      ask,
      what: 'ignores unknown and read-only fields',
      body: { ...readOnly, ...body, unknown: 'x', x: null },
      root,
      ...made,
    },
    { ask: `POST ${list.toUpperCase()}/`, what: 'takes another case', body, root, ...made },
    ...mandatory.map((field): Row => ({
      ask,
      what: `needs ${field}`,
      status: 400,
      body: without(field),
      root,
      faults: [field],
    })),
    ...mandatory.map((field): Row => ({
      ask,
      what: `does not take null for ${field}`,
      status: 400,
      body: { ...body, [field]: null },
      root,
      faults: [field],
    })),
    ...refuses.map(([field, value, only]): Row => ({
      ask,
      what: `refuses ${field} ${JSON.stringify(value).slice(0, 40)}`,
      status: 400,
      body: { ...body, [field]: value },
      root,
      faults: [field],
      ...(only && { only }),
    })),
    ...malformed(ask, root),
  ]
}

const updates = ({
  root,
  list,
  id,
  shown,
  changes,
  clears,
  mandatory = [],
  refuses = [],
  readOnly,
}: Controller): Row[] => {
  if (!changes) return []
  const ask = `PUT ${list}/${id}`
  const told = { status: 200, of: root }
  const kept = mandatory.filter((field) => field !== 'id')
  return [
    {
      ask,
      what: 'changes what is sent',
      body: changes.body,
      root,
      ...told,
      tells: changes.shown,
      after: [`${list}/${id}`, changes.shown],
    },
    { ask, what: 'changes nothing for nothing', body: {}, root, ...told, tells: shown },
    { ask, what: 'takes back what it has shown', body: shown, root, ...told, tells: shown },
    {
      ask,
      what: 'ignores unknown and read-only fields',
      body: { ...readOnly, unknown: 'x' },
      root,
      ...told,
      tells: shown,
    },
    ...(clears === undefined ? [] : [null, '', ' ']).map((blank): Row => ({
      ask,
      what: `clears ${clears} with ${JSON.stringify(blank)}`,
      body: { [clears ?? '']: blank },
      root,
      ...told,
      tells: { ...shown, [clears ?? '']: null },
    })),
    ...kept.map((field): Row => ({
      ask,
      what: `does not clear ${field}`,
      status: 400,
      body: { [field]: null },
      root,
      faults: [field],
    })),
    ...refuses.map(([field, value, only]): Row => ({
      ask,
      what: `refuses ${field} ${JSON.stringify(value).slice(0, 40)}`,
      status: 400,
      body: { [field]: value },
      root,
      faults: [field],
      ...(only && { only }),
    })),
    ...malformed(ask, root),
  ]
}

const removes = ({ list, deletes }: Controller): Row[] =>
  deletes === undefined
    ? []
    : [
        {
          ask: `DELETE ${list}/${deletes}`,
          what: 'deletes one, and has nothing to say',
          status: 200,
          after: [`${list}/${deletes}`, 404],
        },
      ]

/** What every controller is asked. */
export const commonRows = (of: Controller): Row[] => [
  ...lists(of),
  ...ones(of),
  ...adds(of),
  ...updates(of),
  ...removes(of),
]
