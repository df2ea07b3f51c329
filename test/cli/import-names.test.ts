import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { waysIn } from '../support/advice.ts'
import { allOf, errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { spellings } from '../support/spellings.ts'
import { embeddedUser, type User } from '../support/user.ts'
import { runs } from '../support/soak/tests.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(() => user[Symbol.asyncDispose]())

const importText = (text: string, ...args: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('data.csv'), text)
  return user.kpi('entries', 'import', 'data.csv', '--create-missing', '--frequency', 'D', '-o', 'json', ...args)
}

const namesOf = async (noun: string): Promise<string[]> =>
  (jsonOf(await user.kpi(noun, 'list', '-o', 'json')) as { name: string }[]).map(({ name }) => name)

const itemNames = async (): Promise<string[]> => {
  const groups = jsonOf(await user.kpi('groups', 'list', '-o', 'json')) as { id: number }[]
  const lists = groups.map(async ({ id }) => user.kpi('group-items', 'list', '--group', String(id), '-o', 'json'))
  return (await Promise.all(lists)).flatMap((list) => (jsonOf(list) as { name: string }[]).map(({ name }) => name))
}

const countsOf = (ran: Ran): unknown[] => {
  const { created, rejected } = JSON.parse(ran.stdout) as { created: number; rejected: number }
  return [ran.code, created, rejected]
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

describe('words for no value as names', () => {
  const FILE =
    'Store,Date,Sales\nN/A,2026-03-01,10\n#REF!,2026-03-02,20\n(blank),2026-03-04,1\nA,2026-03-05,3\nA,2026-03-06,4\n'

  test('that --missing lists reject their rows', async () => {
    const text = 'Store,Date,Sales\nERROR,2026-03-01,10\nA,2026-03-01,ERROR\nA,2026-03-02,20\nUNKNOWN,2026-03-02,30\n'
    const ran = await importText(text, '--missing', 'ERROR,UNKNOWN')
    expect(countsOf(ran)).toEqual([3, 1, 2])
    expect(ran.stderr).toContain(
      String.raw`rejected: \"ERROR\" stands for no value, and there is no breakdown item of that name (line 2)`,
    )
    expect(await itemNames()).toEqual(['A'])
  })

  test('stop an import that would create them, and the flags that it names settle it', async () => {
    const told = allOf(errorOf(await importText(FILE)))
    expect(told).toContain(
      `Store: "N/A" (line 2), "#REF!" (line 3), "(blank)" (line 4) would be the name of a new breakdown item, and may stand for no value: --missing 'N/A,#REF!,(blank)' rejects the rows, --by-name source takes them as names`,
    )
    const [missing = [], named = []] = waysIn(told)
    expect(countsOf(await importText(FILE, ...missing, '--dry-run', '--summary-only'))).toEqual([3, 2, 3])
    expect(countsOf(await importText(FILE, '--missing', '', '--dry-run', '--summary-only'))).toEqual([3, 2, 3])
    expect(countsOf(await importText(FILE, ...named))).toEqual([0, 5, 0])
    expect(await itemNames()).toEqual(['N/A', '#REF!', '(blank)', 'A'])
    expect(countsOf(await importText(FILE.replaceAll(/,(\d+)\n/g, ',9$1\n'), ...missing))).toEqual([0, 0, 0])
  })

  test('stop an import as headers, which are left out by a flag that it names', async () => {
    const text = 'Store,Date,Sales,#REF!\nA,2026-03-05,3,1\nA,2026-03-06,4,2\n'
    const told = allOf(errorOf(await importText(text)))
    const [ignore = [], named = []] = waysIn(told)
    expect([ignore, named]).toEqual([
      ['--ignore', '#REF!'],
      ['--by-name', 'kpi'],
    ])
    expect(countsOf(await importText(text, ...named, '--dry-run', '--summary-only'))).toEqual([0, 4, 0])
    expect(countsOf(await importText(text, ...ignore))).toEqual([0, 2, 0])
    expect(await namesOf('kpis')).toEqual(['Sales'])
  })

  test('are no parts of names, of items or of persons', async () => {
    const items = 'Country,Store,Date,Sales\nDE,Lake,2026-03-05,3\nDE,#N/A,2026-03-06,4\n'
    const map = ['--map', 'source=Country+Store']
    expect(allOf(errorOf(await importText(items, ...map)))).toContain(`"DE / #N/A" (line 3)`)
    expect(countsOf(await importText(items, ...map, '--missing', '#N/A'))).toEqual([3, 1, 1])
    const persons = 'First,Last,Date,Sales\nJane,NULL,2026-03-05,3\nJane,Lee,2026-03-06,4\n'
    const flags = ['--map', 'user=First+Last', '--email-pattern', '{name}@example.com']
    expect(allOf(errorOf(await importText(persons, ...flags)))).toContain(`"Jane NULL" (line 2)`)
    expect(countsOf(await importText(persons, ...flags, '--by-name', 'user'))).toEqual([0, 2, 0])
  })

  test.each([
    'N. S.',
    'Vides',
    'Error 404',
    'Fehler 2024',
    'Lege',
    'NC',
    'Nan Lee',
    'Nadia',
    '#sales',
    '-Lee-',
    'None Such Ltd',
  ])('%s is a name', async (name) => {
    expect(countsOf(await importText(`Store,Date,Sales\n${name},2026-03-05,3\n`))).toEqual([0, 1, 0])
  })

  test('never become names, in whatever case and with whatever blanks around them', async () => {
    const errors = fc
      .tuple(fc.constantFrom('#', '#¡'), fc.stringMatching(/^[A-ZÄÉИ]{2,8}(?:\/0)?$/u), fc.constantFrom('!', '?'))
      .map((parts) => parts.join(''))
    const words = fc.constantFrom(
      'N/A',
      'null',
      'NaN',
      'none',
      'unknown',
      '(leer)',
      '(vide)',
      '-',
      '–',
      '#N/A',
      '#NV',
      '####',
      '#N/A Field Not Applicable',
      '#GETTING_DATA',
      'Err:502',
      '\uff2e/\uff21',
      'N/A\u200b',
    )
    const drawn = fc.tuple(fc.oneof(errors, words), fc.nat(2), fc.constantFrom('', ' ')).map(([word, turn, blank]) => {
      return blank + ([word, word.toLowerCase(), word.toUpperCase()][turn] ?? word)
    })
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 30 }), async (names) => {
        const rows = names.map((name, at) => `${quoted(name)},2026-03-${String(at + 1).padStart(2, '0')},${at}\n`)
        const text = `Store,Date,Sales\nA,2026-04-01,1\nA,2026-04-02,2\n${rows.join('')}`
        const [missing = []] = waysIn(allOf(errorOf(await importText(text))))
        const ran = await importText(text, ...missing, '--dry-run', '--summary-only')
        expect(countsOf(ran)).toEqual([3, 2, names.length])
        expect(ran.stderr).toContain('to create: 1 KPI, 1 breakdown item in')
      }),
      { numRuns: runs(3, 20) },
    )
  })
})

