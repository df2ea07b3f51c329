import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatDay } from '../../../src/domain/day.ts'
import { formatDecimal } from '../../../src/domain/decimal.ts'
import type { ImportOptions } from '../../../src/reading/options/options.ts'
import { type Outcome, readOrStop } from '../../support/forms.ts'
import { embeddedImporter, type Importer } from '../../support/import.ts'

let importer: Importer
beforeAll(async () => {
  importer = await embeddedImporter()
})
afterAll(async () => {
  await importer[Symbol.asyncDispose]()
})

const OF_ANN: Partial<ImportOptions> = { user: '2', kpi: '2' }

const read = (rows: readonly (readonly string[])[], given: Partial<ImportOptions> = {}): Promise<Outcome> =>
  readOrStop(importer.client, rows, importer.folder.path, { ...OF_ANN, ...given })

/** A column of numbers, read with a date of their own each. */
const readNumbers = (texts: readonly string[], given: Partial<ImportOptions> = {}): Promise<Outcome> =>
  read([['date', 'actual'], ...texts.map((text, at) => [formatDay(20_000 + at), text])], given)

const readDates = (texts: readonly string[], given: Partial<ImportOptions> = {}): Promise<Outcome> =>
  read([['date', 'actual'], ...texts.map((text, at) => [text, String(at)])], given)

