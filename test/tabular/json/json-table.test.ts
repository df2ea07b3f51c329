import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RecordScanner } from '../../../src/tabular/json/record-scanner.ts'
import type { RequestedFormat } from '../../../src/reading/open-table.ts'
import { readTable } from '../../support/tables.ts'
import { zipOf } from '../../support/zip.ts'

/** Reads a file of this name; its rows begin with their lines, the header with 0. */
const rowsOf = async (text: string | Buffer, name = 'data.json', asked: RequestedFormat = {}): Promise<unknown> =>
  (await readTable(text, asked, name)).rows

const faultOf = async (text: string | Buffer, name = 'data.json', asked: RequestedFormat = {}): Promise<string> => {
  const read = await readTable(text, asked, name).catch((error: unknown) => error)
  if (!(read instanceof Error)) throw new Error(`it was read: ${JSON.stringify(read)}`)
  return read.message
}

describe('records become rows', () => {
  test.each<[what: string, text: string, name: string, rows: unknown]>([
    [
      'of a list, on the lines on which they begin',
      '[\n  {\n    "a": 1,\n    "b": "x"\n  },\n  {"b": "y", "c": true}\n]\n',
      'data.json',
      [
        [0, 'a', 'b', 'c'],
        [2, '1', 'x'],
        [6, '', 'y', 'true'],
      ],
    ],
    [
      'of lines, blank ones among them',
      '\n{"a": 1}\r\n\n{"a": 2}',
      'data.ndjson',
      [
        [0, 'a'],
        [2, '1'],
        [4, '2'],
      ],
    ],
    [
      'of lines in a file that is called .jsonl',
      '{"a": 1}\n',
      'data.jsonl',
      [
        [0, 'a'],
        [1, '1'],
      ],
    ],
    [
      'with objects within them as columns of their own',
      '[{"kpi": {"id": 7, "unit": {"name": "€"}}, "none": {}, "actual": 3}]',
      'data.json',
      [
        [0, 'kpi.id', 'kpi.unit.name', 'actual'],
        [1, '7', '€', '3'],
      ],
    ],
    [
      'with lists as they are written',
      '[{"a": [1, {"b": 12345678901234567890}], "c": [], "d": "x"}]',
      'data.json',
      [
        [0, 'a', 'c', 'd'],
        [1, '[1,{"b":12345678901234567890}]', '', 'x'],
      ],
    ],
    [
      'with truth values, and without what is null',
      '[{"a": true, "b": false, "c": null, "d": "null"}]',
      'data.json',
      [
        [0, 'a', 'b', 'c', 'd'],
        [1, 'true', 'false', '', 'null'],
      ],
    ],
    [
      'without blank ones',
      '[{}, {"a": null}\n,{"a": 1}]',
      'data.json',
      [
        [0, 'a'],
        [3, '1'],
      ],
    ],
    [
      'with names as they are, of any kind',
      '[{"__proto__": 1, "a,b": "x\\ny", "": "z", "\\u00e9": "\\ud83d\\ude00"}]',
      'data.json',
      [
        [0, '__proto__', 'a,b', '', 'é'],
        [1, '1', 'x\ny', 'z', '😀'],
      ],
    ],
  ])('%s', async (_, text, name, rows) => {
    expect(await rowsOf(text, name)).toEqual(rows)
  })

  test.each([
    ['1.5', '1.5'],
    ['1.500', '1.5'],
    ['1.234', '1.2340'],
    ['-0', '0'],
    ['1e3', '1000'],
    ['1.25E-2', '0.0125'],
    ['9007199254740993', '9007199254740993'],
    ['0.1234567890123456789', '0.1234567890123456789'],
    ['-12345678901234567890.12345', '-12345678901234567890.12345'],
  ])('the number %s exactly', async (number, text) => {
    expect(await rowsOf(`[{"a": ${number}}]`)).toEqual([
      [0, 'a'],
      [1, text],
    ])
  })

  test.each([
    ['{"data": [{"a": 1}], "more": [1, "x", {"y": [null]}]}', 'data'],
    ['{"more": {"data": [{"b": 2}]}, "x": -1.5e3, "data": [{"a": 1}]}', 'data'],
    ['{"page": {"items": [{"a": 1}], "next": null}, "items": [{"b": 1}]}', 'page.items'],
    ['{"page.of": {"items": [{"a": 1}]}}', 'page.of.items'],
  ])('of the list in %s at %s', async (text, records) => {
    expect(await rowsOf(text, 'data.json', { records })).toEqual([
      [0, 'a'],
      [1, '1'],
    ])
  })

  test('counted where several begin on one line, which a note says', async () => {
    const { rows, reading } = await readTable('[{"a": 1},\n{"a": 2}, {"a": 3}]', {}, 'data.json')
    expect(rows).toEqual([
      [0, 'a'],
      [1, '1'],
      [2, '2'],
      [3, '3'],
    ])
    expect(reading.note).toBe(
      'several records of data.json begin on line 2, so they are counted: line 2 is the second of 3 records',
    )
    expect((await readTable('[{"a": 1},\n{"a": 2}]', {}, 'data.json')).reading.note).toBeUndefined()
  })

  test('the first row is the header, whatever it looks like', async () => {
    const { rows } = await readTable('[{"2026": 5, "2027": 6}, {"2026": 7}]', { skipLines: 1 }, 'data.json')
    expect(rows[0]).toEqual([0, '2026', '2027'])
    expect(rows).toHaveLength(3)
  })

  test('in other encodings of Unicode', async () => {
    const text = '\ufeff[{"é": "ü"}]'
    for (const bytes of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
      expect(await rowsOf(bytes)).toEqual([
        [0, 'é'],
        [1, 'ü'],
      ])
    }
  })
})

