import { describe, expect, test } from 'vitest'
import { createDirectory } from '../../../src/client/directory.ts'
import { formatDay } from '../../../src/domain/day.ts'
import { KpiError } from '../../../src/domain/errors.ts'
import { breakdownItem } from '../../../src/domain/resources/breakdowns.ts'
import { kpi } from '../../../src/domain/resources/kpi.ts'
import { user } from '../../../src/domain/resources/user.ts'
import { type ColumnPlan, planColumns } from '../../../src/reading/columns/columns.ts'
import { foldName, SYNONYMS } from '../../../src/reading/columns/header.ts'
import { mayNameSources, namesSourceIds, requiresSources } from '../../../src/reading/columns/owners.ts'
import type { Directories } from '../../../src/reading/columns/wide.ts'
import { type ImportOptions, type Role, ROLES } from '../../../src/reading/options/options.ts'
import { lookupOfIds } from '../../../src/reading/directory/lookup.ts'
import { optionsOf } from '../../support/import.ts'

const directories: Directories = {
  kpi: createDirectory('KPI', [
    { id: 1, name: 'Sales' },
    { id: 2, name: 'Net sales' },
    { id: 3, name: 'Goal' },
    { id: 4, name: 'Result' },
  ]),
  user: createDirectory('user', [
    { id: 11, name: 'Ann Lee', email: 'ann@example.com' },
    { id: 12, name: 'Bob', email: 'bob@example.com' },
  ]),
}

/** What those are who may read neither KPIs nor users. */
const unread: Directories = { kpi: lookupOfIds('KPIs', kpi), user: lookupOfIds('users', user) }

const plan = (header: string, options: Partial<ImportOptions> = {}, known = directories): ColumnPlan =>
  planColumns({ header: header.split(',') }, optionsOf(options), known)

/** What a plan makes of each header: a role, a KPI, a user, or nothing. */
const meanings = (header: string, options: Partial<ImportOptions> = {}, known = directories): string[] => {
  const { roles, wide, unused } = plan(header, options, known)
  return header.split(',').map((name, at) => {
    const role = [...roles].filter(([, place]) => place === at).map(([one]) => one)
    const column = (wide?.columns ?? [])
      .filter((one) => one.at === at)
      .map(({ owner, kpi, day }) => `${wide?.of} ${owner ?? kpi ?? formatDay(day ?? 0)}`)
    return [...role, ...column, ...(unused.includes(name) ? ['unused'] : [])].join(' and ')
  })
}

const refusal = (
  header: string,
  options: Partial<ImportOptions> = {},
  known = directories,
): { message: string; issues: string[] } => {
  try {
    plan(header, options, known)
  } catch (error) {
    if (!(error instanceof KpiError) || error.code !== 'malformed') throw error
    return { message: error.message, issues: error.issues.map(({ field, message }) => `${field}: ${message}`) }
  }
  throw new Error('the header was taken')
}

const map = (...pairs: [Role, string][]): Partial<ImportOptions> => ({ map: new Map(pairs) })

test('no name is that of two roles', () => {
  const roles = new Map<string, Role>()
  for (const role of ROLES) {
    for (const name of SYNONYMS[role]) {
      expect([name, roles.get(foldName(name)) ?? role]).toEqual([name, role])
      roles.set(foldName(name), role)
    }
  }
})