describe('numbers of a column', () => {
  test.each<[texts: string[], values: string[], given?: Partial<ImportOptions>]>([
    [
      ['1.5', '1.234'],
      ['1.5', '1.234'],
    ],
    [
      ['1.234', '1.5'],
      ['1.234', '1.5'],
    ],
    [
      ['1,5', '1.234'],
      ['1.5', '1234'],
    ],
    [
      ['1.234', '1,5'],
      ['1234', '1.5'],
    ],
    [
      ['5', '7', '1.234', '1.234.567'],
      ['5', '7', '1234', '1234567'],
    ],
    [
      ['1,234', '1,234.5'],
      ['1234', '1234.5'],
    ],
    [
      ['1.234', '0.123'],
      ['1.234', '0.123'],
    ],
    [
      ['1.234', '1234.5'],
      ['1.234', '1234.5'],
    ],
    [
      ['1.234', '1.23457E+11'],
      ['1.234', '123457000000'],
    ],
    [['1.234'], ['1234'], { decimal: ',' }],
    [['1.234'], ['1.234'], { decimal: '.' }],
    [
      ['1 234', '5', '(7)', '12 €', '3 EUR'],
      ['1234', '5', '-7', '12', '3'],
    ],
    [
      ['1.234 €', '12,50 €'],
      ['1234', '12.5'],
    ],
  ])('are settled by evidence: %j', async (texts, values, given) => {
    expect(await readNumbers(texts, given)).toMatchObject({
      entries: texts.map((_, at) => `${formatDay(20_000 + at)} ${values[at]} -`),
      rejects: [],
    })
  })

  test.each<[texts: string[], told: RegExp]>([
    [
      ['1.234', '5', '12.500'],
      /^actual: "1.234" on line 2 is 1.234 \(with a decimal point\) or 1234 \(with a decimal comma\), .*--decimal \. or --decimal ,$/,
    ],
    [['7', '€1,234'], /^actual: "€1,234" on line 3 is 1234 \(with a decimal point\) or 1.234 \(with a decimal comma\)/],
    [
      ['12.5', '12,5'],
      /^actual: has both: "12.5" on line 2 with a decimal point, "12,5" on line 3 with a decimal comma\. Write all alike, or import the rows of one kind/,
    ],
    [['5', '12 %', '0.12'], /^actual: has numbers of several kinds: "5" on line 2, "12 %" on line 3; .* write all/],
    [
      ['5 €', '7 EUR', '5 JPY', '3'],
      /^actual: has numbers of several kinds: "5 €" on line 2, "5 JPY" on line 4, "3" on/,
    ],
    [['12,5', '1', '1,234.5'], /^actual: has both: "1,234.5" on line 4 .* "12,5" on line 2/],
  ])('stop a run that two readings fit: %j', async (texts, told) => {
    expect(await readNumbers(texts)).toMatchObject({ stopped: [expect.stringMatching(told)] })
  })

  test('that do not fit the sign that is given are rejects', async () => {
    expect(await readNumbers(['12.5', '1.234', '12,5'], { decimal: ',' })).toMatchObject({
      entries: [`${formatDay(20_001)} 1234 -`, `${formatDay(20_002)} 12.5 -`],
      rejects: ['2: actual "12.5" has a decimal point, where numbers have a decimal comma'],
    })
  })

  test('are rejects where they stand for none, and say nothing of the others', async () => {
    const texts = ['12,5', 'n/a', '#DIV/0!', '-', '1.234']
    expect(await readNumbers(texts, { missing: new Set() })).toMatchObject({
      entries: [`${formatDay(20_000)} 12.5 -`, `${formatDay(20_004)} 1234 -`],
      rejects: [
        '3: actual "n/a" stands for no value; leave the cell empty',
        '4: actual "#DIV/0!" is an error of the spreadsheet, not a value',
        '5: actual "-" stands for no value; leave the cell empty',
      ],
    })
    expect(await readNumbers(texts, { missing: new Set(['n/a']) })).toMatchObject({
      entries: [`${formatDay(20_000)} 12.5 -`, `${formatDay(20_004)} 1234 -`],
      rejects: [expect.stringContaining('#DIV/0!'), expect.stringContaining('"-"')],
    })
  })

  test('stop a run where words may stand for none, and flags say which', async () => {
    expect(await readNumbers(['12.5', 'NA', 'NA', '-', '1'])).toMatchObject({
      stopped: [
        'actual: has "NA" (2 cells, the first on line 3), "-" (line 5), which may stand for no value: --missing NA,- takes such cells as empty, and not 0, which a dash may stand for as well; --missing "" rejects their rows',
      ],
    })
    expect(await readNumbers(['12.5', '#N/A', 'n. a.'])).toMatchObject({
      stopped: [expect.stringContaining(`--missing "#N/A,n. a." takes`)],
    })
    expect(await readNumbers(['12.5', 'na', '1'], { missing: new Set(['na']) })).toMatchObject({
      entries: [`${formatDay(20_000)} 12.5 -`, `${formatDay(20_002)} 1 -`],
      rejects: [],
    })
  })

  test('of several kinds are read where each kind is that of a KPI', async () => {
    const rows = [
      ['kpi', 'date', 'actual'],
      ['1', '2026-01-01', '12 %'],
      ['2', '2026-01-01', '5 €'],
      ['1', '2026-01-02', '13 %'],
    ]
    const found = await readOrStop(importer.client, rows, importer.folder.path, { user: '2' })
    expect(new Set(found.entries.map((entry) => entry.split(' ')[1]))).toEqual(new Set(['12', '13', '5']))
  })

  test.each<[rows: string[][], told: string, given?: Partial<ImportOptions>]>([
    [
      [
        ['kpi', 'date', 'actual'],
        ['Sales', '2026-01-01', '95%'],
        ['sales', '2026-01-02', '0.95'],
      ],
      'actual: has numbers of several kinds: "95%" on line 2, "0.95" on line 3;',
      { user: '2' },
    ],
    [
      [
        ['kpi', 'date', 'actual'],
        ['Sales', '01.01.2026', '0.95'],
        ['1', '02.01.2026', '95%'],
      ],
      'actual: has numbers of several kinds: "0.95" on line 2, "95%" on line 3;',
      { user: '2' },
    ],
    [
      [
        ['date', 'Ann Lee', 'Bob'],
        ['2026-01-01', '95 EUR', '95 USD'],
      ],
      'Ann Lee: has numbers of several kinds: "95 EUR" on line 2 (Ann Lee), "95 USD" on line 2 (Bob);',
      { kpi: '1' },
    ],
    [
      [
        ['kpi', 'date', 'Ann Lee', 'Bob'],
        ['1', '2026-01-01', '95%', ''],
        ['Sales', '2026-01-02', '', '0.95'],
      ],
      'Ann Lee: has numbers of several kinds: "95%" on line 2 (Ann Lee), "0.95" on line 3 (Bob);',
    ],
    [
      [
        ['date', 'actual', 'target'],
        ['2026-01-01', '95%', '0.9'],
      ],
      'actual: has numbers of several kinds: "95%" on line 2 (actual), "0.9" on line 2 (target);',
      OF_ANN,
    ],
  ])('of several kinds stop where they are those of one KPI: %j', async (rows, told, given) => {
    expect(await readOrStop(importer.client, rows, importer.folder.path, given)).toMatchObject({
      stopped: [expect.stringContaining(told)],
    })
  })

  test('of several kinds stop also where the decimal sign is given', async () => {
    expect(await readNumbers(['12 %', '0.12'], { decimal: '.' })).toMatchObject({
      stopped: [expect.stringContaining('several kinds')],
    })
  })

  test('are settled column by column', async () => {
    const rows = [
      ['date', 'actual', 'target'],
      ['2026-01-01', '1.5', '1,5'],
      ['2026-01-02', '1,500', '1,500'],
    ]
    expect(await read(rows)).toMatchObject({ entries: ['2026-01-01 1.5 1.5', '2026-01-02 1500 1.5'] })
  })
})

