import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { kpiNamed, userNamed } from '../support/import.ts'
import type { Ran } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(() => user[Symbol.asyncDispose]())

/** Imports a file into a new account, as a newcomer does it. */
const importText = (text: string, ...args: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('data.csv'), text)
  return user.kpi('entries', 'import', 'data.csv', '--create-missing', '-o', 'csv', ...args)
}

/** How many rows were read, and how many entries created. */
const readAndCreated = ({ stdout }: Ran): number[] => (stdout.split('\n')[1] ?? '').split(',').slice(0, 2).map(Number)

describe('rows that are left out', () => {
  const FILE = 'Region,Date,Sales\nNorth,2026-01-01,4\nSouth,2026-01-02,5\nNorth,2026-01-03,6\n,,4\n'

  test('are told where they look like data', async () => {
    const ran = await importText(FILE, '--ignore-rows', '4')
    expect(readAndCreated(ran)).toEqual([2, 2])
    expect(ran.stderr).toContain(
      '--ignore-rows leaves out 1 row with a date and a number: line 2 (North, 2026-01-01, 4)\n',
    )
  })

  test('are no good rows where the suggestion for a footer is followed', async () => {
    const ran = await importText(FILE)
    expect(readAndCreated(ran)).toEqual([4, 3])
    expect(ran.stderr).toContain(
      'line 5 looks like a footer ("4"): delete it in the file, as --ignore-rows 4 leaves out line 2, too\n',
    )
  })
})

describe('a file that does not say whose its values are', () => {
  const WIDE = 'Week,North,South\n2026-01-05,1,2\n2026-01-12,3,4\n2026-01-19,5,6\n'
  const ONE_ITEM =
    '--source NAME puts all rows under one breakdown item, which is created, --map source=COLUMN takes them from a column'
  const OR_ITEMS = '; if "North", "South" are the items, --kpi NAME says what is measured'

  test.each<[flags: string[], says: string]>([
    [
      [],
      `no column says whose the values are: ${ONE_ITEM}${OR_ITEMS}; a new user needs an e-mail address: --user ann@example.com, or --map user=COLUMN`,
    ],
    [['--as', 'items'], `--as items does not say where their names are: ${ONE_ITEM}${OR_ITEMS}`],
    [
      ['--as', 'users'],
      'no column is the user: --user ann@example.com puts all rows under one user, who is created, --map user=COLUMN takes them from a column; if "North", "South" are the users, --kpi NAME says what is measured',
    ],
  ])('with %j says that any new name will do', async (flags, says) => {
    const ran = await importText(WIDE, ...flags)
    expect([ran.code, ran.stderr]).toEqual([1, `kpi: the header does not say what each column is\n  user: ${says}\n`])
  })

  test.each<[flags: string[], created: number]>([
    [['--source', 'Here'], 6],
    [['--kpi', 'Stock'], 6],
    [['--user', 'ann@example.com'], 6],
  ])('is imported with what that says: %j', async (flags, created) => {
    expect(readAndCreated(await importText(WIDE, ...flags))).toEqual([3, created])
  })

  test('says how to name what is measured', async () => {
    const ran = await importText('Week,value\n2026-01-05,1\n2026-01-12,3\n')
    expect(ran.stderr).toContain(
      '  kpi: no column is the kpi: --kpi NAME says what is measured, and is created, --map kpi=COLUMN takes names from a column\n',
    )
  })
})