describe('JSON is recognised', () => {
  test.each<[text: string, name: string, found: string, evidence: string]>([
    ['[{"a": 1}]', 'data.json', 'JSON', 'its name ends in .json'],
    ['{"a": 1}', 'data.json.gz.ndjson', 'NDJSON', 'its name ends in .ndjson'],
    [' [ {"a": 1}]', 'standard input', 'JSON', 'it begins with ['],
    ['{"a": 1}\n{"a": 2}\n', 'standard input', 'NDJSON', 'its first line is an object'],
    ['{"a": 1}', 'data.bin', 'NDJSON', 'its first line is an object'],
    ['{"a": [{"b": 1}]}\n{"a": []}\n', 'standard input', 'NDJSON', 'its first line is an object'],
  ])('%j called %s is %s', async (text, name, found, evidence) => {
    const { reading } = await readTable(text, {}, name)
    expect(reading.findings).toContainEqual({ topic: 'format', found, evidence })
  })

  test('in what is compressed or in an archive, by the name of the former', async () => {
    const records = '[{"a": 1}]'
    const packed = await readTable(gzipSync(records), {}, 'data.json.gz')
    expect(packed.rows).toEqual([
      [0, 'a'],
      [1, '1'],
    ])
    expect(packed.reading.findings).toEqual([
      { topic: 'compression', found: 'gzip', evidence: 'it begins with 1F 8B' },
      { topic: 'format', found: 'JSON', evidence: 'its name ends in .json' },
      { topic: 'records', found: '1', evidence: 'a list' },
    ])
    const archived = await readTable(zipOf({ 'data.json': records }), {}, 'data.zip')
    expect([archived.rows, archived.reading.findings?.[1]]).toEqual([
      packed.rows,
      { topic: 'format', found: 'JSON', evidence: 'it begins with [' },
    ])
  })

  test.each(['[Name],[Date]\nx,y\n', '[2024],[2025]\n1,2\n', '{x},y\n1,2\n'])(
    'and no table of text for it: %j',
    async (text) => {
      expect((await readTable(text, {}, 'standard input')).reading.cellsOf).toBeUndefined()
    },
  )
})

