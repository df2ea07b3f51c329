import { readFileSync, writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answeringIn, CTRL_C, pasted, type Questions } from '../support/answering.ts'
import type { Ran } from '../support/kpi.ts'
import { foreignService } from '../support/foreign.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
  await user.client.kpis.add(kpiNamed('Revenue'))
})
afterEach(async () => {
  await user[Symbol.asyncDispose]()
})

const CTRL_D = '\u0004'

const answering = (questions: Questions, ...args: string[]): Promise<Ran> => answeringIn(user.world, questions, ...args)

const names = async (): Promise<string> => (await user.kpi('kpis', 'list', '--columns', 'name', '-o', 'csv')).stdout

/** What is said once something was changed. */
const BACK = 'to take this back: kpi undo RUN\n'

describe('a delete at a terminal', () => {
  const line = ['kpis', 'delete', 'Revenue']

  test.each([
    ['y\r', 0, 'name\n'],
    ['n\r', 1, 'name\nRevenue\n'],
    ['\r', 1, 'name\nRevenue\n'],
    [CTRL_C, 130, 'name\nRevenue\n'],
    [CTRL_D, 130, 'name\nRevenue\n'],
    ['END', 130, 'name\nRevenue\n'],
  ])('that is answered with %j ends with %i', async (answer, code, left) => {
    const ran = await answering([['delete KPI 1, Revenue with 0 assignments and no entries?', answer]], ...line)
    expect(ran).toMatchObject({ code, stdout: '' })
    const last =
      {
        0: `deleted KPI 1, Revenue with 0 assignments and no entries\n${BACK}`,
        1: 'kpi: nothing was done\n',
        130: 'kpi: interrupted; nothing was done\n',
      }[code] ?? ''
    const said = ran.stderr.replace(/(?<=back: kpi undo )\S+/, 'RUN')
    expect(said.slice(-last.length)).toBe(last)
    expect(await names()).toBe(left)
  })

  test('counts what goes with it, and names what ids stand for', async () => {
    const { client } = user
    const { id } = await client.users.add(userNamed('Ann'))
    await client.assignments(id).add({ id: 1, sort_order: 1 })
    for (const entry_date of [20_000, 20_001])
      await client.entries.add({ user_id: id, kpi_id: 1, entry_date, actual: 1n })
    const what = '2 entries of 2024-10-04 to'
    const asked = await answering([[what, 'n\r']], 'kpis', 'delete', '1')
    expect([asked.code, asked.stderr.includes('delete KPI 1, Revenue with 1 assignment and')]).toEqual([1, true])
    const person = 'with 1 assignment, 0 links to group items'
    await client.kpis.remove(1)
    const kpiId = (await client.kpis.add(kpiNamed('Visits'))).id
    await client.assignments(id).add({ id: kpiId, sort_order: 1 })
    expect((await answering([[person, 'n\r']], 'users', 'delete', String(id))).code).toBe(1)
  })

  test('is not asked for with --yes, and refused with --no-input', async () => {
    expect(await answering([], ...line, '--no-input')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'kpi kpis delete: delete KPI 1, Revenue with 0 assignments and no entries needs --yes where nobody can be asked; --dry-run shows what would be done\n',
    })
    const ran = await answering([], ...line, '--yes')
    expect([ran.code, ran.stderr.replace(/(?<=back: kpi undo )\S+/, 'RUN')]).toEqual([
      0,
      `kpi undo can create what is deleted again, with new ids\ndeleted KPI 1, Revenue with 0 assignments and no entries\n${BACK}`,
    ])
  })
})