describe('names of one form', () => {
  test('are one owner, however a file writes them', async () => {
    const names = ['Café Zürich', 'Große Straße 5', 'ΟΔΟΣ', 'Łódź Plac', '東京 ガ', 'Москва Й', 'A']
    const drawn = fc.array(
      fc.constantFrom(...names).chain((name) => spellings(name).map((text) => ({ name, text }))),
      {
        minLength: 1,
        maxLength: 28,
      },
    )
    await fc.assert(
      fc.asyncProperty(drawn, async (cells) => {
        const rows = cells.map(({ text }, at) => `${quoted(text)},2026-03-${String(at + 1).padStart(2, '0')},${at}\n`)
        const ran = await importText(`Store,Date,Sales\n${rows.join('')}`, '--dry-run', '--summary-only')
        expect(countsOf(ran)).toEqual([0, cells.length, 0])
        const owners = new Set(cells.map(({ name }) => name)).size
        expect(ran.stderr).toContain(`to create: 1 KPI, ${owners} breakdown item${owners === 1 ? '' : 's'} in`)
      }),
      { numRuns: runs(5, 40) },
    )
  })

  test('of one owner and day are rows of one key, and new names have no invisible signs around them', async () => {
    const text =
      'Store,Date,Sales\nCafe\u0301,2026-03-01,10\nCaf\u00e9,2026-03-01,20\n\u200bA,2026-03-01,1\nA\u00a0,2026-03-02,2\n'
    expect(countsOf(await importText(text))).toEqual([3, 2, 2])
    expect(await itemNames()).toEqual(['A'])
  })

  test('as two headers stop an import, and the flags that it names settle it', async () => {
    const text = 'Store,Date,Sale\u0301,Sal\u00e9\nA,2026-03-01,10,1\nA,2026-03-02,20,2\n'
    const told = allOf(errorOf(await importText(text)))
    expect(told).toContain('"Sale\u0301" and "Sal\u00e9" are both Sale\u0301; keep one of the columns')
    const ways = waysIn(told)
    expect(ways).toEqual([
      ['--ignore', '#4'],
      ['--on-duplicate', 'sum'],
    ])
    for (const way of ways) {
      expect(countsOf(await importText(text, ...way, '--dry-run', '--summary-only'))).toEqual([0, 2, 0])
    }
  })

  test('mean what exists; of two that exist each is meant by its own spelling', async () => {
    jsonOf(await importText('Store,Date,Sales\nCaf\u00e9,2026-03-01,1\n'))
    expect(countsOf(await importText('Store,Date,Sales\nCAFE\u0301,2026-03-02,1\n'))).toEqual([0, 1, 0])
    expect(await itemNames()).toEqual(['Caf\u00e9'])
    jsonOf(
      await user.kpi(
        'group-items',
        'create',
        '--group',
        'Store',
        '--name',
        'Cafe\u0301',
        '--allow-duplicate',
        '-o',
        'json',
      ),
    )
    const exact = 'Store,Date,Sales\nCaf\u00e9,2026-03-03,1\nCafe\u0301,2026-03-03,2\n'
    expect(countsOf(await importText(exact))).toEqual([0, 2, 0])
    const ran = await importText('Store,Date,Sales\nCAF\u00c9,2026-03-04,1\n')
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('is the name of more than one breakdown item')])
  })
})