describe('JSON that cannot be read is refused, with its line and what to do:', () => {
  const deep = (levels: number): string => '[{"a":' + '['.repeat(levels) + ']'.repeat(levels) + '}]'
  test.each<[what: string, text: string, name: string, why: string]>([
    ['nothing', ' \n', 'data.json', 'it is empty; export it again'],
    ['no record', '[ ]', 'data.json', 'it holds no record; export it again'],
    ['no record on any line', '\n', 'data.ndjson', 'it holds no record; export it again'],
    [
      'no JSON',
      'date;actual\n',
      'data.json',
      'line 1 is no JSON: "date;actual" is not expected there; correct the file, or export it again',
    ],
    [
      'a fault in a record',
      '[\n{"a": 1},\n{"a": 1,\n "b" 2}]',
      'data.json',
      'line 4 is no JSON: "2" is not expected there; correct the file, or export it again',
    ],
    [
      'a bracket that closes another',
      '[\n{"a": [1}]',
      'data.json',
      'line 2 is no JSON: "}" is not expected there; correct the file, or export it again',
    ],
    [
      'the same in a long file',
      `[\n{"a": [1}, {"b": "${'x'.repeat(17_000_000)}"}]`,
      'data.json',
      'line 2 is no JSON: "}" is not expected there; correct the file, or export it again',
    ],
    [
      'a comma too many',
      '[{"a": 1},\n]',
      'data.json',
      'line 2 is no JSON: "]" is not expected there; correct the file, or export it again',
    ],
    [
      'a number that JSON does not have',
      '[{"a":1},\n{"a":NaN,"b":2}]',
      'data.json',
      'line 2 is no JSON: "NaN" is not expected there; correct the file, or export it again',
    ],
    [
      'a text that goes on',
      '[{"a": "x\n"}]',
      'data.json',
      'line 1 is no JSON: a text in it does not end; correct the file, or export it again',
    ],
    [
      'a file that is cut off',
      '[\n{"a": 1},\n',
      'data.json',
      'it ends on line 3, before its JSON does, as if it were cut off; get the complete file',
    ],
    [
      'a record that is cut off',
      '[\n{"a": 1},\n{"a"',
      'data.json',
      'the record that begins on line 3 does not end; get the complete file',
    ],
    [
      'a second document',
      '[{"a": 1}]\n[{"a": 2}]',
      'data.json',
      'line 2 begins a second document; write each record on a line of its own (NDJSON, ending .ndjson), or all of them as one list',
    ],
    [
      'lines that are called a document',
      '{"a": 1}\n{"a": 2}\n',
      'data.json',
      'line 2 begins a second document; write each record on a line of its own (NDJSON, ending .ndjson), or all of them as one list',
    ],
    [
      'something behind it',
      '[{"a": 1}]\n;',
      'data.json',
      'line 2 holds something behind the end of its JSON; correct the file, or export it again',
    ],
    [
      'an object around its records',
      '{"data": {"items": [{"a": 1}]}, "users": [\n{"b": 1}]}',
      'data.json',
      'it is an object, and no list of records; its lists of objects are read with --records data.items or --records users',
    ],
    [
      'an object around its records, on one line',
      '{"data": {"items": [{"a": 1}]}}\n',
      'standard input',
      'it is an object, and no list of records; its lists of objects are read with --records data.items',
    ],
    [
      'an object without a list',
      '{"a": 1}',
      'data.json',
      'it is an object, and no list of records; write its records as a list of objects: [{…}, {…}]',
    ],
    [
      'a value alone',
      '12',
      'data.json',
      'it is a value, and no list of records; write its records as a list of objects: [{…}, {…}]',
    ],
    [
      'a number as a record',
      '[\n{"a": 1},\n7]',
      'data.json',
      'line 3 has a value where a record is expected, which is an object such as {"date": "2026-03-02", "actual": 12.5}; correct the file, or export it again',
    ],
    [
      'a list as a record',
      '[["date", "actual"],\n["2026-03-01", 5]]',
      'data.json',
      'line 1 has a list where a record is expected, which is an object such as {"date": "2026-03-02", "actual": 12.5}; correct the file, or export it again',
    ],
    [
      'a document that is called lines',
      '[\n{"a": 1}\n]',
      'data.ndjson',
      'line 1 has a list where a record is expected, which is an object such as {"date": "2026-03-02", "actual": 12.5}; give a file that is one list the ending .json',
    ],
    [
      'a record on two lines',
      '{"a": 1}\n{"a":\n2}',
      'data.ndjson',
      'line 2 does not hold a whole record; write each on one line, or give a file that is one document the ending .json',
    ],
    [
      'two records on a line',
      '{"a": 1}\n{"a": 2} {"a": 3}\n',
      'data.ndjson',
      'line 2 holds more than one record; write each on a line of its own',
    ],
    [
      'a field that is there twice',
      '[\n{"a": 1, "b": {"c": 1, "c": 2}}]',
      'data.json',
      'the record on line 2 has a field twice; leave one of them out',
    ],
    [
      'a field and a nested one of the same name',
      '[\n{"a.b": 1, "a": {"b": 2}}]',
      'data.json',
      'the record on line 2 gives "a.b" twice; leave one of them out',
    ],
    [
      'values that are nested too deep',
      `[\n${deep(200).slice(1)}`,
      'data.json',
      'line 2 nests values more than 200 deep; export records with fewer levels, such as with jq',
    ],
    [
      'what is nested too deep beside the records',
      `{"a": ${'['.repeat(200)}`,
      'data.json',
      'line 1 nests values more than 200 deep; export records with fewer levels, such as with jq',
    ],
    [
      'a text that no cell has',
      `[\n{"note": "${'x'.repeat(1_048_577)}"}]`,
      'data.json',
      'line 2: a cell has more than 1,048,576 characters; shorten "note"',
    ],
    [
      'a record without end',
      `[\n{"a": [${'1,'.repeat(8_400_000)}`,
      'data.json',
      'the record that begins on line 2 has more than 16,777,216 characters; leave out in it what is not imported',
    ],
    [
      'too many fields',
      `[\n${JSON.stringify(Object.fromEntries(Array.from({ length: 16_385 }, (_, at) => [`f${at}`, 1])))}]`,
      'data.json',
      'line 2: its records have more than 16,384 different fields, the most columns that a table may have; export them with fewer',
    ],
    [
      'JSON that is called otherwise',
      '[{"a": 1}]',
      'data.csv',
      'it seems to be JSON; give it the ending .json, or .ndjson if each line is a record',
    ],
  ])('%s', async (_, text, name, why) => {
    expect(await faultOf(text, name)).toBe(`cannot read ${name}: ${why}`)
  })

  test.each<[text: string, name: string, why: string]>([
    [
      '{"a": [{"b": 1}], "c": 1}',
      'data.json',
      'there is no x in it (--records), and no list of records; its lists of objects are read with --records a',
    ],
    [
      '{"x": {"y z": [{"b": 1}]}}',
      'data.json',
      'x is an object (--records), and no list of records; its lists of objects are read with --records "x.y z"',
    ],
    [
      '{"x": "b"}',
      'data.json',
      'x is a text (--records), and no list of records; write its records as a list of objects: [{…}, {…}]',
    ],
    ['[{"x": 1}]', 'data.json', 'all of it is one list, which needs no --records; leave that out'],
    [
      '{"x": [{"a": 1}],\n"x": []}',
      'data.json',
      'line 2 begins a second list at x; correct the file, or export it again',
    ],
    ['{"x": 1}\n', 'data.ndjson', 'each of its lines is a record, so it has no list to look for; leave out --records'],
    ['a,b\n1,2\n', 'data.csv', 'it is no JSON, so it has no list to look for; leave out --records'],
  ])('%s in %s, with --records x', async (text, name, why) => {
    expect(await faultOf(text, name, { records: 'x' })).toBe(`cannot read ${name}: ${why}`)
  })

  test('but a mapping may say where records are, for files that are none as well', async () => {
    expect(await rowsOf('a\n1\n', 'data.csv', { records: 'x', areRecordsSaved: true })).toEqual([
      [1, 'a'],
      [2, '1'],
    ])
  })
})

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string({ unit: 'grapheme' }), tie('value'), { maxKeys: 3 }),
  ),
}))
const record = fc.dictionary(fc.string({ unit: 'grapheme' }), values.value, { maxKeys: 4 })
const cuts = fc.array(fc.nat(400), { maxLength: 12 })