describe('a create at a terminal', () => {
  const CHOICES: [string, string][] = [
    ['(--category)', '\r'],
    ['(--icon)', '\r'],
    ['(--unit)', '\r'],
    ['(--frequency)', '\u001b[B\r'],
  ]
  const TARGET: [string, string] = ['(--target-default)', '\r']
  const DIRECTION: [string, string] = ['(--value-direction)', '\r']
  const FUNCTION: [string, string] = ['(--aggregate-function)', '\r']
  const QUESTIONS: [string, string][] = [['(--name)', 'Net sales\r'], ...CHOICES, DIRECTION, FUNCTION]

  test('asks for what is missing, with choices, and says the line that does the same, which does', async () => {
    const ran = await answering(QUESTIONS, 'kpis', 'create', '--target-default', '5')
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('created KPI 2, Net sales\n')])
    const line = /the same without questions:\skpi (.*)\n/.exec(ran.stderr)?.[1] ?? ''
    expect(line).toMatch(
      /^kpis create --category General .*--frequency weekly --name 'Net sales' --target-default 5 --value-direction up --aggregate-function total$/,
    )
    const [first] = (await user.client.kpis.list()).slice(1)
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    await user.kpi(...words, '--allow-duplicate')
    const [, , second] = await user.client.kpis.list()
    expect({ ...second, id: first?.id, sort_order: first?.sort_order }).toEqual(first)
  })

  test('asks below that for the target, the direction and the function, and takes the default of each for Enter', async () => {
    const all = [...QUESTIONS.slice(0, -2), TARGET, DIRECTION, FUNCTION]
    const kept = await answering(all, 'kpis', 'create')
    expect([kept.code, kept.stderr]).toEqual([
      0,
      expect.stringContaining('--value-direction up --aggregate-function total\n'),
    ])
    expect(kept.stderr).not.toContain('--target-default ')
    const [other, DOWN] = [QUESTIONS.slice(0, -2), '\u001b[B\r']
    other[0] = ['(--name)', 'Returns\r']
    const answers: [string, string][] = [
      ['(--target-default)', 'few\r'],
      ['"few" must be a number; write it like 1234.5', '\u007f\u007f\u007f40\r'],
      ['(--value-direction)', DOWN],
      FUNCTION,
    ]
    await answering([...other, ...answers], 'kpis', 'create')
    expect((await user.client.kpis.list()).slice(1)).toMatchObject([
      { target_default: null, value_direction: 'U', aggregate_function: 'SUM' },
      { target_default: 40_0000n, value_direction: 'D', aggregate_function: 'SUM' },
    ])
  })

  test('offers the average for a unit that is a percentage', async () => {
    const questions = QUESTIONS.filter(([question]) => question !== '(--unit)')
    questions.splice(-2, 0, TARGET)
    expect((await answering(questions, 'kpis', 'create', '--unit', 'Percent')).code).toBe(0)
    expect((await user.client.kpis.list()).slice(1)).toMatchObject([{ aggregate_function: 'AVG' }])
  })

  test('asks for none of them where nothing that is required is missing', async () => {
    expect((await answering([], 'kpis', 'create', '--name', 'Net sales', '--frequency', 'daily')).code).toBe(0)
  })

  test('prints a line that repeats the flags of every command and --allow-duplicate, and can be pasted', async () => {
    const folder = user.folder.in('other')
    const line = [
      'kpis',
      'create',
      '--data-dir',
      folder,
      '--target-default=-5',
      '--allow-duplicate',
      '--deadline',
      '1h',
    ]
    const ran = await answering([['(--name)', '-x y\r'], ...CHOICES, DIRECTION, FUNCTION], ...line)
    const same = /the same without questions:\s(.*)\n/.exec(ran.stderr)?.[1] ?? ''
    expect(same).toMatch(
      / '--name=-x y' --target-default=-5 --value-direction up --aggregate-function total --allow-duplicate --data-dir \S+\/other --deadline 1h$/,
    )
    expect(await user.kpi(...pasted(same))).toMatchObject({ code: 0 })
    const kept = await user.kpi('kpis', 'list', '--data-dir', folder, '--columns', 'name,target_default', '-o', 'csv')
    expect(kept.stdout).toBe('name,target_default\n-x y,-5\n-x y,-5\n')
  })

  test('gives by id what a flag would take for something else by its name', async () => {
    const { id } = await user.client.categories.add({ name: '7' })
    const ran = await answering(
      [['(--name)', 'Net sales\r'], ['(--category)', '\u001b[B\r'], ...CHOICES.slice(1), TARGET, DIRECTION, FUNCTION],
      'kpis',
      'create',
    )
    expect(ran.stderr).toContain(`kpi kpis create --category ${id} `)
  })

  test('asks for the parent of a new record, and names it with the rest where nobody can be asked', async () => {
    await user.client.groups.add({ name: 'Region' })
    const questions: [string, string][] = [
      ['(--name)', 'North\r'],
      ['(--group)', '\u001b[B\r'],
    ]
    const ran = await answering(questions, 'group-items', 'create')
    expect(ran.stderr).toContain('the same without questions: kpi group-items create --group Region --name North\n')
    expect(await user.client.groupItems(2).list()).toMatchObject([{ name: 'North' }])
    expect(await user.kpi('group-items', 'create')).toMatchObject({
      code: 2,
      stderr: 'kpi group-items create: a group item needs --group <id|name>, --name <text>\n',
    })
  })

  test('takes only what a field may hold, and asks for nothing that has been given', async () => {
    const ran = await answering(
      [
        ['(--first-name)', 'Ann\r'],
        ['(--email)', 'ann\r'],
        ['must be', '@example.com\r'],
      ],
      'users',
      'create',
      '--last-name',
      'Lee',
    )
    expect(ran.code).toBe(0)
    expect(await user.client.users.list()).toMatchObject([{}, { first_name: 'Ann', email: 'ann@example.com' }])
    expect((await answering([], 'categories', 'create', '--name', 'Web')).stderr).not.toContain('without questions')
  })

  test('creates nothing where a question is left, and asks nothing with --no-input', async () => {
    const left = await answering([['(--name)', CTRL_C]], 'kpis', 'create')
    expect([left.code, (await user.client.kpis.list()).length]).toEqual([130, 1])
    const none = await answering([], 'kpis', 'create', '--no-input')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('a KPI needs --frequency')])
  })
})

