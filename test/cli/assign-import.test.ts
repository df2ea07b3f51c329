import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { kpiNamed } from '../support/import.ts'
import { allOf, errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, newerUser, type User, users } from '../support/user.ts'

describe.each(users)('%s, kpi assign import', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(async () => {
    await user[Symbol.asyncDispose]()
  })

  const load = (text: string | Buffer, ...args: string[]): Promise<Ran> => {
    writeFileSync(user.folder.in('data.csv'), text)
    return user.kpi('assign', 'import', 'data.csv', '-o', 'json', ...args)
  }
  /** Every assignment, as `user KPI target place`. */
  const held = async (): Promise<string[]> => {
    const list = jsonOf(await user.kpi('assign', 'list', '-o', 'json')) as Record<string, string | number | null>[]
    return list.map(
      ({ user_id, id, user_target, sort_order }) => `${user_id} ${id} ${user_target ?? '-'} ${sort_order}`,
    )
  }
  const rejects = (): string => readFileSync(user.folder.in('data.rejects.csv'), 'utf8')

  const FILE = `User,KPI,Target,Sort order
bob@example.com,Revenue,120.5,
bob@example.com,visits,,7
ann lee,1,90,
Ann Lee,Visits,,
bobby@example.com,Revenue,,
`

  test('adds what is missing, changes what differs, keeps what is left empty, and does nothing the second time', async () => {
    const first = jsonOf(await load(FILE))
    expect(first).toMatchObject({ read: 5, added: 3, updated: 1, unchanged: 1, rejected: 0, left: 0 })
    expect(await held()).toEqual(['2 1 90 1', '2 2 - 2', '3 1 120.5 1', '3 2 - 7', '4 1 - 1'])
    const requests = async (): Promise<unknown> => jsonOf(await load(FILE))
    expect(await requests()).toMatchObject({ added: 0, updated: 0, unchanged: 5, requests: 5 })
    expect(await held()).toEqual(['2 1 90 1', '2 2 - 2', '3 1 120.5 1', '3 2 - 7', '4 1 - 1'])
  })

  test('takes users from two columns together', async () => {
    const text = 'First,Last,kpi,target\nAnn,Lee,Revenue,90\n'
    expect(jsonOf(await load(text, '--map', 'user=First+Last'))).toMatchObject({ read: 1, rejected: 0 })
  })

  test('keeps the target where a cell holds a word that --missing takes as empty', async () => {
    const text = 'User,KPI,Target\nann lee,Revenue,-\nbob@example.com,Revenue,12\n'
    expect(jsonOf(await load(text, '--missing', '-'))).toMatchObject({ read: 2, added: 1, unchanged: 1, rejected: 0 })
    expect((await load(text, '--missing', '')).code).toBe(3)
    expect(rejects()).toContain('ann lee,Revenue,-')
  })

  describe('of a matrix of users by KPIs', () => {
    const MATRIX = ',Revenue,Visits\nann@example.com,90,x\nbob@example.com,120.5,\nbobby@example.com,X,\n'

    test('assigns a KPI where a cell has a target or an x, and nothing where it is empty', async () => {
      expect(jsonOf(await load(MATRIX))).toMatchObject({ read: 3, added: 2, updated: 1, unchanged: 1, rejected: 0 })
      expect(await held()).toEqual(['2 1 90 1', '2 2 - 2', '3 1 120.5 1', '4 1 - 1'])
      expect(jsonOf(await load(MATRIX))).toMatchObject({ added: 0, updated: 0, unchanged: 4 })
    })

    test('does nothing where a cell holds a word that --missing takes as empty', async () => {
      const text = ',Revenue,Visits\nann@example.com,90,n/a\nbob@example.com,-,n/a\n'
      expect((await load(text)).stderr).toContain('which may stand for no value: --missing n/a,- takes such cells')
      expect(jsonOf(await load(text, '--missing', 'n/a,-'))).toMatchObject({ read: 2, added: 0, updated: 1 })
    })

    test('reads rows of nothing but marks below the header', async () => {
      await user.client.kpis.update(2, { target_default: 1_0000n })
      const text = ',Revenue,Visits\nAnn Lee,x,x\nbob@example.com,x,x\nbobby@example.com,80,30\n'
      expect(jsonOf(await load(text))).toMatchObject({ read: 3, rejected: 0 })
    })

    test('says all that is wrong, each with its KPI, and loads the other cells of the row', async () => {
      const text =
        'Person;Revenue;Visits\nann@example.com;7,5;x\nann lee;many;few\nnobody;1;2\nbob@example.com;1.234,5;x;;;more\n'
      const ran = await load(text, '--map', 'user=Person', '--decimal', ',')
      expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { read: 4, rejected: 3, updated: 1, unchanged: 1 }])
      expect(rejects()).toContain('Revenue: target ""many"" must be a number; Visits: target ""few"" must be a number')
      expect(rejects()).toContain('there is no user ""nobody""')
      expect(rejects()).toContain('the row has 6 cells, the header has 3')
    })

    test('refuses a header of which only some columns are KPIs, and takes them out where it is told to', async () => {
      const text = 'user,Revenue,Region\nbob@example.com,5,North\n'
      const ran = await load(text)
      expect([ran.code, allOf(errorOf(ran))]).toEqual([
        1,
        'the header does not say what each column is\nheader: there is no KPI "Region" (to leave the column out, use --ignore)',
      ])
      expect(jsonOf(await load(text, '--ignore', 'Region'))).toMatchObject({ added: 1 })
    })

    test('refuses a KPI in two columns, and names their heads', async () => {
      const text = 'user,Revenue,revenue,Visits\nbob@example.com,5,6,x\n'
      const ran = await load(text)
      expect([ran.code, allOf(errorOf(ran))]).toEqual([
        1,
        'the header does not say what each column is\nheader: "Revenue" and "revenue" are the same KPI; leave one of the columns out with --ignore, by its name, or by its place, as "#3"',
      ])
      expect(jsonOf(await load(text, '--ignore', '#3'))).toMatchObject({ added: 2 })
    })

    describe('whose head is the id of a KPI and the name of another', () => {
      const BOTH = '"2" is the id of "Visits", and the name of "2" (#3)'
      beforeEach(async () => {
        await user.client.kpis.add(kpiNamed('2'))
      })

      test.each(['user,2\nann@example.com,x\n', 'user,Revenue,2\nann@example.com,x,x\n'])(
        'refuses it until it is said which: %j',
        async (text) => {
          const ran = await load(text, '--dry-run')
          expect([ran.code, allOf(errorOf(ran))]).toEqual([1, expect.stringContaining(`header: ${BOTH}`)])
          expect(allOf(errorOf(ran))).toContain('say which: --by-id kpi or --by-name kpi')
          expect(jsonOf(await load(text, '--by-id', 'kpi'))).toMatchObject({
            added: 0,
            unchanged: text.split('x').length - 2,
          })
          expect(jsonOf(await load(text, '--by-name', 'kpi'))).toMatchObject({ added: 1 })
          expect(await held()).toEqual(['2 1 - 1', '2 2 - 2', '2 3 - 3'])
        },
      )
    })
  })

  test.each(['user,Revenue\nbob@example.com,-5%\n', 'user,kpi,target\nbob@example.com,Revenue,-5%\n'])(
    'refuses a percentage where the unit is none: %j',
    async (text) => {
      const ran = await load(text, '--dry-run')
      expect(ran.code).toBe(3)
      expect(ran.stderr).toMatch(
        /target .*-5%.* is a percentage, and the unit .* of Revenue is not: give the number itself/,
      )
    },
  )

  test('says in a dry run what each row would do, and does nothing', async () => {
    const ran = await load(`${FILE}Cy,Revenue,1,\n`, '--dry-run')
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { line: 2, action: 'add', user_id: 3, kpi_id: 1, user_target: 120.5, sort_order: 1 },
      { line: 3, action: 'add', user_id: 3, kpi_id: 2, user_target: null, sort_order: 7 },
      { line: 4, action: 'update', user_id: 2, kpi_id: 1, user_target: 90, sort_order: null },
      { line: 5, action: 'unchanged', user_id: 2, kpi_id: 2 },
      { line: 6, action: 'add', user_id: 4, kpi_id: 1, sort_order: 1 },
      { line: 7, action: 'reject', reason: 'there is no user "Cy"' },
    ])
    expect(errorOf(ran).message).toBe(
      [
        'dry run, nothing was sent: 3 assignments to add, 1 to update, 1 unchanged, 1 row to reject',
        'rejected: there is no user "Cy" (line 7)',
        '3 stored entries have no target of their own: past reports would show the new targets for them; with --keep-history they keep the old target',
      ].join('; '),
    )
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2'])
    expect(existsSync(user.folder.in('data.rejects.csv'))).toBe(false)
  })

  test('rejects rows with all their reasons, loads the others, and takes the mended file', async () => {
    const ran = await load(
      'user,kpi,user_target,sort_order\n' +
        'Bob Ray,Revenu,x,1.5\n' +
        '3,Visits,5,\n' +
        '3,Revenue,1,\n' +
        'bob@example.com,revenue,2,\n' +
        ',,,\n' +
        '4,Revenue,7,\n' +
        '4,,7,,\n',
    )
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout)).toMatchObject({ read: 7, added: 1, rejected: 5, empty: 1 })
    expect(errorOf(ran).message).toContain('5 rows were rejected; they are in data.rejects.csv with the reasons')
    expect(rejects()).toBe(
      'user,kpi,user_target,sort_order,_line,_reason\n' +
        'Bob Ray,Revenu,x,1.5,2,"""Bob Ray"" is the name of more than one user: 3, 4; use the id; there is no KPI ""Revenu""; did you mean ""Revenue""?; target ""x"" must be a number; sort_order must be a whole number from -32768 to 32767"\n' +
        '3,Visits,5,,3,"KPI 2 (Visits) has no target, so a user cannot have one either"\n' +
        '3,Revenue,1,,4,"the same user and KPI are on lines 4, 5"\n' +
        'bob@example.com,revenue,2,,5,"the same user and KPI are on lines 4, 5"\n' +
        '4,,7,,8,the kpi is empty\n',
    )
    const mended = rejects()
      .replace('Bob Ray,Revenu,x,1.5', '3,Revenue,3,4')
      .replace(/^(bob|3,Visits|3,Revenue,1|4,,).*\n/gm, '')
    expect(jsonOf(await load(mended))).toMatchObject({ read: 1, added: 1, rejected: 0 })
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2', '3 1 3 4', '4 1 7 1'])
  })

  test('says below the rejects how KPIs get a target of which users are to have one', async () => {
    const NONE = 'no target, so its users cannot have one either: Visits'
    const ran = await load('user,kpi,target\n3,Visits,5\n4,Visits,6\n3,Revenue,1\n')
    expect(errorOf(ran).message).toBe(
      '2 rows were rejected; they are in data.rejects.csv with the reasons: fix them there and import that file; ' +
        `1 KPI has ${NONE}; kpi kpis update "Visits" --target-default N gives it one`,
    )
    const rehearsed = await load('user,kpi,target\n3,Visits,5\n', '--dry-run')
    expect(errorOf(rehearsed).message).toContain(`1 KPI has ${NONE}`)
    await user.kpi('kpis', 'update', 'Visits', '--target-default', '100')
    expect(jsonOf(await load(rejects()))).toMatchObject({ added: 2, rejected: 0 })
  })

  test('loads what list writes, as it is', async () => {
    const listed = await user.kpi('assign', 'list', '-o', 'csv')
    const ran = await load(listed.stdout)
    expect(jsonOf(ran)).toMatchObject({ read: 2, unchanged: 2, updated: 0, rejected: 0 })
    expect(ran.stderr).toContain('columns left out: created_at, updated_at\n')
  })

  test('reads targets as spreadsheets write them, and stops where they could be two things', async () => {
    expect(jsonOf(await load('user,kpi,target\n3,Revenue,"1.234,5"\n4,Revenue,2.000\n'))).toMatchObject({
      added: 2,
    })
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2', '3 1 1234.5 1', '4 1 2000 1'])
    const ran = await load('user,kpi,target\n3,Revenue,1.234\n')
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toContain('1.234 (with a decimal point) or 1234 (with a decimal comma)')
    expect(jsonOf(await load('user,kpi,target\n3,Revenue,1.234\n', '--decimal', '.'))).toMatchObject({ updated: 1 })
  })

  test('counts targets that are rounded, remarks on exponents, and rejects what is rounded where it is to be exact', async () => {
    const file = 'user,kpi,target\n2,1,12.34567\n3,1,1.5E2\n'
    const ran = await load(file)
    expect(JSON.parse(ran.stdout)).toMatchObject({ read: 2, rounded: 1, rejected: 0 })
    expect(ran.stderr).toContain('target has numbers with exponents')
    expect(await held()).toContain('2 1 12.3457 1')
  })

  test('warns that it takes a file for Windows-1252, as it does of entries', async () => {
    const file = Buffer.from('user,kpi,target\n3,Umsatz f\xfcr alle,1\n3,Revenue,1\n', 'latin1')
    const ran = await load(file, '--quiet')
    expect(ran.code).toBe(3)
    const { notes } = JSON.parse(ran.stderr) as { notes: string[] }
    expect(notes).toEqual([expect.stringMatching(/^warning: data\.csv is read as windows-1252: /)])
  })

  test('takes the targets of a list for what they are, though each could be thousands', async () => {
    expect((await load('user_id,id,user_target,sort_order\n2,1,1.234,1\n')).code).toBe(0)
    expect(await held()).toContain('2 1 1.234 1')
    expect((await load('user,kpi,target\n2,1,2.345\n')).code).toBe(1)
  })

  test('stops where the first 20 rows are all bad', async () => {
    const ran = await load(`user,kpi,target\n${'2,Revenue,much\n'.repeat(25)}2,1,5\n`)
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('the first 20 rows are all bad')
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2'])
  })

  test('takes a user or a KPI for all rows, and other names of columns', async () => {
    expect(jsonOf(await load('Who,Goal\n3,5\n4,6\n', '--kpi', 'Revenue', '--map', 'user=Who'))).toMatchObject({
      added: 2,
    })
    expect(jsonOf(await load('kpi\nVisits\n', '--user', '3'))).toMatchObject({ added: 1 })
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2', '3 1 5 1', '3 2 - 2', '4 1 6 1'])
  })

  test.each([
    ['', [], 1, 'data.csv is empty'],
    ['who,kpi\n', [], 1, 'no column is the user; give one with --map user=who or --user'],
    ['user,kpi\n', ['--user', '3'], 1, 'is given by --user and by the column "user"'],
    ['user,kpi,place,sort_order\n', [], 1, 'is both "place" and "sort_order"'],
    ['user,kpi\n', ['--map', 'date=kpi'], 2, '--map date: an assignment has user, kpi, target and sort_order'],
    ['user,kpi\n', ['--rejects', 'data.csv'], 2, '--rejects data.csv is the file that is imported'],
  ])('%j with %j ends with %i before anything is sent', async (text, args, code, message) => {
    const ran = await load(text, ...args)
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(allOf(errorOf(ran))).toContain(message)
  })

  test('stops cleanly where it is asked to, and goes on when it is run again', async () => {
    writeFileSync(user.folder.in('data.csv'), FILE)
    const ran = await user.kpiIn({ signal: AbortSignal.abort() }, 'assign', 'import', 'data.csv')
    expect(ran.code).toBe(6)
    expect(ran.stderr).toMatch(/^kpi: stopped/m)
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2'])
    expect(jsonOf(await load(FILE))).toMatchObject({ added: 3, updated: 1, unchanged: 1 })
  })
})

test('an assignment that another makes meanwhile is brought to what the file says', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const loads = [90, 95].map((target) => {
    const name = `${target}.csv`
    writeFileSync(user.folder.in(name), `user,kpi,target\n3,Revenue,${target}\n4,Revenue,${target}\n`)
    return user.kpi('assign', 'import', name)
  })
  expect((await Promise.all(loads)).map(({ code }) => code)).toEqual([0, 0])
  expect(await user.client.assignments(3).list()).toHaveLength(1)
})

test('the newer interface has no assignments, which is said before the file is read', async () => {
  await using user = await newerUser()
  const ran = await user.kpi('assign', 'import', 'nowhere.csv')
  expect(ran).toMatchObject({ code: 7, stdout: '' })
})
