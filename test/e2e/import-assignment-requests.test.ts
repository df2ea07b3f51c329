import { describe, expect, test } from 'vitest'
import type { Handler } from '../../src/server/wire.ts'
import { embeddedImporter, type Importer, kpiNamed, remoteImporter, userNamed } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'

const KPIS = [1, 2, 4]
const LINE = ['entries', 'import', 'data.csv', '--create-assignments', '-o', 'json']

/** Adds so many users, and writes a file with a row of each for each of three KPIs. */
const withUsers = async ({ client, write }: Importer, count: number, name = 'U'): Promise<void> => {
  const rows: string[] = []
  for (let at = 0; at < count; at += 1) {
    const { id } = await client.users.add(userNamed(`${name}${at}`))
    rows.push(...KPIS.map((kpi) => `${id},${kpi},2026-01-01,1\n`))
  }
  write('data.csv', `user_id,kpi_id,date,actual\n${rows.join('')}`)
}

type Counter = { readonly wrap: (handler: Handler) => Handler; count: number }

/** Counts the requests whose method and path match, to a service that tells its limit. */
const counting = (method: string, path: RegExp): Counter => {
  const counter: Counter = {
    count: 0,
    wrap: (handler) => async (request) => {
      if (request.method === method && path.test(request.target)) counter.count += 1
      const answer = await handler(request)
      return { ...answer, headers: { ...answer.headers, 'x-ratelimit-limit': '200', 'x-ratelimit-duration': '60' } }
    },
  }
  return counter
}

describe('--create-assignments', () => {
  test('says before the first is sent how many requests that is and how long it takes, and it is so', async () => {
    const posts = counting('POST', /\/users\/\d+\/kpis$/)
    await using importer = await remoteImporter({ wrap: posts.wrap })
    await withUsers(importer, 12)
    const cost = '36 requests, less than a minute at 200 requests a minute'
    const dry = await importer.kpi(...LINE, '--dry-run')
    expect(dry.stderr).toContain(`, 36 assignments to create (${cost})\n`)
    expect(posts.count).toBe(0)
    const ran = await importer.kpi(...LINE)
    expect(ran.stderr).toContain(`creating 36 assignments: ${cost}\n`)
    expect(jsonOf(ran)).toMatchObject({ assigned: 36, created: 36 })
    expect(posts.count).toBe(36)
    expect((await importer.kpi(...LINE)).stderr).not.toContain('creating')
  })

  test.each([
    ['7', 'about 6 minutes at 7 requests a minute'],
    ['1', 'about 36 minutes at 1 request a minute'],
    ['1000', 'less than a minute at 200 requests a minute'],
  ])('reckons with --rate %s', async (rate, says) => {
    await using importer = await remoteImporter({ wrap: counting('POST', /none/).wrap })
    await withUsers(importer, 12)
    const dry = await importer.kpi(...LINE, '--dry-run', '--rate', rate)
    expect(dry.stderr).toContain(`36 assignments to create (36 requests, ${says})`)
  })

  test('creates those of a user together in the embedded service, and says nothing of a few', async () => {
    await using importer = await embeddedImporter()
    await withUsers(importer, 3)
    const ran = await importer.kpi(...LINE)
    expect(jsonOf(ran)).toMatchObject({ assigned: 9, created: 9 })
    expect(ran.stderr).not.toContain('request')
    await withUsers(importer, 12, 'V')
    const many = await importer.kpi(...LINE)
    expect(many.stderr).toContain('creating 36 assignments: 12 requests\n')
    // Those of each user are read once and made in one step, beside 4 requests for lists and entries.
    expect(jsonOf(many)).toMatchObject({ assigned: 36, created: 36, requests: 12 + 12 + 4 })
  })
})

test('assignments are fetched only of users whose rows may be imported', async () => {
  const gets = counting('GET', /\/users\/\d+\/kpis$/)
  await using importer = await remoteImporter({ wrap: gets.wrap })
  await importer.client.kpis.add(kpiNamed('More'))
  const rows = ['Bob,Nothing,2026-01-01,1', 'Ann Lee,Sales,2026-01-01,1', 'Nobody,Sales,2026-01-01,1']
  importer.write('data.csv', `user,kpi,date,actual\n${rows.join('\n')}\n`)
  expect((await importer.kpi('entries', 'import', 'data.csv')).code).toBe(3)
  expect(gets.count).toBe(1)
})
