import { describe, expect, onTestFinished, test } from 'vitest'
import { isLoopback } from '../../src/client/http/base-url.ts'
import { listen } from '../../src/server/http/listener.ts'
import { createMetrics, createMetricsHandler, routeNames } from '../../src/server/observe/metrics.ts'
import { bearer } from '../support/newer.ts'
import { EXCHANGE, serve, type Serving, statusOf } from '../support/listening.ts'
import { dial, head, sendThenRead } from '../support/socket.ts'

type Page = { readonly url: string; readonly read: () => Promise<string> }

/** A service and the page of its metrics. */
const serveBoth = async (): Promise<{ serving: Serving; page: Page }> => {
  const serving = await serve({ clock: () => 0 })
  const metrics = createMetrics('1.2.3', routeNames())
  metrics.watch(serving.server.connections)
  const listening = await listen(createMetricsHandler(metrics, isLoopback), '127.0.0.1', 0)
  onTestFinished(async () => {
    await listening.close()
    await serving[Symbol.asyncDispose]()
  })
  let told = 0
  const read = async (): Promise<string> => {
    for (const exchange of serving.exchanges.slice(told)) metrics.onExchange(exchange)
    told = serving.exchanges.length
    return (await fetch(`${listening.url}/metrics`)).text()
  }
  return { serving, page: { url: listening.url, read } }
}

const ask = async ({ service, server, exchanges, tells }: Serving, ...lines: readonly string[]): Promise<void> => {
  for (const line of lines) {
    const count = exchanges.length
    await sendThenRead(server.url, head(service, line, 'Connection: close'))
    await tells(count + 1)
  }
}

const labelsIn = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value)

describe('the page of metrics', () => {
  test('counts requests by method, route and status', async () => {
    const { serving, page } = await serveBoth()
    await ask(serving, 'GET /api/kpis/1', 'GET /API/KPIs/2?x=1', 'GET /api/kpifrequencies/D', 'GET /api/health')
    const text = await page.read()
    expect(text).toContain('kpi_http_requests_total{method="GET",route="/api/kpis/{id}",status="404"} 2\n')
    expect(text).toContain('kpi_http_requests_total{method="GET",route="/api/kpifrequencies/{key}",status="200"} 1\n')
    expect(text).toContain('kpi_http_requests_total{method="GET",route="/api/health",status="200"} 1\n')
    expect(text).toContain('kpi_http_request_duration_seconds_count{method="GET",route="/api/kpis/{id}"} 2\n')
    expect(text).toContain('kpi_build_info{version="1.2.3"} 1\n')
    expect(text).toMatch(/^process_cpu_seconds_total /m)
  })

  test('counts those of the newer variant by routes of their own', async () => {
    const { serving, page } = await serveBoth()
    const { service, server, exchanges, tells } = serving
    const lines = [
      'GET /v1/kpis/1',
      'GET /V1/KPIs/2?x=1',
      'GET /v1/kpifrequencies/D',
      'GET /v1/groups',
      'GET /v1/health',
    ]
    for (const line of [...lines, 'POST /v1/users', 'GET /v1x/kpis']) {
      const count = exchanges.length
      const headers = ['Host: localhost', `Authorization: ${bearer(service.key)}`, 'Connection: close']
      await sendThenRead(server.url, [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n'))
      await tells(count + 1)
    }
    const text = await page.read()
    expect(text).toContain('kpi_http_requests_total{method="GET",route="/v1/kpis/{id}",status="404"} 2\n')
    expect(text).toContain('kpi_http_requests_total{method="GET",route="/v1/kpifrequencies/{key}",status="200"} 1\n')
    expect(text).toContain('kpi_http_requests_total{method="GET",route="/v1/health",status="200"} 1\n')
    expect(text).toContain('kpi_http_requests_total{method="POST",route="/v1/users",status="405"} 1\n')
    expect(text).toContain('kpi_http_requests_total{method="GET",route="none",status="404"} 2\n')
    expect(text).not.toContain('/v1/groups')
  })

  test('does not grow with what is asked for', async () => {
    const { serving, page } = await serveBoth()
    const strange = ['/', '/.env', '/api/x', '/api/kpis/x', '/api/kpis/1/2', '/other', '/api', '*', '/api/kpis%2F1']
    await ask(serving, ...strange.map((target) => `GET ${target}`), 'PROPFIND /api/kpis', 'LOCK /api/kpis', 'nonsense')
    const text = await page.read()
    expect(new Set(labelsIn(text, 'route'))).toEqual(new Set(['none', '/api/kpis']))
    expect(new Set(labelsIn(text, 'method'))).toEqual(new Set(['GET', 'other']))
  })

  test('counts refused logins', async () => {
    const { serving, page } = await serveBoth()
    const wrong = { ...serving.service, token: 'wrong' }
    await sendThenRead(serving.server.url, head(wrong, 'GET /api/kpis', 'Connection: close'))
    await serving.tells(1)
    expect(await page.read()).toContain('kpi_logins_refused_total 1\n')
  })

  test('counts what a limit refused', async () => {
    const { page } = await serveBoth()
    expect(await page.read()).toContain('kpi_requests_limited_total 0\n')
    const metrics = createMetrics('1', () => undefined)
    const limited = { ...EXCHANGE, status: 403, isPutOff: true }
    for (const one of [limited, { ...limited, status: 429 }, { ...limited, isPutOff: false }]) metrics.onExchange(one)
    expect(await metrics.text()).toContain('kpi_requests_limited_total 2\n')
  })

  test('says how many connections are open', async () => {
    const { serving, page } = await serveBoth()
    await dial(serving.server.url)
    await dial(serving.server.url)
    await expect.poll(page.read, { interval: 10 }).toContain('kpi_http_connections_open 2\n')
    expect(await page.read()).toContain('kpi_http_requests_in_flight 0\n')
  })

  test('says when the certificate ends, and when the next one does', async () => {
    const metrics = createMetrics('1', () => undefined)
    for (const validTo of [1_700_000_000_000, 1_800_000_000_000]) metrics.onCertificate(validTo)
    expect(await metrics.text()).toContain('kpi_tls_certificate_expiry_timestamp_seconds 1800000000\n')
  })

  test.each([
    ['localhost', 'GET', '/metrics', 200],
    ['LOCALHOST:1', 'GET', '/metrics?x=1', 200],
    ['127.0.0.1:9', 'HEAD', '/metrics', 200],
    ['[::1]:9', 'GET', '/metrics', 200],
    ['evil.example.com', 'GET', '/metrics', 403],
    ['localhost.example.com', 'GET', '/metrics', 403],
    ['127.0.0.1.example.com', 'GET', '/metrics', 403],
    ['localhost', 'POST', '/metrics', 405],
    ['localhost', 'GET', '/api/kpis', 404],
  ])('asked for as %s with %s %s is %i', async (host, method, target, status) => {
    const { page } = await serveBoth()
    const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: close', '', '']
    expect(statusOf(await sendThenRead(page.url, lines.join('\r\n')))).toBe(status)
  })
})
