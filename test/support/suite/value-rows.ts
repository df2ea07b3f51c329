import { post, put } from './questions.ts'
import type { Row } from './row.ts'
import { IDS } from './ids.ts'
import { user } from './world.ts'

const { GENERAL, NEW_KPI, NUMBER } = IDS

const value = (what: string, name: string, sent: unknown, told: unknown): Row => ({
  ...put('/kpis/1', 'KPI', { [name]: sent }),
  what: `takes ${what}`,
  status: 200,
  of: 'KPI',
  tells: { [name]: told },
  after: ['/kpis/1', { [name]: told }],
})

export const valueRows: readonly Row[] = [
  value('four places', 'target_default', 0.0001, 0.0001),
  value('a number in text', 'target_default', '-12.50', -12.5),
  value('more places, rounded half away from zero', 'target_default', '-0.00005', -0.0001),
  value('zero', 'target_default', 0, 0),
  value('a boolean in text', 'is_active', 'false', false),
  value('blanks around text', 'name', '  Umsätze 📈 ', 'Umsätze 📈'),
  value('100 characters beyond the 16 bits', 'name', '📈'.repeat(100), '📈'.repeat(100)),
  value('line ends of all kinds', 'description', 'a\r\nb\rc\td', 'a\nb\nc\td'),
  value('markup', 'name', `<b>&amp;"'</b>]]>`, `<b>&amp;"'</b>]]>`),
  value('the largest sort_order', 'sort_order', 32_767, 32_767),
  {
    ask: 'PUT /kpis/1',
    what: 'keeps every digit',
    status: 200,
    raw: {
      json: '{"target_default":-12345678901234.5678}',
      xml: '<KPI><target_default>-12345678901234.5678</target_default></KPI>',
    },
    of: 'KPI',
    says: /-12345678901234\.5678/,
  },
  {
    ask: 'PUT /kpis/1',
    what: 'takes any notation',
    status: 200,
    raw: { json: '{"target_default":1.5E2,"sort_order":1e1}', xml: '' },
    of: 'KPI',
    tells: { target_default: 150, sort_order: 10 },
    only: 'json',
  },
  {
    ...put('/kpis/1', 'KPI', { name: ['x'], is_active: { a: 1 } }),
    what: 'refuses lists and objects',
    status: 400,
    faults: ['name', 'is_active'],
    only: 'json',
  },
  {
    ...post('/kpis', 'KPI', {
      icon_id: 1,
      unit_id: NUMBER,
      frequency_id: 'D',
      name: 'Old client',
      value_direction: 'U',
      sort_order: 1,
      is_active: true,
    }),
    what: 'makes one without category and function',
    status: 201,
    of: 'KPI',
    tells: { id: NEW_KPI, category_id: GENERAL, aggregate_function: 'SUM' },
  },
  {
    ...post('/kpis', 'KPI', { name: 'x'.repeat(101), sort_order: 'a', is_active: 'b', frequency_id: 'X' }),
    what: 'names all faults at once',
    status: 400,
    faults: ['icon_id', 'unit_id', 'frequency_id', 'name', 'value_direction', 'sort_order', 'is_active'],
  },
  {
    ...post('/users', 'User', { ...user('Ann2'), email: 'ANN@example.com', first_name: '' }),
    what: 'names a clash beside the faults',
    status: 400,
    faults: ['first_name', 'email'],
  },
  {
    ...put('/kpis/1', 'KPI', { __proto__x: 1, constructor: 'x', toString: 'y', name: 'Safe' }),
    what: 'ignores names of JavaScript',
    status: 200,
    of: 'KPI',
    tells: { name: 'Safe' },
  },
  {
    ask: 'PUT /kpis/1',
    what: 'ignores __proto__',
    status: 200,
    raw: {
      json: '{"__proto__":{"name":"x"},"sort_order":8}',
      xml: '<KPI><__proto__><name>x</name></__proto__><sort_order>8</sort_order></KPI>',
    },
    of: 'KPI',
    tells: { name: 'Sales', sort_order: 8 },
  },
]