describe('names that look like others', () => {
  const LIKE: Readonly<Record<string, string>> = {
    A: 'АΑ',
    C: 'С',
    E: 'ЕΕ',
    O: 'ОΟ',
    P: 'РΡ',
    a: 'аα',
    e: 'е',
    o: 'оο',
    p: 'рρ',
  }

  test('with letters of another script stop an import, whatever script they are in', async () => {
    const letters = fc.array(fc.constantFrom(...Object.keys(LIKE)), { minLength: 1, maxLength: 6 })
    const drawn = letters.chain((word) =>
      fc.tuple(
        fc.constant(word),
        fc.array(fc.nat(2), { minLength: word.length, maxLength: word.length }),
        fc.nat(word.length - 1),
      ),
    )
    await fc.assert(
      fc.asyncProperty(drawn, fc.boolean(), async ([word, turns, sure], isFirst) => {
        const other = word.map(
          (letter, at) => LIKE[letter]?.[(turns[at] ?? 0) - 1] ?? (at === sure ? LIKE[letter]?.[0] : letter),
        )
        const names = [word.join(''), other.join('')]
        const [one, two] = isFirst ? names : names.toReversed()
        const text = `Store,Date,Sales\n${one},2026-03-01,1\n${two},2026-03-02,1\n`
        const told = allOf(errorOf(await importText(text)))
        expect(told).toContain(`${two}: would be a new breakdown item, and looks like "${one}", though its "`)
        const [way = []] = waysIn(told)
        expect(countsOf(await importText(text, ...way, '--dry-run', '--summary-only'))).toEqual([0, 2, 0])
      }),
      { numRuns: runs(5, 40) },
    )
  })

  test('stop an import beside what exists, and are shown with their code points', async () => {
    jsonOf(await importText('Store,Date,Alpha\nA,2026-03-01,1\n'))
    const text = 'Store,Date,\u0410lpha\nA,2026-03-02,1\n'
    const told = allOf(errorOf(await importText(text)))
    expect(told).toContain(
      'looks like "Alpha", though its "\u0410" (U+0410, Cyrillic) is not "A" (U+0041, Latin): --map-kpi \u0410lpha=Alpha takes it as that one',
    )
    const [map = [], named = []] = waysIn(told)
    expect(countsOf(await importText(text, ...map))).toEqual([0, 1, 0])
    expect(await namesOf('kpis')).toEqual(['Alpha'])
    expect(countsOf(await importText(text, ...named))).toEqual([0, 1, 0])
    expect(await namesOf('kpis')).toEqual(['Alpha', '\u0410lpha'])
  })
})