describe('the names and addresses of new users', () => {
  const usersOf = async (): Promise<string[]> => {
    const { stdout } = await user.kpi('users', 'list', '-o', 'json')
    const all = JSON.parse(stdout) as { first_name: string; last_name: string | null; email: string }[]
    return all.slice(1).map(({ first_name, last_name, email }) => [first_name, last_name, email].join('|'))
  }
  const PEOPLE = ['Ann|Lee|a@x.com', 'Bob|Ray|b@x.com']

  test.each<[header: string, ann: string, bob: string, flags: string[], made: string[]]>([
    ['Name,E-Mail', 'Ann Lee,a@x.com', '"Ray, Bob",b@x.com', [], PEOPLE],
    ['Name,E-Mail', 'Ann Lee,a@x.com', '"Ray, Bob",b@x.com', ['--map', 'user=Name'], PEOPLE],
    ['Contact,Contact mail', 'Ann Lee,a@x.com', 'Bob Ray,b@x.com', ['--map', 'user=Contact'], PEOPLE],
    ['Name,Contact', 'Ann Lee,a@x.com', 'Bob Ray,b@x.com', ['--map', 'user=Name,email=Contact'], PEOPLE],
    ['Email,First name,Last name', 'a@x.com,Ann,Lee', 'b@x.com,Bob,Ray', [], PEOPLE],
    [
      'Nachname,Vorname,E-Mail',
      'van der Berg,Ann Maria,a@x.com',
      'Ray,Bob,b@x.com',
      [],
      ['Ann Maria|van der Berg|a@x.com', 'Bob|Ray|b@x.com'],
    ],
    ['Nom,Prénom,email', 'Lee,Ann,a@x.com', 'Ray,Bob,b@x.com', [], PEOPLE],
    ['Nombre,Apellidos,email', 'Ann,Lee,a@x.com', 'Bob,Ray,b@x.com', [], PEOPLE],
    // Which of two columns of addresses is meant, only the user knows.
    ['Who,Mail,Boss', 'Ann Lee,a@x.com,c@x.com', 'Bob Ray,b@x.com,c@x.com', ['--map', 'user=Who,email=Mail'], PEOPLE],
    ['email,Known as', 'a@x.com,Ann Lee', 'b@x.com,Bob Ray', ['--map', 'name=Known as'], PEOPLE],
    ['First,Last', 'Ann,Lee', 'Bob,Ray', ['--map', 'user=First+Last', '--email-pattern', '{initial}@x.com'], PEOPLE],
  ])('come from the columns %s', async (header, ann, bob, flags, made) => {
    const rows = [ann, bob, ann].map((who, at) => `${who},2026-01-0${at + 1},${at}\n`)
    const ran = await importText(`${header},Date,Sales\n${rows.join('')}`, ...flags)
    expect([ran.code, readAndCreated(ran)]).toEqual([0, [3, 3]])
    expect(await usersOf()).toEqual(made)
    for (const one of made) {
      const [first, last, email] = one.split('|')
      expect(ran.stderr).toContain(`  user "${first} ${last}", ${email}\n`)
    }
  })

  test.each<[flags: string[], says: string]>([
    [
      [],
      'E-Mail: "a@x.com" is "Ann Lee" on line 2 and "Anne Lee" on line 4; write one of them throughout, or leave the column out: --ignore Name',
    ],
    [
      ['--map', 'user=Name'],
      'Name: "a@x.com" is "Ann Lee" on line 2 and "Anne Lee" on line 4; write one of them throughout, or leave the column out: --ignore E-Mail',
    ],
    [
      ['--map', 'user=Name'],
      'Name: "Bob Ray" is "b@x.com" on line 3 and "c@x.com" on line 5; write one of them throughout, or leave the column out: --ignore E-Mail',
    ],
  ])('that contradict each other stop the import: %j', async (flags, says) => {
    const rows = ['Ann Lee,a@x.com', 'Bob Ray,b@x.com', 'Anne Lee,a@x.com', 'Bob Ray,c@x.com']
    const text = `Name,E-Mail,Date,Sales\n${rows.map((who, at) => `${who},2026-01-0${at + 1},1\n`).join('')}`
    const ran = await importText(text, ...flags)
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain(`  ${says}\n`)
    expect(await usersOf()).toEqual([])
  })

  test('are not asked of users who are there already', async () => {
    await user.kpi('users', 'create', '--first-name', 'Ann', '--email', 'a@x.com')
    const ran = await importText('Name,E-Mail,Date,Sales\nAnn Lee,a@x.com,2026-01-01,1\nAnn Ray,a@x.com,2026-01-02,1\n')
    expect([ran.code, readAndCreated(ran)]).toEqual([0, [2, 2]])
    expect(await usersOf()).toEqual(['Ann||a@x.com'])
  })
})