describe('dates of a column', () => {
  test.each<[texts: string[], days: string[], given?: Partial<ImportOptions>]>([
    [
      ['2026-03-02', '2026-03-04 00:00:00'],
      ['2026-03-02', '2026-03-04'],
    ],
    [
      ['02.03.2026', '4.3.2026'],
      ['2026-03-02', '2026-03-04'],
    ],
    [
      ['02/03/2026', '13/03/2026'],
      ['2026-03-02', '2026-03-13'],
    ],
    [
      ['02/03/2026', '02/13/2026'],
      ['2026-02-03', '2026-02-13'],
    ],
    [
      ['02-03-2026', '13-03-2026'],
      ['2026-03-02', '2026-03-13'],
    ],
    [
      ['03/03/2026', '04/04/2026'],
      ['2026-03-03', '2026-04-04'],
    ],
    [['02/03/2026'], ['2026-02-03'], { dateFormat: 'MM/DD/YYYY' }],
    [
      ['2026/03/02', '2026/3/4'],
      ['2026-03-02', '2026-03-04'],
    ],
    [['20260302'], ['2026-03-02']],
    [
      ['2. März 2026', '4. Mai 2026'],
      ['2026-03-02', '2026-05-04'],
    ],
    [['Mar 2, 2026'], ['2026-03-02']],
    [['02-Mar-2026'], ['2026-03-02']],
    [
      ['2025', '2026'],
      ['2025-01-01', '2026-01-01'],
    ],
    [
      ['2026-03', '2026-04'],
      ['2026-03-01', '2026-04-01'],
    ],
    [['03/2026', '04/2026'], ['2026-03-01', '2026-04-01'], { dateFormat: 'MM/YYYY' }],
    [['01/2027', '13/2027'], ['2027-01-04', '2027-03-29'], { dateFormat: 'WW/YYYY' }],
    [
      ['2026-W10', '2026-W11'],
      ['2026-03-02', '2026-03-09'],
    ],
    [
      ['2026-Q1', '2026-Q2'],
      ['2026-01-01', '2026-04-01'],
    ],
    [
      ['Q1 2026', 'Q2 2026'],
      ['2026-01-01', '2026-04-01'],
    ],
  ])('are settled by evidence: %j', async (texts, days, given) => {
    expect(await readDates(texts, given)).toMatchObject({
      entries: days.map((day, at) => `${day} ${at} -`),
      rejects: [],
    })
  })

  test.each<[texts: string[], told: RegExp]>([
    [
      ['03/03/2026', '02/03/2026'],
      /^date: "02\/03\/2026" on line 3 is 2026-03-02 \(DD\/MM\/YYYY\) or 2026-02-03 \(MM\/DD\/YYYY\), .*--date-format DD\/MM\/YYYY or --date-format MM\/DD\/YYYY$/,
    ],
    [
      ['13/03/2026', '03/13/2026'],
      /^date: has dates in several formats: "13\/03\/2026" on line 2 \(DD\/MM\/YYYY\), "03\/13\/2026" on line 3 \(MM\/DD\/YYYY\)/,
    ],
    [
      ['2026-03-02', '02.03.2026'],
      /^date: has dates in several formats: "2026-03-02" on line 2 \(YYYY-MM-DD\), "02.03.2026" on line 3 \(DD.MM.YYYY\)/,
    ],
    [
      ['03/2026', '04/2026'],
      /^date: "03\/2026" on line 2 is 2026-03-01 \(MM\/YYYY\) or 2026-01-12 \(WW\/YYYY\); .*--date-format MM\/YYYY or --date-format WW\/YYYY$/,
    ],
    [['01.2027', '13.2027'], /^date: "13.2027" on line 3 is no date \(MM.YYYY\) or 2027-03-29 \(WW.YYYY\)/],
    [['13-2027'], /^date: "13-2027" on line 2 is no date \(MM-YYYY\) or 2027-03-29 \(WW-YYYY\)/],
    [['2026-01', '2026-20'], /^date: "2026-20" on line 3 is no date \(YYYY-MM\) or 2026-05-11 \(YYYY-WW\)/],
    [
      ['2029-02-01', '2029-25-03'],
      /^date: "2029-25-03" on line 3 is no date \(YYYY-MM-DD\) or 2029-03-25 \(YYYY-DD-MM\), and "2029-02-01" on line 2 is either/,
    ],
    [
      ['03.02.2026', '03.05.2026', '03.13.2026', '03.25.2026'],
      /^date: "03.13.2026" on line 4 is no date \(DD.MM.YYYY\) or 2026-03-13 \(MM.DD.YYYY\), and "03.02.2026" on line 2 is either; say which: --date-format DD.MM.YYYY or --date-format MM.DD.YYYY$/,
    ],
    [
      ['Di, 08.04.2026'],
      /^date: "Di, 08.04.2026" on line 2 is no date \(DD.MM.YYYY, as it names another day of the week: 2026-04-08 is a Wednesday\) or 2026-08-04 \(MM.DD.YYYY\); say which: --date-format DD.MM.YYYY/,
    ],
    [['03.13.2026'], /^date: "03.13.2026" on line 2 is no date .*--date-format MM.DD.YYYY$/],
    [['03 04 2026', '03 25 2026'], /^date: "03 25 2026" on line 3 .*--date-format "MM DD YYYY"$/],
    [['03. 04. 2026', '03. 25. 2026'], /^date: "03. 25. 2026" on line 3 .*--date-format "MM. DD. YYYY"$/],
    [['2029/02/01', '2029/25/03'], /^date: "2029\/25\/03" on line 3 .*--date-format YYYY\/DD\/MM$/],
  ])('stop a run that two forms fit: %j', async (texts, told) => {
    expect(await readDates(texts)).toMatchObject({ stopped: [expect.stringMatching(told)] })
  })

  test('are months where the column says so and nothing contradicts', async () => {
    const rows = (...texts: string[]): string[][] => [['Monat', 'actual'], ...texts.map((text) => [text, '1'])]
    const given = { map: new Map([['date', 'Monat']] as const) }
    expect(await read(rows('03/2026', '04/2026'), given)).toMatchObject({
      entries: ['2026-03-01 1 -', '2026-04-01 1 -'],
    })
    expect(await read(rows('03/2026', '14/2026'), given)).toMatchObject({
      stopped: [expect.stringMatching(/^Monat: "14\/2026" on line 3/)],
    })
  })

  test('that do not exist are rejects where other cells fit no rarer form', async () => {
    expect(await readDates(['2026-02-01', '2026-02-25', '2026-13-03'])).toMatchObject({
      entries: ['2026-02-01 0 -', '2026-02-25 1 -'],
      rejects: [expect.stringMatching(/^4: "2026-13-03" /)],
    })
  })

  test.each<[texts: string[], days: string[]]>([
    [
      ['3 marca 2026', '3 listopada 2026'],
      ['2026-03-03', '2026-11-03'],
    ],
    [
      ['listopad 2026', 'grudzień 2026'],
      ['2026-11-01', '2026-12-01'],
    ],
    [
      ['listopad 2026', 'prosinec 2026'],
      ['2026-11-01', '2026-12-01'],
    ],
    [
      ['listopad 2026', 'prosinac 2026'],
      ['2026-10-01', '2026-12-01'],
    ],
    [
      ['1. listopada 2026.', '1. prosinca 2026.'],
      ['2026-10-01', '2026-12-01'],
    ],
    [
      ['lip 2026', 'lis 2026', 'gru 2026'],
      ['2026-07-01', '2026-11-01', '2026-12-01'],
    ],
    [
      ['lip 2026', 'lis 2026', 'ruj 2026'],
      ['2026-06-01', '2026-10-01', '2026-09-01'],
    ],
    [
      ['srp 2026', 'zář 2026'],
      ['2026-08-01', '2026-09-01'],
    ],
    [
      ['srp 2026', 'kol 2026'],
      ['2026-07-01', '2026-08-01'],
    ],
    [
      ['5-lip-2026', '5-sie-2026'],
      ['2026-07-05', '2026-08-05'],
    ],
    [
      ['2026 listopad', '2026 grudzień'],
      ['2026-11-01', '2026-12-01'],
    ],
    [
      ['Mar 2026', 'Apr 2026'],
      ['2026-03-01', '2026-04-01'],
    ],
    // Of Sesotho, in which Jan is June, and Ne Thursday: it is Sunday in Czech, as 2118-01-02 is one.
    [
      ['2118 Jan 2, Ne', '2118 Kol 2, Rar', '2118 Pun 2, Rar'],
      ['2118-06-02', '2118-02-02', '2118-11-02'],
    ],
    // Of Teso, a language with rarer words, in which Mar is May.
    [
      ['Mar 2026', 'Kwa 2026', 'Rar 2026'],
      ['2026-05-01', '2026-03-01', '2026-01-01'],
    ],
  ])('of months that are others in another language are read as the other words say: %j', async (texts, days) => {
    const { entries, rejects } = await readDates(texts)
    expect([entries.toSorted(), rejects]).toEqual([days.map((day, at) => `${day} ${at} -`).toSorted(), []])
  })

  test.each<[texts: string[], ways: [flag: string, days: string[]][]]>([
    [
      ['listopad 2026'],
      [
        ['MMM YYYY@cs', ['2026-11-01']],
        ['MMM YYYY@hr', ['2026-10-01']],
      ],
    ],
    [
      ['3 lip 2026', '4 lis 2026'],
      [
        ['D MMM YYYY@hr', ['2026-06-03', '2026-10-04']],
        ['D MMM YYYY@pl', ['2026-07-03', '2026-11-04']],
      ],
    ],
    [
      ['srp 2026'],
      [
        ['MMM YYYY@cs', ['2026-08-01']],
        ['MMM YYYY@hr', ['2026-07-01']],
      ],
    ],
    [
      ['1. listopada 2026.'],
      [
        ['D MMM YYYY@hr', ['2026-10-01']],
        ['D MMM YYYY@pl', ['2026-11-01']],
      ],
    ],
    // Words of several languages: none has all of them.
    [
      ['March 2026', 'lis 2026'],
      [
        ['MMM YYYY@cs', ['2026-03-01', '2026-11-01']],
        ['MMM YYYY@hr', ['2026-03-01', '2026-10-01']],
      ],
    ],
    [
      ['taa 2026'],
      [
        ['MMM YYYY@agq', ['2026-04-01']],
        ['MMM YYYY@kln', ['2026-03-01']],
      ],
    ],
  ])('of months that may be others in another language stop, and the flags settle them: %j', async (texts, ways) => {
    const stopped = await readDates(texts)
    const flags = ways.map(([flag]) => `--date-format "${flag}"`).join(' or ')
    expect(stopped).toMatchObject({
      stopped: [expect.stringMatching(/^date: ".*" on line [23] is .* or .*; say which: /)],
    })
    expect(stopped.stopped?.[0]?.endsWith(`; say which: ${flags}`)).toBe(true)
    for (const [dateFormat, days] of ways)
      expect(await readDates(texts, { dateFormat })).toMatchObject({
        entries: days.map((day, at) => `${day} ${at} -`),
        rejects: [],
      })
  })

  test('of a month that is two in two languages are rejects of a format without a language', async () => {
    expect(await readDates(['3 marca 2026', '3 listopada 2026'], { dateFormat: 'D MMM YYYY' })).toMatchObject({
      entries: ['2026-03-03 0 -'],
      rejects: [
        '3: "3 listopada 2026" names a month that is another one in another language; say which: --date-format "D MMM YYYY@hr" or --date-format "D MMM YYYY@pl"',
      ],
    })
  })

  test.each<[text: string, says: string]>([
    [
      '3 มีนาคม 2569',
      'has a year of the Thai calendar: write the year of the Gregorian one, 2026, if 2569 is meant as such',
    ],
    [
      '๓ มี.ค. ๒๕๖๙',
      'has a year of the Thai calendar: write the year of the Gregorian one, 2026, if 2569 is meant as such',
    ],
    [
      '3 มีนาคม พ.ศ. 2569',
      'has a year of the Thai calendar: write the year of the Gregorian one, 2026, if 2569 is meant as such',
    ],
    [
      '3 มี.ค. 69',
      'has a year of two digits, which may be of the Thai calendar: write it with four digits, of the Gregorian one',
    ],
    [
      '3 مارس 1405',
      'has a year of the Persian or the Islamic calendar: write the date by the Gregorian one, such as 2026-03-21',
    ],
    [
      '۱ فروردین ۱۴۰۵',
      'has a year of the Persian or the Islamic calendar: write the date by the Gregorian one, such as 2026-03-21',
    ],
    [
      '1 محرم 1448',
      'has a year of the Persian or the Islamic calendar: write the date by the Gregorian one, such as 2026-03-21',
    ],
  ])('of another calendar are rejects, and never converted: %s', async (text, says) => {
    const refused = { entries: [], rejects: [`2: "${text}" ${says}`] }
    expect(await readDates([text])).toMatchObject(refused)
    for (const dateFormat of ['D MMM YYYY', 'D MMM YY', 'YYYY-MM-DD'])
      expect(await readDates([text], { dateFormat })).toMatchObject(refused)
    expect((await readDates([text, '2026-03-02'])).entries).not.toContainEqual(expect.stringMatching(/^(?!2026-03-02)/))
  })

  test.each<[text: string, flags: string]>([
    ['Jan-26', '--date-format MMM-YY'],
    ['Mär 26', '--date-format "MMM YY"'],
    ['2-Mar-26', '--date-format D-MMM-YY'],
    ['02.03.26', '--date-format DD.MM.YY'],
    ['03/25/26', '--date-format MM/DD/YY'],
    ['02/03/26', '--date-format DD/MM/YY or --date-format MM/DD/YY'],
    ['26-03-31', '--date-format DD-MM-YY'],
    ['69-03-31', '--date-format YY-MM-DD'],
  ])('with a year of two digits stop with forms that fit them: %s', async (text, flags) => {
    const says = `date: "${text}" on line 2 has a year of two digits; say how dates are written: ${flags}`
    expect(await readDates([text])).toMatchObject({ stopped: [says] })
    const [, asked = ''] = /^--date-format "?([^"]*?)"?(?: or |$)/.exec(flags) ?? []
    expect(await readDates([text], { dateFormat: asked })).toMatchObject({ entries: [expect.any(String)], rejects: [] })
  })

  test.each<[texts: string[], says: string]>([
    [['202601', '202612'], 'may be a date; say how dates are written: --date-format YYYYMM or --date-format YYYYWW'],
    [['202601', '202631'], 'may be a date; say how dates are written: --date-format YYYYWW'],
    [['990131', '991231'], 'has a year of two digits; say how dates are written: --date-format YYMMDD'],
    [
      ['FY2025', 'FY2026'],
      'may be of a fiscal year: --date-format "[FY]YYYY" reads it as the calendar year; if the year begins in another month, write its first day instead, such as 2025-04-01',
    ],
    [
      ['Q1 FY25', 'Q4 FY25'],
      'may be of a fiscal year: --date-format "[Q]Q [FY]YY" reads it as the calendar year; if the year begins in another month, write its first day instead, such as 2025-04-01',
    ],
  ])('that do not say how they are written stop with the forms that fit all: %j', async (texts, says) => {
    expect(await readDates(texts)).toMatchObject({ stopped: [`date: "${texts[0]}" on line 2 ${says}`] })
    // However many rows there are: the first of them alone do not show it.
    const many = Array.from({ length: 30 }, (_, at) => texts[at < 25 ? 0 : 1] ?? '')
    expect(await readDates(many, { onDuplicate: 'sum' })).toMatchObject({
      stopped: [`date: "${texts[0]}" on line 2 ${says}`],
    })
    const [, asked = ''] = /--date-format "?([^":]*?)"?(?: or | reads|$)/.exec(says) ?? []
    expect(await readDates(texts, { dateFormat: asked })).toMatchObject({ rejects: [] })
  })

  const WRITTEN: Readonly<Record<string, (day: number) => string>> = {
    'YYYY-MM-DD': (day) => `2026-05-${day}`,
    'YYYY/MM/DD': (day) => `2026/05/${day}`,
    'DD/MM/YYYY': (day) => `${day}/05/2026`,
    'MM/DD/YYYY': (day) => `05/${day}/2026`,
    'DD.MM.YYYY': (day) => `${day}.05.2026`,
    'DD-MM-YYYY': (day) => `${day}-05-2026`,
    'D MMM YYYY': (day) => `${day} May 2026`,
    'MMM D, YYYY': (day) => `May ${day}, 2026`,
    'DD/MM/YY': (day) => `${day}/05/26`,
    'DD.MM.YY': (day) => `${day}.05.26`,
    'MMM-YY': () => 'May-26',
    EXCEL: (day) => String(46_142 + day),
  }
  const ODD = Object.keys(WRITTEN).flatMap((most) =>
    Object.keys(WRITTEN).flatMap((odd) => (most === odd || most === 'MMM-YY' ? [] : [[most, odd] as const])),
  )

  test.each(ODD)(
    'of which all but one are %s, and that %s, stop or reject with what most dates keep, or all',
    async (most, odd) => {
      const isFlag = /--date-format ("[^"]*"|\S+)/g
      for (const at of [0, 6]) {
        const texts = Array.from({ length: 7 }, (_, next) => WRITTEN[next === at ? odd : most]?.(20 + next) ?? '')
        const { entries, rejects, stopped } = await readDates(texts)
        expect([entries.length, rejects.length]).toEqual(stopped.length === 0 ? [6, 1] : [0, 0])
        const flags = [...stopped, ...rejects].flatMap((text) =>
          [...text.matchAll(isFlag)].map(([, flag = '']) => flag),
        )
        expect(flags.length > 0).toBe(stopped.length > 0)
        for (const flag of flags) {
          const again = await readDates(texts, { dateFormat: flag.replaceAll('"', '') })
          const isBoth = flag.includes('|')
          const [good, bad] = isBoth ? [7, 0] : [6, 1]
          expect(again).toMatchObject({ stopped: [], entries: { length: good }, rejects: { length: bad } })
          expect(again.rejects.join()).not.toMatch(isFlag)
          const days = new Set(texts.map((_, next) => `2026-05-${20 + next}`))
          expect(again.entries.every((entry) => !isBoth || days.has(entry.slice(0, 10)))).toBe(true)
        }
      }
    },
  )

  test('that fit no form are rejects that say why', async () => {
    const texts = [
      '02.03.2026',
      '31.02.2026',
      '04.03.2026 24:30',
      '05.03.26',
      '46083',
      'n/a',
      '#REF!',
      'soon',
      '01.01.1026',
    ]
    expect(await readDates(texts)).toMatchObject({
      entries: ['2026-03-02 0 -'],
      rejects: [
        '3: "31.02.2026" is a date that does not exist, or not in the years 1900 to 2199',
        '4: "04.03.2026 24:30" must be a date, DD.MM.YYYY',
        '5: "05.03.26" has a year of two digits; write it as DD.MM.YYYY',
        '6: "46083" looks like a serial number of a spreadsheet; write it as DD.MM.YYYY',
        '7: "n/a" stands for no value; leave the cell empty',
        '8: "#REF!" is an error of the spreadsheet, not a value',
        '9: "soon" must be a date, DD.MM.YYYY',
        '10: "01.01.1026" is before 1900: the service keeps entries of the years 1900 to 2199',
      ],
    })
  })

  test.each<[texts: string[], read: string[]]>([
    [
      ['2026-03-01 13:30', '2026-03-02T01:00:00Z'],
      ['2026-03-01 0 -', '2026-03-02 1 -'],
    ],
    [
      ['1.3.2026 13.30', '31.3.2026 1.05'],
      ['2026-03-01 0 -', '2026-03-31 1 -'],
    ],
    [
      ['3/31/2026 1:30 PM', '4/1/2026 12:00:01 am'],
      ['2026-03-31 0 -', '2026-04-01 1 -'],
    ],
    [
      ['2026-03-01T13:30:00.123+02:00', '2026-03-02'],
      ['2026-03-01 0 -', '2026-03-02 1 -'],
    ],
    [
      ['2026-03-01T00:00:00+02:00', '2026-03-02T00:00:00+02:00'],
      ['2026-03-01 0 -', '2026-03-02 1 -'],
    ],
  ])('have their times dropped: %j', async (texts, entries) => {
    expect(await readDates(texts, { time: 'drop' })).toMatchObject({ entries, rejects: [] })
    expect(await readDates(texts)).toMatchObject({
      stopped: [expect.stringMatching(/^date: has times of day, such as .* --time drop leaves the times out/)],
    })
  })

  test('within a minute of midnight are the day that begins, or the day before, as is said', async () => {
    const day = fc.integer({ min: 0, max: 300 })
    const seconds = fc.integer({ min: -59, max: 59 }).filter((count) => count !== 0)
    const write = [
      (date: Date) => date.toISOString().replace('T', ' ').slice(0, 19),
      (date: Date) => date.toISOString(),
      (date: Date) =>
        date.toLocaleString('de-DE', { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'medium' }).replace(',', ''),
      (date: Date) =>
        date.toLocaleString('en-US', { timeZone: 'UTC', year: 'numeric', month: 'short', day: 'numeric' }) +
        date
          .toLocaleString('en-US', { timeZone: 'UTC', hour: 'numeric', minute: '2-digit', second: '2-digit' })
          .replace(/^/, ' '),
    ]
    const START = Date.UTC(2026, 0, 13)
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.record({ day, seconds }), { minLength: 1, maxLength: 5, selector: (one) => one.day }),
        fc.constantFrom(...write),
        async (times, textOf) => {
          const texts = times.map((one) => textOf(new Date(START + one.day * 86_400_000 + one.seconds * 1000)))
          const daysBy = (dayOf: (one: (typeof times)[number]) => number): string[] =>
            times.map((one, at) => `${formatDay(START / 86_400_000 + dayOf(one))} ${at} -`).toSorted()
          const isBefore = times.some((one) => one.seconds < 0)
          const { stopped } = await readDates(texts)
          expect(stopped).toEqual([
            expect.stringMatching(
              isBefore ? /only times within a minute.*--time round .*--time drop / : /--time drop /,
            ),
          ])
          const rounded = await readDates(texts, { time: 'round' })
          expect(rounded.entries?.toSorted()).toEqual(daysBy((one) => one.day))
          const dropped = await readDates(texts, { time: 'drop' })
          expect(dropped.entries?.toSorted()).toEqual(daysBy((one) => (one.seconds < 0 ? one.day - 1 : one.day)))
          const noon = textOf(new Date(START - 43_200_000))
          expect(await readDates([...texts, noon], { time: 'round' })).toMatchObject({
            stopped: [expect.stringContaining('has times of day that are not midnight of one time zone')],
          })
        },
      ),
      { numRuns: 40 },
    )
  })

  test.each<[string, readonly string[], string, readonly string[]]>([
    ['one hour', ['2026-02-28 23:00', '2026-03-01 23:00'], '2026-02-28 23:00', ['2026-03-01', '2026-03-02']],
    ['in UTC', ['2026-02-28T23:00:00Z', '2026-03-01T23:00:00Z'], '2026-02-28T23:00:00Z', ['2026-03-01', '2026-03-02']],
    [
      'summer time',
      ['2026-03-28 23:00:00', '2026-03-29 22:00:00'],
      '2026-03-28 23:00:00',
      ['2026-03-29', '2026-03-30'],
    ],
    ['winter at midnight', ['2026-03-29 00:00', '2026-03-29 23:00'], '2026-03-29 23:00', ['2026-03-29', '2026-03-30']],
    ['a half hour', ['28.02.2026 18:30', '01.03.2026 18:30'], '28.02.2026 18:30', ['2026-03-01', '2026-03-02']],
    ['noon', ['2026-02-28 12:00', '2026-03-01 12:00'], '2026-02-28 12:00', ['2026-03-01', '2026-03-02']],
  ])('that may be midnight of another time zone are two days: %s', async (_, texts, shown, days) => {
    expect(await readDates(texts)).toMatchObject({
      stopped: [expect.stringMatching(`^date: has only times such as "${shown}" .*--time round .*--time drop `)],
    })
    const rounded = await readDates(texts, { time: 'round' })
    expect(rounded.entries).toEqual(days.map((one, at) => `${one} ${at} -`))
  })

  test.each<readonly string[]>([
    ['2026-02-28 23:00', '2026-03-01 21:00'],
    ['2026-02-28 23:00', '2026-03-02 00:00', '2026-03-01 22:00'],
    ['2026-02-28 00:00', '2026-03-01 22:00'],
    ['2026-02-28 23:00', '2026-03-01 23:10'],
    ['2026-02-28 11:00', '2026-03-01 12:00'],
    ['2026-02-28 24:00', '2026-03-01 24:00'],
    ['2026-02-28T23:00+01:00', '2026-03-01T23:00+01:00'],
  ])('that are not midnight of one time zone are only left out: %j', async (...texts) => {
    const left = expect.stringMatching(/^date: has times of day, such as .* --time drop leaves the times out/)
    expect(await readDates(texts)).toMatchObject({ stopped: [left] })
    const refused = expect.stringMatching(/^date: has times of day that are not midnight of one time zone, such as/)
    expect(await readDates(texts, { time: 'round' })).toMatchObject({ stopped: [refused] })
  })

  test('with years of two digits are asked about with the forms that fit all of them', async () => {
    expect(await readDates(['1/2/20', '1/22/20'])).toMatchObject({
      stopped: ['date: "1/2/20" on line 2 has a year of two digits; say how dates are written: --date-format MM/DD/YY'],
    })
  })
})