test('owners by e-mail addresses are two where these differ in a dash', async () => {
  const text =
    'user,Date,Sales\na-b@example.com,2026-03-01,1\na_b@example.com,2026-03-01,2\nA_B@example.com,2026-03-02,3\n'
  const ran = await importText(text)
  expect(countsOf(ran)).toEqual([0, 3, 0])
  expect(ran.stderr).toContain('2 users')
})

describe('a name or cell of several lines', () => {
  /** Runs an import as somebody would who reads its messages, and returns what it says. */
  const told = async (text: string, ...args: string[]): Promise<string> => {
    writeFileSync(user.folder.in('data.csv'), text)
    return (await user.kpi('entries', 'import', 'data.csv', '--create-missing', '--frequency', 'D', ...args)).stderr
  }
  const BREAKS = ['\n', '\r\n', ' \n ', '\n\n', '\t']

  test.each(BREAKS)('makes a KPI, a group and an item of one line, which are found again: %j', async (end) => {
    const text = `"Store${end}name",Date,"Sales${end}net"\n"North${end}East",2026-03-01,1\n`
    expect(countsOf(await importText(text, '--map', 'source=Store name'))).toEqual([0, 1, 0])
    expect(await namesOf('kpis')).toEqual(['Sales net'])
    expect([await namesOf('groups'), await itemNames()]).toEqual([['Store name'], ['North East']])
    expect(countsOf(await importText(text, '--map', 'source=Store name', '--only-changes'))).toEqual([0, 0, 0])
    expect((await user.kpi('entries', 'export', '--from', '2026-01-01', '--to', '2026-12-31', '--names')).code).toBe(0)
  })

  test.each(BREAKS)('is left out or mapped by the flags that a message shows: %j', async (end) => {
    const text = `Store,Date,"Order${end}no",Sales\nA,2026-03-01,1001,1\nA,2026-03-02,1002,2\n`
    const [ignore = [], [flag = '', map = ''] = []] = waysIn(await told(text))
    expect([ignore[0], flag]).toEqual(['--ignore', '--map-kpi'])
    const mapped = map.replace('NAME', 'Orders')
    expect(countsOf(await importText(text, flag, mapped, '--dry-run', '--summary-only'))).toEqual([0, 4, 0])
    expect(countsOf(await importText(text, ...ignore))).toEqual([0, 2, 0])
    expect(await namesOf('kpis')).toEqual(['Sales'])
  })

  test.each(BREAKS)('stands for no value, or for its row, by the flags that a message shows: %j', async (end) => {
    const text = `Store,Date,Sales\nA,2026-03-01,"Rate per${end}100,000"\nA,2026-03-02,20\nA,2026-03-03,30\n`
    const ways = waysIn(await told(text))
    expect(ways.map(([flag]) => flag)).toEqual(['--missing', '--map-kpi', '--ignore', '--ignore-rows'])
    const [missing = [], rejects = [], , rows = []] = ways
    const counts: unknown[] = []
    for (const way of [missing, rejects, rows])
      counts.push(countsOf(await importText(text, ...way, '--dry-run', '--summary-only')))
    expect(counts).toEqual([
      [0, 2, 0],
      [3, 2, 1],
      [0, 2, 0],
    ])
  })

  test('that exists by such a name is exported by its words', async () => {
    jsonOf(await importText('Store,Date,Sales\nA,2026-03-01,1\n'))
    expect((await user.kpi('kpis', 'update', '1', '--name', 'Sales\nnet')).code).toBe(0)
    const ran = await user.kpi('entries', 'export', '--from', '2026-01-01', '--to', '2026-12-31', '--names')
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(',Sales net,2026-03-01,1')])
  })
})