describe('a long file', () => {
  test.each<[role: Role, names: string[]]>([
    ['user', ['user', 'user_id', 'userid', 'User Name', 'username', 'EMAIL', 'e-mail', 'Person', 'reporter']],
    ['kpi', ['kpi', 'kpi_id', 'KpiId', 'KPI name', 'Measure', 'metric', 'Indicator']],
    [
      'date',
      ['date', 'entry_date', 'entryDate', 'Entry Date', 'Day', 'period', 'Month', 'Week', 'Quarter', 'YEAR_MONTH'],
    ],
    ['date', ['Monat', 'Woche', 'Quartal', 'Mois', 'Semaine', 'Mes', 'Semana', 'Mês', 'Maand', 'Månad', 'Miesiąc']],
    ['user', ['Nutzer', 'Benutzer', 'gebruiker']],
    ['actual', ['actual', 'Actual value', 'actual_value', 'VALUE', 'amount', 'result']],
    ['target', ['target', 'target-value', 'Goal', 'plan']],
    ['notes', ['notes', 'Note', 'comment', 'Comments', 'remark', ' remarks ']],
  ])('has its %s under any common name', (role, names) => {
    const others = (['user', 'kpi', 'date', 'actual'] as const).filter((one) => one !== role)
    for (const name of names) expect([name, ...meanings([name, ...others].join(','))]).toEqual([name, role, ...others])
  })

  test.each<[name: string, header: string, options: Partial<ImportOptions>, meanings: string[]]>([
    ['in any order', 'actual,date,kpi,user', {}, ['actual', 'date', 'kpi', 'user']],
    ['with notes as its only values', 'user,kpi,date,notes', {}, ['user', 'kpi', 'date', 'notes']],
    ['with constants', 'date,value', { user: 'Bob', kpi: 'Sales' }, ['date', 'actual']],
    ['with a date for all', 'user,kpi,value', { date: '2026-01-01' }, ['user', 'kpi', 'actual']],
    [
      'with other columns, which are unused',
      'user,kpi,Region,date,actual,Shop',
      {},
      ['user', 'kpi', 'unused', 'date', 'actual', 'unused'],
    ],
    ['with columns without a name', 'user,kpi,date,actual, ,', {}, ['user', 'kpi', 'date', 'actual', '', '']],
    ['that was a rejects file', 'user,kpi,date,actual,_line,_reason', {}, ['user', 'kpi', 'date', 'actual', '', '']],
    [
      'with names of its own',
      'Wer,kpi,Tag,Ist',
      map(['user', 'Wer'], ['date', 'Tag'], ['actual', 'Ist']),
      ['user', 'kpi', 'date', 'actual'],
    ],
    [
      'in German',
      'Benutzer,Kennzahl,Datum,Ist-Wert,Soll,Bemerkung',
      {},
      ['user', 'kpi', 'date', 'actual', 'target', 'notes'],
    ],
    ['with employees', 'Mitarbeiter,kpi,date,actual', {}, ['user', 'kpi', 'date', 'actual']],
    [
      'in French',
      'utilisateur,indicateur,Période,Réel,Objectif,Remarques',
      {},
      ['user', 'kpi', 'date', 'actual', 'target', 'notes'],
    ],
    ['in French without accents', 'utilisateur,indicateur,periode,realise', {}, ['user', 'kpi', 'date', 'actual']],
    ['in Spanish', 'usuario,indicador,fecha,valor', {}, ['user', 'kpi', 'date', 'actual']],
    [
      'with columns that are named by their numbers',
      'a,b,b,c',
      map(['user', '#1'], ['kpi', '#2'], ['date', '#3'], ['actual', '#4']),
      ['user', 'kpi', 'date', 'actual'],
    ],
    [
      'with a name that looks like a number',
      '#3,kpi,date,actual',
      map(['user', '#3']),
      ['user', 'kpi', 'date', 'actual'],
    ],
    [
      'with a name that differs in case and spaces',
      'user,kpi,date,Net  Sales',
      map(['actual', 'net_sales']),
      ['user', 'kpi', 'date', 'actual'],
    ],
    [
      'with the month of each date',
      'Month,user,kpi,date,Week,actual',
      {},
      ['unused', 'user', 'kpi', 'date', 'unused', 'actual'],
    ],
    [
      'with the week of a date that is given for all rows',
      'user,kpi,Week,actual',
      { date: '2026-03-02' },
      ['user', 'kpi', 'unused', 'actual'],
    ],
    [
      'with a name that stands twice, one of them given by its place',
      'date,user,kpi,date,actual',
      map(['date', '#4']),
      ['unused', 'user', 'kpi', 'date and unused', 'actual'],
    ],
    [
      'with two candidates, one of them named',
      'user,kpi,date,value,amount',
      map(['actual', 'amount']),
      ['user', 'kpi', 'date', 'unused', 'actual'],
    ],
    [
      'with two candidates, one of them ignored',
      'user,kpi,date,value,amount',
      { ignore: ['value'] },
      ['user', 'kpi', 'date', '', 'actual'],
    ],
    [
      'although a column is named as a KPI, where it is said to be long',
      'user,kpi,date,notes,Sales',
      { layout: 'long' },
      ['user', 'kpi', 'date', 'notes', 'unused'],
    ],
  ])('is understood %s', (_, header, options, expected) => {
    expect(meanings(header, options)).toEqual(expected)
  })
})

