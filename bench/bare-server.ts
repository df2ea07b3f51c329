// A server of nothing but node:http that answers one KPI as JSON, out of memory: as fast as one can be.
import { createServer } from 'node:http'

const kpis = new Map(
  Array.from({ length: 50 }, (_, at) => [
    at + 1,
    {
      id: at + 1,
      category_id: 1,
      icon_id: 1,
      unit_id: 1,
      frequency_id: 'D',
      name: `KPI ${at + 1}`,
      description: null,
      target_default: null,
      value_direction: 'U',
      aggregate_function: 'SUM',
      sort_order: at + 1,
      is_active: true,
      is_calculated: false,
      created_at: '2026-01-01T00:00:00',
      updated_at: '2026-01-01T00:00:00',
    },
  ]),
)

const server = createServer((request, response) => {
  const kpi = kpis.get(Number(/^\/api\/kpis\/(\d+)$/.exec(request.url ?? '')?.[1]))
  const body = JSON.stringify(kpi ?? { message: 'there is no such KPI' })
  response.writeHead(kpi ? 200 : 404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  const bound = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}\n`)
})
