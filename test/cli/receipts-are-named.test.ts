import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { NOW } from '../support/io.ts'
import { embeddedUser, type User } from '../support/user.ts'

const FILES = {
  'kpi.yaml': 'categories:\n  - { name: Web }\nkpis:\n  - { name: Visits, category: Web, frequency: daily }\n',
  'kpis.csv': 'name,frequency\nSales,D\n',
  'assign.csv': 'user,kpi\nadmin@localhost,Visits\n',
} as const

const IMPORTS = [
  ['apply', ['apply', 'kpi.yaml', '--yes']],
  ['kpis import', ['kpis', 'import', 'kpis.csv']],
  ['assign import', ['assign', 'import', 'assign.csv']],
] as const

const open = async (): Promise<User> => {
  const user = await embeddedUser()
  for (const [name, text] of Object.entries(FILES)) writeFileSync(user.folder.in(name), text)
  return user
}

const inJson = async (user: User, ...args: string[]): Promise<unknown> => jsonOf(await user.kpi(...args, '-o', 'json'))

type Run = { receipt: string; command: string }

test('the summaries of an apply and of imports name the receipt, where anything was changed', async () => {
  await using user = await open()
  for (const [command, line] of IMPORTS) {
    const { receipt } = (await inJson(user, ...line)) as Run
    const runs = (await inJson(user, 'history')) as Run[]
    expect([command, receipt]).toEqual([command, runs.find((one) => one.command === command)?.receipt])
    expect(await inJson(user, ...line)).toMatchObject({ receipt: null })
  }
  const dry = await user.kpi('kpis', 'import', 'kpis.csv', '--dry-run', '--summary-only', '-o', 'json')
  expect(jsonOf(dry)).toMatchObject({ receipt: null })
})

test('undo without a receipt lists what history lists, the newest first also within a second', async () => {
  await using user = await open()
  const names = Array.from({ length: 6 }, (_, at) => `C${at}`)
  for (const [at, name] of names.entries()) await user.kpiIn({ now: NOW + at }, 'categories', 'create', '--name', name)
  await user.kpiIn({ now: NOW + 3 }, 'apply', 'kpi.yaml', '--yes')
  const listed = await user.kpi('undo')
  expect(listed).toEqual(await user.kpi('history'))
  expect(await inJson(user, 'undo')).toEqual(await inJson(user, 'history'))
  const runs = (await inJson(user, 'undo')) as Run[]
  const undone: string[] = []
  for (const { receipt } of runs) {
    const planned = (await inJson(user, 'undo', receipt, '--dry-run')) as { name: string }[]
    undone.push(planned.at(-1)?.name ?? '')
  }
  expect(undone.filter((name) => name.startsWith('category C'))).toEqual(
    names.toReversed().map((name) => `category ${name}`),
  )
  expect(await inJson(user, 'entries', 'undo')).toEqual([])
})

test.each([
  [['undo', 'nothing'], 'there is no receipt "nothing"; kpi history lists them'],
  [['undo', '--dry-run'], 'say what to take back, by its receipt; kpi history lists the receipts'],
  [['entries', 'undo', 'nothing'], 'there is no receipt "nothing"; kpi entries undo lists them'],
  [['entries', 'undo', '--yes'], 'say which import to take back, by its receipt; kpi entries undo lists the receipts'],
] as const)('kpi %j says where receipts are listed', async (line, message) => {
  await using user = await open()
  const { code, stderr } = await user.kpi(...line)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test('an undo that names no receipt shows the line for the newest that is not taken back', async () => {
  await using user = await open()
  const { receipt } = jsonOf(await user.kpiIn({ now: NOW + 2 }, 'apply', 'kpi.yaml', '--yes', '-o', 'json')) as Run
  const later = jsonOf(await user.kpiIn({ now: NOW + 5 }, 'kpis', 'import', 'kpis.csv', '-o', 'json')) as Run
  expect((await user.kpi('undo', '--yes')).stderr).toContain(`such as the newest: kpi undo ${later.receipt}`)
  await inJson(user, 'undo', later.receipt, '--yes')
  expect((await user.kpi('undo', '--dry-run')).stderr).toContain(`such as the newest: kpi undo ${receipt}`)
  expect((await user.kpi('entries', 'undo', '--yes')).stderr).not.toContain('such as the newest')
})

test('a mistyped receipt of a run is told from the one that is meant', async () => {
  await using user = await open()
  const { receipt } = (await inJson(user, 'apply', 'kpi.yaml', '--yes')) as Run
  const { stderr } = await user.kpi('undo', `${receipt.slice(0, -1)}x`)
  expect(stderr).toContain(`did you mean ${receipt}?`)
})

test('an apply of which some was refused has ended: the next one has a receipt of its own', async () => {
  await using user = await open()
  const apply = async (text: string): Promise<number | undefined> => {
    writeFileSync(user.folder.in('kpi.yaml'), text)
    return (await user.kpi('apply', 'kpi.yaml', '--prune', '--yes')).code
  }
  const kpis = FILES['kpi.yaml']
  expect(await apply(`${kpis}users:\n  - { email: ann@example.com, first_name: Ann }\n`)).toBe(0)
  await user.kpi('assign', 'add', '--kpis', 'Visits', '--users', 'ann@example.com')
  const entry = ['--user', 'ann@example.com', '--kpi', 'Visits', '--date', '2026-11-02', '--actual', '1']
  expect(await user.kpi('entries', 'add', ...entry)).toMatchObject({ code: 0 })
  const units = 'units:\n  - { name: Boxes, display_format: "#" }\n'
  expect(await apply(`${kpis}${units}`)).toBe(3)
  expect(await apply(`${kpis}${units.replace('Boxes', 'Crates')}`)).toBe(3)
  const runs = (await inJson(user, 'history', '--filter', 'command=apply')) as { state: string }[]
  expect(runs.map(({ state }) => state)).toEqual(['done', 'done', 'done'])
})
