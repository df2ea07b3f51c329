import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeFileSync } from 'node:fs'
import { errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, type User, users } from '../support/user.ts'

describe.each(users)('%s, from JSON', (_, open) => {
  let user: User
  beforeAll(async () => {
    user = await open()
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  /** Runs a line whose `FILE` holds JSON. */
  const withFile = (json: unknown, ...line: string[]): Promise<Ran> => {
    writeFileSync(user.folder.in('in.json'), typeof json === 'string' ? json : JSON.stringify(json))
    return user.kpi(...line.map((word) => (word === 'FILE' ? 'in.json' : word)))
  }
  const withStdin = (json: unknown, ...line: string[]): Promise<Ran> =>
    user.kpiIn({ stdin: JSON.stringify(json) }, ...line, '--from-json', '-', '-o', 'json')
  const namesOf = async (noun: string): Promise<string[]> =>
    (jsonOf(await user.kpi(noun, 'list', '-o', 'json')) as { name: string }[]).map(({ name }) => name)

  test('one object makes one, an array makes many, in its order, and none is nothing to do', async () => {
    expect(jsonOf(await withStdin({ name: 'One' }, 'categories', 'create'))).toMatchObject({ id: 2, name: 'One' })
    expect(jsonOf(await withStdin([{ name: 'Two' }, { name: 'Three' }], 'categories', 'create'))).toMatchObject([
      { id: 3, name: 'Two' },
      { id: 4, name: 'Three' },
    ])
    expect(jsonOf(await withStdin([], 'categories', 'create'))).toEqual([])
  })

  test('names stand for ids, words for letters, and what is left out is what the flags of create make it', async () => {
    const made = jsonOf(
      await withStdin(
        [
          { name: 'Short', frequency_id: 'monthly' },
          { name: 'Named', frequency_id: 'W', unit_id: 'Percent', category: 'general', value_direction: 'down' },
        ],
        'kpis',
        'create',
      ),
    ) as { id: number; sort_order: number }[]
    expect(made).toMatchObject([
      { name: 'Short', frequency_id: 'M', unit_id: 1, category_id: 1, icon_id: 1, is_active: true },
      { name: 'Named', frequency_id: 'W', unit_id: 3, category_id: 1, value_direction: 'D' },
    ])
    expect((made[1]?.sort_order ?? 0) - (made[0]?.sort_order ?? 0)).toBe(1)
    const listed = jsonOf(await user.kpi('kpis', 'list', '--names', '-o', 'json')) as object[]
    expect(jsonOf(await withStdin(listed, 'kpis', 'update'))).toHaveLength(listed.length)
    const renamed = await withStdin({ unit: 'Number' }, 'kpis', 'update', 'Named')
    expect(jsonOf(renamed)).toMatchObject({ name: 'Named', unit_id: 1, frequency_id: 'W' })
  })

  test('ids that nothing has are refused, in a dry run as well, and told together', async () => {
    const ids = [{ name: 'Lost', frequency_id: 'D', category_id: 99, icon_id: 9999, unit_id: 88 }]
    for (const flags of [['--dry-run'], []]) {
      const { code, stdout, stderr } = await withFile(ids, 'kpis', 'create', '--from-json', 'FILE', ...flags)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      for (const told of ['category "#99"', 'icon "#9999"', 'unit "#88"'])
        expect(stderr).toContain(`there is no ${told}`)
    }
    const changed = await withFile([{ id: 1, category_id: 99 }], 'kpis', 'update', '--from-json', 'FILE', '--dry-run')
    expect(changed.stderr).toContain('there is no category "#99"')
  })

  test('a name beside an id that is something else is refused', async () => {
    const both = { name: 'Both', frequency_id: 'D', category: 'General', category_id: 1, unit: 'Percent', unit_id: 1 }
    const { code, stderr } = await withFile(both, 'kpis', 'create', '--from-json', 'FILE', '--dry-run')
    expect(code).toBe(1)
    expect(stderr).toContain('unit: is "Percent", and unit_id is 1; leave out the one that is not meant')
    expect(stderr).not.toContain('category')
  })

  test('a time of the last change that is none is refused', async () => {
    const change = [{ id: 1, description: 'x', updated_at: 'yesterday' }]
    const { code, stderr } = await withFile(change, 'kpis', 'update', '--from-json', 'FILE')
    expect(code).toBe(1)
    expect(stderr).toMatch(/updated_at: must be/)
  })

  test('a name that exists already is told together with what else is wrong', async () => {
    writeFileSync(
      user.folder.in('faulty.json'),
      JSON.stringify([{ name: 'Shops', colour: 'red' }, { name: 'General' }, { name: 'Shops' }]),
    )
    const ran = await user.kpi('categories', 'create', '--from-json', 'faulty.json')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/no\. 1, colour: is not a field of a category/)
    expect(ran.stderr).toMatch(/no\. 2, name: is that of category 1, General/)
    expect(ran.stderr).toMatch(/no\. 3, name: is that of no\. 1, too/)
  })

  test('a name that exists already is refused, unless it is meant', async () => {
    const twice = [{ name: 'Twin' }, { name: 'twin' }, { name: 'general' }]
    const ran = await withFile(twice, 'categories', 'create', '--from-json', 'FILE')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr.split('\n')).toEqual([
      'kpi: there is a category of that name already',
      '  no. 2, name: is that of no. 1, too; --allow-duplicate creates both',
      '  no. 3, name: is that of category 1, General: kpi categories update 1 changes it; --allow-duplicate creates another',
      '',
    ])
    expect(await namesOf('categories')).not.toContain('Twin')
    const meant = await withFile(twice, 'categories', 'create', '--from-json', 'FILE', '--allow-duplicate')
    expect(meant.code).toBe(0)
    expect(await namesOf('categories')).toEqual(expect.arrayContaining(['Twin', 'twin', 'general']))
    await user.kpi('categories', 'delete', 'Twin', 'general', '--yes')
  })

  test('a list that goes on does not refuse what it has made before', async () => {
    const list = [{ name: 'First' }, { name: 'Second' }]
    await withFile(list.slice(0, 1), 'categories', 'create', '--from-json', 'FILE')
    expect((await withFile(list, 'categories', 'create', '--from-json', 'FILE', '--start', '2')).code).toBe(0)
    expect(await namesOf('categories')).toEqual(expect.arrayContaining(['First', 'Second']))
  })

  test('a name that there is not is a fault of its field, told once', async () => {
    const ran = await withFile(
      [{ name: 'A', frequency_id: 'D', unit: 'Percnt' }, { unit_id: 'Nil' }],
      'kpis',
      'create',
      '--from-json',
      'FILE',
    )
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr.split('\n')).toEqual([
      'kpi: 4 fields are not valid',
      '  no. 1, unit_id: there is no unit "Percnt"; did you mean "Percent"?',
      '  no. 2, unit_id: there is no unit "Nil"',
      '  no. 2, frequency_id: is required',
      '  no. 2, name: is required',
      '',
    ])
  })

  test('a number keeps all its digits', async () => {
    const text =
      '\ufeff{"name":"Exact","icon_id":1,"unit_id":1,"frequency_id":"D","target_default":12345678901234.5678,"value_direction":"U","sort_order":1,"is_active":true}'
    const { stdout } = await withFile(text, 'kpis', 'create', '--from-json', 'FILE', '-o', 'csv')
    expect(stdout).toContain(',12345678901234.5678,')
  })

  test('what a list printed changes what it lists', async () => {
    const list = jsonOf(await user.kpi('units', 'list', '-o', 'json')) as object[]
    const ran = await withStdin(
      list.map((one) => ({ ...one, entry_format: '0.000' })),
      'units',
      'update',
    )
    const changed = { entry_format: '0.000', updated_at: expect.any(String) as string }
    expect(jsonOf(ran)).toEqual(list.map((one) => ({ ...one, ...changed })))
  })

  test('one object changes the one that the line names', async () => {
    const ran = await withStdin({ name: 'All' }, 'categories', 'update', 'General')
    expect(jsonOf(ran)).toMatchObject({ id: 1, name: 'All' })
    expect(await withStdin([{}, {}], 'categories', 'update', 'All')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '2 objects cannot all change All; leave the name out and give each its id',
      ) as unknown,
    })
  })

  test('a name stands for the id of what is changed', async () => {
    await withStdin([{ name: 'Called' }, { name: 'Double' }, { name: 'Other' }], 'categories', 'create')
    const ran = await withStdin(
      [
        { id: 'called', name: 'Renamed' },
        { id: 'Other', name: 'Double' },
      ],
      'categories',
      'update',
      '--allow-duplicate',
    )
    expect(jsonOf(ran)).toMatchObject([{ name: 'Renamed' }, { name: 'Double' }])
    const changes = [
      { id: 'Renamed', name: 'A' },
      { id: 'Double', name: 'B' },
    ]
    const doubtful = await withFile(changes, 'categories', 'update', '--from-json', 'FILE')
    expect(doubtful).toMatchObject({ code: 1, stdout: '' })
    expect(doubtful.stderr).toMatch(/^kpi: no\. 2, id: "Double" is the name of more than one category: .*\n$/)
    const unknown = await withFile({ id: 'Renamd', name: 'A' }, 'categories', 'update', '--from-json', 'FILE')
    expect(unknown.stderr).toBe('kpi: id: there is no category "Renamd"; did you mean "Renamed"?\n')
    expect(await namesOf('categories')).toEqual(expect.arrayContaining(['Renamed', 'Double']))
  })

  test('all faults of all objects are told at once, and nothing is sent', async () => {
    const bad = [
      { first_name: 'A', email: 'a@example.com' },
      { user_type: 'Boss', user_status_id: 'A', email: 'x' },
    ]
    const ran = await withFile(bad, 'users', 'create', '--from-json', 'FILE')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr.split('\n')).toEqual([
      'kpi: 3 fields are not valid',
      '  no. 2, user_type: must be one of Admin, Director, Manager, User',
      '  no. 2, first_name: is required',
      '  no. 2, email: must be an e-mail address',
      '',
    ])
    expect(jsonOf(await user.kpi('users', 'list', '-o', 'json'))).toHaveLength(1)
    const nameless = await withFile([{ name: 'X' }, { id: 'x' }], 'categories', 'update', '--from-json', 'FILE')
    expect(nameless.stderr).toContain('  no. 1, id: is required: it says which category to change, by id or name\n')
    expect(nameless.stderr).toContain('  no. 2, id: there is no category "x"\n')
  })

  test('a field that there is not is named, as it may be misspelt', async () => {
    const person = { user_type: 'User', user_status_id: 'A', first_name: 'P', email: 'p@example.com' }
    const ran = await withFile({ ...person, pasword: 'hunter2', shoe: 44 }, 'users', 'create', '--from-json', 'FILE')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr.split('\n')).toEqual([
      'kpi: 2 fields are not valid',
      '  pasword: is not a field of a user; did you mean password?',
      '  shoe: is not a field of a user',
      '',
    ])
  })

  test('what was made beside those that are refused is printed, and the error says which these are', async () => {
    const person = { user_type: 'User', user_status_id: 'A', first_name: 'P', email: 'p@example.com' }
    const ran = await withFile([person, person, person], 'users', 'create', '--from-json', 'FILE', '-o', 'json')
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout)).toMatchObject([{ email: 'p@example.com' }])
    expect(errorOf(ran).message).toBe(
      [2, 3]
        .map((number) => `no. ${number} of 3: email: p@example.com is the e-mail address of user 2 (P) already; `)
        .join('') + '1 done, 2 refused',
    )
  })

  test.each([
    ['no file', ['--from-json', 'nope.json'], 1, 'cannot read nope.json: there is no such file'],
    ['a folder', ['--from-json', '.'], 1, 'cannot read .: it is a directory'],
    ['flags too', ['--from-json', 'FILE', '--name', 'X'], 2, "'--from-json <file>' cannot be used with option '--name"],
    ['a list in a list', ['--from-json', 'FILE'], 2, 'in.json must hold one object or an array of them; no. 1 is not'],
  ])('%s is refused', async (_name, flags, code, message) => {
    const ran = await withFile([[{ name: 'X' }]], 'categories', 'create', ...flags)
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(await namesOf('categories')).not.toContain('X')
  })

  test.each([
    '',
    '{"password":hunter2}',
    '{"password":"hunter2" "x":1}',
    '["hunter2"',
    '{"password":"hunter2\n"}',
    'hunter2',
  ])('text that is not JSON is refused without showing it, as it may hold a password: %j', async (text) => {
    const ran = await withFile(text, 'users', 'create', '--from-json', 'FILE')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(
      /^kpi users create: in\.json is not JSON: (the sign at line \d+ column \d+ is not expected there|a string has .* after line 1 column 14|it ends too early)\n$/,
    )
    expect(ran.stderr).not.toContain('hunter2')
  })
})

