import { afterAll, expect, test } from 'vitest'
import { basic } from '../support/classic.ts'
import { databases } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { ask, type Asked, askV1, type Service, startService } from '../support/service.ts'
import { xmlOf } from '../support/xml.ts'
import { category } from '../../src/domain/resources/catalog.ts'

const codes = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at))

/** What text may not hold, all of it, and what is close to that and may. */
const CHARACTERS = [...codes(0, 0x1f), ...codes(0x7f, 0x9f), '\ud800', '\udfff', '\ufffe', '\uffff', '\ufffd', '\u2028']

/** One of each kind, for texts that are read as others are. */
const KINDS = ['\0', '\u0001', '\u001f', '\u007f', '\u0085', '\ud800', '\uffff', '\ufffd']
const ASKED_ALL = new Set(['a login', 'Idempotency-Key', 'a name', 'the e-mail addresses of a batch'])

type Question = (character: string, service: Service) => Asked

/** Every text that reaches a query of a database, with a character in it. */
const QUESTIONS: Readonly<Record<string, Question>> = {
  'a login': (c, { token }) => ({ path: '/kpis', headers: { authorization: basic(`a${c}b@example.com`, token) } }),
  'the login, beside it': (c, { login, token }) => ({
    path: '/kpis',
    headers: { authorization: basic(`${login}${c}`, token) },
  }),
  'a token': (c, { login, token }) => ({ path: '/kpis', headers: { authorization: basic(login, `${token}${c}`) } }),
  Host: (c) => ({ path: '/kpis', headers: { host: `a${c}b.example.com` } }),
  'Idempotency-Key': (c) => ({
    method: 'POST',
    path: '/kpicategories',
    body: { name: 'Once' },
    headers: { 'idempotency-key': `a${c}b` },
  }),
  'an id in a path': (c) => ({ path: `/kpis/1${c}` }),
  'a key in a path': (c) => ({ path: `/kpifrequencies/D${c}` }),
  'an escaped path': (c) => ({ path: `/kpifrequencies/${encodeURIComponent(c.toWellFormed())}` }),
  'a filter': (c) => ({ path: `/kpientries?userid=1${c}&kpiid=1` }),
  'a day that is asked for': (c) => ({ path: `/kpientries?dateFrom=2026-01-01${c}` }),
  'ids that are asked for': (c) => ({ path: `/reports/AllDataEntries?kpiIds=1${c}` }),
  'the name of a parameter': (c) => ({ path: `/kpientries?user${c}id=1` }),
  'a name': (c) => ({ method: 'POST', path: '/kpicategories', body: { name: `a${c}b` } }),
  'a name of a field': (c) => ({ method: 'POST', path: '/kpicategories', body: { name: 'a', [`x${c}`]: c } }),
  'a name in XML': (c) => ({
    method: 'POST',
    path: '/kpicategories',
    body: xmlOf(category, { name: `a${c}b` }),
    headers: { 'content-type': 'application/xml' },
  }),
  'an e-mail address': (c) => ({
    method: 'POST',
    path: '/users',
    body: { user_type: 'User', user_status_id: 'A', first_name: 'A', email: `a${c}b@example.com` },
  }),
  'the e-mail address of an entry': (c) => ({
    method: 'POST',
    path: '/kpientries',
    body: { email: `a${c}b@example.com`, kpi_id: 1, entry_date: '2026-01-01', actual: 1 },
  }),
  'the e-mail addresses of a batch': (c) => ({
    method: 'POST',
    path: '/kpientries/list',
    body: { entries: [{ email: `a${c}@example.com`, kpi_id: 1, entry_date: '2026-01-01', actual: 1 }] },
  }),
}

const services = await Promise.all(databases.map(([, make]) => startService(NOW, make)))

afterAll(async () => {
  for (const service of services) await service[Symbol.asyncDispose]()
})

/** What a service answers to a question with each of some characters, in both variants where both know it. */
const answersOf = async (service: Service, question: Question, characters: readonly string[]): Promise<string[]> => {
  const answers: string[] = []
  for (const character of characters) {
    const asked = question(character, service)
    const isOfClassic = asked.headers !== undefined || asked.path === '/users'
    const statuses = [(await ask(service, asked)).status, isOfClassic ? 0 : (await askV1(service, asked)).status]
    answers.push(`U+${character.charCodeAt(0).toString(16)}: ${statuses.join(' ')}`)
  }
  return answers
}

test.each(Object.entries(QUESTIONS))(
  '%s is answered alike by all databases, whatever is in it',
  async (what, question) => {
    const characters = ASKED_ALL.has(what) ? CHARACTERS : KINDS
    const [ours, ...others] = await Promise.all(services.map((service) => answersOf(service, question, characters)))
    expect(ours?.filter((answer) => / 5\d\d/.test(answer))).toEqual([])
    for (const theirs of others) expect(theirs).toEqual(ours)
    expect(services.flatMap(({ logged }) => logged)).toEqual([])
  },
)

test('a login name with NUL is wrong', async () => {
  for (const service of services) {
    const authorization = basic(`${service.login}\0`, service.token)
    expect((await ask(service, { path: '/kpis', headers: { authorization } })).status).toBe(401)
  }
})
