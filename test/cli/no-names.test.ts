import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { waysIn } from '../support/advice.ts'
import { allOf, errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { lookAlikes, noNames } from '../support/no-names.ts'
import { embeddedUser, type User } from '../support/user.ts'
import { runs } from '../support/soak/tests.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(() => user[Symbol.asyncDispose]())

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

const load = (text: string, ...args: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('data.csv'), text)
  return user.kpi(...(args as [string, ...string[]]), '-o', 'json')
}

/** Returns what a run printed, of which some rows may be rejected. */
const printed = ({ stdout }: Ran): unknown => JSON.parse(stdout)

const CREATE = ['--create-missing', '--frequency', 'D']
const importEntries = (text: string, ...args: string[]): Promise<Ran> =>
  load(text, 'entries', 'import', 'data.csv', ...CREATE, ...args)

const namesOf = async (noun: string): Promise<string[]> =>
  (jsonOf(await user.kpi(noun, 'list', '-o', 'json')) as { name: string }[]).map(({ name }) => name)

const drawnNames = fc.uniqueArray(noNames, {
  minLength: 1,
  maxLength: 12,
  selector: (name) =>
    name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, '') || name.normalize('NFKC').replaceAll(/[ _\p{Pd}\u2212]+/gu, '-'),
})

const entriesOf = (column: string, names: readonly string[], good: string): string =>
  [
    `${column},Date,Value`,
    `${good},2026-04-01,1`,
    `${good},2026-04-02,2`,
    ...names.map((name, at) => `${quoted(name)},2026-03-${String(at + 1).padStart(2, '0')},${at}`),
  ].join('\n')

describe('names that name nothing, in many languages and spellings', () => {
  test.each([
    ['Store', []],
    ['Customer', ['--map', 'source=Customer']],
    ['KPI', ['--source', 'A']],
  ])('in a column %s become neither owners nor KPIs', async (column, flags) => {
    await fc.assert(
      fc.asyncProperty(drawnNames, async (names) => {
        const wanted = column === 'Store' ? [] : flags
        const value = column === 'KPI' ? [] : ['--kpi', 'Sales']
        const text = entriesOf(column, names, 'Good')
        const told = allOf(errorOf(await importEntries(text, ...wanted, ...value)))
        const [missing = []] = waysIn(told)
        expect(missing[0]).toMatch(/^--missing(?:=|$)/)
        const ran = await importEntries(text, ...wanted, ...value, ...missing, '--dry-run', '--summary-only')
        expect(printed(ran)).toMatchObject({ created: 2, rejected: names.length })
      }),
      { numRuns: runs(3, 20) },
    )
  })

  test('in files of definitions are rejected, unless --by-name says that they are meant', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('categories', 'kpis', 'groups', 'units'), drawnNames, async (noun, names) => {
        const text = `name\nFirst\nSecond\n${names.map((name) => `${quoted(name)}\n`).join('')}`
        const args = [
          noun,
          'import',
          'data.csv',
          ...(noun === 'kpis' ? ['--frequency', 'D'] : []),
          '--dry-run',
          '--summary-only',
        ]
        expect(printed(await load(text, ...args))).toMatchObject({ created: 2, rejected: names.length })
        expect(jsonOf(await load(text, ...args, '--by-name', 'name'))).toMatchObject({ rejected: 0 })
      }),
      { numRuns: runs(3, 20) },
    )
  })

  test('in a configuration are faults with their lines, unless --by-name says that they are meant', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('categories', 'groups', 'units'), drawnNames, async (section, names) => {
        const lines = names.map((name) => `  - name: ${JSON.stringify(name)}\n`)
        writeFileSync(user.folder.in('kpi.yaml'), `${section}:\n  - name: Good\n${lines.join('')}`)
        for (const command of ['plan', 'apply']) {
          const told = allOf(errorOf(await user.kpi(command, 'kpi.yaml', '-o', 'json')))
          for (const [at] of names.entries()) expect(told).toContain(`line ${at + 3}`)
        }
        const planned = await user.kpi('plan', 'kpi.yaml', '--by-name', section, '-o', 'json')
        expect(jsonOf(planned)).toHaveLength(names.length + 1)
      }),
      { numRuns: runs(3, 20) },
    )
  })

  test('are warned of where a line names them', async () => {
    await fc.assert(
      fc.asyncProperty(noNames, async (name) => {
        const lines = [
          ['categories', 'create', `--name=${name}`, '--dry-run'],
          ['kpis', 'create', `--name=${name}`, '--frequency', 'D', '--dry-run'],
          ['categories', 'update', '1', `--name=${name}`, '--dry-run'],
        ]
        for (const [noun = '', ...args] of lines) {
          expect((await user.kpi(noun, ...args)).stderr).toMatch(
            /warning: the name ".*" of the .* may stand for no value/,
          )
        }
      }),
      { numRuns: runs(3, 20) },
    )
  })
})

