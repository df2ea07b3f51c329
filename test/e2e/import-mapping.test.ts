import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { embeddedImporter, heldIn, type Importer } from '../support/import.ts'
import type { Ran } from '../support/kpi.ts'

const HEADER = 'Person,KPI,Day,Sum'
/** A file that shows how its numbers and dates are written, and one that does not. */
const MARCH = `${HEADER}\n2,2,13/03/2026,"1.234,5"\n2,2,02/03/2026,1.000\n`
const APRIL = `${HEADER}\n2,2,02/04/2026,1.234\n`

const MAPPING = ['.config', 'kpi', 'mappings', 'sales.json'] as const

const load = (importer: Importer, name: string, text: string, ...flags: string[]): Promise<Ran> => {
  importer.write(name, text)
  return importer.kpi('entries', 'import', name, ...flags)
}

const mappingIn = ({ folder }: Importer): string => folder.in(MAPPING.join('/'))

describe('a mapping that is saved', () => {
  test('reads a file that would be ambiguous by itself as the one before it', async () => {
    await using importer = await embeddedImporter()
    const saved = await load(importer, 'march.csv', MARCH, '--map', 'actual=Sum', '--save-mapping', 'sales')
    expect(saved).toMatchObject({ code: 0, stderr: expect.stringContaining('--mapping sales') as unknown })
    expect(statSync(mappingIn(importer)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(mappingIn(importer), 'utf8'))).toEqual({
      layout: 'long',
      map: { user: 'Person', kpi: 'KPI', date: 'Day', actual: 'Sum' },
      separator: ',',
      decimal: ',',
      'date-format': 'DD/MM/YYYY',
    })
    expect(await load(importer, 'april.csv', APRIL, '--map', 'actual=Sum')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Day: "02\/04\/2026" on line 2 [^]*Sum: "1.234" on line 2/) as unknown,
    })
    expect((await load(importer, 'april.csv', APRIL, '--mapping', 'sales')).code).toBe(0)
    expect(await heldIn(importer)).toEqual([
      '2 2 2026-03-02 1000 - -',
      '2 2 2026-03-13 1234.5 - -',
      '2 2 2026-04-02 1234 - -',
    ])
  })

  test('is saved by a dry run and by an explanation, too, and flags beside it win', async () => {
    await using importer = await embeddedImporter()
    const given = ['--map', 'actual=Sum', '--save-mapping', 'sales', '--on-duplicate', 'last', '--empty', 'clear']
    await load(importer, 'march.csv', MARCH, ...given, '--dry-run')
    const kept = readFileSync(mappingIn(importer), 'utf8')
    expect(JSON.parse(kept)).toMatchObject({ 'on-duplicate': 'last', empty: 'clear' })
    await load(importer, 'march.csv', MARCH, ...given, '--explain')
    expect(readFileSync(mappingIn(importer), 'utf8')).toBe(kept)
    expect(await heldIn(importer)).toEqual([])
    const flags = [
      '--mapping',
      'sales',
      '--decimal',
      '.',
      '--date-format',
      'MM/DD/YYYY',
      '--user',
      '3',
      '--kpi',
      'Sales',
    ]
    await load(importer, 'april.csv', APRIL, ...flags, '--ignore', 'Person,KPI')
    expect(await heldIn(importer)).toEqual(['3 1 2026-02-04 1.234 - -'])
  })

  test('keeps no decimal sign that not all columns of numbers show', async () => {
    await using importer = await embeddedImporter()
    const text = 'Who,Day,Sales,Visits\n2,2026-03-01,"1,5",2\n'
    await load(importer, 'march.csv', text, '--map', 'user=Who', '--save-mapping', 'sales')
    expect(JSON.parse(readFileSync(mappingIn(importer), 'utf8'))).not.toHaveProperty('decimal')
    const next = 'Who,Day,Sales,Visits\n2,2026-04-01,"1,5",1.234\n'
    expect(await load(importer, 'april.csv', next, '--mapping', 'sales')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Visits: "1.234" on line 2 is 1.234') as unknown,
    })
  })

  test('keeps columns by their numbers where names do not tell them apart, and names with commas', async () => {
    await using importer = await embeddedImporter()
    const text = 'a,a,"when, exactly",\n2,2,2026-03-01,5.5\n'
    const map = 'user=#1,kpi=#2,date="when, exactly",actual=#4'
    await load(importer, 'march.csv', text, '--map', map, '--save-mapping', 'sales')
    expect(JSON.parse(readFileSync(mappingIn(importer), 'utf8'))).toMatchObject({
      map: { user: '#1', kpi: '#2', date: 'when, exactly', actual: '#4' },
    })
    expect(await load(importer, 'april.csv', text, '--mapping', 'sales', '-o', 'csv')).toMatchObject({ code: 0 })
  })

  test('keeps what separates cells, and in wide files which columns say whose they are', async () => {
    await using importer = await embeddedImporter()
    const text = 'Who\tDay\tSales\tVisits\n2\t13/03/2026\t1,5\t2,5\n'
    await load(importer, 'march.tsv', text, '--map', 'user=Who', '--save-mapping', 'sales')
    expect(JSON.parse(readFileSync(mappingIn(importer), 'utf8'))).toEqual({
      layout: 'wide',
      map: { user: 'Who', date: 'Day' },
      separator: 'tab',
      decimal: ',',
      'date-format': 'DD/MM/YYYY',
    })
    const next = 'Who\tDay\tSales\n2\t02/04/2026\t1.234\n'
    expect(await load(importer, 'april.tsv', next, '--mapping', 'sales')).toMatchObject({ code: 0 })
    expect(await heldIn(importer)).toContain('2 1 2026-04-02 1234 - -')
  })

  test('that is not there is told with those that are', async () => {
    await using importer = await embeddedImporter()
    expect(await load(importer, 'april.csv', APRIL, '--mapping', 'sales')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'there is no mapping "sales"; none is saved yet; save one with --save-mapping NAME',
      ) as unknown,
    })
    await load(importer, 'march.csv', MARCH, '--map', 'actual=Sum', '--save-mapping', 'sales')
    expect((await load(importer, 'april.csv', APRIL, '--mapping', 'sails')).stderr).toContain('did you mean "sales"?')
    expect((await load(importer, 'april.csv', APRIL, '--mapping', 'x')).stderr).toContain('there are sales')
  })

  test.each([
    ['not json', 'is not JSON'],
    ['[]', 'is not an object'],
    ['{"__proto__": {}}', 'says what is not understood of __proto__'],
    ['{"toString": 1}', 'says what is not understood of toString'],
    ['{"decimal": ";", "colour": 1, "map": {"who": "x"}}', 'says what is not understood of decimal, colour, map'],
  ])('that somebody broke is refused: %s', async (text, told) => {
    await using importer = await embeddedImporter()
    await load(importer, 'march.csv', MARCH, '--map', 'actual=Sum', '--save-mapping', 'sales')
    writeFileSync(mappingIn(importer), text)
    expect(await load(importer, 'april.csv', APRIL, '--mapping', 'sales')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(told) as unknown,
    })
  })

  test.each(['../sales', 'a/b', 'Sales', '', '.', 'a.json'])(
    'has a name that is that of a file and nothing else: "%s"',
    async (name) => {
      await using importer = await embeddedImporter()
      for (const flag of ['--mapping', '--save-mapping']) {
        expect(await load(importer, 'april.csv', APRIL, flag, name)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining('cannot be the name of a mapping') as unknown,
        })
      }
    },
  )
})
