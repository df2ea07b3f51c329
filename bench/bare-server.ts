// A server of nothing but node:http, which answers the JSON of one KPI: as fast as one can be.
import { createServer } from 'node:http'

const body = JSON.stringify({
  id: 7,
  category_id: 1,
  icon_id: 1,
  unit_id: 1,
  frequency_id: 'D',
  name: 'KPI 7',
  description: null,
  target_default: null,
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: 7,
  is_active: true,
  is_calculated: false,
  created_at: '2026-01-01T00:00:00',
  updated_at: '2026-01-01T00:00:00',
})

const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  const bound = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}\n`)
})