describe('assign add at a terminal', () => {
  beforeEach(async () => {
    await user.client.kpis.update(1, { target_default: 100_0000n })
    await user.client.kpis.add(kpiNamed('Visits, all'))
    await user.client.users.add(userNamed('Ann', { last_name: 'Lee' }))
  })
  const held = async (): Promise<unknown> => user.client.assignments(2).list()

  test('asks for the user, the KPI and the target, and says the line that does the same', async () => {
    const ran = await answering(
      [
        ['Who gets the KPI (--users)', '\u001b[B\r'],
        ['Which KPI (--kpis)', '\r'],
        ["Enter for the KPI's, 100", 'x\r'],
        ['"x" must be a number; write it like 1234.5', '\u007f-5\r'],
      ],
      'assign',
      'add',
      '--sort-order',
      '4',
    )
    expect(ran.code).toBe(0)
    expect(await held()).toMatchObject([{ id: 1, user_target: -5_0000n, sort_order: 4 }])
    const same = /the same without questions:\s(.*)\n/.exec(ran.stderr)?.[1] ?? ''
    expect(same).toBe('kpi assign add --kpis Revenue --users ann@example.com --target=-5 --sort-order 4')
    await user.client.assignments(2).remove(1)
    await user.kpi(...pasted(same))
    expect(await held()).toMatchObject([{ id: 1, user_target: -5_0000n, sort_order: 4 }])
  })

  test('names by its id, in the line that does the same, what has a name with a tab', async () => {
    await user.client.kpis.update(1, { name: 'Net\tsales' })
    const ran = await answering([['Which KPI (--kpis)', '\r']], 'assign', 'add', '--users', 'Ann Lee', '--target', '5')
    expect(ran.stderr).toContain("the same without questions: kpi assign add --kpis 1 --users 'Ann Lee' --target 5\n")
    expect(await held()).toMatchObject([{ id: 1 }])
  })

  test('asks for no target where the KPI has none, offers what is not assigned, and asks nothing of a whole line', async () => {
    expect(await answering([], 'assign', 'add', '--users', 'Ann Lee', '--kpis', 'Revenue')).toMatchObject({ code: 0 })
    const ran = await answering([['Which KPI (--kpis)', '\r']], 'assign', 'add', '--users', 'Ann Lee')
    expect(ran.stderr).toContain("the same without questions: kpi assign add --kpis 2 --users 'Ann Lee'\n")
    expect(await held()).toMatchObject([{ id: 1 }, { id: 2 }])
    const none = await answering([], 'assign', 'add', '--users', 'Ann Lee')
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('there is no active KPI left to assign')])
  })

  test('is asked nothing where there is no terminal', async () => {
    const ran = await user.kpi('assign', 'add', '--users', 'Ann Lee')
    expect(ran).toMatchObject({ code: 2, stderr: 'kpi assign add: say which KPIs (--kpis or --category)\n' })
  })
})

