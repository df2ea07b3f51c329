import { isDeepStrictEqual } from 'node:util'
import { Command } from '@commander-js/extra-typings'
import { mkdirSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCli } from '../../src/cli/cli.ts'
import { addImport, type ImportFlags } from '../../src/cli/commands/entries/import-command.ts'
import { applyMapping, saveMapping } from '../../src/cli/commands/entries/import/mapping.ts'
import { parseOptions } from '../../src/cli/commands/entries/import/parsed-options.ts'
import { IMPORT_FLAGS, SAVED_FLAGS } from '../../src/cli/commands/entries/import/saved-flags.ts'
import { DELIMITERS, ENCODINGS } from '../../src/tabular/source/text-format.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { flagText, importOptions } from '../support/import-options.ts'
import { optionsOf as usualOptions } from '../support/import.ts'
import { testIo } from '../support/io.ts'
import { openDoors } from '../support/newer-import.ts'
import { xlsxOf } from '../support/workbook.ts'

/** `kpi entries import` as it is declared. */
const importCommand = () => {
  const group = new Command()
  addImport(group, () => undefined)
  const [command] = group.commands
  if (!command) throw new Error('there is no such command')
  return command
}

/** What the flags of a line say of how a file is read, by the names of the options. */
const optionsOf = ({ path: home }: Folder, args: readonly string[]): Readonly<Record<string, unknown>> => {
  const command = importCommand()
  command.parseOptions([...args])
  const cli = createCli(
    testIo({ home }).io,
    {},
    { run: () => Promise.resolve(0), read: () => Promise.reject(new Error('not here')) },
  )
  const { options, reading } = parseOptions(cli, ['data.csv'], command.opts())
  const { isSheetSaved: _, areRecordsSaved: __, ...asked } = reading
  return { ...options, ...asked }
}

/** The options that differ from those of a line without flags. */
const settledBy = (folder: Folder, args: readonly string[]): Record<string, unknown> => {
  const usual = optionsOf(folder, [])
  return Object.fromEntries(
    Object.entries(optionsOf(folder, args)).filter(([name, value]) => !isDeepStrictEqual(value, usual[name])),
  )
}

