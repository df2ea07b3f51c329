import { expect, test } from 'vitest'
import { FirstSeenOrder } from '../../../src/domain/analysis/first-seen-order.ts'

test.each([
  ['one day with all', ['ABCD'], 'ABCD'],
  ['weekly KPIs that begin later', ['ACE', 'BD', 'ABCDE'], 'ABCDE'],
  ['days that have none in common', ['AC', 'BD'], 'ACBD'],
  ['several items of a KPI', ['AABB', 'AACCBB'], 'ACB'],
  ['a new day that begins with the KPI before', ['AB', 'B', 'BC'], 'ABC'],
  ['no order', ['AB', 'BA'], 'AB'],
  ['nothing', [], ''],
])('KPIs stand in the order of the report: %s', (_, days, order) => {
  const seen = new FirstSeenOrder()
  for (const [day, kpis] of days.entries()) for (const kpi of kpis) seen.see(day, kpi.charCodeAt(0))
  expect(String.fromCharCode(...seen.list())).toBe(order)
})
