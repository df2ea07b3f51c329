import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { userNamed } from '../support/import.ts'
import { errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, newerUser, newerUsers, remoteUser, type User, users } from '../support/user.ts'

type Row = Readonly<Record<string, string | number | boolean | null>>

const rowsOf = async (ran: Promise<Ran>): Promise<readonly Row[]> => jsonOf(await ran) as Row[]

describe.each(users)('%s', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
  })
  afterEach(async () => {
    await user[Symbol.asyncDispose]()
  })

  const load = (what: string, text: string | Buffer, ...args: string[]): Promise<Ran> => {
    writeFileSync(user.folder.in('data.csv'), text)
    return user.kpi(what, 'import', 'data.csv', '-o', 'json', ...args)
  }
  const list = (what: string, ...args: string[]): Promise<readonly Row[]> =>
    rowsOf(user.kpi(what, 'list', '-o', 'json', ...args))
  const rejects = (): string => readFileSync(user.folder.in('data.rejects.csv'), 'utf8')

  const PEOPLE =
    'Vorname;Nachname;E-Mail;Rolle;Status\nAnn;Lee;ann@example.com;manager;active\nBob;;bob@example.com;;locked\n;;;;\n'

  test('people are created and changed by their e-mail addresses, and the second time nothing is sent', async () => {
    const first = jsonOf(await load('users', Buffer.from(PEOPLE.replace('Lee', 'L\xe9'), 'latin1')))
    expect(first).toMatchObject({ read: 3, created: 2, updated: 0, rejected: 0, empty: 1, left: 0 })
    expect(await list('users')).toMatchObject([
      { id: 1 },
      { first_name: 'Ann', last_name: 'Lé', email: 'ann@example.com', user_type: 'Manager', user_status_id: 'A' },
      { first_name: 'Bob', last_name: null, email: 'bob@example.com', user_type: 'User', user_status_id: 'L' },
    ])
    const changed = 'e-mail,last name\nANN@example.com,Lee\nbob@example.com,\n'
    expect(jsonOf(await load('users', changed))).toMatchObject({ updated: 1, unchanged: 1 })
    expect(jsonOf(await load('users', changed))).toMatchObject({ updated: 0, unchanged: 2, requests: 1 })
    expect((await list('users'))[1]).toMatchObject({ last_name: 'Lee', email: 'ann@example.com', user_type: 'Manager' })
  })

  test('titles before a last name are put before the first, so that the person is found by any spelling', async () => {
    await load('users', 'E-mail;Last name;First name\nroth@example.com;Dr. Roth;Silke\n')
    expect(await list('users')).toContainEqual(expect.objectContaining({ first_name: 'Dr. Silke', last_name: 'Roth' }))
    for (const name of ['Dr. Roth, Silke', 'Roth, Silke', 'Silke Roth'])
      expect([name, (await user.kpi('users', 'get', name)).code]).toEqual([name, 0])
  })

  test('people without addresses get those of a pattern, are known by their names then, and two never share one', async () => {
    const text = 'Name,Role\nAnn Lee,Manager\nBob Stone,User\nÄnn Lee,User\n李 明,User\n,User\n'
    writeFileSync(user.folder.in('data.csv'), text)
    const bare = await user.kpi('users', 'import', 'data.csv')
    expect(bare.stderr).toContain(
      "--map email=COLUMN, or --email-pattern '{name}@example.com' makes addresses of the names",
    )
    const wrong = await user.kpi('users', 'import', 'data.csv', '--email-pattern', 'example.com')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('needs {name}')])
    const pattern = ['--email-pattern', '{name}@example.com']
    const first = await load('users', text, ...pattern)
    expect(JSON.parse(first.stdout)).toMatchObject({ created: 2, rejected: 3 })
    expect(rejects()).toMatch(
      /^Änn Lee,User,4,"""Änn Lee"" cannot become a user: its e-mail address ann\.lee@example\.com is already that of ""Ann Lee"" in this file; [^;]*"\n李 明,User,5,"""李 明"" cannot become a user: it has letters [^;]*;[^;]*"\n,User,6,the email is empty$/m,
    )
    await user.kpi('users', 'update', 'bob.stone@example.com', '--email', 'bob@example.com')
    const again = await load('users', text.replace('Stone,User', 'Stone,Director'), ...pattern)
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, updated: 1, unchanged: 1, rejected: 3 })
  })

  const SHEET =
    'Name,Category,Unit,Frequency\nRevenue,Operations,€,monthly\nEnergy,Operations,kWh,monthly\nCost,Quality,EUR,monthly\nDefects,Quality,%,monthly\nProfit,Quality,Euro,monthly\nBroken,Never,pints,x\n'
  const told = async (text: string, ...args: string[]): Promise<string> => {
    writeFileSync(user.folder.in('data.csv'), text)
    return (await user.kpi('kpis', 'import', 'data.csv', ...args)).stderr
  }
  const namesOf = async (what: string): Promise<unknown[]> => (await list(what)).map(({ name }) => name)

  test('categories and units that KPIs name are created on demand, units in one spelling, and one undo takes all back', async () => {
    const before = [await namesOf('categories'), await namesOf('units')]
    const refused = await told(SHEET)
    expect(refused).toContain('there is no category "Operations"; --create-missing creates it (')
    expect(refused).toContain('unit "%" is taken as the unit "Percent"\n')
    const foreseen = await told(SHEET, '--create-missing', '--dry-run')
    for (const stderr of [foreseen, await told(SHEET, '--create-missing')]) {
      expect(stderr).toContain('unit "EUR" is taken as the unit "€"\n')
      expect(stderr).toContain(
        'new with --create-missing: category Operations, category Quality, unit € (#.00 €), unit kWh (#.00 kWh)\n',
      )
    }
    const all = await rowsOf(user.kpi('kpis', 'list', '--names', '-o', 'json'))
    expect(all.map(({ name, unit, category }) => [name, unit, category])).toEqual([
      ['Revenue', '€', 'Operations'],
      ['Energy', 'kWh', 'Operations'],
      ['Cost', '€', 'Quality'],
      ['Defects', 'Percent', 'Quality'],
      ['Profit', '€', 'Quality'],
    ])
    expect(await namesOf('categories')).not.toContain('Never')
    const [{ receipt = '' } = {}] = await rowsOf(user.kpi('history', '-o', 'json'))
    expect((await user.kpi('undo', String(receipt), '--yes')).code).toBe(0)
    expect([await namesOf('categories'), await namesOf('units')]).toEqual(before)
  })

  test('a new name near a known one, or a unit that may be another, stops its row, and --by-name creates it', async () => {
    await load('kpis', SHEET, '--create-missing')
    const near = 'Name,Category,Unit,Frequency\nA,Operatons,$,monthly\nB,Quality,USD,monthly\n'
    expect(await told(near, '--create-missing', '--dry-run')).toMatch(
      /there is no category "Operatons"; did you mean "Operations"\?; --by-name category creates it.*\n.*"USD" may be the unit "\$"/,
    )
    const meant = await load('kpis', near, '--create-missing', '--by-name', 'category,unit')
    expect(jsonOf(meant)).toMatchObject({ created: 2, rejected: 0 })
  })

  test('rows that only name what is missing do not show that columns were misread', async () => {
    const lines = Array.from({ length: 25 }, (_row, at) => `K${at},New,monthly\n`)
    expect(await told(`Name,Category,Frequency\n${lines.join('')}`)).toContain('25 rows were rejected')
  })

  test('a function of reports alone is refused with where it is given, and its column is known by its usual name', async () => {
    const way = 'of stocks, kpi report --function last takes the last value, and functions: in kpi.yaml keeps that'
    expect(await told('Name,Frequency,Total or average\nStock,monthly,last\nRate,monthly,average\n')).toContain(
      `aggregate_function "last" must be one of AVG, SUM, or average, total; ${way} (line 2)`,
    )
    expect((await list('kpis'))[0]).toMatchObject({ name: 'Rate', aggregate_function: 'AVG' })
    const created = await user.kpi('kpis', 'create', '--name', 'A', '--frequency', 'D', '--aggregate-function', 'last')
    expect(created.stderr).toContain(`--aggregate-function must be one of average (AVG), total (SUM); ${way}\n`)
  })

  test('choices are read in the languages of the heads, and a slip in one is told with what it may mean', async () => {
    const text =
      'Kennzahl;Häufigkeit;Richtung;Aggregation;Aktiv\nUmsatz;täglich;hoch;Summe;ja\nUnfälle;vierteljährlich;niedrig;Durchschnitt;nein\n'
    expect(jsonOf(await load('kpis', text))).toMatchObject({ read: 2, created: 2, rejected: 0 })
    expect(await list('kpis')).toMatchObject([
      { name: 'Umsatz', frequency_id: 'D', value_direction: 'U', aggregate_function: 'SUM', is_active: true },
      { name: 'Unfälle', frequency_id: 'Q', value_direction: 'D', aggregate_function: 'AVG', is_active: false },
    ])
    await load('users', 'Vorname;E-Mail;Rolle;Status\nAnn;ann@example.com;Admn;gespert\n')
    expect(rejects()).toContain(
      'user_type ""Admn"" must be one of Admin, Director, Manager, User; did you mean Admin?; user_status ""gespert"" must be one of A, L, or active, locked; did you mean gesperrt?',
    )
  })

  test('a dry run that would reject all rows says each reason once, with its lines, and no row repeats it', async () => {
    writeFileSync(user.folder.in('bad.csv'), 'name,frequency\nA,hourly\nB,hourly\n,\nC,often\nD,hourly\n')
    const must = 'must be one of D, W, M, Q, Y, or daily, weekly, monthly, quarterly, yearly'
    const { code, stdout, stderr } = await user.kpi('kpis', 'import', 'bad.csv', '--dry-run')
    expect([code, stdout, stderr]).toEqual([
      3,
      '',
      'dry run, nothing was sent: 0 KPIs to create, 0 to update, 0 unchanged, 4 rows to reject\n' +
        `rejected: frequency "hourly" ${must} (lines 2, 3 and 6)\nrejected: frequency "often" ${must} (line 5)\n`,
    ])
    const json = await user.kpi('kpis', 'import', 'bad.csv', '--dry-run', '-o', 'json')
    expect(JSON.parse(json.stdout)).toHaveLength(4)
  })

  test('numbers have a point in a list of the command line, and are in doubt in what is made of it', async () => {
    await load('kpis', 'name;frequency;target\nRevenue;daily;1,234\n', '--decimal', ',')
    const { stdout } = await user.kpi('kpis', 'list', '-o', 'csv')
    expect(jsonOf(await load('kpis', stdout))).toMatchObject({ read: 1, unchanged: 1 })
    for (const text of ['name,target_default\nRevenue,1.234\n', stdout.replaceAll(',', ';')]) {
      expect(errorOf(await load('kpis', text)).issues).toMatchObject([
        { message: expect.stringContaining('--decimal . or --decimal ,') as string },
      ])
    }
  })

  test('a column of whole names is split, and a password is taken only when somebody is created', async () => {
    const text = 'Name,Mail,Password\n"Lee, Ann",ann@example.com,once-only-1\nBob Ray,bob@example.com,\n'
    const created = await load('users', text)
    expect(jsonOf(created)).toMatchObject({ created: 2 })
    expect((await list('users')).slice(1)).toMatchObject([
      { first_name: 'Ann', last_name: 'Lee' },
      { first_name: 'Bob', last_name: 'Ray' },
    ])
    const again = await load('users', text.replace('Bob Ray', 'Bob Roy'), '--dry-run')
    expect(again.stderr).toContain('passwords of people who exist already are left alone')
    expect(again.stdout + again.stderr).not.toContain('once-only-1')
    const planned = await load('users', 'name,mail,password\nCy Ng,cy@example.com,once-only-2\n', '--dry-run')
    expect(JSON.parse(planned.stdout)).toMatchObject([{ changes: expect.stringContaining('password: (hidden)') }])
  })

  const KPIS =
    'Measure;Category;Unit;Interval;Target;Better;Active\nRevenue;Sales;currency;monthly;1.234,5;up;yes\nChurn;;Percent;W;2,5;down;no\n'

  test('KPIs name their category and unit, have words for choices, and get the places after the last', async () => {
    await load('categories', 'Category\nSales\n')
    expect(jsonOf(await load('kpis', KPIS))).toMatchObject({ created: 2, rejected: 0 })
    expect(await list('kpis', '--names')).toMatchObject([
      {
        name: 'Revenue',
        category: 'Sales',
        unit: 'Currency',
        frequency_id: 'M',
        target_default: 1234.5,
        sort_order: 1,
      },
      {
        name: 'Churn',
        category: 'General',
        value_direction: 'D',
        target_default: 2.5,
        is_active: false,
        sort_order: 2,
      },
    ])
    const listed = await user.kpi('kpis', 'list', '-o', 'csv', '--names')
    expect(jsonOf(await load('kpis', listed.stdout))).toMatchObject({ read: 2, unchanged: 2, rejected: 0 })
  })

  test('a dry run shows old and new values by name, the counts first, and sends nothing', async () => {
    await load('kpis', KPIS.replace('Sales', 'General'))
    const text = `${KPIS.replace('2,5', '3,5').replace('Percent', 'Number')}Visits;;;daily;;up;yes\nNoise;Sale;;D;;up;\n`
    const ran = await load('kpis', text.replace('Sales', 'General'), '--dry-run')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([
      3,
      [
        { line: 2, action: 'unchanged', id: 1, name: 'Revenue', changes: null },
        {
          line: 3,
          action: 'update',
          id: 2,
          name: 'Churn',
          changes: 'unit: Percent → Number; target_default: 2.5 → 3.5',
        },
        { line: 4, action: 'create', id: null, name: 'Visits' },
        {
          line: 5,
          action: 'reject',
          name: 'Noise',
          reason: 'category: there is no category "Sale"; --create-missing creates it',
        },
      ],
    ])
    expect(errorOf(ran).message).toContain(
      'dry run, nothing was sent: 1 KPI to create, 1 to update, 1 unchanged, 1 row to reject',
    )
    expect(existsSync(user.folder.in('data.rejects.csv'))).toBe(false)
    const short = await load('kpis', text.replace('Sales', 'General'), '--dry-run', '--summary-only')
    expect(JSON.parse(short.stdout)).toMatchObject({ read: 4, created: 1, updated: 1, unchanged: 1, rejected: 1 })
    expect(await list('kpis')).toHaveLength(2)
    writeFileSync(user.folder.in('one.csv'), 'name,unit\nChurn,Number\n')
    const table = await user.kpi('kpis', 'import', 'one.csv', '--dry-run')
    expect(table.stderr).toBe(
      'dry run, nothing was sent: 0 KPIs to create, 1 to update, 0 unchanged, 0 rows to reject\n',
    )
    expect(table.stdout).toMatch(/^ *2 +update +2 +Churn +unit: Percent → Number *$/m)
  })

  test('rows that cannot be imported keep their cells and get all their reasons, and import once they are fixed', async () => {
    const text =
      'name,category,frequency,sort order,active\n' +
      'Bad,Nowhere,hourly,1.5,perhaps\n' +
      'Twice,General,D,,\n' +
      ',General,D,,\n' +
      'twice,,D,,\n' +
      'New,General,,,\n' +
      'Wide,General,D,,,x\n' +
      'Good,General,D,7,true\n'
    const ran = await load('kpis', text)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { read: 7, created: 1, rejected: 6, left: 0 }])
    expect(rejects()).toBe(
      'name,category,frequency,sort order,active,_line,_reason\n' +
        'Bad,Nowhere,hourly,1.5,perhaps,2,"category: there is no category ""Nowhere""; --create-missing creates it; frequency ""hourly"" must be one of D, W, M, Q, Y, or daily, weekly, monthly, quarterly, yearly; sort_order ""1.5"" must be a whole number from -32768 to 32767; is_active ""perhaps"" must be true or false, or yes or no"\n' +
        'Twice,General,D,,,3,"rows with the same name ""Twice"" are on lines 3, 5"\n' +
        ',General,D,,,4,the name is empty\n' +
        'twice,,D,,,5,"rows with the same name ""Twice"" are on lines 3, 5"\n' +
        'New,General,,,,6,"the new KPI ""New"" needs frequency"\n' +
        'Wide,General,D,,,x,7,"the row has 6 cells, the header has 5"\n',
    )
    expect(errorOf(ran).message).toContain('6 rows were rejected; they are in data.rejects.csv with the reasons')
    expect(ran.stderr).toContain('kpi categories list shows the categories that are there')
    const fixed = rejects()
      .replace('New,General,,', 'New,General,M,')
      .replace(/^(?:Bad|twice|,General|Wide).*\n/gm, '')
    expect(jsonOf(await load('kpis', fixed))).toMatchObject({ read: 2, created: 2, rejected: 0 })
  })

  test('a new name without what a new one needs is said, with the name that is probably meant', async () => {
    await load('kpis', 'name,frequency\nNPS,monthly\n')
    const ran = await load('kpis', 'KPI,Target\nNPSS,50\nCalls,7\nVisits,8\n', '--dry-run')
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { name: 'NPSS', reason: 'the new KPI "NPSS" needs frequency; did you mean "NPS"?' },
      { name: 'Calls', reason: 'the new KPI "Calls" needs frequency' },
      { name: 'Visits', reason: 'the new KPI "Visits" needs frequency' },
    ])
    expect(errorOf(ran).message).toContain('rejected: a new KPI needs frequency (2 rows, first line 3)')
    expect(errorOf(ran).message).toContain('rejected: the new KPI "NPSS" needs frequency; did you mean "NPS"? (line 2)')
  })

  test('a rejected row of a dry run has the name or e-mail address that the file has', async () => {
    const people =
      'first name,email,role\nAnn,ann@example.com,boss\nBob,,user\n,bob@example.com,user\n,BOB@example.com,user\n'
    const ran = await load('users', people, '--dry-run')
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { line: 2, action: 'reject', name: 'ann@example.com' },
      { line: 3, action: 'reject', name: 'Bob' },
      {
        line: 4,
        action: 'reject',
        name: 'bob@example.com',
        reason: expect.stringContaining('email "bob@example.com" are'),
      },
      { line: 5, action: 'reject', name: 'BOB@example.com' },
    ])
    expect(errorOf(ran).message).toContain(
      'rejected: rows with the same email "bob@example.com" are on lines 4, 5 (2 rows, first line 4)',
    )
  })

  test('with --only-existing what is new is rejected, with the name that is probably meant', async () => {
    await load('kpis', 'name,frequency\nNPS,monthly\n')
    const text = 'KPI,Target,Frequency\nNPSS,50,monthly\nCalls,9,daily\nnps,60,\n'
    const ran = await load('kpis', text, '--only-existing')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 0, updated: 1, rejected: 2 }])
    expect(rejects()).toContain('NPSS,50,monthly,2,"there is no KPI ""NPSS""; did you mean ""NPS""?"\n')
    expect(rejects()).toContain('Calls,9,daily,3,"there is no KPI ""Calls"""\n')
    expect(errorOf(ran).message).toContain('import that file with the same flags')
    expect(await list('kpis')).toMatchObject([{ name: 'NPS', target_default: 60 }])
  })

  test('a new name that is nearly a known one is warned of, in a dry run, too', async () => {
    await load('categories', 'name\nOrders\nReturns\n')
    for (const flags of [['--dry-run'], []]) {
      const ran = await load('categories', 'name\nOrders\nOrdres\nSales\n', ...flags)
      expect(ran.stderr.split('\n').filter((line) => line.includes('nearly'))).toEqual([
        'warning: the new category "Ordres" is nearly "Orders", which exists: if that is meant, correct the file',
      ])
    }
  })

  test('new names are on one line, name something, and look like no others, unless --by-name says so', async () => {
    const text = 'name\nSales\n"Order\r\nno"\n#REF!\n\u0405ales\nNA\n'
    const ran = await load('categories', text)
    const names = async (): Promise<unknown[]> => (await list('categories')).map(({ name }) => name)
    expect([ran.code, await names()]).toEqual([3, ['General', 'Sales', 'Order no']])
    expect(rejects()).toContain(
      '#REF!,5,"name ""#REF!"" may stand for no value: correct it, or --by-name name takes it as it is"\n',
    )
    expect(rejects()).toContain(
      '\u0405ales,6,"name ""\u0405ales"" looks like ""Sales"", though its ""\u0405"" (U+0405, Cyrillic) is not ""S"" (U+0053, Latin): correct it, or --by-name name takes it as it is"\n',
    )
    await load('categories', 'name\nNa\n', '--by-name', 'name')
    const beside = await load('categories', 'name,sort order\nNA,9\n')
    expect([beside.code, rejects()]).toEqual([
      3,
      expect.stringContaining(
        'name ""NA"" may stand for no value, and is not exactly ""Na"": --by-name name takes ""Na"" for it',
      ),
    ])
    expect(jsonOf(await load('categories', 'name,sort order\nNa,9\n'))).toMatchObject({ updated: 1 })
    expect((await load('categories', text, '--by-name', 'name')).code).toBe(0)
    expect(await names()).toEqual(['General', 'Sales', 'Order no', 'Na', '#REF!', '\u0405ales'])
    const people =
      'e-mail,first name,last name\nann@example.com,Ann,N/A\n\u0430nn@example.com,Bob,\nbob@example.com,Bob,\n'
    expect([(await load('users', people, '--dry-run')).code, (await load('users', people)).code]).toEqual([3, 3])
    expect(rejects().match(/--by-name \w+/g)).toEqual(['--by-name last_name', '--by-name email'])
    const meant = ['--by-name', 'last_name,email']
    expect(jsonOf(await load('users', people, ...meant))).toMatchObject({ created: 2, unchanged: 1 })
  })

  test('e-mail addresses differ in dashes and underscores', async () => {
    const text = 'e-mail,first name\na-b@example.com,Ann\na_b@example.com,Bob\n'
    expect(jsonOf(await load('users', text))).toMatchObject({ created: 2, rejected: 0 })
  })

  test('what exists already is left alone or refused where that is asked for', async () => {
    await load('categories', 'name\nSales\n')
    const text = 'name,sort order\nSALES,9\nOps,\n'
    expect(jsonOf(await load('categories', text, '--on-conflict', 'skip'))).toMatchObject({ created: 1, skipped: 1 })
    const refused = await load('categories', text, '--on-conflict', 'error')
    expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([3, { created: 0, rejected: 2 }])
    expect(rejects()).toContain('SALES,9,2,there is a category of that name already\n')
    expect(await list('categories')).toMatchObject([{ id: 1 }, { name: 'Sales', sort_order: 2 }, { name: 'Ops' }])
    expect(jsonOf(await load('categories', text))).toMatchObject({ updated: 1, unchanged: 1 })
  })

  test('an empty cell keeps what is stored, and clears it only where that is asked for', async () => {
    await load('kpis', KPIS.replace('Sales', 'General'))
    const text = 'name,target,description\nRevenue,,\n'
    expect(jsonOf(await load('kpis', text))).toMatchObject({ unchanged: 1 })
    expect(jsonOf(await load('kpis', text, '--empty', 'clear'))).toMatchObject({ updated: 1 })
    expect((await list('kpis'))[0]).toMatchObject({ target_default: null, unit_id: 4 })
  })

  test('--map names columns, flags stand for columns of all rows, and a header that is unclear is refused', async () => {
    const text = 'Was,Einheit\nRevenue,Number\n'
    const ran = await load('kpis', text, '--map', 'name=Was', '--frequency', 'monthly', '--category', 'general')
    expect(jsonOf(ran)).toMatchObject({ created: 1 })
    const unclear = await load('kpis', text, '--frequency', 'monthly')
    expect([unclear.code, errorOf(unclear).issues]).toEqual([
      1,
      [{ field: 'name', message: 'no column is the name; give one with --map name=Was' }],
    ])
    const twice = await load('kpis', 'name,unit,Einheit\nA,Number,Number\n')
    expect(errorOf(twice).issues).toEqual([
      { field: 'unit', message: 'is both "unit" and "Einheit"; say which: --map unit=COLUMN' },
    ])
    const both = await load('kpis', 'name,unit\nA,Number\n', '--unit', 'Percent')
    expect(errorOf(both).issues[0]?.message).toContain('is given by --unit and by the column "unit"')
    const wrong = await load('kpis', 'name\nA\n', '--unit', 'Nautical')
    expect([wrong.code, errorOf(wrong).message]).toEqual([
      1,
      '--unit: there is no unit "Nautical"; --create-missing creates it',
    ])
  })

  test('a column that is left out is told with what it may hold, and the flag for that', async () => {
    const ran = await load('kpis', 'KPI,Area,Frequency\nCalls,General,daily\n', '--dry-run', '--icon', 'Chart')
    expect(ran.stderr).toContain('columns left out: Area; if Area is the category: --map category=Area\n')
    const none = await load('categories', 'Area,Sort order,X\nSales,1,2\n')
    expect(errorOf(none).issues).toMatchObject([{ message: 'no column is the name; give one with --map name=Area' }])
  })

  test.each([
    ['units', 'Name,Display\nEuro,€ #.00\n', 'if Display is the display_format: --map display_format=Display'],
    ['units', 'Name,Display,Shown\nEuro,€ #.00,x\n', 'if Display is the display_format: --map display_format=Display'],
    ['kpis', 'KPI,Level,Frequency\nA,down,daily\n', 'if Level is the value_direction: --map value_direction=Level'],
    ['kpis', 'KPI,Box,Frequency\nA,Percent,daily\n', 'if Box is the unit: --map unit=Box'],
    ['kpis', 'KPI,Frequncy\nA,daily\n', 'if Frequncy is the frequency: --map frequency=Frequncy'],
    ['kpis', 'KPI,Default goal,Frequency\nA,7.5,daily\n', 'if Default goal is the target_default: --map'],
    ['kpis', 'KPI,Owner,Frequency\nA,Ann Lee,daily\n', ''],
    ['kpis', 'KPI,Unit price,Frequency\nA,3.50,daily\n', ''],
    [
      'kpis',
      'KPI,Target for 2026,Frequency\nA,70,daily\n',
      'if Target for 2026 is the target_default: --map "target_default=Target for 2026"',
    ],
    [
      'users',
      'E-mail,First name,Shop,Level\nann@example.com,Ann,North,Manager\n',
      'if Level is the user_type: --map user_type=Level',
    ],
    [
      'users',
      'E-mail,First name,Shop\nann@example.com,Ann,North\n',
      '--create-missing takes Shop as a group of people',
    ],
    ['users', 'E-mail,First name,Since\nann@example.com,Ann,2020-01-01\n', ''],
    [
      'categories',
      'Name,Place in list\nSales,4\n',
      'if Place in list is the sort_order: --map "sort_order=Place in list"',
    ],
    ['categories', 'Name,Sorting\nSales,x\n', ''],
    [
      'kpis',
      'Name,Frequency,How it adds up\nA,monthly,sum\nB,monthly,average\nC,monthly,last\nD,monthly,n/a\n',
      'if How it adds up is the aggregate_function: --map "aggregate_function=How it adds up"',
    ],
    ['kpis', 'Name,Frequency,How it adds up\nA,monthly,sum\nB,monthly,last\nC,monthly,most\n', ''],
  ] as const)('%s import says of %j what a column that is left out means, or nothing', async (what, text, meant) => {
    writeFileSync(user.folder.in('data.csv'), text)
    const { stderr } = await user.kpi(what, 'import', 'data.csv', '--dry-run')
    const told = stderr.split('\n').find((line) => line.startsWith('columns left out: '))
    const hints = told?.split('; ').slice(1) ?? ['none']
    expect(hints.join('; ')).toContain(meant)
    expect(hints.length > 0).toBe(meant !== '')
  })

  test.each([
    ['Prénom;Nom;Courriel\nAnn;Lee;ann@example.com\n', 'Ann', 'Lee'],
    ['Nom;Prénom;Courriel\nLee;Ann;ann@example.com\n', 'Ann', 'Lee'],
    ['Name;Vorname;E-Mail\nLee;Ann;ann@example.com\n', 'Ann', 'Lee'],
    ['Name;Vorname;E-Mail\nAnn Lee;Ann;ann@example.com\n', 'Ann', 'Lee'],
    ['Vorname;Nachname;Name;E-Mail\nAnn;Lee;Lee, Ann;ann@example.com\n', 'Ann', 'Lee'],
    ['Name;Nachname;E-Mail\nAnn;Lee;ann@example.com\n', 'Ann', 'Lee'],
    ['Surname;Name;E-mail\nLee;Ann Marie;ann@example.com\n', 'Ann Marie', 'Lee'],
    ['Name;Last name;E-mail\nAnn van der Lee;van der Lee;ann@example.com\n', 'Ann', 'van der Lee'],
    ['Name;Last name;E-mail\n"Lee, Dr. Ann";Lee;ann@example.com\n', 'Dr. Ann', 'Lee'],
    ['Name;Last name;E-mail\nAnn Lee;;ann@example.com\n', 'Ann', 'Lee'],
    ['Nombre;Apellidos;Correo\nAnn;Lee Ray;ann@example.com\n', 'Ann', 'Lee Ray'],
    ['Nombre;Correo\nAnn Lee;ann@example.com\n', 'Ann', 'Lee'],
    ['Nombre;Correo\nAnn;ann@example.com\n', 'Ann', null],
    ['Nome;Cognome;E-mail\nAnn;Lee;ann@example.com\n', 'Ann', 'Lee'],
    ['Employee;E-mail\n"Lee, Ann";ann@example.com\n', 'Ann', 'Lee'],
    ['Mitarbeiter;E-Mail\nDr. Ann Lee;ann@example.com\n', 'Dr. Ann', 'Lee'],
    ['Employee;E-mail\nAnn;ann@example.com\n', 'Ann', null],
    ['First name;Username;E-mail\nAnn;alee;ann@example.com\n', 'Ann', null],
    ['User;Name\nann@example.com;"Lee, Ann Marie"\n', 'Ann Marie', 'Lee'],
  ])('people have the names that the columns of %j give them', async (text, first_name, last_name) => {
    expect(jsonOf(await load('users', text))).toMatchObject({ created: 1, rejected: 0 })
    expect((await list('users'))[1]).toMatchObject({ first_name, last_name, email: 'ann@example.com' })
  })

  test('groups have items by name, each within its own group', async () => {
    expect(jsonOf(await load('groups', 'Group\nRegion\nTeam\n'))).toMatchObject({ created: 2 })
    const text = 'Gruppe,Item\nRegion,North\nTeam,North\nregion,South\n'
    expect(jsonOf(await load('group-items', text))).toMatchObject({ created: 3 })
    expect(jsonOf(await load('group-items', text))).toMatchObject({ created: 0, unchanged: 3 })
    const moved = await load('group-items', 'name,sort_order\nNorth,9\nEast,\n', '--group', 'Team')
    expect(jsonOf(moved)).toMatchObject({ created: 1, updated: 1 })
    expect(await list('group-items', '--names')).toMatchObject([
      { name: 'North', group: 'Region', sort_order: 1 },
      { name: 'South', group: 'Region', sort_order: 2 },
      { name: 'North', group: 'Team', sort_order: 9 },
      { name: 'East', group: 'Team' },
    ])
    const lacking = await load('group-items', 'name\nWest\n')
    expect(errorOf(lacking).issues).toEqual([
      { field: 'group', message: 'no column is the group; give one with --map group=COLUMN or --group' },
    ])
  })

  test('units, a file that is packed, and standard input', async () => {
    const text = 'name,format,entry format,percentage\nHours,#.00 h,#.00,no\nShare,#.0%,#.0,yes\n'
    writeFileSync(user.folder.in('units.csv.gz'), gzipSync(text))
    expect(jsonOf(await user.kpi('units', 'import', 'units.csv.gz', '-o', 'json'))).toMatchObject({ created: 2 })
    const piped = await user.kpiIn({ stdin: `${text}Metres,#.0 m,,\n` }, 'units', 'import', '-', '-o', 'json')
    expect(jsonOf(piped)).toMatchObject({ read: 3, created: 1, unchanged: 2 })
    expect((await list('units')).slice(4)).toMatchObject([
      { name: 'Hours', display_format: '#.00 h', is_percentage: false },
      { name: 'Share', is_percentage: true },
      { name: 'Metres', entry_format: '#.00' },
    ])
  })

  test('numbers that fit ids and names alike are asked about', async () => {
    await load('categories', 'name\n1\n2\n')
    const text = 'name,category,frequency\nA,1,D\nB,2,D\n'
    const ran = await load('kpis', text)
    expect(ran.code).toBe(1)
    expect(errorOf(ran).issues[0]?.message).toContain('say which: --by-id category or --by-name category')
    expect(jsonOf(await load('kpis', text, '--by-name', 'category'))).toMatchObject({ created: 2 })
    expect(await list('kpis')).toMatchObject([{ category_id: 2 }, { category_id: 3 }])
  })

  test('too many bad rows stop it before anything is sent', async () => {
    const bad = 'x,nobody\n'.repeat(25)
    const all = await load('users', `first name,email\n${bad}Ann,ann@example.com\n`)
    expect([all.code, errorOf(all).message]).toEqual([1, expect.stringContaining('the first 20 rows are all bad')])
    const some = await load('users', `first name,email\nAnn,ann@example.com\n${bad}`, '--max-errors', '5')
    expect([some.code, errorOf(some).message]).toEqual([
      1,
      'nothing was sent: 6 of the first 7 rows are bad, more than --max-errors 5 allows',
    ])
    expect(await list('users')).toHaveLength(1)
  })

  test('flags that say nothing together are wrong usage', async () => {
    for (const args of [['--summary-only'], ['--map', 'colour=A'], ['--unit', ''], ['--on-conflict', 'add']]) {
      expect((await load('kpis', 'name\nA\n', ...args)).code).toBe(2)
    }
  })

  test('an import leaves a receipt without passwords, by which undo takes it back, wherever its record was', async () => {
    const before = await list('users')
    const text = 'name,mail,password\nAnn Lee,ann@example.com,once-only-3\nBob Ray,bob@example.com,once-only-4\n'
    const records = (): string[] =>
      readdirSync(user.folder.in('.'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.run'))
    for (const flags of [[], ['--journal', user.folder.in('own')]]) {
      expect(jsonOf(await load('users', text, ...flags))).toMatchObject({ created: 2 })
      const runs = await rowsOf(user.kpi('history', '-o', 'json'))
      const run = runs.find(({ command, undone_at }) => command === 'users import' && undone_at === null)
      expect(run).toMatchObject({ created: 2 })
      expect(records().filter((path) => readFileSync(user.folder.in(path), 'utf8').includes('once-only'))).toEqual([])
      expect(await user.kpi('undo', String(run?.['receipt']), '--yes')).toMatchObject({ code: 0 })
      expect(await list('users')).toEqual(before)
    }
    // An undo leaves a receipt, too.
    expect(records()).toHaveLength(4)
    await load('users', text, '--dry-run')
    const unchanged = 'mail\nadmin@localhost\n'
    expect(jsonOf(await load('users', unchanged))).toMatchObject({ unchanged: 1 })
    expect(records()).toHaveLength(4)
    const piped = await user.kpiIn({ stdin: text }, 'users', 'import', '-', '-o', 'json')
    expect([jsonOf(piped), records().length]).toMatchObject([{ created: 2 }, 5])
  })

  test('in a table it ends with a sentence and the counts that are not zero', async () => {
    writeFileSync(user.folder.in('c.csv'), 'name\nSales\nOps\n')
    const ran = await user.kpi('categories', 'import', 'c.csv')
    expect([ran.code, ran.stderr]).toEqual([0, 'imported c.csv at 12:00:00: 2 rows read, 2 categories created\n'])
    expect(ran.stdout.split('\n').map((line) => line.split(/ +/)[0])).toEqual(
      expect.arrayContaining(['read', 'created', 'requests']),
    )
    expect(ran.stdout).not.toMatch(/updated|skipped|rejected|left/)
  })
})

