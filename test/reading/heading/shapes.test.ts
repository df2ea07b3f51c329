import { describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../../support/folder.ts'
import { writeFileSync } from 'node:fs'
import { fileSource } from '../../../src/tabular/source/files.ts'
import type { Table } from '../../../src/tabular/source/table.ts'
import { openTable, type RequestedFormat } from '../../../src/reading/open-table.ts'

const open = async (folder: Folder, text: string, asked?: RequestedFormat): Promise<Table> => {
  writeFileSync(folder.in('data.csv'), text)
  return openTable(fileSource(folder.in('data.csv'), 'data.csv'), asked)
}

type Shown = { readonly header: string; readonly line: number; readonly rows: number; readonly upper?: string }

const shapeOf = async (text: string, asked?: RequestedFormat): Promise<Shown> => {
  using folder = temporaryFolder()
  const table = await open(folder, text, asked)
  try {
    const all = []
    for await (const rows of table.rows()) all.push(...rows)
    const [header, ...rows] = all
    const upper = table.upper && { upper: table.upper.join('|') }
    return { header: header?.cells.join('|') ?? '', line: header?.line ?? 0, rows: rows.length, ...upper }
  } finally {
    table.close()
  }
}

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('')

describe('the header is found in files of', () => {
  test.each<[name: string, text: string, shown: Shown]>([
    [
      'the World Bank: facts, blank lines, and many columns',
      lines(
        '"Data Source","World Development Indicators",',
        '',
        '"Last Updated Date","2026-01-28",',
        '',
        '"Country Name","Country Code","Indicator Name","Indicator Code","2020","2021","2022",',
        '"Aruba","ABW","GDP (current US$)","NY.GDP.MKTP.CD","2558906303.92","3103184101.68","3544707788.05",',
        '"Afghanistan","AFG","GDP (current US$)","NY.GDP.MKTP.CD","19955929061.4","","",',
      ),
      { header: 'Country Name|Country Code|Indicator Name|Indicator Code|2020|2021|2022|', line: 5, rows: 2 },
    ],
    [
      'the World Bank, where most values are missing',
      lines(
        '"Data Source","World Development Indicators",',
        '',
        '"Last Updated Date","2026-01-28",',
        '',
        '"Country Name","Country Code","2018","2019","2020","2021","2022","2023",',
        '"Aruba","ABW","","","","","","7.5",',
        '"Angola","AGO","1.5","","","","","",',
        '"Albania","ALB","","","","3.5","","",',
      ),
      { header: 'Country Name|Country Code|2018|2019|2020|2021|2022|2023|', line: 5, rows: 3 },
    ],
    [
      'the German statistical office',
      lines(
        'Tabelle: 61111-0002',
        'Verbraucherpreisindex: Deutschland, Monate;;;',
        ';;;',
        'Jahr;Monat;Index;Veränderung',
        '2025;Januar;120,3;+2,3',
        '2025;Februar;120,8;+2,3',
        '2025;März;121,2;+2,2',
      ),
      { header: 'Jahr|Monat|Index|Veränderung', line: 4, rows: 3 },
    ],
    [
      'a till, with prose that has the separator',
      lines(
        'Sales, all stores, in EUR, as of today',
        'Store,Month,Revenue',
        'North,2026-01,10.5',
        'South,2026-01,11.5',
        'West,2026-01,12.5',
      ),
      { header: 'Store|Month|Revenue', line: 2, rows: 3 },
    ],
    [
      'semicolons, below prose with commas',
      lines('Umsatz, alle Läden, in EUR', '', 'Laden;Monat;Umsatz', 'Nord;2026-01;10,5', 'Süd;2026-01;11,5'),
      { header: 'Laden|Monat|Umsatz', line: 3, rows: 2 },
    ],
    [
      'two columns, below a title and a fact',
      lines('Besucher', 'Stand: 05.01.2026', 'Datum;Besucher', '01.03.2026;120', '02.03.2026;98'),
      { header: 'Datum|Besucher', line: 3, rows: 2 },
    ],
    [
      'two columns, below facts, by the known names',
      lines('Export,North', 'Made by,Ann', 'date,value', '2026-01-01,5', '2026-01-02,6'),
      { header: 'date|value', line: 3, rows: 2 },
    ],
    [
      'tabs, from Japan',
      lines('売上報告', '日付\t店舗\t売上', '2026/01/01\t東京\t1200', '2026/01/02\t大阪\t900'),
      { header: '日付|店舗|売上', line: 2, rows: 2 },
    ],
    [
      'a title of two of four columns',
      lines('Rapport;Ventes;;', 'Magasin;Produit;Mois;Ventes', 'Paris;A;2026-01;1', 'Lyon;A;2026-01;2'),
      { header: 'Magasin|Produit|Mois|Ventes', line: 2, rows: 2 },
    ],
    [
      'a pivot table without a name over its rows',
      lines('Report', ',2026-01,2026-02', 'North,1,2', 'South,3,4'),
      { header: ',2026-01,2026-02'.replaceAll(',', '|'), line: 2, rows: 2 },
    ],
    [
      'a pivot table of one KPI without a name over its rows',
      lines(';Revenue', '2026-01;1', '2026-02;2'),
      { header: '|Revenue', line: 1, rows: 2 },
    ],
    [
      'no title, and a remark that a separator was not quoted in',
      lines(
        'user,kpi,date,actual',
        'Ann,Sales,2026-01-01,1',
        'Ann,Sales,2026-01-02,2,a,b,c,d,e,f,g',
        'Bo,Sales,2026-01-01,3',
      ),
      { header: 'user|kpi|date|actual', line: 1, rows: 3 },
    ],
    [
      'no title, two remarks, and no known names',
      lines('Laden;Umsatz', 'Nord;1;a;b;c;d;e;f', 'Süd;2;a;b;c;d;e;f', 'West;3', 'Ost;4'),
      { header: 'Laden|Umsatz', line: 1, rows: 4 },
    ],
    [
      'no title, and a first row that is bad',
      lines('Datum;Laden;Umsatz', 'morgen;Nord;viel', '2026-01-01;Nord;1', '2026-01-02;Süd;2'),
      { header: 'Datum|Laden|Umsatz', line: 1, rows: 3 },
    ],
    [
      'no title, and a first row of years by chance',
      lines('Store;A;B', 'North;2012;1998', 'South;1500;1800', 'West;900;2400', 'East;10;20'),
      { header: 'Store|A|B', line: 1, rows: 4 },
    ],
    [
      'no title, and texts in all columns',
      lines('user,kpi', 'Ann,Sales', 'Bo,Sales', 'Ann,Visits'),
      { header: 'user|kpi', line: 1, rows: 3 },
    ],
    [
      'a title above texts',
      lines('Team', '', 'user,kpi', 'Ann,Sales', 'Bo,Sales'),
      { header: 'user|kpi', line: 3, rows: 2 },
    ],
    [
      'units below the header',
      lines('Laden;Umsatz;Besucher', ';EUR;Personen', 'Nord;1;2', 'Süd;3;4'),
      { header: 'Laden|Umsatz|Besucher', line: 1, rows: 2 },
    ],
    [
      'the same unit below each month',
      lines('Laden;2026-01;2026-02', ';EUR;EUR', 'Nord;10,5;11', 'Süd;3;4'),
      { header: 'Laden|2026-01|2026-02', line: 1, rows: 2 },
    ],
    [
      'units in brackets, one of them of a column without values',
      lines('Laden;Umsatz;Besucher', ';[Mio.];(Köpfe)', 'Nord;1;', 'Süd;3;'),
      { header: 'Laden|Umsatz|Besucher', line: 1, rows: 2 },
    ],
    [
      'no title, and a row with the same word for each number',
      lines('Store;A;B', 'Bonn;1;2', 'Ulm;closed;closed', 'Hof;3;4'),
      { header: 'Store|A|B', line: 1, rows: 3 },
    ],
    [
      'no title, and words for numbers after some rows',
      lines('Store;A;B', 'Bonn;1;2', 'Ulm;3;4', 'Hof;5;6', 'Trier;closed;open', 'Worms;7;8'),
      { header: 'Store|A|B', line: 1, rows: 5 },
    ],
    [
      'no title, few rows, and a footer with fewer cells',
      lines('Laden,Art,Umsatz', 'Ulm,A,1481', 'Hof,B,4820', 'Updated,2026-01-05'),
      { header: 'Laden|Art|Umsatz', line: 1, rows: 3 },
    ],
    [
      'one column, below a title with commas',
      lines('Besuche, alle Läden, 2026', 'Besuche', '120', '98'),
      { header: 'Besuche', line: 2, rows: 2 },
    ],
    [
      'six lines above, and one row',
      lines('A', 'b', 'Source;x', '', 'd', 'Made;2026-01-01', 'e', 'Store;Month;Revenue;Visits', 'North;2026-01;1;2'),
      { header: 'Store|Month|Revenue|Visits', line: 8, rows: 1 },
    ],
  ])('%s', async (_, text, shown) => {
    expect(await shapeOf(text)).toEqual(shown)
  })
})

describe('two header rows are read:', () => {
  test.each<[name: string, text: string, shown: Shown]>([
    [
      'merged cells that a workbook repeats',
      lines(
        ',Revenue,Revenue,Visits,Visits',
        'Store,2026-01,2026-02,2026-01,2026-02',
        'North,1,2,3,4',
        'South,5,6,7,8',
      ),
      { header: 'Store|2026-01|2026-02|2026-01|2026-02', line: 2, rows: 2, upper: '|Revenue|Revenue|Visits|Visits' },
    ],
    [
      'the name of the key in the upper row only',
      lines('Store,Revenue,', ',2026-01,2026-02', 'North,1,2', 'South,3,4'),
      { header: 'Store|2026-01|2026-02', line: 2, rows: 2, upper: 'Store|Revenue|Revenue' },
    ],
    [
      'years above names of months',
      lines('Ventes', ';2025;;2026;', 'Magasin;nov.;déc.;janv.;févr.', 'Paris;1;2;3;4', 'Lyon;5;6;7;8'),
      { header: 'Magasin|nov.|déc.|janv.|févr.', line: 3, rows: 2, upper: '|2025|2025|2026|2026' },
    ],
    [
      'KPIs above years',
      lines(';Umsatz;;Kunden;', 'Laden;2025;2026;2025;2026', 'Nord;100;120;7;8', 'Süd;90;95;5;6'),
      { header: 'Laden|2025|2026|2025|2026', line: 2, rows: 2, upper: '|Umsatz|Umsatz|Kunden|Kunden' },
    ],
    [
      'KPIs above months with dots, which may be numbers',
      lines(';Umsatz;;Kunden;', 'Laden;01.2026;02.2026;01.2026;02.2026', 'Nord;100;120;7;8', 'Süd;90;95;5;6'),
      { header: 'Laden|01.2026|02.2026|01.2026|02.2026', line: 2, rows: 2, upper: '|Umsatz|Umsatz|Kunden|Kunden' },
    ],
    [
      'months above KPIs, with columns of keys',
      lines(
        'Export;;;;;',
        ';;2026-01;;2026-02;',
        'Region;Laden;Umsatz;Kunden;Umsatz;Kunden',
        'A;Nord;100;7;120;8',
        'A;Süd;90;5;95;6',
      ),
      {
        header: 'Region|Laden|Umsatz|Kunden|Umsatz|Kunden',
        line: 3,
        rows: 2,
        upper: '||2026-01|2026-01|2026-02|2026-02',
      },
    ],
  ])('%s', async (_, text, shown) => {
    expect(await shapeOf(text)).toEqual(shown)
  })
})

describe('nothing is guessed', () => {
  test.each<[name: string, text: string, flags: string]>([
    [
      'where a title is as wide as the table',
      lines('Sales;all stores', 'Store;Revenue', 'North;1', 'South;2'),
      'line 1 (Sales, all stores) or line 2 (Store, Revenue) may be the header: say which with --skip-lines 0 or --skip-lines 1',
    ],
    [
      'where a fact has the name of a column',
      lines('Source;World Bank', '', 'Store;Revenue', 'North;1', 'South;2'),
      '--skip-lines 0 or --skip-lines 2',
    ],
    [
      'where a fact has a number in a column of numbers',
      lines('Stores;12', 'Town;Revenue', 'Bonn;1', 'Ulm;2'),
      '--skip-lines 0 or --skip-lines 1',
    ],
    [
      'where the first row has words in all columns',
      lines('Store;A;B', 'Bonn;closed;closed', 'Ulm;1;2', 'Hof;3;4'),
      '--skip-lines 0 or --skip-lines 1',
    ],
    [
      'where a fact between has the cells of data',
      lines('Sales;stores;all;EUR', 'All;2026;12', 'Store;A;B;C', 'Bonn;1;2;3', 'Ulm;4;5;6'),
      '--skip-lines 0 or --skip-lines 2',
    ],
    [
      'where titles have more cells than a table of one row',
      lines('12.5; Umsatz; all; 2026; Report', 'EUR', '', 'Region', '', ';2026-01;2026-02', 'Ulm;41;2026'),
      '--skip-lines 0 or --skip-lines 5',
    ],
    [
      'where a year is above a word that may be a unit',
      lines('2026', 'Anzahl', '12', '14'),
      '--skip-lines 0 or --skip-lines 1',
    ],
    [
      'where two titles look like two header rows',
      lines(
        '12.5|Source:|Sales',
        'Report|2026|Sales|Report|2026-01-05|all|EUR',
        '12.5|2026|as of',
        'Name|A|B|C|D|E|F|G',
        'Bonn|1|2|3|4|5|6|7',
        'Ulm|8|9|1|2|3|4|5',
      ),
      '--skip-lines 1 or --skip-lines 3',
    ],
  ])('%s', async (_, text, flags) => {
    await expect(shapeOf(text)).rejects.toThrow(flags)
  })

  test('after --skip-lines', async () => {
    const text = lines('Sales;all stores', 'Store;Revenue', 'North;1', 'South;2')
    expect(await shapeOf(text, { skipLines: 0 })).toEqual({ header: 'Sales|all stores', line: 1, rows: 3 })
    expect(await shapeOf(text, { skipLines: 1 })).toEqual({ header: 'Store|Revenue', line: 2, rows: 2 })
    expect(await shapeOf(text, { skipLines: 2 })).toEqual({ header: 'North|1', line: 3, rows: 1 })
    const numbers = lines('Sales', 'Date;Paris;Bonn', '08.2005;474123;', '09.2005;98;20')
    expect(await shapeOf(numbers, { skipLines: 1 })).toEqual({ header: 'Date|Paris|Bonn', line: 2, rows: 2 })
    const units = lines('Sales', 'Store;2026-01;2026-02', ';EUR;EUR', 'North;1;2')
    expect(await shapeOf(units, { skipLines: 1 })).toEqual({ header: 'Store|2026-01|2026-02', line: 2, rows: 1 })
  })

  test('about the lines of a long preface', async () => {
    const preface = Array.from({ length: 300 }, (_, at) => `remark ${at}`)
    const text = lines(...preface, 'Store;Revenue', 'North;1')
    expect(await shapeOf(text, { skipLines: 300 })).toEqual({ header: 'Store|Revenue', line: 301, rows: 1 })
  })
})