const HEAD = 'user,kpi,date,actual'
const PLAIN = `${HEAD}\nAnn Lee,Sales,2026-03-01,1\n`
const JOINED = 'Who,What,"Year, full",A+B,Day,Sum\nAnn Lee,Sales,2026,3,1,7\n'
const WIDE = 'user,date,Sales,Visits\nAnn Lee,2026-03-01,1,2\n'
const DATES = 'user,kpi,2026-03-01,2026-03-02\nAnn Lee,Sales,1,2\n'
const TWICE = `${PLAIN}Ann Lee,Sales,2026-03-01,4\n`
const TWO_SHEETS = xlsxOf({
  sheets: Object.fromEntries(
    ['One', 'Two'].map((name) => [
      name,
      [HEAD, 'Ann Lee,Sales,2026-03-01,1']
        .map((row) => row.split(',').map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`))
        .map((cells) => `<row>${cells.join('')}</row>`)
        .join(''),
    ]),
  ),
})

/** Flags that say how a file is read, with a file that they read. */
const LINES: readonly (readonly [flags: readonly string[], file: string | Uint8Array])[] = [
  [['--user', 'Ann Lee'], 'kpi,date,actual\nSales,2026-03-01,1\n'],
  [['--source', 'North'], 'kpi,date,actual\nSales,2026-03-01,1\n'],
  [['--kpi', 'Sales'], 'user,date,actual\nAnn Lee,2026-03-01,1\n'],
  [['--date', 'yesterday'], 'user,kpi,actual\nAnn Lee,Sales,1\n'],
  [['--map', 'user=Who,kpi=#2,date="Year, full+#4+day",actual=sum'], JOINED],
  [['--map-kpi', '"Sales, net (a=b)=Sales",Total=Visits'], `${HEAD}\nAnn Lee,"Sales, net (a=b)",2026-03-01,1\n`],
  [
    ['--columns', 'user,kpi,date,"actual, net"', '--map', 'user=user,kpi=kpi,date=date,actual="actual, net"'],
    'user,kpi,date,"actual, net",actual\nAnn Lee,Sales,2026-03-01,1,2\n',
  ],
  [['--ignore', '"value, net"'], 'user,kpi,date,actual,"value, net"\nAnn Lee,Sales,2026-03-01,1,2\n'],
  [['--by-id', 'user,kpi'], `${HEAD}\n2,1,2026-03-01,1\n`],
  [['--by-name', 'user'], PLAIN],
  [['--layout', 'long'], PLAIN],
  [['--layout', 'wide'], WIDE],
  [['--layout', 'dates'], DATES],
  [['--as', 'items'], 'Region,kpi,date,actual\nNorth,Sales,2026-03-01,1\n'],
  [['--upper-row', 'kpis'], ',Sales,Visits\nDate,Ann Lee,Ann Lee\n2026-03-01,1,2\n'],
  [['--booleans', 'numbers'], `${HEAD}\nAnn Lee,Sales,2026-03-01,TRUE\n`],
  [['--row-names', 'user'], 'kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\nAdmin,Sales,2026-03-01,2\n'],
  [['--empty', 'clear'], `${PLAIN}Ann Lee,Sales,2026-03-02,\n`],
  [['--missing', 'n/a,-,"a, b"'], `${PLAIN}Ann Lee,Sales,2026-03-02,-\n`],
  [['--time', 'drop'], `${HEAD}\nAnn Lee,Sales,2026-03-01 10:00,1\n`],
  [['--time', 'round'], `${HEAD}\nAnn Lee,Sales,2026-03-01 23:59:32,1\n`],
  [['--percent', 'fraction'], PLAIN],
  [['--percent', 'as-is'], PLAIN],
  [['--scale', 'Cr=crore,"k, €=1000"'], `${HEAD}\nAnn Lee,Sales,2026-03-01,1 Cr\n`],
  [['--strict'], PLAIN],
  ...['first', 'last', 'sum', 'avg', 'max', 'min', 'count'].map((what) => [['--on-duplicate', what], TWICE] as const),
  ...['first', 'last', 'as-is', 'next'].map((which) => [['--period-dates', which], PLAIN] as const),
  [['--separator', ';'], PLAIN.replaceAll(',', ';')],
  [['--separator', 'tab', '--user', '2', '--kpi', '1', '--date', '2026-03-01'], 'actual\n1\n'],
  [['--encoding', 'shift_jis'], PLAIN],
  [['--encoding', 'utf-8'], PLAIN],
  [['--decimal', ','], PLAIN],
  [['--skip-lines', '2'], `Title\nof it\n${PLAIN}`],
  [['--skip-lines', '0'], PLAIN],
  [['--ignore-rows', 'Total,"Source: a, b*"'], `${PLAIN}Total,,,1\n"Source: a, b and c",,,\n`],
  [['--ignore-rows', 'none'], PLAIN],
  [['--sheet', 'Two'], TWO_SHEETS],
  [['--sheet', '2'], TWO_SHEETS],
  [
    ['--records', 'data.items'],
    '{"data": {"items": [{"user": "Ann Lee", "kpi": "Sales", "date": "2026-03-01", "actual": 1}]}}',
  ],
  [['--date-format', 'DD.MM.YYYY'], `${HEAD}\nAnn Lee,Sales,01.03.2026,1\n`],
]

test.each(LINES)('a mapping that is saved with %j reads a file as these flags do', async (flags, file) => {
  await using doors = await openDoors()
  const { folder } = doors
  const kpi = await doors.profiled('v1')
  const name = flags.includes('--records') ? 'data.json' : 'data.csv'
  writeFileSync(folder.in(name), file)
  const load = (...args: readonly string[]) => kpi('entries', 'import', name, '--dry-run', '-o', 'json', ...args)
  const before = await load(...flags, '--save-mapping', 'kept')
  expect(before).toMatchObject({ code: 0 })
  const settled = settledBy(folder, flags)
  expect(Object.keys(settled)).not.toEqual([])
  expect(optionsOf(folder, ['--mapping', 'kept'])).toMatchObject(settled)
  expect(await load('--mapping', 'kept')).toMatchObject({ code: 0, stdout: before.stdout })
})

test('each flag of an import is saved in mappings or listed as not saved, and each saved one is tested here', () => {
  const options = importCommand().options.filter(({ helpGroupHeading }) => helpGroupHeading !== 'Output:')
  expect(options.map((one) => one.attributeName()).toSorted()).toEqual(Object.keys(IMPORT_FLAGS).toSorted())
  const tested = new Set(LINES.flatMap(([flags]) => flags))
  const saved = options.filter((one) => SAVED_FLAGS.has(one.attributeName()))
  expect(saved.filter(({ long }) => !tested.has(long ?? '')).map(({ long }) => long)).toEqual([])
})

test('the flags that are not saved are those of what is imported, what happens to it, and how the import runs', () => {
  const headings = new Set(['What the columns mean:', 'What rows mean:', 'How the file is written:'])
  const ofReading = importCommand().options.filter(({ helpGroupHeading }) => headings.has(helpGroupHeading ?? ''))
  const unsaved = ofReading.map((one) => one.attributeName()).filter((flag) => !SAVED_FLAGS.has(flag))
  expect(unsaved).toEqual(['year', 'sql', 'fromDb', 'mapping', 'saveMapping', 'explain'])
})

/** A file of which nothing was found, so that a mapping of it holds what flags say. */
const NOTHING_FOUND: Parameters<typeof saveMapping>[2] = {
  plan: { header: [], roles: new Map(), wide: undefined, unused: [] },
  formats: {
    numbers: new Map(),
    numberFormats: [],
    units: [],
    signsOf: () => new Map(),
    hasPercentSign: () => false,
    unitsOf: () => [],
    givesPercent: () => false,
    names: new Map(),
    date: undefined,
  },
  reading: { gzip: false, encoding: 'utf-8', hasMark: false, separator: ',', evidence: [], cellsOf: 'workbook' },
}

const rowOptions = fc.record({
  encoding: fc.option(fc.constantFrom(...ENCODINGS), { nil: undefined }),
  separator: fc.option(fc.constantFrom(...DELIMITERS), { nil: undefined }),
  skipLines: fc.option(fc.nat(999_999), { nil: undefined }),
  ignoreRows: fc.option(fc.array(flagText(), { maxLength: 3 }), { nil: undefined }),
  sheets: fc.array(flagText(), { maxLength: 1 }),
  mayBeSeveral: fc.constant(true),
  rowNames: fc.record({ name: fc.option(flagText(), { nil: undefined }) }),
  records: fc.option(flagText(), { nil: undefined }),
})

/** Options of which a mapping says nothing. */
const { create, createAssignments, onConflict, onlyChanges, maxErrors, addAgain, dateWord, year } = usualOptions()
const UNSAVED = { create, createAssignments, onConflict, onlyChanges, maxErrors, addAgain, dateWord, year }

test('a mapping holds whatever texts the flags have', () => {
  using folder = temporaryFolder()
  const cli = createCli(
    testIo({ home: folder.path }).io,
    { quiet: true },
    { run: () => Promise.resolve(0), read: () => Promise.reject(new Error('not here')) },
  )
  const parse = (flags: ImportFlags) => parseOptions(cli, ['data.csv'], flags, 'several')
  fc.assert(
    fc.property(importOptions(), rowOptions, (all, reading) => {
      const options = { ...all, ...UNSAVED, ignoreRows: reading.ignoreRows }
      saveMapping(cli, { ...parse({ saveMapping: 'kept' }), options, reading, saidDate: options.date }, NOTHING_FOUND)
      const read = parse({ mapping: 'kept' })
      // A layout is always saved, as one was found.
      expect(read.options).toEqual({ ...options, layout: options.layout ?? 'long' })
      expect(read.reading).toEqual({ ...reading, isSheetSaved: true, areRecordsSaved: true })
    }),
  )
})

test('a mapping of a file with a column for each day reads one with another day', async () => {
  await using doors = await openDoors()
  const kpi = await doors.profiled('v1')
  doors.write('march.csv', DATES)
  expect(await kpi('entries', 'import', 'march.csv', '--save-mapping', 'days')).toMatchObject({ code: 0 })
  expect(JSON.parse(doors.read('.config/kpi/mappings/days.json'))).toMatchObject({ layout: 'dates' })
  doors.write('april.csv', 'user,kpi,2026-04-01\nAnn Lee,Sales,5\n')
  expect(await kpi('entries', 'import', 'april.csv', '--mapping', 'days')).toMatchObject({ code: 0 })
  expect(await doors.held()).toHaveLength(3)
})

test('flags beside a mapping add columns and KPIs to it, and replace its other lists', () => {
  using folder = temporaryFolder()
  const cli = createCli(
    testIo({ home: folder.path }).io,
    { quiet: true },
    { run: () => Promise.resolve(0), read: () => Promise.reject(new Error('not here')) },
  )
  const parse = (flags: ImportFlags) => parseOptions(cli, ['data.csv'], flags, 'several')
  const before = {
    ignore: ['a'],
    mapKpi: ['x=Sales', 'y=Visits'],
    columns: ['b'],
    missing: ['na'],
    saveMapping: 'kept',
  }
  saveMapping(cli, parse(before), NOTHING_FOUND)
  const beside = { ignore: ['c'], mapKpi: ['y=Spare'], columns: ['d'], missing: ['-'], mapping: 'kept' }
  expect(parse(beside).options).toMatchObject({
    ignore: ['a', 'c'],
    mapKpi: new Map([
      ['x', 'Sales'],
      ['y', 'Spare'],
    ]),
    columns: ['d'],
    missing: new Set(['-']),
  })
})

test.each(['{"map-kpi": {"x": "a=b"}}', '{"missing": "na"}', '{"mapKpi": {}}', '{"dry-run": true}'])(
  'a mapping that a flag could not have saved is refused: %s',
  (text) => {
    using folder = temporaryFolder()
    const { io } = testIo({ home: folder.path })
    mkdirSync(folder.in('.config/kpi/mappings'), { recursive: true })
    writeFileSync(folder.in('.config/kpi/mappings/kept.json'), text)
    expect(() => applyMapping(io, { mapping: 'kept' })).toThrow('says what is not understood of')
  },
)