describe.each(newerUsers)('%s, breakdown items', (_, open) => {
  test('are created and changed within their breakdown, and people are left as they are', async () => {
    await using user = await open()
    await user.client.groups.add({ name: 'Region' })
    await user.client.users.add(userNamed('Ann', { last_name: 'Lee' }))
    const load = (text: string, ...args: string[]): Promise<Ran> => {
      writeFileSync(user.folder.in('items.csv'), text)
      return user.kpi('breakdown-items', 'import', 'items.csv', '-o', 'json', ...args)
    }
    expect(jsonOf(await load('Item,Breakdown\nNorth,2\nSouth,2\n'))).toMatchObject({ created: 2 })
    expect(jsonOf(await load('name,archived\nNorth,yes\nEast,\n', '--breakdown', '2'))).toMatchObject({
      created: 1,
      updated: 1,
    })
    const person = await load('name,sort_order\nAnn Lee,9\n', '--breakdown', '1')
    expect([person.code, JSON.parse(person.stdout)]).toMatchObject([3, { rejected: 1 }])
    const named = await load('name,breakdown\nWest,Region\n')
    expect(named.code).toBe(open === embeddedUser ? 0 : 3)
  })
})

test('a calculated KPI is not changed', async () => {
  await using user = await embeddedUser()
  await user.kpi('kpis', 'create', '--name', 'Sales', '--frequency', 'M')
  const formula = ['--formula', '[1] * 2', '--frequency', 'M', '--unit', 'Number']
  jsonOf(await user.kpi('service', 'calculated', 'add', '--name', 'Twice', ...formula, '-o', 'json'))
  writeFileSync(user.folder.in('k.csv'), 'name,description\nTwice,all of it\n')
  const ran = await user.kpi('kpis', 'import', 'k.csv', '-o', 'json')
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { rejected: 1 }])
  expect(readFileSync(user.folder.in('k.rejects.csv'), 'utf8')).toContain('KPI 2 is calculated, and only its operator')
})

