import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NOW } from '../support/io.ts'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, remoteUser, type User, users } from '../support/user.ts'

type Fate = { action: string; kind: string; name: string; entries: number; reason: string | null }

const PEOPLE = 'user,kpi,date,actual\nann@example.com,Visits,2026-03-02,3\nbob@example.com,Visits,2026-03-03,4\n'
const ITEMS = 'Region,Date,Revenue in EUR\nNorth,2026-01-01,1\n'

/** Imports a file into new things, and returns the name of the receipt. */
const create = async (user: User, text: string, ...flags: string[]): Promise<string> => {
  writeFileSync(user.folder.in('data.csv'), text)
  const ran = await user.kpi('entries', 'import', 'data.csv', '--create-missing', '--frequency', 'D', ...flags)
  expect(ran).toMatchObject({ code: 0 })
  return /to take this import back: kpi entries undo (\S+)/.exec(ran.stderr)?.[1] ?? ''
}

const listed = async (user: User, noun: string): Promise<string[]> =>
  (jsonOf(await user.kpi(noun, 'list', '-o', 'json')) as { name?: string; email?: string }[]).map(
    ({ name, email }) => name ?? email ?? '',
  )

const undone = async (user: User, receipt: string, ...flags: string[]): Promise<[code: number, fates: string[]]> => {
  const { code, stdout } = await user.kpi('entries', 'undo', receipt, '-o', 'json', ...flags)
  const fates = JSON.parse(stdout) as Fate[]
  return [code, fates.map(({ action, kind, name, reason }) => [action, kind, name, reason ?? ''].join(' ').trim())]
}

describe.each(users)('%s, what an import of people created', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
  })
  afterEach(() => user[Symbol.asyncDispose]())

  test('is taken back with its entries, also where it was read from standard input', async () => {
    const line = ['entries', 'import', '-', '--create-missing', '--frequency', 'D', '-o', 'json']
    const { receipt } = jsonOf(await user.kpiIn({ stdin: PEOPLE }, ...line)) as { receipt: string }
    const [code, fates] = await undone(user, receipt, '--yes')
    expect([code, fates.filter((fate) => fate.startsWith('remove')).length]).toEqual([0, fates.length])
    expect(await listed(user, 'kpis')).toEqual([])
  })

  test('is left alone while it has entries, and taken back with them', async () => {
    const receipt = await create(user, PEOPLE, '--no-undo')
    expect(await undone(user, receipt, '--yes')).toEqual([
      3,
      [
        'leave kpi Visits has 2 entries; --with-entries removes them, too',
        'leave user Ann has 1 entry; --with-entries removes them, too',
        'leave user Bob has 1 entry; --with-entries removes them, too',
      ],
    ])
    expect(await listed(user, 'kpis')).toEqual(['Visits'])
    const [, planned] = await undone(user, receipt, '--with-entries', '--dry-run')
    expect(planned.map((fate) => fate.split(' ')[0])).toEqual(['remove', 'remove', 'remove'])
    expect(await listed(user, 'kpis')).toEqual(['Visits'])
    expect((await undone(user, receipt, '--with-entries', '--yes'))[0]).toBe(0)
    expect(await listed(user, 'kpis')).toEqual([])
    expect(await listed(user, 'users')).toHaveLength(1)
    expect(jsonOf(await user.kpi('entries', 'undo', '-o', 'json'))).toMatchObject([{ receipt }])
  })

  test('is taken back with the entries of the same import', async () => {
    const receipt = await create(user, PEOPLE)
    expect((await undone(user, receipt, '--yes'))[0]).toBe(0)
    expect(await listed(user, 'kpis')).toEqual([])
    expect(await listed(user, 'users')).toHaveLength(1)
  })

  test('is only removed with a yes', async () => {
    const receipt = await create(user, PEOPLE)
    const ran = await user.kpi('entries', 'undo', receipt, '--with-entries')
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.stderr).toContain('remove 2 entries and remove 3 things needs --yes where nobody can be asked')
    expect(await listed(user, 'kpis')).toEqual(['Visits'])
  })
})

test('assignments of users and KPIs that were there are taken back where nothing was entered', async () => {
  await using user = await remoteUser()
  await create(user, 'user,kpi,date,actual\nann@example.com,Visits,2026-03-02,3\nbob@example.com,Sales,2026-03-03,4\n')
  const text = 'user,kpi,date,actual\nann@example.com,Sales,2026-03-02,3\nbob@example.com,Visits,2026-03-03,\n'
  await create(user, `${text}bob@example.com,Visits,2026-03-04,5\n`, '--no-undo')
  const [receipt = ''] = (
    jsonOf(await user.kpi('entries', 'undo', '-o', 'json')) as { receipt: string; new_things: number }[]
  )
    .filter(({ new_things }) => new_things === 2)
    .map((one) => one.receipt)
  const assigned = async (): Promise<string[]> => {
    const list = jsonOf(await user.kpi('assign', 'list', '-o', 'json')) as { id: number; user_id: number }[]
    return list.map(({ id, user_id }) => `${user_id} ${id}`).toSorted()
  }
  expect(await assigned()).toEqual(['2 1', '2 2', '3 1', '3 2'])
  expect(await undone(user, receipt, '--yes')).toEqual([
    3,
    ['leave assignment Sales of Ann is needed by 1 entry', 'leave assignment Visits of Bob is needed by 1 entry'],
  ])
  expect(await user.kpi('entries', 'delete', '3', '--yes')).toMatchObject({ code: 0 })
  expect(await undone(user, receipt, '--yes')).toEqual([
    3,
    ['remove assignment Sales of Ann', 'leave assignment Visits of Bob is needed by 1 entry'],
  ])
  expect(await assigned()).toEqual(['2 1', '3 1', '3 2'])
})

