import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { read } from '../support/classic.ts'
import { bodyOf, isWell, serve, statusOf } from '../support/listening.ts'
import { dial, head } from '../support/socket.ts'

const QUICK = { headMs: 200, requestMs: 200, checkMs: 10, lingerMs: 50, answerMs: 50 }

const readAll = async (socket: Socket): Promise<string> => {
  let text = ''
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString()
  } catch {
    // What came before the connection was cut counts.
  }
  return text
}

/** Sends a byte again and again until the connection is gone. */
const trickle = (socket: Socket, byte: string): void => {
  const timer = setInterval(() => {
    if (socket.writable) socket.write(byte)
  }, 5)
  socket.once('close', () => clearInterval(timer))
  onTestFinished(() => clearInterval(timer))
}

describe('a slow client', () => {
  test.each([
    ['that stops in mid-head', 'GET /api/kpis HTTP/1.1\r\nHost: loc', undefined],
    ['that sends its head a byte at a time', 'GET /api/kpis HTTP/1.1\r\nHost: loc', 'x'],
  ])('%s is told so, and its connection ends', async (_, text, byte) => {
    await using serving = await serve({ limits: QUICK })
    const { server, tells } = serving
    const socket = await dial(server.url)
    socket.write(text)
    if (byte !== undefined) trickle(socket, byte)
    const answer = await readAll(socket)
    expect(statusOf(answer)).toBe(408)
    expect(bodyOf(answer)).toEqual({ message: 'the request did not come in time; send it again' })
    expect(answer).toMatch(/\r\nx-request-id: plain-1\r\n/i)
    expect(await tells(1)).toMatchObject([{ status: 408, requestId: 'plain-1' }])
    expect(await isWell(server.url)).toBe(true)
  })

  test.each([
    ['that stops in mid-body', 'Content-Length: 1000', '{"name":', undefined],
    ['that sends its body a byte at a time', 'Content-Length: 1000000', '{"name":', 'x'],
    ['whose chunks never end', 'Transfer-Encoding: chunked', '1\r\n{\r\n', '1\r\nx\r\n'],
  ])('%s is told so, and nothing is stored', async (_, header, body, byte) => {
    await using serving = await serve({ limits: QUICK })
    const { service, server, tells } = serving
    const socket = await dial(server.url)
    socket.write(head(service, 'POST /api/kpis', header) + body)
    if (byte !== undefined) trickle(socket, byte)
    const answer = await readAll(socket)
    expect(statusOf(answer)).toBe(408)
    expect(bodyOf(answer)).toEqual({ message: 'the request did not come in time; send it again' })
    const [told] = await tells(1)
    expect(told).toMatchObject({ status: 408, method: 'POST', target: '/api/kpis', caller: { account: 'default' } })
    expect(answer).toContain(told?.requestId)
    expect(service.logged).toEqual([])
    expect(await read(service, '/kpis')).toEqual([])
    expect(await isWell(server.url)).toBe(true)
  })

  test('that goes on to send a body which was refused is cut off in time', async () => {
    await using serving = await serve({ limits: QUICK })
    const { service, server, tells } = serving
    const socket = await dial(server.url)
    socket.write(head({ ...service, token: 'wrong' }, 'POST /api/kpis', 'Content-Length: 1000000'))
    trickle(socket, 'x')
    expect(statusOf(await readAll(socket))).toBe(401)
    expect(await tells(1)).toMatchObject([{ status: 401 }])
  })

  test('that never stops sending is refused at 10 MiB, and cut off in time', async () => {
    await using serving = await serve({ limits: { ...QUICK, requestMs: 500 } })
    const { service, server, tells } = serving
    const socket = await dial(server.url)
    socket.write(head(service, 'POST /api/kpis', 'Content-Type: application/json', 'Transfer-Encoding: chunked'))
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`
    const pour = (): void => {
      while (socket.writable && socket.write(chunk));
    }
    socket.on('drain', pour)
    pour()
    const answer = await readAll(socket)
    expect([408, 413]).toContain(statusOf(answer))
    expect(await tells(1)).toMatchObject([{ status: statusOf(answer) }])
    expect(await isWell(server.url)).toBe(true)
  })

  test('that does not take its answer is cut off', async () => {
    const body = 'x'.repeat(64 * 1024 * 1024)
    await using serving = await serve({
      limits: QUICK,
      wrap: () => () => Promise.resolve({ status: 200, headers: {}, body }),
    })
    const { service, server, tells } = serving
    const socket = await dial(server.url)
    socket.write(head(service, 'GET /api/kpis'))
    await once(socket, 'readable')
    expect(await tells(1)).toMatchObject([{ status: 200, isCut: true }])
  })

  test('that says nothing is let go without a word', async () => {
    await using serving = await serve({ limits: QUICK })
    const { server, exchanges } = serving
    expect(await readAll(await dial(server.url))).toBe('')
    expect(exchanges).toEqual([])
  })

  test('does not keep others waiting, however many of them there are', async () => {
    await using serving = await serve()
    const { service, server } = serving
    const slow = await Promise.all(Array.from({ length: 200 }, () => dial(server.url)))
    for (const socket of slow) socket.write(head(service, 'POST /api/kpis', 'Content-Length: 10').slice(0, -1))
    expect(await isWell(server.url)).toBe(true)
    expect(server.connections.open()).toBeGreaterThanOrEqual(200)
    // A service waits for what it was promised before it closes.
    for (const socket of slow) socket.destroy()
  })
})

describe('a busy request', () => {
  test('may take longer than any limit for clients', async () => {
    const released = Promise.withResolvers<void>()
    await using serving = await serve({
      limits: QUICK,
      wrap: (handler) => async (request) => {
        if (request.target.endsWith('health')) return handler(request)
        await released.promise
        return handler(request)
      },
    })
    const { service, server } = serving
    const busy = await dial(server.url)
    busy.write(head(service, 'GET /api/kpis', 'Connection: close'))
    // One that is refused for its time shows that the time of the other has passed, too.
    const slow = await dial(server.url)
    slow.write('GET /api/kpis HTTP/1.1\r\n')
    expect(statusOf(await readAll(slow))).toBe(408)
    released.resolve()
    expect(statusOf(await readAll(busy))).toBe(200)
  })
})

describe('a client that goes away', () => {
  test('in mid-body is told of, and harms nothing', async () => {
    const asked = Promise.withResolvers<void>()
    await using serving = await serve({
      wrap: (handler) => (request) => {
        asked.resolve()
        return handler(request)
      },
    })
    const { service, server, tells } = serving
    const socket = await dial(server.url)
    socket.write(`${head(service, 'POST /api/kpis', 'Content-Length: 1000')}{"name":`)
    await asked.promise
    socket.resetAndDestroy()
    expect(await tells(1)).toMatchObject([{ status: 400, isCut: true }])
    expect(service.logged).toEqual([])
    expect(await isWell(server.url)).toBe(true)
  })

  test('after a refusal, in mid-body, is told of', async () => {
    await using serving = await serve()
    const { service, server, tells } = serving
    const socket = await dial(server.url)
    socket.write(head({ ...service, token: 'wrong' }, 'POST /api/kpis', 'Content-Length: 1000'))
    await once(socket, 'data')
    socket.resetAndDestroy()
    expect(await tells(1)).toMatchObject([{ status: 401 }])
  })
})

describe('connections', () => {
  test('may rest longer than an answer may take', async () => {
    await using serving = await serve({ limits: QUICK })
    const { service, server } = serving
    const resting = await dial(server.url)
    resting.write(head(service, 'GET /api/health'))
    await once(resting, 'data')
    // One that is refused for its time shows that the time for an answer has passed, too.
    const slow = await dial(server.url)
    slow.write('GET /api/kpis HTTP/1.1\r\n')
    expect(statusOf(await readAll(slow))).toBe(408)
    resting.write(head(service, 'GET /api/health', 'Connection: close'))
    expect(statusOf(await readAll(resting))).toBe(200)
  })

  test('beyond the limit are closed at once; others come in when one has gone', async () => {
    await using serving = await serve({ limits: { connections: 2 } })
    const { server } = serving
    const [first, second] = [await dial(server.url), await dial(server.url)]
    await expect.poll(() => server.connections.open(), { interval: 5 }).toBe(2)
    const third = await dial(server.url)
    expect(await readAll(third)).toBe('')
    expect(server.connections.turnedAway()).toBe(1)
    first.destroy()
    await expect.poll(() => server.connections.open(), { interval: 5 }).toBe(1)
    expect(await isWell(server.url)).toBe(true)
    second.destroy()
  })
})