test.each([
  ['users', newerUser],
  ['groups', newerUser],
  ['group-items', newerUser],
  ['breakdown-items', remoteUser],
] as const)('%s import says that the variant lacks it before it reads the file', async (what, open) => {
  await using user = await open()
  const ran = await user.kpi(what, 'import', 'there-is-no-such-file.csv')
  expect([ran.code, ran.stdout]).toEqual([7, ''])
})

test('KPIs, categories and units are imported through the newer interface, too', async () => {
  await using user = await newerUser()
  writeFileSync(user.folder.in('k.csv'), 'name,frequency,target\nRevenue,monthly,12.5\n')
  expect(jsonOf(await user.kpi('kpis', 'import', 'k.csv', '-o', 'json'))).toMatchObject({ created: 1 })
  expect(jsonOf(await user.kpi('kpis', 'import', 'k.csv', '-o', 'json'))).toMatchObject({ unchanged: 1 })
  writeFileSync(user.folder.in('c.csv'), 'name\nSales\n')
  for (const what of ['categories', 'units'])
    expect(jsonOf(await user.kpi(what, 'import', 'c.csv', '-o', 'json'))).toMatchObject({ created: 1 })
})

test.each([
  [
    'kpis',
    /Columns: category, icon, unit, frequency, name, description, target_default, [^.]*is_active, target_base, targets\. /,
  ],
  ['users', /Columns: [^.]*email[^.]*, name\. /],
  ['group-items', /Columns: group, name, sort_order\. /],
  ['breakdown-items', /Columns: breakdown, name, [^.]*\. /],
])('the help of %s import lists the columns that it takes', async (what, line) => {
  await using user = await embeddedUser()
  const help = await user.kpi(what, 'import', '--help')
  expect(help.stdout.replaceAll(/\s+/g, ' ')).toMatch(line)
})