describe('entries enter', () => {
  beforeEach(async () => {
    const { client } = user
    await client.kpis.update(1, { target_default: 100_0000n })
    await client.kpis.add(kpiNamed('Visits'))
    const { id } = await client.users.add(userNamed('Ann', { last_name: 'Lee' }))
    await client.assignments(id).add({ id: 1, sort_order: 2 })
    await client.assignments(id).add({ id: 2, sort_order: 1 })
    await client.entries.add({ user_id: id, kpi_id: 1, entry_date: 20_000, actual: 7_0000n, notes: 'kept' })
  })
  const line = ['entries', 'enter', '--user', 'Ann Lee', '--date', '2024-10-04']
  const held = async (): Promise<string> =>
    (
      await user.kpi(
        'entries',
        'list',
        '--from',
        '2024-10-04',
        '--to',
        '2024-10-04',
        '--jq',
        '.[] | "\\(.kpi_id) \\(.actual) \\(.notes)"',
      )
    ).stdout

  test('asks for the KPIs of a user in their order, stores all once it is confirmed, and says the lines that do the same', async () => {
    const ran = await answering(
      [
        ['Visits (', 'many\r'],
        ['"many" must be a number; write it like 1234.5', '\u007f\u007f\u007f\u007f12.5\r'],
        ['Revenue (', '8\r'],
        ['store 2 values of Ann Lee on 2024-10-04', '\r'],
      ],
      ...line,
    )
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toContain('target 100, now 7')
    expect(await held()).toBe('1 8 kept\n2 12.5 null\n')
    const lines = ran.stderr.split('\n').filter((one) => one.startsWith('kpi entries add'))
    expect(lines).toEqual([
      'kpi entries add --user ann@example.com --kpi Visits --date 2024-10-04 --actual 12.5',
      'kpi entries add --user ann@example.com --kpi Revenue --date 2024-10-04 --actual 8',
    ])
    for (const one of lines) await user.kpi(...one.split(' ').slice(1))
    expect(await held()).toBe('1 8 kept\n2 12.5 null\n')
  })

  test.each(['Net\tsales', 'Net\nsales'])('says a line with the id of a KPI of the name %j', async (name) => {
    await user.client.kpis.update(2, { name })
    const ran = await answering(
      [
        ['sales (', '8\r'],
        ['Revenue (', '\r'],
        ['store 1 value', '\r'],
      ],
      ...line,
    )
    expect(ran.stderr).toContain('kpi entries add --user ann@example.com --kpi 2 --date 2024-10-04 --actual 8\n')
  })

  test('leaves what is answered with Enter, and stores nothing where it is left or not confirmed', async () => {
    const some = await answering(
      [
        ['Visits (', '\r'],
        ['Revenue (', '\r'],
      ],
      ...line,
    )
    expect([some.code, some.stderr]).toEqual([0, expect.stringContaining('nothing was entered')])
    const left = await answering(
      [
        ['Visits (', '5\r'],
        ['Revenue (', CTRL_C],
      ],
      ...line,
    )
    const refused = await answering(
      [
        ['Visits (', '5\r'],
        ['Revenue (', '\r'],
        ['store 1 value', 'n\r'],
      ],
      ...line,
    )
    expect([left.code, refused.code, await held()]).toEqual([130, 1, '1 7 kept\n'])
  })

  test('shows the last value, and asks only for what is due on the day, or for all with --all', async () => {
    const { client } = user
    await client.kpis.add(kpiNamed('Churn', { frequency_id: 'W', target_default: 5_0000n }))
    await client.assignments(2).add({ id: 3, sort_order: 3 })
    for (const [entry_date, actual] of [
      [19_990, 3_0000n],
      [20_001, 4_0000n],
    ] as const)
      await client.entries.add({ user_id: 2, kpi_id: 3, entry_date, actual })
    await client.entries.add({ user_id: 2, kpi_id: 2, entry_date: 19_700, actual: 9_0000n })
    const daily: [string, string][] = [
      ['Visits (', '\r'],
      ['Revenue (', '\r'],
    ]
    // Questions are wrapped at the terminal's width.
    const shown = ({ stderr }: Ran): string => stripVTControlCharacters(stderr).replaceAll(/\s+/g, ' ')
    const some = await answering(daily, ...line)
    expect(some.stderr).toContain('not due on 2024-10-04: Churn (weekly, --date 2024-09-30); --all asks for all\n')
    expect(shown(some)).toContain('Visits (Number, last 9 on 2023-12-09; Enter leaves it)')
    expect(shown(some)).toContain('Revenue (Number, target 100, now 7; Enter leaves it)')
    const all = await answering([...daily, ['Churn (', '6\r'], ['store 1 value', 'y\r']], ...line, '--all')
    expect(shown(all)).toContain('Churn (Number, the week of 2024-09-30, target 5, last 3 on 2024-09-24, now 4 o')
    expect(all.stderr).toContain('--kpi Churn --date 2024-10-05 --actual 6\n')
    const monday = await answering([...daily, ['Churn (', '\r']], ...line.slice(0, -1), '2024-09-30')
    expect(monday.stderr).toContain('nothing was entered')
    const week = await answering([['Churn (', '\r']], ...line.slice(0, -1), '2024-W40')
    expect(week.stderr).toContain('--date 2024-W40 is 2024-09-30 in UTC\n')
    expect(week.stderr).toContain('not due on 2024-09-30: Visits (daily, --date 2024-09-30), Revenue (daily, ')
    const stored = await client.entries.list({ from: 20_001, to: 20_001, userId: 2 })
    expect(stored).toMatchObject([{ kpi_id: 3, actual: 6_0000n }])
  })

  test('prints lines that repeat the flags of every command, and negative values', async () => {
    const folder = user.folder.in('.local/share/kpi')
    const questions: [string, string][] = [
      ['Visits (', '-5\r'],
      ['Revenue (', '\r'],
      ['store 1 value', 'y\r'],
    ]
    const ran = await answering(questions, ...line, '--data-dir', folder)
    const same = ran.stderr.trimEnd().split('\n').at(-1) ?? ''
    expect(same).toMatch(/ --kpi Visits --date 2024-10-04 --actual=-5 --data-dir \S+$/)
    expect(await user.kpi(...pasted(same))).toMatchObject({ code: 0 })
  })

  test('says what to do where there is nobody, or nothing to enter', async () => {
    const { client } = user
    await client.users.add(userNamed('Bob'))
    const none = await answering([], 'entries', 'enter', '--user', 'Bob')
    expect(none).toMatchObject({
      code: 0,
      stderr: 'Bob has no KPIs; assign some with: kpi assign add --users bob@example.com\n',
    })
    await client.kpis.add(kpiNamed('Old', { is_active: false }))
    await client.assignments(3).add({ id: 3, sort_order: 1 })
    const idle = await answering([], 'entries', 'enter', '--user', 'Bob')
    expect(idle.stderr).toBe('Bob has 1 KPI, and none takes values: they are inactive or calculated\n')
    const { url } = await foreignService((response) => response.end('[]'))
    const env = { KPI_BASE_URL: `${url}/api`, KPI_LOGIN: 'ann', KPI_TOKEN: 'sk-1' }
    expect(await answeringIn({ ...user.world, env }, [], 'entries', 'enter')).toMatchObject({
      code: 1,
      stderr: 'kpi: there is no active user whose values could be entered; make one with: kpi users create\n',
    })
  })

  describe('on a third-party service', () => {
    /** Answers as a service with three daily KPIs, and to each value with one of some statuses. */
    const through = async (...statuses: (number | 'cut')[]): Promise<Ran> => {
      const kpis = ['One', 'Two', 'Three'].map((name, at) => ({ ...kpiNamed(name), id: at + 1, is_calculated: false }))
      const lists: Readonly<Record<string, unknown>> = {
        '/api/users': [{ ...userNamed('Ann'), id: 2 }],
        '/api/users/2/kpis': kpis.map(({ id }) => ({ id, user_id: 2, user_target: null, sort_order: id })),
        '/api/kpis': kpis,
        '/api/kpiunits': [],
      }
      let sent = 0
      const { url } = await foreignService((response, { method, url: path = '' }) => {
        const list = lists[path]
        const status = method === 'POST' ? statuses[sent++] : list === undefined ? 404 : 200
        if (status === 'cut') return void response.destroy()
        response.writeHead(status ?? 201, { 'content-type': 'application/json' })
        response.end(JSON.stringify(status === 200 ? list : status === 201 ? {} : { message: `answer ${status}` }))
      })
      const env = { KPI_BASE_URL: `${url}/api`, KPI_LOGIN: 'ann', KPI_TOKEN: 'sk-1' }
      const questions = ['One', 'Two', 'Three'].map((name): [string, string] => [`${name} (`, '-1\r'])
      return answeringIn(
        { ...user.world, env },
        [...questions, ['store 3 values', 'y\r']],
        'entries',
        'enter',
        '--date',
        '2024-10-04',
      )
    }
    const lineFor = (name: string): string =>
      `kpi: kpi entries add --user ann@example.com --kpi ${name} --date 2024-10-04 --actual=-1`

    test('stores what it can, and says what was refused, with the line that enters it', async () => {
      expect(await through(201, 201, 201)).toMatchObject({ code: 0 })
      const ran = await through(201, 422, 201)
      expect(ran.code).toBe(3)
      expect(ran.stderr).toContain('stored 2 of 3 values of Ann on 2024-10-04: One, Three\nkpi: not stored: Two\n')
      expect(ran.stderr).toContain(lineFor('Two'))
      expect(ran.stderr).not.toContain(lineFor('One'))
      expect((await through(422, 422, 422)).code).toBe(1)
    })

    test.each([
      [[201, 503], 6, 'stored 1 of 3 values', 'it is not known whether this was stored: Two;'],
      [[201, 401], 4, 'stored 1 of 3 values', 'not stored: Two, Three'],
      [[401], 4, 'stored none of 3 values', 'not stored: One, Two, Three'],
      [[201, 'cut'], 6, 'stored 1 of 3 values', 'it is not known whether this was stored: Two;'],
    ] as const)('stops where it fails with %j, and says what is left', async (statuses, code, stored, left) => {
      const ran = await through(...statuses)
      expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(stored)])
      expect(ran.stderr).toContain(left)
      expect(ran.stderr.trimEnd().endsWith(lineFor('Three'))).toBe(true)
    })
  })

  test('needs a terminal', async () => {
    const ran = await user.kpi(...line)
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'kpi entries enter: kpi entries enter asks at a terminal; in a script use kpi entries add, or kpi entries import\n',
    ])
  })
})