test('a KPI may count errors, and an owner is not called so', async () => {
  const text = 'Store,Date,Fehler,Errors,Error\nA,2026-03-01,1,2,3\nA,2026-03-02,1,2,3\n'
  expect(jsonOf(await importEntries(text))).toMatchObject({ created: 6 })
  expect(allOf(errorOf(await importEntries(`${text}FEHLER,2026-03-03,1,2,3\n`)))).toContain('"FEHLER" (line 4)')
})

test('a word means only what has exactly that name', async () => {
  await importEntries('Store,Date,Sales\nNa,2026-03-01,1\nA,2026-03-01,1\n', '--by-name', 'source')
  const text = 'Store,Date,Sales\nNA,2026-03-02,5\nA,2026-03-02,5\n'
  expect(allOf(errorOf(await importEntries(text)))).toContain(
    'Store: "NA" (line 2) would be the name of a new breakdown item',
  )
  const ran = await load(text, 'entries', 'import', 'data.csv')
  expect([ran.code, ran.stderr]).toEqual([
    3,
    expect.stringContaining(
      'may stand for no value, and no breakdown item has exactly that name; --by-name source takes',
    ),
  ])
  expect(jsonOf(await importEntries(text.replace('NA', 'Na')))).toMatchObject({ created: 1, unchanged: 1 })
  expect(jsonOf(await importEntries(text, '--by-name', 'source'))).toMatchObject({ unchanged: 2 })
})

test('what a flag names for all rows is asked about, and created with a warning if it is meant', async () => {
  const text = 'Date,Value\n2026-03-01,1\n2026-03-02,1\n'
  const flags = ['--source', '#N/A', '--kpi', '#REF!', '--dry-run', '--summary-only']
  const told = allOf(errorOf(await importEntries(text, ...flags)))
  expect(told).toContain('--kpi: "#REF!" would be the name of a new KPI, and may stand for no value')
  expect(told).toContain('--source: "#N/A" would be the name of a new breakdown item, and may stand for no value')
  const ran = await importEntries(text, ...flags, ...waysIn(told).flat())
  expect(ran.stderr).toContain('the new KPI "#REF!" of --kpi may stand for no value')
  expect(ran.stderr).toContain('the new breakdown item "#N/A" of --source may stand for no value')
})

describe('errors of a spreadsheet and words for no value in place of a user', () => {
  const ROWS = 'ann@example.com,2026-03-01,1\nann@example.com,2026-03-02,2\n'
  const pattern = ['--email-pattern', '{name}@example.com']

  test.each([
    ['#REF!', 'is an error of the spreadsheet'],
    ['#NAME?', 'is an error of the spreadsheet'],
    ['N/A', 'may stand for no value'],
    ['(leer)', 'may stand for no value'],
  ])('%s is called so at once, and nothing else is advised', async (word, what) => {
    for (const flags of [[], ['--create-missing=kpis'], ['--create-missing'], ['--create-missing', ...pattern]]) {
      const args = flags.length > 0 ? ['--frequency', 'D', ...flags] : []
      const text = `user,Date,Sales\n${ROWS}${word},2026-03-03,1\n`
      if (flags.length === 0) await importEntries(text, '--yes')
      const ran = await load(text, 'entries', 'import', 'data.csv', '--on-conflict', 'skip', ...args)
      const told = `${ran.stderr}${ran.stdout}`
      if (word === 'N/A' && flags.includes('--email-pattern')) continue
      expect(told).toContain(`\\"${word}\\" ${what}, and there is no user of that name; correct the file (line 4)`)
      expect(told).not.toMatch(/--create-missing=|--email-pattern|letters that/)
    }
  })

  test('is named where it is the e-mail address of a new user', async () => {
    const text = 'employee,email,Date,Sales\nAnn Lee,N/A,2026-03-01,1\nBob,bob@example.com,2026-03-01,1\n'
    const ran = await importEntries(text, '--map', 'user=employee,email=email')
    expect(ran.stderr).toContain('cannot become a user: its e-mail address \\"N/A\\" may stand for no value')
    expect(allOf(errorOf(await importEntries(text.replace(/Bob.*\n/, ''))))).toContain(
      'is both "employee" and "email", and "email" holds no e-mail addresses, but texts such as "N/A"; say which',
    )
  })
})

