import { describe, expect, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import { attemptOf, createLoginThrottle } from '../../src/service/limits/login-throttle.ts'
import { basic, otherAccount, post, USER } from '../support/classic.ts'
import { databases, sqliteDatabase } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { type Clock, limited, limitPlace, type LimitedService, startLimited } from '../support/limits.ts'
import { statusOf } from '../support/listening.ts'
import { bearer } from '../support/newer.ts'
import { textOf } from '../support/service.ts'
import { sendThenRead } from '../support/socket.ts'

type Tried = { readonly status: number; readonly retryAfter: string | undefined; readonly body: string }

/** Tries credentials from an address. */
const attempt = async ({ handler }: LimitedService, authorization: string, address = '192.0.2.1'): Promise<Tried> => {
  const { status, headers, body } = await handler({
    method: 'GET',
    target: '/api/kpis',
    headers: authorization === '' ? {} : { authorization },
    address,
    body: () => Promise.resolve(Buffer.alloc(0)),
  })
  return { status, retryAfter: headers['retry-after'], body: textOf(body) }
}

const statusesOf = (tried: readonly Tried[]): number[] => tried.map(({ status }) => status).sort((a, b) => a - b)

const tryTimes = async (service: LimitedService, times: number, authorization: string): Promise<Tried[]> => {
  const tried: Tried[] = []
  for (let time = 0; time < times; time += 1) tried.push(await attempt(service, authorization))
  return tried
}

describe.each(databases)('wrong credentials on %s', (_, make) => {
  test('are looked at ten times a minute, also where they come all at once: a right guess behind them is not', async () => {
    await using service = await startLimited(0, make)
    const { login, token } = service
    const wrong = Array.from({ length: 10 }, (_one, at) => basic(login, `guess${at}`))
    // The same login name for the brake, and credentials that were never right before.
    const right = Array.from({ length: 90 }, (_one, at) => basic(`${login}${' '.repeat(at % 7)}`, token))
    const tried = await Promise.all([...wrong, ...right].map((one) => attempt(service, one)))
    expect(statusesOf(tried)).toEqual([...Array<number>(10).fill(401), ...Array<number>(90).fill(403)])
  })

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
    // Three pairs, and their address.
    const throttle = createLoginThrottle(store, 4)
    const wrongTimes = async (name: string, times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        clock.now += 1
        await throttle.noteWrong(attemptOf('', name))
      }
    }
    for (const name of ['a', 'b', 'c']) await wrongTimes(name, 10)
    await expect(throttle.requireUnthrottled(attemptOf('', 'a'))).rejects.toMatchObject({ code: 'rate_limited' })
    await wrongTimes('d', 1)
    await throttle.requireUnthrottled(attemptOf('', 'a'))
    await expect(throttle.requireUnthrottled(attemptOf('', 'b'))).rejects.toMatchObject({ code: 'rate_limited' })
    const rows = await store.db.read((tx) => tx.all('select count(*) as count from refused_logins'))
    expect(rows).toEqual([{ count: 4n }])
    clock.now += 60_000
    await wrongTimes('e', 1)
    expect(await store.db.read((tx) => tx.all('select count(*) as count from refused_logins'))).toEqual([{ count: 2n }])
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

/** Tries other login names, each once, from one address after another. */
const tryNames = async (service: LimitedService, times: number, ...addresses: string[]): Promise<Tried[]> => {
  const tried: Tried[] = []
  for (let time = 0; time < times; time += 1) {
    const address = addresses[time % addresses.length]
    tried.push(await attempt(service, basic(`nobody ${time}`, 'wrong'), address))
  }
  return tried
}

describe('wrong credentials of ever new names', () => {
  test('are 401 a hundred times a minute from one address, then 403 until the first is a minute old', async () => {
    await using service = await startLimited(0)
    const { login, token, clock } = service
    expect(statusesOf(await tryNames(service, 50))).toEqual(Array(50).fill(401))
    clock.now += 20_500
    expect(statusesOf(await tryNames(service, 50))).toEqual(Array(50).fill(401))
    expect(await attempt(service, basic('new', 'wrong'))).toEqual({
      status: 403,
      retryAfter: '40',
      body: '{"message":"more than 100 wrong credentials a minute from this address; try again in 40 s"}',
    })
    expect(await attempt(service, basic('new', 'wrong'), '192.0.2.2')).toMatchObject({ status: 401 })
    expect(await attempt(service, basic(login, token))).toMatchObject({ status: 200 })
    clock.now += 39_500
    expect(statusesOf(await tryNames(service, 51))).toEqual([...Array<number>(50).fill(401), 403])
  })

  test('do not let one name be tried without end, once their address has to wait', async () => {
    await using service = await startLimited(0)
    const { login, token } = service
    await tryNames(service, 100)
    const tried = await tryTimes(service, 11, basic(login, 'wrong'))
    expect(statusesOf(tried)).toEqual(Array(11).fill(403))
    expect(tried.map(({ body }) => /from this address|with this name/.exec(body)?.[0])).toEqual([
      ...Array<string>(10).fill('from this address'),
      'with this name',
    ])
    expect(await attempt(service, basic(login, token))).toMatchObject({ status: 403 })
    expect(await attempt(service, basic(login, token), '192.0.2.2')).toMatchObject({ status: 200 })
  })
})

describe('the wrong credentials of an address', () => {
  test('are remembered, however many names come after them', async () => {
    const clock: Clock = { now: NOW }
    const store = await (await limitPlace(sqliteDatabase, clock)).open()
    const throttle = createLoginThrottle(store, 20)
    const refusals: unknown[] = []
    for (let time = 0; time < 200; time += 1) {
      clock.now += 1
      await throttle.noteWrong(attemptOf('192.0.2.1', `${time}`)).catch((error: unknown) => refusals.push(error))
    }
    expect(refusals).toHaveLength(100)
    await throttle.noteWrong(attemptOf('192.0.2.2', '0'))
  })

  test('count in both variants together', async () => {
    await using service = await startLimited(0)
    const [wrong, good] = [bearer('wrong'), bearer(service.key)]
    const askV1 = async (authorization: string): Promise<number> => {
      const request = { method: 'GET', target: '/v1/kpis', headers: { authorization }, address: '192.0.2.1' }
      return (await service.handler({ ...request, body: () => Promise.resolve(Buffer.alloc(0)) })).status
    }
    await tryNames(service, 99)
    expect([await askV1(wrong), await askV1(wrong), await askV1(good)]).toEqual([401, 429, 200])
  })

  test.each([
    [['2001:db8::1', '2001:0DB8:0:0:ffff::', '2001:db8:0:0:1:2:3:4', '2001:db8::192.0.2.1'], '2001:db8:0:1::1'],
    [['::1', '0:0:0:0:8000::', '::1:2:3:4'], '0:0:0:1::1'],
    [['1:2:3:4::', '1:2:3:4:5:6:7:8', '1:2:3:4:ffff:ffff:ffff:ffff'], '1:2:3:5::'],
    [['fe80::1', 'fe80::1%lo', 'fe80::2%eth0'], 'fe80:0:0:1::1'],
    [['192.0.2.1'], '192.0.2.2'],
    [['unknown'], 'else'],
  ])('are those of one network of 64 bits: %j, and not %s', (addresses, other) => {
    const networks = addresses.map((address) => attemptOf(address, 'any').network)
    expect(new Set(networks).size).toBe(1)
    expect(networks).not.toContain(attemptOf(other, 'any').network)
    expect(new Set(addresses.map((address) => attemptOf(address, 'any').pair)).size).toBe(addresses.length)
  })

  test('are counted over all addresses of an IPv6 network', async () => {
    await using service = await startLimited(0)
    const addresses = Array.from({ length: 100 }, (_, at) => `2001:db8::${at.toString(16)}`)
    expect(statusesOf(await tryNames(service, 100, ...addresses))).toEqual(Array(100).fill(401))
    expect(await attempt(service, basic('new', 'wrong'), '2001:db8::ffff:1')).toMatchObject({ status: 403 })
    expect(await attempt(service, basic('new', 'wrong'), '2001:db8:0:1::1')).toMatchObject({ status: 401 })
  })

  test('are those of the last X-Forwarded-For behind a proxy', async () => {
    await using service = await startLimited(0)
    const server = await listen(service.handler, '127.0.0.1', 0, { behindProxy: true })
    const send = async (name: string, forwarded: string): Promise<number> => {
      const headers = [`Authorization: ${basic(name, 'wrong')}`, `X-Forwarded-For: ${forwarded}`, 'Connection: close']
      const text = ['GET /api/kpis HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n')
      return statusOf(await sendThenRead(server.url, text))
    }
    await tryNames(service, 99, '203.0.113.9')
    expect(await send('x', '198.51.100.1, 203.0.113.9')).toBe(401)
    expect(await send('y', '198.51.100.2, 203.0.113.9')).toBe(403)
    expect(await send('y', '203.0.113.9, 198.51.100.2')).toBe(401)
    await server.close()
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