describe('a wide file', () => {
  test.each<[name: string, header: string, options: Partial<ImportOptions>, meanings: string[]]>([
    ['by KPI', 'date,user,Sales,net sales', {}, ['date', 'user', 'kpi 1', 'kpi 2']],
    ['by KPI id', 'date,user,1,2', {}, ['date', 'user', 'kpi 1', 'kpi 2']],
    ['by KPI of one user', 'Date,Sales', { user: 'Ann Lee' }, ['date', 'kpi 1']],
    ['by user', 'date,kpi,Ann Lee,bob@example.com', {}, ['date', 'kpi', 'user 11', 'user 12']],
    ['by user of one KPI', 'date,ann_lee,BOB', { kpi: '1' }, ['date', 'user 11', 'user 12']],
    ['with columns ignored', 'date,user,Sales,Region', { ignore: ['region'] }, ['date', 'user', 'kpi 1', '']],
    [
      'with a name ignored that stands twice',
      'date,user,Sales,x,x',
      { ignore: ['x'] },
      ['date', 'user', 'kpi 1', '', ''],
    ],
    ['that was a rejects file', 'date,user,Sales,_line,_reason', {}, ['date', 'user', 'kpi 1', '', '']],
    ['of one KPI whose name means something else', 'date,user,Result', { layout: 'wide' }, ['date', 'user', 'kpi 4']],
  ])('is understood %s', (_, header, options, expected) => {
    expect(meanings(header, options)).toEqual(expected)
  })

  test('of a KPI that is called Name has that for its column', () => {
    const kpi = createDirectory('KPI', [{ id: 1, name: 'Name' }])
    expect(meanings('date,Name', { user: 'Bob' }, { ...directories, kpi })).toEqual(['date', 'kpi 1'])
    expect(refusal('date,Name', {}, { ...directories, kpi }).issues).toEqual([
      'user: no column is the user; give one with --map user=COLUMN or --user',
    ])
  })

  test('names every header that is neither a KPI nor a user, with what is near', () => {
    expect(refusal('date,user,Sales,Net salez,Region').issues).toEqual([
      'header: there is no KPI "Net salez"; did you mean "Net sales"? (to leave the column out, use --ignore)',
      'header: there is no KPI "Region" (to leave the column out, use --ignore)',
    ])
  })

  test.each(['Sales,Sales', 'Sales,1', 'sales,Sales'])('is refused where two columns are one KPI: %s', (columns) => {
    expect(refusal(`date,user,${columns}`).issues).toEqual([expect.stringContaining(columns.split(',')[1] ?? '')])
  })
})

describe('no column is left out without a word:', () => {
  /** The headers whose values are used, or are said not to be. */
  const told = (header: string, options: Partial<ImportOptions>): string[] => {
    try {
      const { wide, unused } = plan(header, options)
      return [...unused, ...(wide?.columns ?? []).map(({ at }) => header.split(',')[at] ?? '')]
    } catch {
      return refusal(header, options).issues
    }
  }

  test.each<[name: string, header: string, options: Partial<ImportOptions>, column: string]>([
    ['notes beside columns of KPIs', 'date,user,Sales,notes', {}, 'notes'],
    ['targets beside columns of KPIs', 'date,user,Sales,target', {}, 'target'],
    ['a KPI that is called Goal', 'date,user,Sales,Goal', {}, 'Goal'],
    ['users, where --user names one', 'user,kpi,date,actual', { user: 'Bob' }, 'user'],
    ['KPIs, where --kpi names one', 'user,kpi,date,actual', { kpi: 'Sales' }, 'kpi'],
    ['dates, where --date gives one', 'user,kpi,date,actual', { date: '2026-01-01' }, 'date'],
    ['one without a name', ',user,kpi,date,actual', {}, 'column 1'],
    ['one without a name beside columns of KPIs', 'date,user,Sales,', {}, 'column 4'],
    ['notes that are named beside columns of KPIs', 'date,user,Sales,Why', map(['notes', 'Why']), 'notes'],
    [
      'actuals that are named in a wide file',
      'date,user,Sales',
      { ...map(['actual', 'Sales']), layout: 'wide' },
      'actual',
    ],
  ])('%s', (_, header, options, column) => {
    expect(told(header, options)).toContainEqual(expect.stringContaining(column))
  })
})

