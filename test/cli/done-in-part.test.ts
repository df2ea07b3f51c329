import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { foreignService } from '../support/foreign.ts'
import { shellIn } from '../support/kpi.ts'
import { fillShop, type User, users } from '../support/user.ts'

describe.each(users)('%s, a list of which some are refused', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const ofFile = (value: unknown, ...line: string[]) => {
    writeFileSync(user.folder.in('list.json'), JSON.stringify(value))
    return user.kpi(...line, '--from-json', 'list.json')
  }
  const person = (email: string) => ({ first_name: email.slice(0, 1).toUpperCase(), email })

  test('creates the others, prints them, and names each that was refused', async () => {
    const list = ['p@example.com', 'ann@example.com', 'q@example.com', 'bob@example.com'].map(person)
    const ran = await ofFile(list, 'users', 'create')
    expect(ran.code).toBe(3)
    expect(ran.stderr).toMatch(
      /^kpi: no\. 2 of 4: .*ann@example\.com.*\nkpi: no\. 4 of 4: .*bob@example\.com.*\nkpi: 2 done, 2 refused\n$/,
    )
    expect(ran.stdout).toMatch(/p@example\.com[^]*q@example\.com/)
  })

  test('updates the others, and ends with 1 where none could be', async () => {
    const changes = (...ids: number[]) => ids.map((id) => ({ id, description: 'new' }))
    const some = await ofFile(changes(1, 98, 2, 99), 'kpis', 'update')
    expect([some.code, some.stderr]).toEqual([
      3,
      'kpi: no. 2 of 4: there is no KPI 98\nkpi: no. 4 of 4: there is no KPI 99\nkpi: 2 done, 2 refused\n',
    ])
    expect((await user.client.kpis.list()).map(({ description }) => description)).toEqual(['new', 'new'])
    expect(await ofFile(changes(98, 99), 'kpis', 'update')).toMatchObject({ code: 1, stdout: '' })
  })
})

describe('at a service of somebody else', () => {
  const KPI = {
    id: 7,
    name: 'Sales',
    category_id: 1,
    icon_id: 1,
    unit_id: 1,
    frequency_id: 'D',
    description: 'All shops',
    target_default: 100,
    value_direction: 'U',
    aggregate_function: 'SUM',
    sort_order: 1,
    is_active: true,
    is_calculated: false,
  }
  const UNIT = { id: 1, name: 'Number', entry_format: '#', display_format: '#', is_percentage: false }
  const ANSWERS: Readonly<Record<string, unknown>> = {
    '/api/kpis/7': KPI,
    '/api/kpis/8': { ...KPI, id: 8, name: 'Visits' },
    '/api/kpiunits': [UNIT],
    '/api/kpiicons': [{ id: 1, name: 'Chart' }],
  }
  const openThere = async () => {
    const service = await foreignService((response, { method, url = '' }) => {
      const isRefused = method === 'POST' && url === '/api/kpicategories'
      response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' })
      const made = method === 'POST' ? { id: 9, name: 'Region', sort_order: 1 } : undefined
      response.end(JSON.stringify(isRefused ? { message: 'no more categories' } : (made ?? ANSWERS[url] ?? [])))
    })
    const home = temporaryFolder()
    onTestFinished(() => home[Symbol.dispose]())
    const env = { KPI_BASE_URL: `${service.url}/api`, KPI_LOGIN: 'ann', KPI_TOKEN: 'secret' }
    const sent = () => service.reached.filter(({ method }) => method !== 'GET')
    return { home, sent, kpi: shellIn({ home: home.path, env }) }
  }

  test('an apply does not send what needs a thing that was refused, and does the rest', async () => {
    const { home, sent, kpi } = await openThere()
    const file =
      'categories: [{ name: New }]\ngroups: [{ name: Region }]\nkpis: [{ name: X, category: New, frequency: daily }]\n'
    writeFileSync(home.in('kpi.yaml'), file)
    const ran = await kpi('apply', 'kpi.yaml')
    expect(ran.code).toBe(3)
    expect(ran.stderr).toMatch(/create category New: .*no more categories/)
    expect(ran.stderr).toContain('create KPI X: it was not sent, as category New was not made\n')
    expect(ran.stdout).toMatch(/^created +1$[^]*^left +2$/m)
    expect(sent().map(({ target }) => target)).toEqual(['/api/kpicategories', '/api/groups'])
  })

  test('an update of several sends each whole', async () => {
    const { sent, kpi } = await openThere()
    await kpi('kpis', 'update', '7', '8', '--sort-order', '5')
    const { id: _id, is_calculated: _isCalculated, ...whole } = KPI
    expect(sent().map(({ target, body }) => [target, JSON.parse(body)])).toEqual([
      ['/api/kpis/7', { ...whole, sort_order: 5 }],
      ['/api/kpis/8', { ...whole, name: 'Visits', sort_order: 5 }],
    ])
  })
})