describe('names that look like others', () => {
  test('stop a plan and a line, and are rejected from a file, unless they are meant', async () => {
    await fc.assert(
      fc.asyncProperty(lookAlikes, fc.boolean(), async (names, isFirst) => {
        const [name, other] = isFirst ? names : names.toReversed()
        await using own = await embeddedUser()
        const { folder } = own
        writeFileSync(folder.in('kpi.yaml'), `categories:\n  - name: ${name}\n  - name: ${other}\n`)
        writeFileSync(folder.in('data.csv'), `name\n${name}\n${other}\n`)
        const told = `looks like "${name}", though its "`
        expect(allOf(errorOf(await own.kpi('apply', 'kpi.yaml', '-o', 'json')))).toContain(told)
        const loaded = await own.kpi('categories', 'import', 'data.csv', '-o', 'json')
        expect(printed(loaded)).toMatchObject({ created: 1, rejected: 1 })
        const create = ['categories', 'create', '--name', other ?? ''] as const
        const refused = await own.kpi(...create)
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(told)])
        const meant = waysIn(refused.stderr).find(([flag]) => flag === '--by-name') ?? []
        expect((await own.kpi(...create, ...meant)).code).toBe(0)
        expect((await own.kpi('apply', 'kpi.yaml')).stderr).toContain('2 unchanged')
      }),
      { numRuns: runs(3, 20) },
    )
  })
})

describe('e-mail addresses of new users that look like others', () => {
  const CYRILLIC: Readonly<Record<string, string>> = { a: 'а', c: 'с', e: 'е', o: 'о', p: 'р', x: 'х' }
  const KNOWN = 'ann@xco.example'
  const lookAlike = fc
    .constantFrom(...[...Array.from(KNOWN).keys()].filter((at) => CYRILLIC[KNOWN.charAt(at)] !== undefined))
    .map((at) => KNOWN.slice(0, at) + (CYRILLIC[KNOWN.charAt(at)] ?? '') + KNOWN.slice(at + 1))

  test('stop an import, wherever a file has them, beside each other or beside what exists', async () => {
    const header = fc.constantFrom('user', 'email', 'Employee,E-mail', 'Mitarbeiter,Mitarbeiter-E-Mail')
    await fc.assert(
      fc.asyncProperty(lookAlike, header, fc.boolean(), async (address, columns, exists) => {
        await using own = await embeddedUser()
        const named = (name: string, email: string): string => (columns.includes(',') ? `${name},${email}` : email)
        const before = exists ? '' : `${named('Ann', KNOWN)},2026-03-01,1\n`
        if (exists) await own.kpi('users', 'create', '--first-name', 'Ann', '--email', KNOWN)
        const text = `${columns},Date,Sales\n${before}${named('Bo Oh', address)},2026-03-02,1.5\n`
        writeFileSync(own.folder.in('data.csv'), text)
        const run = (...args: string[]) =>
          own.kpi('entries', 'import', 'data.csv', ...CREATE, '--yes', '-o', 'json', ...args)
        const told = allOf(errorOf(await run()))
        expect(told).toContain(`${address}: would be a new user, and looks like "${KNOWN}", though its "`)
        expect(await own.client.users.list()).toHaveLength(exists ? 2 : 1)
        expect((await run(...waysIn(told).flat())).code).toBe(0)
      }),
      { numRuns: runs(3, 20) },
    )
  })
})

describe('names that nobody can tell apart by sight', () => {
  const twinsOf = (name: string): fc.Arbitrary<string> =>
    fc.constantFrom(
      name.normalize('NFD'),
      `${name}\u200b`,
      name.replace(' ', '\u00ad '),
      name.replace(' ', '\u00a0'),
      name.replace('Caf', 'Ｃａｆ'),
    )

  test('stop an apply, beside each other or beside what exists, unless they are meant or both exist', async () => {
    const noun = fc.constantFrom('categories', 'groups', 'units', 'kpis')
    await fc.assert(
      fc.asyncProperty(noun, twinsOf('Café A'), fc.boolean(), async (section, twin, exists) => {
        await using own = await embeddedUser()
        const more = section === 'kpis' ? ', frequency: D' : section === 'units' ? ", display_format: '#'" : ''
        const write = (...names: readonly string[]): void => {
          const items = names.map((name) => `  - { name: "${name}"${more} }\n`)
          writeFileSync(own.folder.in('kpi.yaml'), `${section}:${items.length === 0 ? ' []' : ''}\n${items.join('')}`)
        }
        write(...(exists ? ['Café A'] : []))
        expect((await own.kpi('apply', 'kpi.yaml')).code).toBe(0)
        write('Café A', twin)
        for (const command of ['plan', 'apply']) {
          const told = allOf(errorOf(await own.kpi(command, 'kpi.yaml', '-o', 'json')))
          expect(told).toMatch(/line 3: .* looks like "Café A", though its character \d+ is U\+[\dA-F]{4,}, and not /)
        }
        const [meant = []] = waysIn(allOf(errorOf(await own.kpi('apply', 'kpi.yaml', '-o', 'json'))))
        expect((await own.kpi('apply', 'kpi.yaml', ...meant)).code).toBe(0)
        expect((await own.kpi('apply', 'kpi.yaml')).stderr).toContain('2 unchanged')
      }),
      { numRuns: runs(3, 20) },
    )
  })

  test('may be those of two people, whose addresses differ', async () => {
    const names = ['José', 'José'.normalize('NFD')]
    const users = names.map((name, at) => `  - { email: u${at}@example.com, first_name: "${name}" }\n`)
    writeFileSync(user.folder.in('kpi.yaml'), `users:\n${users.join('')}`)
    expect((await user.kpi('apply', 'kpi.yaml')).code).toBe(0)
  })
})