describe('a header is refused, with all that is wrong, where', () => {
  const NEEDS = 'the header does not say what each column is'
  test.each<[name: string, header: string, options: Partial<ImportOptions>, issues: string[]]>([
    [
      'two columns mean the same',
      'user,kpi,date,value,amount',
      {},
      ['actual: is both "value" and "amount"; say which: --map actual=COLUMN'],
    ],
    [
      'a column stands twice',
      'user,kpi,date,date,actual',
      {},
      [
        'date: there are two columns "date"; rename one, or say by its place which it is: --map date=#3 or --map date=#4',
      ],
    ],
    [
      'two columns are periods',
      'user,kpi,Week,Month,actual',
      {},
      ['date: is both "Week" and "Month"; say which: --map date=COLUMN'],
    ],
    [
      'the columns are neither those of a long file, nor users',
      'Datum,Uganda,Peru',
      { kpi: 'Sales' },
      [
        'user: no column is the user; give one with --map user=COLUMN or --user',
        'actual: no column is the actual; give one with --map actual=COLUMN',
        'header: is not one with a column for each user either: no user is called "Uganda", "Peru"',
      ],
    ],
    [
      'the columns are neither those of a long file, nor KPIs',
      'Datum,Wer,Peru,a,b,c',
      { user: 'Bob' },
      [
        'kpi: no column is the kpi; give one with --map kpi=COLUMN or --kpi',
        'actual: no column is the actual; give one with --map actual=COLUMN',
        'header: is not one with a column for each KPI either: no KPI is called "Wer", "Peru", "a" and 2 more',
      ],
    ],
    [
      'a column is called nearly like what is missing',
      'user,kpi,Dates,Amuont',
      {},
      [
        'date: no column is the date; give one with --map date=COLUMN or --date; did you mean "Dates"? --map date=Dates',
        'actual: no column is the actual; give one with --map actual=COLUMN; did you mean "Amuont"? --map actual=Amuont',
      ],
    ],
    ...['Name', 'full_name', 'Nom', 'Nombre', 'Nome completo', 'Naam', 'Namn', 'Imię i nazwisko'].map(
      (name): [string, string, Partial<ImportOptions>, string[]] => [
        `no column is the user, and one is called ${name}`,
        `${name},kpi,date,actual`,
        {},
        [
          `user: no column is the user; give one with --map user=COLUMN or --user; did you mean "${name}"? --map ${name.includes(' ') ? `"user=${name}"` : `user=${name}`}`,
        ],
      ],
    ),
    ...['Name', 'Persn'].map((name): [string, string, Partial<ImportOptions>, string[]] => [
      `no column is the user of a wide file, and one is called ${name}`,
      `${name},date,Sales,Region`,
      {},
      [
        'header: there is no KPI "Region" (to leave the column out, use --ignore)',
        `user: no column is the user; give one with --map user=COLUMN or --user; did you mean "${name}"? --map user=${name}`,
      ],
    ]),
    [
      'a column is meant that names no KPI, either',
      'Name,date,a,b',
      {},
      [
        'user: no column is the user; give one with --map user=COLUMN or --user; did you mean "Name"? --map user=Name',
        'kpi: no column is the kpi; give one with --map kpi=COLUMN or --kpi',
        'actual: no column is the actual; give one with --map actual=COLUMN',
        'header: is not one with a column for each KPI or user either: no KPI or user is called "a", "b"',
      ],
    ],
    [
      'it has a column for each month and nothing else',
      'Jan 2026,Feb 2026,Mrz 2026,Apr 2026',
      {},
      [
        'user: no column is the user; give one with --map user=COLUMN or --user',
        'kpi: no column is the kpi; give one with --map kpi=COLUMN or --kpi',
      ],
    ],
    [
      'it has a column for each month, without the year',
      'KPI,User,Jan,Feb',
      {},
      ['date: "Jan" and "Feb" name no year: --year YYYY says which; if a column says it: --map date=COLUMN'],
    ],
    [
      'it has a column for each day, in one of two forms',
      'KPI,User,01/02/2026,02/02/2026,03/02/2026',
      {},
      [expect.stringContaining('is 2026-02-01 (DD/MM/YYYY) or 2026-01-02 (MM/DD/YYYY)') as string],
    ],
    [
      'it has a column for each day, with years of two digits',
      'KPI,User,1/22/20,1/23/20',
      {},
      [expect.stringContaining('say how dates are written: --date-format MM/DD/YY') as string],
    ],
    [
      'it has two columns for one month',
      'KPI,User,2026-01,Jan 2026,2026-01',
      {},
      [expect.stringMatching(/dates in several formats/) as string],
    ],
    [
      'there is no value',
      'user,kpi,date,Region',
      {},
      ['actual: no column is the actual; give one with --map actual=COLUMN'],
    ],
    [
      'more is missing',
      'date,value',
      {},
      [
        'user: no column is the user; give one with --map user=COLUMN or --user',
        'kpi: no column is the kpi; give one with --map kpi=COLUMN or --kpi',
      ],
    ],
    [
      'a column that was named is not there, and another is near',
      'user,kpi,Daate,actual',
      map(['date', 'Date']),
      ['date: there is no column "Date"; did you mean "Daate"?'],
    ],
    [
      'a column that was named by a number that there is not',
      'user,kpi,date,actual',
      map(['actual', '#5']),
      ['actual: there is no column "#5"; there are user, kpi, date, actual'],
    ],
    [
      'a column that was named is not there, and none is near',
      'user,kpi,date,actual',
      { ignore: ['Territory'] },
      ['ignore: there is no column "Territory"; there are user, kpi, date, actual'],
    ],
    [
      'very many columns that were named are not there',
      'user,kpi,date,actual',
      { ignore: Array.from({ length: 1022 }, (_, at) => `Territory ${at}`) },
      [
        ...Array.from(
          { length: 20 },
          (_, at) => `ignore: there is no column "Territory ${at}"; there are user, kpi, date, actual`,
        ),
        'ignore: there are no columns for 1,002 more names either',
      ],
    ],
  ])('%s', (_, header, options, issues) => {
    expect(refusal(header, options)).toEqual({ message: NEEDS, issues })
  })

  test.each<[name: string, header: string, options: Partial<ImportOptions>, issue: string]>([
    ['a wide file has no column of a KPI', 'date,user', { layout: 'wide' }, 'header: no column belongs to a kpi'],
    [
      'a wide file says of each row both user and KPI',
      'date,user,kpi,actual',
      { layout: 'wide' },
      'layout: cannot be wide if both user and kpi are given',
    ],
  ])('%s', (_, header, options, issue) => {
    expect(refusal(header, options).issues).toEqual([issue])
  })

  test.each<[header: string, options: Partial<ImportOptions>, names: string]>([
    ['2026-05-01,bob@example.com,Sales,10', {}, 'date, user, kpi, actual'],
    ['Bob,Sales,1.5.2026,"1.234,50",12', {}, 'user, kpi, date, actual, target'],
    ['Somebody,Sales,2026-05-01,10', {}, 'user, kpi, date, actual'],
    ['Bob,Something,2026-05-01,10 €', {}, 'user, kpi, date, actual'],
    ['2026-05-01,10', { user: 'Bob', kpi: 'Sales' }, 'date, actual'],
    ['11,1,2026-05-01,10', {}, 'user, kpi, date, actual'],
    ['Bob,North,Sales,2026-05-01,10', {}, 'user, kpi, date and actual, and whatever else there is'],
    ['Bob,Sales,2026-05-01,10', map(['date', '#3'], ['actual', '#4']), 'user, kpi, date, actual'],
  ])('it is a row: %s', (header, options, names) => {
    const { message, issues } = refusal(header.replace(/"(.*),(.*)"/, '$1$2'), options)
    expect(message).toMatch(
      /^the first line looks like a row, and not like a header, as ".*" is a date and ".*" a number:/,
    )
    expect([message.slice(message.indexOf('cells are: ') + 11), issues]).toEqual([names, []])
  })

  test.each<[header: string, options: Partial<ImportOptions>]>([
    ['2026-05-01,user,10', {}],
    ['1,2,2026-05-01', { date: '2026-05-01', user: 'Bob' }],
    ['2026-05-01,2026-05-02,10', {}],
    ['Sales,10', {}],
    ['Shop,2026-05-01', {}],
  ])('it is none, but no row either: %s', (header, options) => {
    expect(refusal(header, options).message).not.toContain('looks like a row')
  })

  test('its lines end in CR alone, which makes one line of the file', () => {
    expect(refusal('user,kpi,date,actual\rBob,Sales,2026-01-01,1').message).toMatch(/end in CR alone; save it/)
  })

  test('nothing is known of it, nor of a column that was named', () => {
    expect(refusal('Shop,Region', map(['date', 'Tag'])).issues).toEqual([expect.stringContaining('"Tag"')])
  })

  test('a column that was named stands twice', () => {
    expect(refusal('user,kpi,date,Ist,Ist', map(['actual', 'Ist'])).issues).toEqual([expect.stringContaining('Ist')])
  })

  test('nothing is known of it', () => {
    expect(refusal('Shop,Region,City').message).toMatch(/^cannot understand the header Shop, Region, City:/)
    expect(refusal('Umsatzbericht Juli 2026,,,').message).toMatch(
      /^cannot understand the header Umsatzbericht Juli 2026: .*; if this is a title, delete the lines above the header$/,
    )
  })
})

