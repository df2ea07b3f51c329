import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Handler } from '../../src/server/wire.ts'
import { asThirdParty, type Importer, remoteImporter, embeddedImporter, userNamed } from '../support/import.ts'
import { errorOf, jsonOf, type Ran, shellIn } from '../support/kpi.ts'
import { limited } from '../support/limited-service.ts'
import { startKpi } from '../support/process.ts'

type Request = Parameters<Handler>[0]
type Wrap = (handler: Handler) => Handler

const peopleText = (count: number): string =>
  `first name,e-mail\n${Array.from({ length: count }, (_, at) => `P${at},p${at}@example.com\n`).join('')}`

const isCreate = ({ method, target }: Request): boolean => method === 'POST' && target.endsWith('/users')

/** Counts how often each address was sent to be created, and done. */
const counting = (sent: Map<string, number>): Wrap => {
  return (handler) => async (request) => {
    if (!isCreate(request)) return handler(request)
    const body = await request.body()
    const { email } = JSON.parse(body.toString()) as { email: string }
    sent.set(email, (sent.get(email) ?? 0) + 1)
    return handler({ ...request, body: () => Promise.resolve(body) })
  }
}

const emailsIn = async ({ client }: Importer): Promise<string[]> =>
  (await client.users.list()).map(({ email }) => email).filter((email) => email.startsWith('p'))

const expected = (count: number): string[] => Array.from({ length: count }, (_, at) => `p${at}@example.com`)

describe('people in a service with a limit', () => {
  test('are each created exactly once by an import that is killed again and again', { timeout: 60_000 }, async () => {
    const PEOPLE = 200
    const sent = new Map<string, number>()
    const kills = [3, 80, 81]
    let kill: (() => Promise<unknown>) | undefined
    let requests = 0
    const killing: Wrap = (handler) => async (request) => {
      if (isCreate(request) && (requests += 1) === kills[0]) {
        kills.shift()
        // Some die before what they have sent is done, some after that.
        if (kills.length % 2 === 0) await handler(request)
        await kill?.()
        // Nobody hears it; a request without an end would hold up the end of the service.
        return { status: 503, headers: {}, body: '' }
      }
      return handler(request)
    }
    const limit = limited(100, 1)
    await using importer = await remoteImporter({ wrap: (handler) => limit(killing(counting(sent)(handler))) })
    importer.write('people.csv', peopleText(PEOPLE))
    const run = async (): Promise<{ code: number | null; stdout: string; stderr: string }> => {
      const { child, ended } = startKpi(importer.folder, ['users', 'import', 'people.csv', '-o', 'json'], {
        ...(importer.world.env as Record<string, string>),
      })
      kill = () => {
        child.kill('SIGKILL')
        return ended
      }
      return ended
    }
    let killed = 0
    let last = await run()
    while (last.code === null) {
      killed += 1
      last = await run()
    }
    expect([killed, last.code, last.stderr]).toEqual([
      3,
      0,
      expect.stringContaining('continuing the import that began'),
    ])
    expect(JSON.parse(last.stdout)).toMatchObject({
      read: PEOPLE,
      created: PEOPLE,
      updated: 0,
      unchanged: 0,
      rejected: 0,
      left: 0,
    })
    expect(await emailsIn(importer)).toEqual(expected(PEOPLE))
    // Only what a kill cut off before it was done was sent again.
    expect([...sent.values()].filter((count) => count > 1)).toEqual([])
    const again = jsonOf(await importer.kpi('users', 'import', 'people.csv', '-o', 'json'))
    expect(again).toMatchObject({ created: 0, unchanged: PEOPLE, requests: 1 })
  })

  test('keep to it, and wait', async () => {
    const limit = limited(20, 1)
    await using importer = await remoteImporter({ wrap: limit })
    importer.write('people.csv', peopleText(50))
    const { ended } = startKpi(importer.folder, ['users', 'import', 'people.csv', '-o', 'json'], {
      ...(importer.world.env as Record<string, string>),
    })
    const { code, stdout } = await ended
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { created: 50, requests: 52 }])
    expect((JSON.parse(stdout) as { waited: number }).waited).toBeGreaterThan(0.5)
  })
})