test('columns for days are in doubt together, as of the first to the last', async () => {
  const rows = [
    ['name', ' 2026-01-01', '2026-01-02', '2026-01-03 '],
    ['North', '1.234', '2.345', '3.456'],
  ]
  const { stopped } = await read(rows, { user: undefined, map: new Map([['user', 'name']]) })
  expect(stopped).toContainEqual(expect.stringMatching(/^2026-01-01 to 2026-01-03: "1.234" on line 2 is 1.234 /))
})

test('all columns in doubt are told at once', async () => {
  const rows = [
    ['date', 'actual', 'target'],
    ['02/03/2026', '1.234', '1,234'],
  ]
  expect(await read(rows)).toMatchObject({
    stopped: [expect.stringMatching(/^date: /), expect.stringMatching(/^actual: /), expect.stringMatching(/^target: /)],
  })
})

test('what was read before the forms were known is forgotten', async () => {
  const rows = Array.from({ length: 40 }, (_, at) => [
    formatDay(20_000 + at),
    at === 30 ? 'x' : at === 39 ? '1,5' : '2',
  ])
  expect(await read([['date', 'actual'], ...rows])).toMatchObject({
    summary: { read: 40, rejected: 1 },
    rejects: ['32: actual "x" must be a number'],
    entries: { length: 39 },
  })
})