test('of very many faults the first are listed, and the others counted', async () => {
  await using own = await embeddedUser()
  writeFileSync(own.folder.in('many.json'), JSON.stringify(Array.from({ length: 3000 }, () => ({ colour: 'red' }))))
  const line = ['categories', 'create', '--from-json', 'many.json']
  const ran = await own.kpi(...line)
  expect(ran.code).toBe(1)
  expect(ran.stderr.split('\n')).toEqual([
    'kpi: 6000 fields are not valid',
    ...Array.from({ length: 10 }, (_, at) => [
      `  no. ${at + 1}, name: is required`,
      `  no. ${at + 1}, colour: is not a field of a category`,
    ]).flat(),
    '  and 5980 more',
    '',
  ])
  const error = errorOf(await own.kpi(...line, '-o', 'json'))
  expect(error).toMatchObject({ message: '6000 fields are not valid', unlisted_issues: 5000 })
  expect(error).toHaveProperty('issues.length', 1000)
})

test('an object that can be no record is refused', async () => {
  await using own = await embeddedUser()
  const fields = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`f${at}`, 1]))
  writeFileSync(own.folder.in('one.json'), JSON.stringify([{ name: 'A' }, fields]))
  writeFileSync(own.folder.in('deep.json'), `${'['.repeat(1001)}${']'.repeat(1001)}`)
  const refusal = async (file: string): Promise<string> =>
    (await own.kpi('categories', 'create', '--from-json', file)).stderr
  expect(await refusal('one.json')).toContain('no. 2 has 1001 fields, and no record more than 1000')
  expect(await refusal('deep.json')).toBe(
    'kpi categories create: cannot read deep.json: the body is nested more than 1000 deep\n',
  )
})

test('the words of the flags stand for choices in objects, too', async () => {
  await using own = await embeddedUser()
  const create = async (what: string, object: object): Promise<unknown> => {
    writeFileSync(own.folder.in('new.json'), JSON.stringify(object))
    return jsonOf(await own.kpi(what, 'create', '--from-json', 'new.json', '-o', 'json'))
  }
  expect(await create('kpis', { name: 'A', frequency: 'monthly', unit: 'Percent' })).toMatchObject({
    frequency_id: 'M',
  })
  const person = { first_name: 'A', email: 'a@example.com', user_status: 'locked' }
  expect(await create('users', person)).toMatchObject({ user_status_id: 'L' })
})