test('a mapping saves all columns that make one', async () => {
  const text = 'y,m,store,Sales\n2026,1,Lake,1\n2026,2,Lake,2\n'
  await importText(text, '--map', 'date=y+m', '--save-mapping', 'monthly')
  writeFileSync(user.folder.in('data.csv'), text)
  const ran = await user.kpi('entries', 'import', 'data.csv', '--mapping', 'monthly', '-o', 'csv')
  expect([ran.code, ran.stdout.split('\n')[1]?.slice(0, 7)]).toEqual([0, '2,0,0,2'])
})

describe('what holds of several columns is said once', () => {
  const text = (rows: number, ...columns: string[]): string =>
    [
      ['Date', ...columns.map((_, at) => `K${at + 1}`)].join(','),
      ...Array.from({ length: rows }, (_, at) => [`2026-01-0${at + 1}`, ...columns.map((one) => one)].join(',')),
      '',
    ].join('\n')

  test('of words for no value', async () => {
    const rows = text(3, '1', '2', '3', '4', '5')
      .replaceAll(/,[345]$/gm, ',NA')
      .replace('02,1,2,3', '02,1,-,NA')
    const ran = await importText(rows, '--source', 'Here')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain(
      '\n  K2, K3, K5: have "NA" (4 cells, the first on line 2), "-" (line 3), which may stand for no value: --missing NA,- takes such cells as empty, and not 0, which a dash may stand for as well; --missing "" rejects their rows\n',
    )
    expect(ran.stderr.match(/which may stand for no value/g)).toHaveLength(1)
  })

  test('of the frequency, unit and function of new KPIs', async () => {
    const ran = await importText(text(3, '1', '2', '3.5').replace('K2', 'Price'), '--source', 'Here')
    expect(ran.stderr).toContain(
      '  each KPI, unless its line says otherwise: daily: 3 days, the nearest 1 day apart; unit Number: all values are whole; sum: nothing says that it is an average\n' +
        '  KPI "K1"\n' +
        '  KPI "Price": average: its name says "price"\n' +
        '  KPI "K3": unit Decimal: values have decimals\n',
    )
  })
})

test('--explain calls what would be created by its name', async () => {
  const wide = await importText('Date,Sales\n2026-01-01,1\n2026-01-02,2\n', '--source', 'Here', '--explain')
  expect(wide.stdout).toContain('\n"actual of the new kpi ""Sales""","column 2, Sales",')
  const items = await importText('Date,North\n2026-01-01,1\n2026-01-02,2\n', '--kpi', 'Sales', '--explain')
  expect(items.stdout).toContain('\n"actual of the new source ""North""","column 2, North",')
  const unclear = await importText('Date,Sales\n2026-01-01,1\n2026-01-02,2\n', '--explain')
  expect(unclear.stdout).toContain('\nactual of a new kpi,"column 2, Sales",')
})