/** How people of a country write numbers and dates. */
type Locale = { readonly group: string; readonly sign: '.' | ','; readonly date: string }

const LOCALES: readonly Locale[] = [
  { group: '.', sign: ',', date: 'DD.MM.YYYY' }, // German
  { group: ',', sign: '.', date: 'MM/DD/YYYY' }, // American
  { group: ',', sign: '.', date: 'DD/MM/YYYY' }, // British
  { group: '\u202f', sign: ',', date: 'DD/MM/YYYY' }, // French
  { group: '\u00a0', sign: ',', date: 'YYYY-MM-DD' }, // Swedish
  { group: '’', sign: '.', date: 'DD.MM.YYYY' }, // Swiss
  { group: '.', sign: ',', date: 'DD-MM-YYYY' }, // Dutch
  { group: '', sign: ',', date: 'D MMM YYYY' },
]

const numberIn = ({ group, sign }: Locale, value: bigint): string => {
  const [whole = '', fraction] = formatDecimal(value).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, group)
  return fraction === undefined ? grouped : `${grouped}${sign}${fraction}`
}

const dateIn = ({ date }: Locale, day: number): string => {
  const [year = '', month = '', ofMonth = ''] = formatDay(day).split('-')
  return date
    .replace('YYYY', year)
    .replace('MMM', new Date(day * 86_400_000).toLocaleString('en', { month: 'short', timeZone: 'UTC' }))
    .replace('MM', month)
    .replace('DD', ofMonth)
    .replace(/D(?!e)/, ofMonth)
}

