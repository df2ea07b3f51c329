import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { yamlList } from '../../src/codec/yaml.ts'
import { kpi } from '../../src/domain/resources/kpi.ts'
import { asRecord, type Stored } from '../../src/domain/schema.ts'

const listOf = async (records: readonly Stored<typeof kpi>[]): Promise<string> => {
  let text = ''
  for await (const part of yamlList(
    kpi.shown,
    (async function* () {
      if (records.length > 0) yield records
    })(),
  ))
    text += part
  return text
}

const kpiOf = (name: string, description: string | null, target: bigint): Stored<typeof kpi> =>
  asRecord(kpi, {
    ...Object.fromEntries(kpi.shown.map(({ name: field }) => [field, null])),
    id: 1,
    name,
    description,
    target_default: target,
  })

test('any text comes back as it was', async () => {
  const texts = fc.string({
    unit: fc.constantFrom(...Array.from('aé 😀:-#\n\t\r"\'\\{}[]&*!|>%@`,?~0.1e'), '\u0001', '\u0085', '\u2028'),
  })
  await fc.assert(
    fc.asyncProperty(texts, fc.option(texts), async (name, description) => {
      const [record] = parse(await listOf([kpiOf(name, description, 1n)])) as Record<string, unknown>[]
      expect([record?.['name'], record?.['description']]).toEqual([name, description])
    }),
    { numRuns: 300 },
  )
})

test.each<[text: string]>([
  ['yes'],
  ['null'],
  ['1e3'],
  ['2026-01-01'],
  ['0x1f'],
  ['~'],
  ['.inf'],
  ['- a'],
  [''],
  [' \n'],
  ['\n a\n'],
])('%s stays a text', async (text) => {
  expect(parse(await listOf([kpiOf(text, null, 1n)]))).toMatchObject([{ name: text }])
})

test('a number keeps its digits, and no records are an empty list', async () => {
  expect(await listOf([kpiOf('a', null, 123456789012345678n)])).toContain('target_default: 12345678901234.5678\n')
  expect(await listOf([])).toBe('[]\n')
})
