import { describe, expect, test } from 'vitest'
import { createLoginBrake, pairOf } from '../../src/service/login-brake.ts'
import { basic, otherAccount, post, USER } from '../support/classic.ts'
import { databases } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { type Clock, limited, limitPlace, type LimitedService, startLimited } from '../support/limits.ts'

type Tried = { readonly status: number; readonly retryAfter: string | undefined; readonly body: string }

/** Tries credentials from an address. */
const attempt = async ({ face }: LimitedService, authorization: string, address = '192.0.2.1'): Promise<Tried> => {
  const { status, headers, body } = await face({
    method: 'GET',
    target: '/api/kpis',
    headers: authorization === '' ? {} : { authorization },
    address,
    body: () => Promise.resolve(Buffer.alloc(0)),
  })
  return { status, retryAfter: headers['retry-after'], body }
}

const statusesOf = (tried: readonly Tried[]): number[] => tried.map(({ status }) => status).sort((a, b) => a - b)

const tryTimes = async (service: LimitedService, times: number, authorization: string): Promise<Tried[]> => {
  const tried: Tried[] = []
  for (let time = 0; time < times; time += 1) tried.push(await attempt(service, authorization))
  return tried
}

describe.each(databases)('wrong credentials on %s', (_, make) => {
  test('are 401 ten times a minute, then 403 until the first is a minute old, right ones too', async () => {
    await using service = await startLimited(0, make)
    const { login, token, clock } = service
    expect(statusesOf([await attempt(service, basic(login, 'first'))])).toEqual([401])
    clock.now += 10_500
    expect(statusesOf(await tryTimes(service, 9, basic(login, 'wrong')))).toEqual(Array(9).fill(401))
    for (const secret of ['wrong', token]) {
      expect(await attempt(service, basic(login, secret))).toEqual({
        status: 403,
        retryAfter: '50',
        body: '{"message":"more than 10 wrong credentials a minute with this name or key; try again in 50 s"}',
      })
    }
    clock.now += 49_499
    expect(await attempt(service, basic(login, token))).toMatchObject({ status: 403, retryAfter: '1' })
    clock.now += 1
    expect(statusesOf(await tryTimes(service, 3, basic(login, token)))).toEqual([200, 200, 200])
    expect(statusesOf(await tryTimes(service, 2, basic(login, 'wrong')))).toEqual([401, 403])
  })

  test('at the same moment through two instances are told of no more than ten', async () => {
    await using service = await startLimited(0, make)
    const second = await limited(service, 0, service.clock)
    const tries = Array.from({ length: 15 }, (_one, at) =>
      [service, second].map((one) => attempt(one, basic(service.login, `wrong ${at}`))),
    )
    const tried = await Promise.all(tries.flat())
    expect(statusesOf(tried)).toEqual([...Array<number>(10).fill(401), ...Array<number>(20).fill(403)])
  })

  test('of one name or address are no concern of another', async () => {
    await using service = await startLimited(0, make)
    const { login, token } = service
    await post(service, '/users', USER)
    await tryTimes(service, 10, basic(login, 'wrong'))
    expect(await attempt(service, basic(login, token), '192.0.2.2')).toMatchObject({ status: 200 })
    expect(await attempt(service, basic('ann@example.com', token))).toMatchObject({ status: 200 })
    expect(await attempt(service, basic(login, token))).toMatchObject({ status: 403 })
  })

  test('are forgotten for the oldest pair when there are too many', async () => {
    const clock: Clock = { now: NOW }
    const { open } = await limitPlace(make, clock)
    const store = await open()
    const brake = createLoginBrake(store, 3)
    const wrongTimes = async (name: string, times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        clock.now += 1
        await brake.noteWrong(pairOf('', name))
      }
    }
    for (const name of ['a', 'b', 'c']) await wrongTimes(name, 10)
    await expect(brake.mustBeFree(pairOf('', 'a'))).rejects.toMatchObject({ code: 'rate_limited' })
    await wrongTimes('d', 1)
    await brake.mustBeFree(pairOf('', 'a'))
    await expect(brake.mustBeFree(pairOf('', 'b'))).rejects.toMatchObject({ code: 'rate_limited' })
    const rows = await store.db.read((tx) => tx.all('select count(*) as count from refused_logins'))
    expect(rows).toEqual([{ count: 3n }])
    clock.now += 60_000
    await wrongTimes('e', 1)
    expect(await store.db.read((tx) => tx.all('select count(*) as count from refused_logins'))).toEqual([{ count: 1n }])
  })

  test('hold nobody for longer than a minute when the clock is set back', async () => {
    await using service = await startLimited(0, make)
    const { login, token, clock } = service
    await tryTimes(service, 10, basic(login, 'wrong'))
    clock.now -= 86_400_000
    expect(await attempt(service, basic(login, token))).toMatchObject({ status: 403, retryAfter: '60' })
    clock.now += 60_000
    expect(await attempt(service, basic(login, token))).toMatchObject({ status: 200 })
  })
})

describe('a login name', () => {
  test('is the same in capitals and with blanks around, as it is when it is right', async () => {
    await using service = await startLimited(0)
    const { login, token } = service
    await tryTimes(service, 5, basic(login.toUpperCase(), 'wrong'))
    await tryTimes(service, 5, basic(`  ${login} `, 'wrong'))
    expect(await attempt(service, basic(login, token))).toMatchObject({ status: 403 })
  })

  test('may be long, empty, or nobody at all', async () => {
    await using service = await startLimited(0)
    for (const login of ['x'.repeat(100_000), '', 'nobody', "' or 1=1 --", '\u0000']) {
      const tried = await tryTimes(service, 11, basic(login, 'wrong'))
      expect(statusesOf(tried)).toEqual([...Array<number>(10).fill(401), 403])
    }
  })
})

describe('what counts as wrong', () => {
  test('is a locked user, a token of another account, and what cannot be read', async () => {
    await using service = await startLimited(0)
    await post(service, '/users', { ...USER, user_status_id: 'L' })
    const other = await otherAccount(service, 'acme')
    const all = [
      basic('ann@example.com', service.token),
      basic(service.login, other.token),
      `Basic ${Buffer.from('no colon').toString('base64')}`,
    ]
    for (const authorization of all) {
      expect(statusesOf(await tryTimes(service, 11, authorization))).toEqual([...Array<number>(10).fill(401), 403])
    }
  })

  test('is not a request without credentials, nor one that fails for another reason', async () => {
    await using service = await startLimited(0)
    expect(statusesOf(await tryTimes(service, 12, ''))).toEqual(Array(12).fill(401))
    expect(statusesOf(await tryTimes(service, 12, 'Bearer x'))).toEqual(Array(12).fill(401))
    const closed = await otherAccount(service, 'single', 'individual')
    expect(statusesOf(await tryTimes(service, 12, basic(closed.login, closed.token)))).toEqual(Array(12).fill(403))
    expect((await attempt(service, basic(closed.login, closed.token))).body).toContain('individual')
  })
})