test('a wide file of KPIs whose names are those of several says which', () => {
  const kpi = createDirectory('KPI', [
    { id: 1, name: 'Sales' },
    { id: 2, name: 'Sales' },
  ])
  expect(() => planColumns({ header: ['date', 'Sales'] }, optionsOf({ user: 'Bob' }), { ...directories, kpi })).toThrow(
    expect.objectContaining({
      issues: [
        expect.objectContaining({ message: expect.stringContaining('"Sales" is the name of more than') as string }),
      ],
    }),
  )
})

describe('a column of breakdown items', () => {
  const sources: Directories = { ...directories, source: lookupOfIds('breakdown items', breakdownItem) }

  test.each(['source', 'Source_ID', 'sourceid', 'Breakdown Item', 'item'])('may be called %s', (name) => {
    expect(meanings(`${name},kpi,date,actual`, {}, sources)).toEqual(['source', 'kpi', 'date', 'actual'])
    expect(mayNameSources([name, 'user'], optionsOf())).toBe(true)
  })

  test('may stand beside that of the user, and in a wide file', () => {
    expect(meanings('user,source,kpi,date,actual', {}, sources).slice(0, 2)).toEqual(['user', 'source'])
    expect(meanings('source,date,Sales,Net sales', {}, sources)).toEqual(['source', 'date', 'kpi 1', 'kpi 2'])
  })

  test('is one like any other where entries belong to users alone', () => {
    expect(meanings('user,source,kpi,date,actual')).toEqual(['user', 'unused', 'kpi', 'date', 'actual'])
  })

  test('is not given twice', () => {
    const { issues } = refusal('source,kpi,date,actual', { source: 'North' }, sources)
    expect(issues).toEqual(['source: is given by --source and by the column "source"; leave one out (--ignore)'])
  })

  test.each<[header: string, options: Partial<ImportOptions>, needed: boolean]>([
    ['source,kpi,date,actual', {}, true],
    ['kpi,date,actual', { source: 'North' }, true],
    ['user,region,kpi,date,actual', map(['source', 'region']), true],
    ['user,source,kpi,date,actual', {}, false],
    ['source,kpi,date,actual', { user: 'Bob' }, false],
    ['who,source,kpi,date,actual', map(['user', 'who']), false],
    ['source,kpi,date,actual', { ignore: ['source'] }, false],
    ['user,kpi,date,actual', {}, false],
  ])('is needed of the service where nothing else says whom rows belong to: %s %o', (header, options, needed) => {
    expect(requiresSources(header.split(','), optionsOf(options))).toBe(needed)
  })

  test.each<[header: string, options: Partial<ImportOptions>, sure: boolean]>([
    ['user,source_id,kpi,date,actual', {}, true],
    ['Source_ID,kpi,date,actual', { user: 'Bob' }, true],
    ['user,source,item,source id,kpi,date,actual', {}, false],
    ['user,source_id,kpi,date,actual', { ignore: ['source_id'] }, false],
    ['user,source_id,kpi,date,actual', map(['notes', 'source_id']), false],
  ])('is sure to be one by the name of the interface: %s %o', (header, options, sure) => {
    expect(namesSourceIds(header.split(','), optionsOf(options))).toBe(sure)
  })
})