test.each([
  ['y\r', 0, 'wrote'],
  ['n\r', 1, 'nothing was done'],
])('a file that is there is replaced only after a yes: %j', async (answer, code, says) => {
  writeFileSync(user.folder.in('there.csv'), 'earlier')
  const line = ['report', 'export', '--from', '2026-01-01', '--to-file', 'there.csv']
  const ran = await answering([['replace there.csv?', answer]], ...line)
  expect(ran.code).toBe(code)
  expect(ran.stderr).toContain(says)
  expect(readFileSync(user.folder.in('there.csv'), 'utf8') === 'earlier').toBe(code === 1)
})

describe('what ends credentials at a terminal', () => {
  const create = ['service', 'token', 'create', '-o', 'csv']
  const question = 'make a new token for account default, which replaces the one in use?'

  test('is asked for: a token that ends the one before, but not the first', async () => {
    expect(await answering([], ...create)).toMatchObject({ code: 0 })
    expect(await answering([[question, 'n\r']], ...create)).toMatchObject({ code: 1, stdout: '' })
    expect(await answering([[question, 'y\r']], ...create)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the previous token no longer works') as unknown,
    })
    expect(await answering([], ...create, '--no-input')).toMatchObject({ code: 2 })
    expect(await answering([], ...create, '--no-input', '--yes')).toMatchObject({ code: 0 })
  })

  test.each([
    [['profiles', 'remove', 'there'], 'remove profile there and its secret?'],
    [['service', 'token', 'revoke'], 'revoke the token of account default?'],
    [['service', 'keys', 'revoke', 'nightly'], 'revoke key nightly, for good?'],
  ])('is asked for, and refused where nobody can be asked: %j', async (line, asked) => {
    await user.kpi('profiles', 'add', 'there', '--data-dir', 'other')
    await user.kpi('service', 'token', 'create')
    await user.kpi('service', 'keys', 'create', 'nightly', '--user', 'admin@localhost', '--scopes', 'kpis:read')
    expect(await answering([[asked, 'n\r']], ...line)).toMatchObject({ code: 1 })
    expect(await user.kpi(...line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs --yes') as unknown,
    })
    expect(await answering([[asked, 'y\r']], ...line)).toMatchObject({ code: 0 })
  })
})

