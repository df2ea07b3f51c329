import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { userNamed } from '../support/import.ts'
import { errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

describe('a name with a comma', () => {
  let user: User
  beforeAll(async () => {
    user = await embeddedUser()
    await fillShop(user)
    await user.client.users.add(userNamed('Lee', { last_name: null, email: 'lee@example.com' }))
    await user.client.users.add(userNamed('Cy', { last_name: 'Ng', email: 'cy@example.com' }))
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  const found = async (list: string): Promise<unknown> => {
    const ran = await user.kpi('assign', 'list', '--users', list, '-o', 'json')
    return ran.code === 0 ? (jsonOf(ran) as { user_id: number }[]).map(({ user_id }) => user_id) : errorOf(ran).message
  }

  test.each([
    ['Lee, Ann', [2, 2]],
    ['Lee,Ann', [2, 2]],
    ['"Lee, Ann"', [2, 2]],
    ['"Lee, Ann",cy@example.com', [2, 2]],
    ['"Ng, Cy","Lee, Dr. Ann"', [2, 2]],
    ['Lee, Ann, Dr.', [2, 2]],
  ])('%s names one person of a list', async (list, ids) => {
    expect(await found(list)).toEqual(ids)
  })

  test.each([
    ['Lee, Ann, Bob', `a name with a comma is quoted in a list: --users '"Lee, Ann","Bob"' means "Ann Lee" (#2)`],
    ['cy@example.com,Ng, Cy', `--users '"cy@example.com","Ng, Cy"' means "Cy Ng" (#6)`],
    ['Ng, Cye', 'there is no user "Ng, Cye"; did you mean "Cy Ng"?'],
  ])('%s is refused, and the form that is meant is shown', async (list, message) => {
    expect(await found(list)).toContain(message)
  })

  test('is asked about where each part is a name as well, and both forms that settle it work', async () => {
    await user.client.users.add(userNamed('Ann', { last_name: null, email: 'ann2@example.com' }))
    const both = `"Lee, Ann" may be one name or two: --users '"Lee, Ann"' means "Ann Lee" (#2); --users '"Lee","Ann"' means "Lee" and "Ann"`
    for (const list of ['Lee, Ann', 'Lee,Ann']) expect(await found(list)).toContain(both)
    expect(await found('Lee, Ann, cy@example.com')).toContain(`--users '"Lee, Ann","cy@example.com"' means`)
    expect(await found('"Lee, Ann"')).toEqual([2, 2])
    expect(await found('"Lee","Ann"')).toEqual([])
    expect(await found('"Lee",Ann')).toEqual([])
  })

  test.each([
    ['"First name",Last name', 'Ann,Lee'],
    ['Vorname,Nachname', 'Dr. Ann,Lee'],
    ['Nachname,Vorname', 'Lee,Ann'],
    ['Name,Vorname', 'Lee,Ann'],
    ['Name,Nachname', 'Ann,Lee'],
    ['Surname,Name', 'Lee,Ann'],
    ['Prénom,Nom', 'Ann,Lee'],
    ['Nombre,Apellidos', 'Ann,Lee'],
    ['Cognome,Nome', 'Lee,Ann'],
    ['Imię,Nazwisko', 'Ann,Lee'],
    ['Employee', '"Lee, Ann"'],
  ])('and one in the columns %s are found in files of assignments and of entries', async (columns, cells) => {
    const load = async (command: string, text: string): Promise<unknown> => {
      writeFileSync(user.folder.in('data.csv'), text)
      return jsonOf(await user.kpi(command, 'import', 'data.csv', '--dry-run', '--summary-only', '-o', 'json'))
    }
    const assigned = `${columns},KPI\n${cells},Visits\n`
    expect(await load('assign', assigned)).toMatchObject({ unchanged: 1, rejected: 0 })
    expect(await load('assign', `${columns},Visits\n${cells},x\n`)).toMatchObject({ unchanged: 1, rejected: 0 })
    const entries = `${columns},KPI,Date,Actual\n${cells},Visits,2026-03-02,4\n`
    expect(await load('entries', entries)).toMatchObject({ created: 1, rejected: 0 })
    expect(await load('entries', `${columns},Date,Visits\n${cells},2026-03-02,4\n`)).toMatchObject({ created: 1 })
  })

  test('that is mapped to two columns is read with the first name first, whichever comes first', async () => {
    writeFileSync(user.folder.in('data.csv'), 'Nachname,Vorname,KPI\nLee,Ann,Visits\n')
    for (const map of ['user=Nachname+Vorname', 'user=Vorname+Nachname'])
      expect(jsonOf(await user.kpi('assign', 'import', 'data.csv', '-o', 'json', '--map', map))).toMatchObject({
        unchanged: 1,
      })
  })

  test.each([
    ['one more middle name', '"Lee, Ann Marie"', 'Ann Marie Lee'],
    ['another letter', 'Ann Lea', 'Ann Lea'],
    ['a letter too many', 'Anna Lee', 'Anna Lee'],
  ])('with %s stops where its address would be made, and a flag creates a new user', async (_, cell, name) => {
    writeFileSync(user.folder.in('data.csv'), `user,KPI,Date,Actual\n${cell},Visits,2026-03-02,4\n`)
    const pattern = ['--create-missing', '--create-assignments', '--email-pattern', '{name}@example.com']
    const run = (...flags: string[]): Promise<Ran> =>
      user.kpi('entries', 'import', 'data.csv', '--dry-run', ...pattern, ...flags)
    const asked = await run()
    expect([asked.code, asked.stderr]).toEqual([
      1,
      expect.stringContaining(
        `${name}: would be a new user, and is nearly "Ann Lee", who exists: correct the file, or --by-name user creates the new one`,
      ),
    ])
    expect(await run('--by-name', 'user')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`new user "${name}"`),
    })
  })

  test('that is nearly known is warned of where the file gives its address', async () => {
    writeFileSync(
      user.folder.in('data.csv'),
      'E-mail,Name,KPI,Date,Actual\nal@example.com,"Lee, Ann Marie",Visits,2026-03-02,4\n',
    )
    const ran = await user.kpi('entries', 'import', 'data.csv', '--dry-run', '--create-missing')
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringContaining('the new user "Ann Marie Lee" is nearly "Ann Lee", which exists'),
    ])
  })

  test('or a name in a column that is mostly called otherwise is found where it is that of a user', async () => {
    writeFileSync(user.folder.in('data.csv'), 'Name,KPI\n"Lee, Ann",Visits\n')
    expect(jsonOf(await user.kpi('assign', 'import', 'data.csv', '-o', 'json'))).toMatchObject({ unchanged: 1 })
  })

  test('is found by every flag and command that takes one person', async () => {
    for (const line of [
      ['users', 'get', 'Lee, Ann'],
      ['report', '--users', '"Lee, Ann"', '--from', 'today', '--to', 'today'],
      ['entries', 'list', '--user', '"Lee, Ann"', '--from', 'today', '--to', 'today'],
      ['entries', 'add', '--user', 'Lee, Ann', '--kpi', 'Visits', '--date', 'today', '--actual', '3'],
    ])
      expect([line, (await user.kpi(...line)).stderr]).toEqual([line, expect.not.stringMatching(/there is no user/)])
  })
})
