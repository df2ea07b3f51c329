import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server, type ServerOptions } from 'node:https'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makePair } from '../support/certificates.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { rowsOf, xlsxOf } from '../support/workbook.ts'
import { embeddedUser, fillShop, remoteUser, type User } from '../support/user.ts'

const TEXT = 'user,kpi,date,actual\nAnn Lee,Revenue,2026-03-01,1\nAnn Lee,Revenue,2026-03-02,2\n'

type Opened = { readonly url: string; readonly close: () => Promise<void> }

const listening = async (server: Server | ReturnType<typeof createHttpServer>, scheme: string): Promise<Opened> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

let pair: ServerOptions
let strange: ServerOptions
const trusted = getCACertificates('default')
const opened: Opened[] = []
let asked: IncomingMessage[] = []
let user: User

beforeAll(async () => {
  const made = await makePair()
  pair = made
  strange = await makePair('elsewhere.example.com')
  setDefaultCACertificates([...trusted, made.cert])
})
afterAll(() => setDefaultCACertificates(trusted))
beforeEach(async () => {
  asked = []
  user = await embeddedUser()
  await fillShop(user)
})
afterEach(async () => {
  await user[Symbol.asyncDispose]()
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})

const noted =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    asked.push(request)
    listener(request, response)
  }

/** A server of files over HTTPS on a port of its own. */
const serve = async (listener: RequestListener, options: ServerOptions = pair): Promise<string> => {
  const server = await listening(createServer(options, noted(listener)), 'https')
  opened.push(server)
  return server.url
}

const serveHttp = async (listener: RequestListener): Promise<string> => {
  const server = await listening(createHttpServer(noted(listener)), 'http')
  opened.push(server)
  return server.url
}

const answer =
  (content: string | Buffer, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, headers).end(content)
  }

const importFrom = (address: string, ...args: string[]): Promise<Ran> =>
  user.kpiIn(
    { alarm: (ms) => AbortSignal.timeout(Math.min(ms, 60_000)) },
    'entries',
    'import',
    address,
    '--create-assignments',
    ...args,
  )

