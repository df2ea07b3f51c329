import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { cpSync, writeFileSync } from 'node:fs'
import { describeProgram } from '../../src/cli/program.ts'
import { makePair } from './certificates.ts'
import { writeExampleSources } from './example-sources.ts'
import { temporaryFolder } from './folder.ts'
import { kpiNamed, userNamed } from './import.ts'
import { NOW, testIo } from './io.ts'
import { shellIn } from './kpi.ts'
import { embeddedUser, type User } from './user.ts'

/** A line cut into words as a shell does. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ''))

const leaves = (command: CommandUnknownOpts, path: readonly string[]): string[] =>
  command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((one) => leaves(one, [...path, one.name()]))

const program = await describeProgram('', testIo({ home: '/' }).io)

/** Every command that is run, by its words: `kpis list`. */
export const COMMANDS: readonly string[] = program.commands.flatMap((group) => leaves(group, [group.name()]))

const shell = shellIn({ home: '/nowhere' })

/** The example lines in the help of a command. */
export const examplesOf = async (command: string): Promise<string[]> => {
  const { stdout } = await shell(...command.split(' '), '--help')
  const [, examples = ''] = stdout.split('\nExamples:\n')
  return (examples.split('\n\n')[0] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** The one that `changes.json` changes, where that is not number 1. */
const CHANGED: Readonly<Record<string, number>> = { groups: 2, 'group-items': 4, 'breakdown-items': 4 }

const { cert, key } = await makePair('localhost', 30, NOW)

const FILES = {
  'cert.pem': cert,
  'key.pem': key,
  'new.json': '[]',
  'kpi.yaml': 'categories: [{ name: Shops }]\n',
  'nightly.yaml': 'steps:\n  - report:\n',
  'data.csv': 'user,kpi,date,actual\nann@example.com,Visits,2026-01-01,1\n',
  'north.csv': 'user,kpi,date,actual\nann@example.com,Visits,2026-01-02,1\n',
  'south.csv': 'user,kpi,date,actual\nann@example.com,Visits,2026-01-03,1\n',
  'daily.csv': 'kpi,date,actual\nVisits,2026-01-01,1\n',
  'assignments.csv': 'user,kpi,target\nann@example.com,Revenue,5\n',
  'visitors.csv': 'Name\nBob\n',
  'places.csv': 'Mitarbeiter,Filiale,Region\nann@example.com,Mitte,North\n',
  'regions.csv': 'date,Ann Lee\n2026-01-01,5\n',
  'export.csv': 'Day,Net sales,Region,user,kpi\n2026-01-01,5,North,ann@example.com,Revenue\n',
}

/** Fills an account with KPIs, people and groups; with a calculated KPI and a key, which only some examples speak of. */
const fillAccount = async ({ client, kpi }: User, hasFormula: boolean): Promise<void> => {
  for (const name of ['Shops', 'Web']) await client.categories.add({ name })
  for (const name of ['Revenue', 'Visits']) {
    await client.kpis.add(kpiNamed(name, { category_id: 3, unit_id: 4, target_default: 1n }))
  }
  await client.users.add(userNamed('Ann', { last_name: 'Lee' }))
  await client.users.add(userNamed('Bob'))
  for (const [person, id] of [
    [2, 1],
    [2, 2],
    [3, 1],
  ] as const) {
    await client.assignments(person).add({ id, sort_order: id })
  }
  for (const entry_date of [0, 1]) await client.entries.add({ user_id: 3, kpi_id: 1, entry_date, actual: 1n })
  for (const name of ['Region', 'Team', 'Shift']) await client.groups.add({ name })
  for (const name of ['North', 'South']) await client.groupItems(2).add({ name })
  await client.userGroupItems(2).add({ id: 4 })
  if (!hasFormula) return
  const formula = ['--frequency', 'M', '--formula', '[Revenue] / [Visits]']
  await kpi('service', 'calculated', 'add', '--name', 'Share', ...formula)
  await kpi('service', 'keys', 'create', 'nightly', '--user', 'Bob', '--scopes', 'entries:write')
}

/** Where a filled account is, by whether it has a formula. */
const filled = new Map<boolean, Promise<string>>()

/** Fills an account once for all tests of a process, and leaves it where the process ends. */
const filledFolder = async (hasFormula: boolean): Promise<string> => {
  const user = await embeddedUser()
  await fillAccount(user, hasFormula)
  await user.client.close()
  process.once('exit', () => user.folder[Symbol.dispose]())
  return user.folder.path
}

/** A service that does not answer here; only the profile of one has a token. */
const A_SERVICE = [
  '--base-url',
  'https://kpi.example.com/api',
  '--login',
  'ann',
  '--token-command',
  'pass',
  '--no-check',
]

/** Makes what some examples name: a profile, a backup, a plan, an export. */
const makeNamed = async ({ kpi }: User, examples: string): Promise<void> => {
  const place = examples.startsWith('kpi profiles update') ? A_SERVICE : ['--data-dir', 'other']
  if (/acme|^kpi profiles/.test(examples)) await kpi('profiles', 'add', 'acme', ...place)
  if (examples.includes('kpi-backup.db')) await kpi('service', 'backup', 'kpi-backup.db')
  if (examples.includes('plan.json')) await kpi('plan', 'kpi.yaml', '--to-file', 'plan.json')
  if (examples.includes('report.csv.gz')) await kpi('report', 'export', '--to-file', 'report.csv.gz', '--manifest')
}

/**
 * Opens what the examples of a command speak of: KPIs, people, groups, files, a profile, a backup. Bob has entries; Ann
 * can be deleted, as can what is usual. What a formula uses cannot, so there is one only where it is spoken of.
 */
export const openShop = async (command: string): Promise<User> => {
  const [noun = ''] = command.split(' ')
  const hasFormula = noun === 'service' && command !== 'service calculated add'
  if (!filled.has(hasFormula)) filled.set(hasFormula, filledFolder(hasFormula))
  const source = await filled.get(hasFormula)
  const folder = temporaryFolder()
  cpSync(String(source), folder.path, { recursive: true })
  const user = await embeddedUser(folder)
  // A store is restored where nobody has it open.
  await user.client.close()
  for (const [name, text] of Object.entries(FILES)) writeFileSync(folder.in(name), text, { mode: 0o600 })
  writeExampleSources(folder)
  writeFileSync(folder.in('changes.json'), JSON.stringify({ id: CHANGED[noun] ?? 1 }))
  await makeNamed(user, (await examplesOf(command)).join('\n'))
  return user
}

/** The ports that are named, and the usual one, may be in use here: a server takes any. */
export const onFreePorts = (words: readonly string[]): string[] => {
  const isPort = (at: number): boolean => ['--port', '--metrics-port'].includes(words[at - 1] ?? '')
  const free = words.map((word, at) => (isPort(at) ? '0' : word))
  return words[0] === 'serve' && !words.includes('--port') ? [...free, '--port', '0'] : free
}

/** These ask at a terminal for what is missing, or for a yes; here they are given it. */
export const answered = (words: readonly string[]): string[] => {
  const line = words.join(' ')
  const asks =
    /^([\w-]+ delete|assign (group-items )?remove|profiles remove|service (calculated remove|breakdowns delete|(token|keys) revoke))\b/
  if (asks.test(line) && !line.includes('--yes')) return [...words, '--yes']
  if (line.includes('--to-file')) return [...words, '--force']
  if (line.startsWith('profiles update') && line.includes('--token-command')) return [...words, '--no-check']
  if (!line.startsWith('profiles add') || line.includes('--data-dir')) return [...words]
  // The services of examples do not answer here, and some profiles are there already.
  const unchecked = [...words, '--no-check', '--yes']
  return line.includes('--token-command') ? unchecked : [...unchecked, '--token-stdin']
}