describe('an import of several files that asks at the second', () => {
  const line = [
    'entries',
    'import',
    'one.csv',
    'two.csv',
    'three.csv',
    '--create-missing',
    '--frequency',
    'D',
    '--create-assignments',
  ]
  const question = 'create these and import two.csv?'
  const unfinished = async (): Promise<string> =>
    (await user.kpi('doctor', '-o', 'csv')).stdout.split('\n').find((row) => row.startsWith('unfinished imports')) ?? ''

  test.each([
    ['n\r', 1, 'nothing was done'],
    [CTRL_C, 130, 'interrupted; nothing was done'],
  ])('and is answered with %j says so of that file alone, and loses nothing', async (answer, code, says) => {
    const { client, folder } = user
    await client.users.add({ ...userNamed('Ann'), email: 'ann@example.com' })
    for (const [name, kpi] of [
      ['one', 'Revenue'],
      ['two', 'New'],
      ['three', 'Revenue'],
    ] as const)
      writeFileSync(
        folder.in(`${name}.csv`),
        `user,kpi,date,actual\nann@example.com,${kpi},2026-03-0${name.length - 2},${name.length}\n`,
      )
    const left = await answering([[question, answer]], ...line)
    expect(left.code).toBe(code)
    expect(left.stderr).toContain(`kpi: two.csv: ${says}\n`)
    expect(left.stderr).toContain('kpi: not started: three.csv; run the same command to continue\n')
    expect(await unfinished()).toMatch(/^unfinished imports,0,/)
    const done = await answering([[question, 'y\r']], ...line, '-o', 'csv')
    expect([done.code, done.stderr]).toEqual([0, expect.not.stringContaining('was not finished')])
    const held = await user.kpi('entries', 'list', '--from', '2026-03-01', '--to', '2026-03-31', '-o', 'csv')
    expect(held.stdout.trim().split('\n')).toHaveLength(4)
    expect(await unfinished()).toMatch(/^unfinished imports,0,/)
  })
})