const rowsOfDays = fc.uniqueArray(
  fc.record({
    day: fc.integer({ min: 18_000, max: 22_000 }),
    value: fc.oneof(
      fc.bigInt({ min: -50_000_0000n, max: 50_000_0000n }),
      fc.bigInt({ min: -5000n, max: 5000n }).map((value) => value * 1_0000n),
      fc.bigInt({ min: -9999n, max: 9999n }).map((value) => value * 10n),
    ),
  }),
  { minLength: 1, maxLength: 12, selector: ({ day }) => day },
)

test('a file in the form of any country says the same as its plain twin, or stops as it is in doubt; never anything else', async () => {
  let stopped = 0
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...LOCALES), rowsOfDays, async (locale, rows) => {
      const plain = rows
        .toSorted((one, other) => one.day - other.day)
        .map(({ day, value }) => `${formatDay(day)} ${formatDecimal(value)} -`)
      const cells = [
        ['date', 'actual'],
        ...rows.map(({ day, value }) => [dateIn(locale, day), numberIn(locale, value)]),
      ]
      const found = await read(cells)
      if (found.stopped.length > 0) stopped += 1
      expect(found).toMatchObject({ entries: found.stopped.length > 0 ? [] : plain, rejects: [] })
      const asked = await read(cells, { decimal: locale.sign, dateFormat: locale.date })
      expect(asked).toMatchObject({ entries: plain, rejects: [] })
    }),
    { numRuns: 300 },
  )
  expect(stopped).toBeGreaterThan(0)
})

test('all questions about a file are asked at once, each with the flag that settles it', async () => {
  const rows = [
    ['date', 'actual'],
    ['01/02/2026', '1.234'],
    ['03/04/2026', '2.345'],
    ['05/06/2026', 'n/a'],
  ]
  const { stopped } = await read(rows)
  expect(stopped).toEqual([
    expect.stringMatching(/^date: .*--date-format/),
    expect.stringMatching(/^actual: .*--missing n\/a/),
    expect.stringMatching(/^actual: .*--decimal/),
  ])
  const answers = { dateFormat: 'DD/MM/YYYY', missing: new Set(['n/a']), decimal: '.' } as const
  expect((await read(rows, answers)).stopped).toEqual([])
})
