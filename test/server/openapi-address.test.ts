import { once } from 'node:events'
import { Agent, request as askTls } from 'node:https'
import type { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { underPublicUrl } from '../../src/server/http/sender.ts'
import { makePair } from '../support/certificates.ts'
import type { Description } from '../support/description.ts'
import { bodyOf, serve } from '../support/listening.ts'
import { sendThenRead } from '../support/socket.ts'

const PREFIXES = ['/api', '/v1'] as const

const addressesIn = (answer: string): string[] => (bodyOf(answer) as Description).servers.map(({ url }) => url)

/** Asks for a document as it is written, and returns the addresses that it names. */
const askFor = async (url: string, target: string, ...headers: string[]): Promise<string[]> =>
  addressesIn(await sendThenRead(url, [`GET ${target}`, ...headers, 'Connection: close', '', ''].join('\r\n')))

const withPort = (url: string, text: string): string => text.replace('{port}', new URL(url).port)

describe.each(PREFIXES)('the document below %s names the whole address of its interface', (prefix) => {
  const target = `${prefix}/openapi.json HTTP/1.1`

  test.each([
    ['the Host', target, ['Host: 127.0.0.1:{port}'], 'http://127.0.0.1:{port}'],
    ['whatever Host it was asked under', target, ['Host: acme.kpi.test:8443'], 'http://acme.kpi.test:8443'],
    ['a Host that is an IPv6 address', target, ['Host: [::1]:80'], 'http://[::1]:80'],
    ['a Host with signs that replace text elsewhere', target, ["Host: a$&b$'c.test"], "http://a$&b$'c.test"],
    ['the host in the request line', `http://one.test${target}`, ['Host: two.test'], 'http://one.test'],
    ['the local address, where no host is named', `${prefix}/openapi.json HTTP/1.0`, [], 'http://127.0.0.1:{port}'],
    ['nothing that only a proxy may say', target, ['Host: h.test', 'X-Forwarded-Proto: https'], 'http://h.test'],
  ])('%s', async (_, line, headers, expected) => {
    await using serving = await serve()
    const { url } = serving.server
    const sent = headers.map((header) => withPort(url, header))
    expect(await askFor(url, line, ...sent)).toEqual([withPort(url, expected) + prefix])
  })

  test.each([
    ['https, where TLS ends in front', [], 'https'],
    ['the scheme that the proxy says', ['X-Forwarded-Proto: http'], 'http'],
    ['the scheme that the last proxy says', ['X-Forwarded-Proto: http, HTTPS'], 'https'],
    ['https, where the proxy says what is no scheme', ['X-Forwarded-Proto: javascript'], 'https'],
  ])('behind a proxy: %s', async (_, headers, scheme) => {
    await using serving = await serve({ behindProxy: true })
    expect(await askFor(serving.server.url, target, 'Host: kpi.test', ...headers)).toEqual([
      `${scheme}://kpi.test${prefix}`,
    ])
  })

  test('https, where it is served so', async () => {
    const tls = await makePair()
    await using serving = await serve({ tls })
    const { url } = serving.server
    const agent = new Agent({ ca: tls.cert })
    const [response] = (await once(askTls(`${url}${prefix}/openapi.json`, { agent }).end(), 'response')) as [Readable]
    const text = (await Array.fromAsync(response)).join('')
    agent.destroy()
    expect((JSON.parse(text) as Description).servers).toEqual([{ url: url + prefix }])
  })

  test.each(['https://kpi.acme.test', 'https://acme.test/kpi/one'])(
    'the public URL %s of its operator, under whatever Host',
    async (publicUrl) => {
      await using serving = await serve({ wrap: (handler) => underPublicUrl(handler, publicUrl) })
      expect(await askFor(serving.server.url, target, 'Host: inside.test')).toEqual([publicUrl + prefix])
    },
  )
})