/** Returns the parts into which some places cut a text. */
const partsOf = (text: string, places: readonly number[]): string[] => {
  const ends = [...new Set(places.filter((at) => at < text.length))].toSorted((one, other) => one - other)
  return [0, ...ends].map((start, at) => text.slice(start, ends[at] ?? text.length))
}

test('records are found whole, however the text is written and cut into parts', () => {
  const layouts = fc.constantFrom('list', 'pretty list', 'within an object', 'lines')
  fc.assert(
    fc.property(fc.array(record, { maxLength: 5 }), record, layouts, cuts, (records, beside, layout, places) => {
      const { data: _, ...others } = beside
      const text = {
        list: JSON.stringify(records),
        'pretty list': JSON.stringify(records, null, 2),
        'within an object': JSON.stringify({ ...others, data: records, after: beside }),
        lines: records.map((one) => `${JSON.stringify(one)}\n`).join(''),
      }[layout]
      const scanner = new RecordScanner(
        'data',
        layout === 'lines' ? 'ndjson' : 'json',
        layout === 'within an object' ? 'data' : undefined,
      )
      const found = partsOf(text, places).flatMap((part) => scanner.add(part))
      scanner.end()
      expect(found.map((one) => JSON.parse(one.text) as unknown)).toEqual(records)
      const lines = found.map(({ line }) => line)
      expect(lines).toEqual(layout === 'lines' ? records.map((_one, at) => at + 1) : lines.toSorted((a, b) => a - b))
    }),
    { numRuns: 300 },
  )
})