describe('where the key may read neither KPIs nor users', () => {
  test('columns are headed by ids if the layout says so', () => {
    expect(meanings('date,user,7,9', { layout: 'wide' }, unread)).toEqual(['date', 'user', 'kpi 7', 'kpi 9'])
    expect(meanings('date,kpi,7,9', { layout: 'wide' }, unread)).toEqual(['date', 'kpi', 'user 7', 'user 9'])
  })

  test('numbers at the head of columns are not taken for ids unasked', () => {
    expect(meanings('user,kpi,date,actual,2024', {}, unread)[4]).toBe('unused')
    expect(refusal('date,user,7', {}, unread).issues[0]).toBe(
      'kpi: no column is the kpi; give one with --map kpi=COLUMN or --kpi; the key may not read KPIs (kpis:read), so the column headers have to be ids, with --layout wide',
    )
  })

  test('names at the head of columns cannot be looked up', () => {
    expect(refusal('date,user,Sales,0', { layout: 'wide' }, unread).issues).toEqual(
      ['Sales', '0'].map(
        (name) =>
          `header: the key may not read KPIs (kpis:read), so give the id instead of "${name}" (to leave the column out, use --ignore)`,
      ),
    )
  })
})

const withItems: Directories = {
  ...directories,
  source: createDirectory('breakdown item', [
    { id: 21, name: 'North' },
    { id: 22, name: 'South' },
  ]),
  takesSources: true,
}