describe('--explain gives the evidence for', () => {
  const LONG = 'Region,Date,KPI,Sales\nNorth,31.01.2026,Visits,1.5\n'
  const WIDE = 'Region,Date,Sales\nNorth,31.01.2026,1.5\n'
  const DATED = `--date-format DD.MM.YYYY`.split(' ')

  test.each<[what: string, text: string, flags: string[], found: string[]]>([
    ['a layout', LONG, [], ['layout', 'long: a row for each entry', 'the names of the columns']],
    ['a layout that is given', LONG, ['--layout', 'long'], ['layout', 'long: a row for each entry', '--layout long']],
    ['another layout', WIDE, [], ['layout', 'wide: a column for each kpi', 'the names of the columns']],
    ['dates', WIDE, [], ['format of Date', 'DD.MM.YYYY', '"31.01.2026" on line 2']],
    ['dates as is given', WIDE, DATED, ['format of Date', 'DD.MM.YYYY', '--date-format']],
    ['dates of which there are none', 'Region,Date,Sales\n', [], ['format of Date', 'in doubt', 'no cell is a date']],
    [
      'a date that is given',
      WIDE.replace('Date', 'Note'),
      ['--date', '2026-01-31'],
      ['date', '2026-01-31', '--date, for all rows'],
    ],
    ['numbers', WIDE, [], ['format of Sales', 'a decimal point', '"1.5" on line 2']],
    ['numbers as is given', WIDE, ['--decimal', '.'], ['format of Sales', 'a decimal point', '--decimal']],
    ['whole numbers', WIDE.replace('.5', ''), [], ['format of Sales', 'whole numbers', 'no cell has decimals']],
  ])('%s', async (_, text, flags, [topic, found, evidence]) => {
    writeFileSync(user.folder.in('data.csv'), text)
    const ran = await user.kpi('entries', 'import', 'data.csv', '--create-missing', '--explain', '-o', 'json', ...flags)
    expect(JSON.parse(ran.stdout)).toContainEqual({ topic, found, evidence })
  })

  test('nothing that a file does not have', async () => {
    writeFileSync(user.folder.in('data.csv'), 'user,kpi,actual\n1,1,5\n')
    const ran = await user.kpi('entries', 'import', 'data.csv', '--date', '2026-01-31', '--explain', '-o', 'json')
    const topics = (JSON.parse(ran.stdout) as { topic?: string }[]).map(({ topic }) => topic).join(', ')
    expect(topics).toBe(
      'encoding, separator, layout, user, kpi, date, actual, numbers in user, numbers in kpi, format of actual',
    )
  })
})

describe('entries that are dated more than a year after today', () => {
  const FILE = 'Region,Date,Sales\nNorth,2026-01-01,4\nNorth,2062-01-05,5\nNorth,2027-11-21,6\nNorth,2027-11-22,7\n'
  const WARNING =
    '2 entries, the first on line 3 (2062-01-05), are dated more than a year after today: check the year; if it is wrong, correct the file'

  test.each([[[]], [['--dry-run']]])('are warned of, once, and imported: %j', async (flags) => {
    const ran = await importText(FILE, '--frequency', 'D', ...flags)
    expect(ran.code).toBe(0)
    expect(ran.stderr.split(WARNING)).toHaveLength(2)
  })
  test('are named by their line where there is only one', async () => {
    const text = 'Region,Date,Sales\nNorth,2026-01-01,4\nNorth,2062-01-05,5\n'
    const { stderr } = await importText(text, '--frequency', 'D')
    expect(stderr).toContain('1 entry, on line 3 (2062-01-05), is dated more than a year after today: check the year')
  })
})

test('the rejects of a file whose name begins like a flag are named so that they can be imported', async () => {
  writeFileSync(user.folder.in('--dry-run.csv'), 'Region,Date,Sales\nNorth,2026-01-01,4\nNorth,2026-01-02,x\n')
  const flags = ['--map-kpi', 'Sales=Sales', '--create-missing', '--frequency', 'D']
  const ran = await user.kpi('entries', 'import', './--dry-run.csv', ...flags)
  expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('in ./--dry-run.rejects.csv')])
  const again = await user.kpi('entries', 'import', './--dry-run.rejects.csv', ...flags)
  expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('in ./--dry-run.rejects.rejects.csv')])
})

test('rows of a locked user without the KPI are advised to unlock the user, and not to assign the KPI', async () => {
  const { client } = user
  await client.kpis.add(kpiNamed('Calls'))
  const { id } = await client.users.add({ ...userNamed('Karin'), email: 'karin@example.com' })
  await client.users.update(id, { user_status_id: 'L' })
  writeFileSync(user.folder.in('calls.csv'), 'user,kpi,date,actual\nkarin@example.com,Calls,2026-01-01,1\n')
  const { code, stderr } = await user.kpi('entries', 'import', 'calls.csv')
  expect(code).toBe(3)
  expect(stderr).toContain(`kpi users update ${id} --user-status active unlocks Karin`)
  expect(stderr).not.toContain('--create-assignments')
})