/** Does something else with requests of some numbers, counted from 1, of those that change something. */
const atWrites = (acts: Readonly<Record<number, (answer: () => ReturnType<Handler>) => ReturnType<Handler>>>): Wrap => {
  let writes = 0
  return (handler) => (request) => {
    const act = request.method === 'GET' ? undefined : acts[(writes += 1)]
    return act ? act(() => handler(request)) : handler(request)
  }
}

const loseDone = async (answer: () => ReturnType<Handler>): ReturnType<Handler> => {
  await answer()
  throw new Error('cut')
}
const loseUndone = (): ReturnType<Handler> => Promise.reject(new Error('cut'))
const garble = async (answer: () => ReturnType<Handler>): ReturnType<Handler> => ({
  ...(await answer()),
  body: '<html>',
})

describe.each([
  // It gets again under its Idempotency-Key what was done already.
  ['the bundled service', (handler: Handler) => handler, [1, 2]],
  ['a third-party service', asThirdParty, [1]],
] as const)('lost answers of %s', (_, own, times: readonly number[]) => {
  test('are found out, and nothing is done twice', async () => {
    const sent = new Map<string, number>()
    const faulty = atWrites({ 2: loseDone, 4: loseUndone, 6: garble })
    await using importer = await remoteImporter({ wrap: (handler) => own(faulty(counting(sent)(handler))) })
    importer.write('people.csv', peopleText(8))
    const ran = await importer.kpi('users', 'import', 'people.csv', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject({ created: 8, updated: 0, unchanged: 0, rejected: 0, left: 0 })
    expect(await emailsIn(importer)).toEqual(expected(8))
    expect([...sent.values()].every((count) => times.includes(count))).toBe(true)
  })

  test('of names, which the service takes twice, make one record each', async () => {
    const faulty = atWrites({ 1: loseDone, 3: loseDone, 5: loseUndone })
    await using importer = await remoteImporter({ wrap: (handler) => own(faulty(handler)) })
    importer.write('c.csv', 'name,sort order\nA,5\nB,6\nC,7\nD,8\n')
    expect(jsonOf(await importer.kpi('categories', 'import', 'c.csv', '-o', 'json'))).toMatchObject({ created: 4 })
    expect((await importer.client.categories.list()).map(({ name }) => name)).toEqual(['General', 'A', 'B', 'C', 'D'])
    const updates = 'name,sort order\nA,1\nB,2\nC,3\nD,4\n'
    importer.write('c.csv', updates)
    const ran = jsonOf(await importer.kpi('categories', 'import', 'c.csv', '-o', 'json'))
    expect(ran).toMatchObject({ updated: 4, unchanged: 0 })
  })

  test('of changes keep what the file does not name', async () => {
    const faulty = atWrites({ 1: loseDone, 2: loseUndone })
    await using importer = await remoteImporter({ wrap: (handler) => own(faulty(handler)) })
    importer.write('k.csv', 'kpi,description\nSales,all shops\nVisits,of people\n')
    expect(jsonOf(await importer.kpi('kpis', 'import', 'k.csv', '-o', 'json'))).toMatchObject({ updated: 2 })
    expect(await importer.client.kpis.get(2)).toMatchObject({
      name: 'Visits',
      description: 'of people',
      target_default: 10_0000n,
      sort_order: 1,
    })
  })

  test('that go on leave work, which the same command completes', async () => {
    let isMended = false
    const dead: Wrap = (handler) => {
      let writes = 0
      return (request) =>
        isMended || request.method === 'GET' || (writes += 1) <= 3 ? handler(request) : loseDone(() => handler(request))
    }
    const stopping: Wrap = (handler) => {
      const deadHandler = dead(handler)
      let lists = 0
      return (request) =>
        !isMended && request.target.endsWith('/users') && request.method === 'GET' && (lists += 1) > 1
          ? Promise.reject(new Error('cut'))
          : deadHandler(request)
    }
    await using importer = await remoteImporter({ wrap: (handler) => own(stopping(handler)) })
    importer.write('people.csv', peopleText(6))
    const ran = await importer.kpi('users', 'import', 'people.csv', '--on-conflict', 'error', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([6, { created: 3, left: 3 }])
    expect(errorOf(ran).message).toContain('stopped with 3 users left; run the same command to continue')
    isMended = true
    const again = await importer.kpi('users', 'import', 'people.csv', '--on-conflict', 'error', '-o', 'json')
    expect(jsonOf(again)).toMatchObject({ created: 6, rejected: 0, left: 0 })
    expect(await emailsIn(importer)).toEqual(expected(6))
  })
})

describe('a run that ends early', () => {
  test('by Ctrl-C or its deadline says what is left, and the same command continues', async () => {
    const controller = new AbortController()
    let writes = 0
    await using importer = await remoteImporter({
      wrap: (handler) => (request) => {
        if (isCreate(request) && (writes += 1) === 3) controller.abort()
        return handler(request)
      },
    })
    importer.write('people.csv', peopleText(6))
    const stopped = await shellIn({ ...importer.world, signal: controller.signal })(
      'users',
      'import',
      'people.csv',
      '-o',
      'json',
    )
    expect([stopped.code, JSON.parse(stopped.stdout)]).toMatchObject([6, { created: 3, left: 3 }])
    const unfinished = async (): Promise<string | undefined> =>
      (await importer.kpi('doctor', '-o', 'csv')).stdout.split('\n').find((row) => row.startsWith('unfinished imports'))
    expect(await unfinished()).toMatch(/^unfinished imports,1: \S*people\.csv,/)
    const again: Ran = await importer.kpi('users', 'import', 'people.csv', '-o', 'json')
    expect(jsonOf(again)).toMatchObject({ created: 6, unchanged: 0, left: 0 })
    expect(writes).toBe(6)
    expect(await unfinished()).toMatch(/^unfinished imports,0,/)
  })

  test('because the key was revoked in mid-run ends with what was done', async () => {
    const faulty = atWrites({
      3: () =>
        Promise.resolve({ status: 401, headers: { 'content-type': 'application/json' }, body: '{"message":"no"}' }),
    })
    await using importer = await remoteImporter({ wrap: faulty })
    importer.write('people.csv', peopleText(4))
    const ran = await importer.kpi('users', 'import', 'people.csv', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([4, { created: 2, left: 2 }])
    expect(jsonOf(await importer.kpi('users', 'import', 'people.csv', '-o', 'json'))).toMatchObject({ created: 4 })
  })

  test('because another one runs at the same time is refused', async () => {
    const [came, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await using importer = await remoteImporter({
      wrap: (handler) => async (request) => {
        if (isCreate(request)) {
          came.resolve()
          await leave.promise
        }
        return handler(request)
      },
    })
    importer.write('people.csv', peopleText(2))
    const first = importer.kpi('users', 'import', 'people.csv', '-o', 'json')
    await came.promise
    expect((await importer.kpi('users', 'import', 'people.csv')).code).toBe(8)
    leave.resolve()
    expect(jsonOf(await first)).toMatchObject({ created: 2 })
  })

  test('because the service refuses row after row', async () => {
    await using importer = await remoteImporter({
      wrap: (handler) => (request) =>
        isCreate(request)
          ? Promise.resolve({
              status: 400,
              headers: { 'content-type': 'application/json' },
              body: '{"message":"full"}',
            })
          : handler(request),
    })
    importer.write('people.csv', peopleText(50))
    const ran = await importer.kpi('users', 'import', 'people.csv', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([1, { rejected: 20, left: 30 }])
    expect(errorOf(ran).message).toContain('the service refuses one row after another, and has accepted none: full')
    expect(readFileSync(importer.folder.in('people.rejects.csv'), 'utf8')).toContain('P0,p0@example.com,2,full\n')
  })
})

describe('what an earlier part of the run may have created', () => {
  const isCategory = ({ method, target }: Request): boolean => method === 'POST' && target.endsWith('/kpicategories')
  const namesIn = async ({ client }: Importer): Promise<string[]> =>
    (await client.categories.list()).map(({ name }) => name)

  test('is done once, even if the service is still at it when the next one begins', async () => {
    let posts = 0
    let kill = (): unknown => undefined
    const [next, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: Wrap = (handler) => async (request) => {
      if (!isCategory(request)) return handler(request)
      posts += 1
      if (posts === 1) {
        const body = await request.body()
        kill()
        await next.promise
        const answer = await handler({ ...request, body: () => Promise.resolve(body) })
        first.resolve()
        return answer
      }
      next.resolve()
      await first.promise
      return handler(request)
    }
    await using importer = await remoteImporter({ wrap: slow })
    importer.write('c.csv', 'name\nA\n')
    const line = ['categories', 'import', 'c.csv', '-o', 'json']
    const { child, ended } = startKpi(importer.folder, line, { ...(importer.world.env as Record<string, string>) })
    kill = () => child.kill('SIGKILL')
    expect((await ended).code).toBeNull()
    expect(jsonOf(await importer.kpi(...line))).toMatchObject({ created: 1, unchanged: 0, left: 0 })
    expect([posts, await namesIn(importer)]).toEqual([2, ['General', 'A']])
  })

  test('is waited for where a third-party service lists it late', async () => {
    let [part, looks] = [1, 0]
    const late: Wrap = (handler) => async (request) => {
      if (isCategory(request)) return part === 1 ? loseDone(() => handler(request)) : handler(request)
      if (request.method !== 'GET' || !request.target.endsWith('/kpicategories')) return handler(request)
      looks += 1
      if (part === 1 && looks > 1) throw new Error('cut')
      const answer = await handler(request)
      if (part === 1 || looks > 1) return answer
      const listed = JSON.parse(String(answer.body)) as { readonly name: string }[]
      return { ...answer, body: JSON.stringify(listed.filter(({ name }) => name !== 'A')) }
    }
    await using importer = await remoteImporter({ wrap: (handler) => asThirdParty(late(handler)) })
    importer.write('c.csv', 'name\nA\n')
    const line = ['categories', 'import', 'c.csv', '-o', 'json']
    expect(await importer.kpi(...line)).toMatchObject({ code: 6 })
    ;[part, looks] = [2, 0]
    expect(jsonOf(await importer.kpi(...line))).toMatchObject({ created: 1, unchanged: 0, left: 0 })
    expect(await namesIn(importer)).toEqual(['General', 'A'])
  })
})

test('somebody else who creates the same person meanwhile is found, and changed', async () => {
  await using importer: Importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (isCreate(request) && (await emailsIn(importer)).length === 0)
        await importer.client.users.add(userNamed('Other', { email: 'P0@example.com' }))
      return handler(request)
    },
  })
  importer.write('people.csv', 'first name,e-mail\nP0,p0@example.com\n')
  expect(jsonOf(await importer.kpi('users', 'import', 'people.csv', '-o', 'json'))).toMatchObject({ updated: 1 })
})

test('thousands of people go into the embedded service in a few steps', async () => {
  await using importer = await embeddedImporter()
  importer.write('people.csv', peopleText(3_000))
  const ran = jsonOf(await importer.kpi('users', 'import', 'people.csv', '-o', 'json'))
  expect(ran).toMatchObject({ created: 3_000, left: 0 })
  expect((ran as { requests: number }).requests).toBeLessThan(20)
  expect(existsSync(importer.folder.in('people.rejects.csv'))).toBe(false)
  expect(jsonOf(await importer.kpi('users', 'import', 'people.csv', '-o', 'json'))).toMatchObject({ unchanged: 3_000 })
})