describe('a file whose header says most of it', () => {
  test.each<[name: string, header: string, options: Partial<ImportOptions>, meanings: string[]]>([
    ['has places for owners', 'Region,kpi,date,value', {}, ['source', 'kpi', 'date', 'actual']],
    ['has a place beside a user', 'user,Region,kpi,date,value', {}, ['user', 'unused', 'kpi', 'date', 'actual']],
    [
      'has a column for each month',
      'Region,kpi,2026-01,2026-02',
      {},
      ['source', 'kpi', 'date 2026-01-01', 'date 2026-02-01'],
    ],
    [
      'has a column for each quarter',
      'Sales team,Q1 2026,Q2 2026',
      { user: 'Bob', kpi: 'Sales' },
      ['unused', 'date 2026-01-01', 'date 2026-04-01'],
    ],
    [
      'has a column for each year',
      'Filiale;Kennzahl;2024;2025'.replaceAll(';', ','),
      {},
      ['source', 'kpi', 'date 2024-01-01', 'date 2025-01-01'],
    ],
    ['has a column for each breakdown item', 'kpi,date,North,South', {}, ['kpi', 'date', 'source -21', 'source -22']],
    [
      'has only some columns that are used',
      'Region,kpi,date,value,Bob,x',
      { columns: ['Region', 'kpi', 'date', 'value'] },
      ['source', 'kpi', 'date', 'actual', '', ''],
    ],
    [
      'has a date in three columns',
      'user,kpi,y,m,d,value',
      map(['date', 'y+m+d']),
      ['user', 'kpi', 'date', '', '', 'actual'],
    ],
  ])('%s', (_, header, options, meant) => {
    expect(meanings(header, options, withItems)).toEqual(meant)
  })

  test('names both columns that may say whom rows belong to', () => {
    expect(refusal('Country,City,KPI,Date,Value', {}, withItems).issues).toEqual([
      'source: may be "Country" or "City"; say which: --map source=Country, --map source=City, or all together: --map source=Country+City',
    ])
  })

  test('names the columns of a role that are not there', () => {
    expect(refusal('user,kpi,y,m,value', map(['date', 'y+m+d'])).issues).toEqual([
      'date: there is no column "d"; there are user, kpi, y, m, value',
    ])
  })

  test('has two header rows, of KPIs and of months', () => {
    const upper = ['', 'Sales', 'Sales', 'Goal', 'Goal']
    const header = ['user', '2026-01', '2026-02', '2026-01', '2026-02']
    const { wide } = planColumns({ header, upper }, optionsOf(), directories)
    expect(wide?.columns.map(({ kpi, day }) => `${kpi} ${formatDay(day ?? 0)}`)).toEqual([
      '1 2026-01-01',
      '1 2026-02-01',
      '3 2026-01-01',
      '3 2026-02-01',
    ])
    const turned = planColumns({ header: ['user', ...upper.slice(1)], upper: header }, optionsOf(), directories)
    expect(turned.wide?.columns).toEqual(wide?.columns)
  })
})