test('entries that were stored after the import are not removed with those of it', async () => {
  await using user = await embeddedUser()
  const receipt = await create(user, ITEMS)
  writeFileSync(user.folder.in('more.csv'), 'Region,Date,Revenue in EUR\nNorth,2026-02-01,2\n')
  jsonOf(
    await user.kpiIn(
      { now: NOW + 60_000 },
      'entries',
      'import',
      'more.csv',
      '-o',
      'json',
      '--source',
      'North',
      '--ignore',
      'Region',
    ),
  )
  const [code, fates] = await undone(user, receipt, '--with-entries', '--yes')
  expect([code, fates.slice(0, 2)]).toEqual([
    3,
    [
      'leave kpi Revenue in EUR has 1 entry from after the import',
      'leave item North has 1 entry from after the import',
    ],
  ])
})

test('a user who was assigned another KPI since is left alone', async () => {
  await using user = await embeddedUser()
  const receipt = await create(user, PEOPLE)
  const more = ['--category', 'General', '--unit', 'Number', '--frequency', 'D', '--value-direction', 'U']
  await user.kpi('kpis', 'create', '--name', 'More', ...more)
  expect(await user.kpi('assign', 'add', '--kpis', 'More', '--users', 'Ann')).toMatchObject({ code: 0 })
  const [code, fates] = await undone(user, receipt, '--with-entries', '--yes')
  expect([code, fates.slice(1)]).toEqual([3, ['leave user Ann was assigned KPI 2 since', 'remove user Bob']])
})

test('what was created when the run was cut off is taken back, too', async () => {
  await using user = await remoteUser()
  const receipt = await create(user, PEOPLE, '--no-undo')
  const path = user.folder.in(`.local/state/kpi/receipts/${receipt}.receipt.jsonl`)
  // As if it had been killed before the answer for the second user came.
  const lines = readFileSync(path, 'utf8').split('\n')
  const cut = lines.findIndex((line) => line.includes('"name":"Bob"'))
  writeFileSync(path, lines.slice(0, cut).join('\n'))
  expect((await undone(user, receipt, '--dry-run'))[1]).toEqual([
    'leave user Ann has 1 entry; --with-entries removes them, too',
    'leave user bob@example.com has 1 entry; --with-entries removes them, too',
  ])
})

test('what was changed since is left alone', async () => {
  await using user = await embeddedUser()
  const receipt = await create(user, PEOPLE)
  await user.kpiIn({ now: NOW + 60_000 }, 'kpis', 'update', 'Visits', '--description', 'mine')
  await user.kpiIn({ now: NOW + 60_000 }, 'users', 'update', 'Bob', '--last-name', 'Rowe')
  const [code, fates] = await undone(user, receipt, '--with-entries', '--yes')
  expect([code, fates]).toEqual([
    3,
    ['leave kpi Visits was changed since', 'remove user Ann', 'leave user Bob was changed since'],
  ])
  expect(await listed(user, 'kpis')).toEqual(['Visits'])
})

test('items, their group and units are taken back, too', async () => {
  await using user = await embeddedUser()
  const receipt = await create(user, ITEMS)
  expect(await listed(user, 'groups')).toContain('Region')
  expect(await undone(user, receipt, '--with-entries', '--yes')).toEqual([
    0,
    ['remove kpi Revenue in EUR', 'remove item North', 'remove group Region', 'remove unit EUR'],
  ])
  expect(await listed(user, 'groups')).not.toContain('Region')
  expect(await listed(user, 'units')).not.toContain('EUR')
})

test('a receipt of another service, or none, is refused', async () => {
  await using user = await embeddedUser()
  await using other = await remoteUser()
  const receipt = await create(user, PEOPLE)
  const folder = user.folder.in('.local/state/kpi/receipts')
  const [file = ''] = readdirSync(folder)
  expect(await user.kpi('entries', 'undo', '--data-dir', 'elsewhere', '-o', 'csv')).toMatchObject({
    stdout:
      'receipt,file,imported_at,service,account,new_things,new_entries,changed_entries,taken_back_at,left_entries,undo_begun_at\n',
    stderr: expect.stringMatching(
      /^no receipts\n\d+ receipts? of other services; --profile or --data-dir names one\n$/,
    ) as string,
  })
  expect(await other.kpi('entries', 'undo', `${folder}/${file}`)).toMatchObject({ code: 1 })
  expect((await user.kpi('entries', 'undo', 'nothing')).stderr).toContain('there is no receipt "nothing"')
  expect(receipt).not.toBe('')
})

test.each([[['']], [['', '--yes']], [['--yes']], [['--dry-run']]])(
  'a line that names no receipt, %j, takes nothing back and does not end well',
  async (words) => {
    await using user = await embeddedUser()
    expect(await user.kpi('entries', 'undo', ...words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('say which import to take back, by its receipt') as unknown,
    })
  },
)