test.each<[noun: string, first: readonly string[], other: readonly string[], told: string]>([
  [
    'users',
    ['--first-name', 'Ann', '--last-name', 'Lee'],
    ['--first-name', 'Аnn', '--last-name', 'Lee'],
    'the full name "Аnn Lee" of the user looks like "Ann Lee"',
  ],
  [
    'users',
    ['--first-name', 'Jose'],
    ['--first-name', 'José'],
    'the new user "José" is nearly "Jose", which exists: if that is meant, correct the name',
  ],
  [
    'kpis',
    ['--frequency', 'D', '--name', 'Cafe'],
    ['--frequency', 'D', '--name', 'Café'],
    'the new KPI "Café" is nearly "Cafe"',
  ],
  ['categories', ['--name', 'Harbour'], ['--name', 'Harbor'], 'the new category "Harbor" is nearly "Harbour"'],
])('%s create %j and %j are told to be alike', async (noun, first, other, told) => {
  const address = (email: string): string[] => (noun === 'users' ? ['--email', email] : [])
  expect((await user.kpi(noun, 'create', ...first, ...address('a@example.com'))).stderr).toBe('')
  expect((await user.kpi(noun, 'create', ...other, ...address('b@example.com'))).stderr).toContain(`warning: ${told}`)
})

test('a name with any apostrophe is one owner', async () => {
  const marks = Array.from("'’‘ʼ`´′＇")
  const rows = marks.map((mark, at) => `O${mark}Neil,2026-03-0${at + 1},1\n`).join('')
  const ran = await importEntries(`Store,Date,Sales\n${rows}`)
  expect([jsonOf(ran), ran.stderr]).toMatchObject([
    { created: marks.length },
    expect.stringContaining('1 breakdown item'),
  ])
})

test('a configuration leaves an e-mail address as it is stored, however the file spells it', async () => {
  writeFileSync(user.folder.in('kpi.yaml'), 'users: [{ email: u0@example.com, first_name: Ann }]\n')
  expect((await user.kpi('apply', 'kpi.yaml')).code).toBe(0)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('u0\u200b@example.com', 'U0@EXAMPLE.com', 'ｕ0@example.com'), async (email) => {
      writeFileSync(user.folder.in('kpi.yaml'), `users: [{ email: "${email}", first_name: Ann }]\n`)
      expect((await user.kpi('apply', 'kpi.yaml')).stderr).toContain('1 unchanged')
      expect((await user.client.users.list()).map((one) => one.email)).toContain('u0@example.com')
    }),
    { numRuns: runs(1, 10) },
  )
})

test('a plan keeps which names are meant', async () => {
  writeFileSync(user.folder.in('kpi.yaml'), 'categories: [{ name: N/A }]\n')
  await user.kpi('plan', 'kpi.yaml', '--by-name', 'categories', '--to-file', 'plan.json')
  expect((await user.kpi('apply', 'plan.json', '--by-name', 'categories')).code).toBe(2)
  expect((await user.kpi('apply', 'plan.json')).code).toBe(0)
  expect(await namesOf('categories')).toContain('N/A')
  expect((await user.kpi('plan', 'kpi.yaml', '--by-name', 'stores')).code).toBe(2)
})

test('an apply leaves names that differ only in a dash, and that it has both created', async () => {
  writeFileSync(user.folder.in('kpi.yaml'), 'categories: [{ name: A B }, { name: A-B }]\n')
  expect((await user.kpi('apply', 'kpi.yaml')).code).toBe(0)
  expect(await namesOf('categories')).toEqual(['General', 'A B', 'A-B'])
  expect((await user.kpi('plan', 'kpi.yaml')).stderr).toContain('nothing to do')
})