describe('a file at an address is imported', () => {
  test.each<[what: string, content: string | Buffer]>([
    ['as text', TEXT],
    ['as gzip', gzipSync(TEXT)],
    [
      'as a workbook',
      xlsxOf({
        sheets: {
          A: rowsOf([
            ['user', 'kpi', 'date', 'actual'],
            ['Ann Lee', 'Revenue', '2026-03-01', 1],
            ['Ann Lee', 'Revenue', '2026-03-02', 2],
          ]),
        },
      }),
    ],
  ])('%s', async (_, content) => {
    const url = await serve(answer(content))
    expect(jsonOf(await importFrom(`${url}/data/sales.csv`, '-o', 'json'))).toMatchObject({ read: 2, created: 2 })
    // It is read from the network once, however often its rows are needed.
    expect(asked).toHaveLength(1)
  })

  test('without any credentials, also where a profile has some', async () => {
    const url = await serve(answer(TEXT))
    await using remote = await remoteUser()
    await fillShop(remote)
    const ran = await remote.kpi('entries', 'import', `${url}/sales.csv`, '--create-assignments', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject({ created: 2 })
    const names = Object.keys(asked[0]?.headers ?? {}).toSorted()
    expect(names).toEqual(['accept', 'accept-encoding', 'connection', 'host'])
  })

  test('with its rejects beside nothing but the working directory, and without the secret in its query', async () => {
    const url = await serve(answer(`${TEXT}Nobody,Revenue,2026-03-03,3\n`))
    const ran = await importFrom(`${url}/exports/q1%20sales.csv.gz?signature=secret`)
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('q1 sales.rejects.csv')
    expect(ran.stdout + ran.stderr).not.toContain('secret')
    expect(readFileSync(user.folder.in('q1 sales.rejects.csv'), 'utf8')).toContain('Nobody')
  })

  test('from where redirects lead, which are up to five', async () => {
    const other = await serve(answer(TEXT))
    const url = await serve(({ url: path = '' }, response) => {
      const next = Number(path.slice(1)) - 1
      response.writeHead(302, { location: next === 0 ? `${other}/sales.csv` : `/${next}` }).end()
    })
    expect(jsonOf(await importFrom(`${url}/5`, '-o', 'json'))).toMatchObject({ created: 2 })
    expect((await importFrom(`${url}/6`)).stderr).toContain('/6: it redirects more than 5 times')
  })

  test('and explained', async () => {
    const url = await serve(answer(TEXT))
    const found = jsonOf(await importFrom(`${url}/sales.csv?a=b`, '--explain', '-o', 'json')) as object[]
    expect(found[0]).toEqual({
      topic: 'address',
      found: `${url}/sales.csv`,
      evidence: `${TEXT.length} bytes were downloaded`,
    })
  })

  test('and a run that was stopped continues, as the journal belongs to the content', async () => {
    const url = await serve(answer(TEXT))
    await importFrom(`${url}/sales.csv`)
    expect(jsonOf(await importFrom(`${url}/sales.csv?again`, '-o', 'json'))).toMatchObject({ unchanged: 2 })
  })
})

/** Sends a part of a file, and then does nothing more. */
const begin =
  (headers: Record<string, string>, then: (response: ServerResponse) => void): RequestListener =>
  (_, response) => {
    response.writeHead(200, headers)
    response.write(TEXT.slice(0, 60), () => then(response))
  }

describe('the answer of a server that sends no file', () => {
  test.each<[status: number, query: string, code: number, message: string]>([
    [404, '', 1, 'there is no such file; check the address'],
    [410, '', 1, 'there is no such file any more; check the address'],
    [
      401,
      '',
      4,
      'it needs credentials, and none are sent there; download the file with another program, and name that',
    ],
    [
      403,
      '',
      4,
      'access is denied, and no credentials are sent there; download the file with another program, and name that',
    ],
    [
      403,
      '?token=canary',
      4,
      'access is denied, though the query of the address was sent; see whether a token in it is missing, wrong or expired, or download the file with another program, and name that',
    ],
    [400, '', 1, 'it answered with status 400, which is no file; check the address'],
    [429, '', 5, 'it has had too many requests; run the same command again later'],
    [503, '', 5, 'it answered with status 503; run the same command again later'],
  ])('%i with the query "%s" ends with %i', async (status, query, code, message) => {
    const url = await serve((_, response) => void response.writeHead(status).end('no'))
    const ran = await importFrom(`${url}/sales.csv${query}`)
    expect([ran.code, ran.stderr]).toEqual([code, `kpi: cannot read ${url}/sales.csv: ${message}\n`])
    expect(asked[0]?.url).toBe(`/sales.csv${query}`)
  })
})

describe('it is said why a file at an address cannot be read:', () => {
  test.each<[what: string, listener: RequestListener, message: string | RegExp]>([
    ['it is a web page', answer('<!DOCTYPE html><title>Log in</title>'), /it seems to be a web page/],
    [
      'it is cut off',
      begin({ 'content-length': '76' }, (response) => response.destroy()),
      /\/sales\.csv: the connection was cut/,
    ],
    [
      'it is cut off between parts',
      begin({}, (response) => response.destroy()),
      /\/sales\.csv: the connection was cut/,
    ],
    ['it is too slow', begin({}, () => undefined), /\/sales\.csv: it did not answer in time/],
    ['it does not begin', () => undefined, /\/sales\.csv: it did not answer in time/],
    [
      'it is too large',
      (_, response) => void response.writeHead(200, { 'content-length': String(3 * 1024 ** 3) }).write('a'),
      /it is larger than 2 GiB; download the file with another program/,
    ],
    [
      'it is packed otherwise',
      answer('x', { 'content-encoding': 'br' }),
      /it is sent in the encoding br, though none was asked for/,
    ],
    [
      'it redirects to plain HTTP',
      (_, response) => void response.writeHead(301, { location: 'http://example.com/sales.csv' }).end(),
      /it redirects to http:\/\/example\.com\/sales\.csv, which is not HTTPS/,
    ],
    ['it redirects nowhere', (_, response) => void response.writeHead(301).end(), /it redirects to no address/],
  ])('%s', async (_, listener, message) => {
    const url = await serve(listener)
    const ran = await importFrom(`${url}/sales.csv`, '--timeout', '300ms')
    expect(ran.code).toBeGreaterThan(0)
    expect(ran.stderr).toMatch(message)
  })

  test.each([
    ['a certificate that nobody trusts', () => strange, /certificate/],
    ['a server that does not speak TLS', undefined, /does not speak TLS there/],
  ])('%s', async (_, options, message) => {
    const url = options
      ? await serve(answer(TEXT), options())
      : (await serveHttp(answer(TEXT))).replace('http', 'https')
    const ran = await importFrom(`${url}/sales.csv`)
    expect([ran.code, ran.stderr]).toEqual([5, expect.stringMatching(message)])
    expect(asked).toEqual([])
  })

  test('nothing listens there', async () => {
    const url = await serve(answer(TEXT))
    await Promise.all(opened.splice(0).map(({ close }) => close()))
    expect((await importFrom(`${url}/sales.csv`)).stderr).toContain('/sales.csv: nothing listens there')
  })

  test('the address is not safe', async () => {
    const plain = await importFrom('http://example.com/sales.csv')
    expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining('it is not HTTPS, so anybody on the way')])
    const named = await importFrom('https://ann:secret@example.com/sales.csv')
    expect(named.stderr).toContain('an address with a user and a password is not read')
    expect(named.stderr).not.toContain('secret')
    expect((await importFrom('https://[')).code).toBe(2)
  })

  test('the deadline passes', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('Ann Lee,Revenue,2026-03-01,1\n'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const ran = await importFrom(`${url}/sales.csv`, '--deadline', '1s')
    expect([ran.code, ran.stderr]).toEqual([6, expect.stringContaining('the deadline (1s) has passed; stopped before')])
  })
})

test('over plain HTTP this machine alone is read from', async () => {
  const url = await serveHttp(answer(TEXT))
  expect(jsonOf(await importFrom(`${url}/sales.csv`, '-o', 'json'))).toMatchObject({ created: 2 })
})
