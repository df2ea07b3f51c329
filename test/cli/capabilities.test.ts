import { writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Variant } from '../../src/domain/variants.ts'
import { COMMANDS, examplesOf, wordsOf } from '../support/example-lines.ts'
import { writeExampleSources } from '../support/example-sources.ts'
import { temporaryFolder } from '../support/folder.ts'
import { foreignService, type Reached } from '../support/foreign.ts'
import { errorOf, type Ran, shellIn } from '../support/kpi.ts'

/** What goes to a service nowhere: these work on this machine alone. */
const LOCAL =
  /^(completion|version|run|entries enter|profiles (add|update|list|show|use|remove)|serve|service|demo|report verify)\b/

/** What each variant does not have, and what its sentence says to use instead. */
const LACKING: Record<Variant, readonly (readonly [line: RegExp, instead: RegExp])[]> = {
  v1: [
    [
      /^users (create|update|delete|import)\b/,
      /(creates|changes|deletes) no people: use a profile of the classic interface.*the same command on its machine/,
    ],
    [/^groups\b/, /has no groups: use kpi breakdown-items/],
    [/^group-items\b/, /has no group items: use kpi breakdown-items/],
    [
      /^assign group-items\b/,
      /has no group items of users: use a profile of the classic interface.*the same command on its machine/,
    ],
    [/^check --only missing/, /has no assignments of KPIs: --only missed checks the targets alone/],
    [
      /^(assign (?!group-items)|users hand-over)/,
      /has no assignments of KPIs: use a profile of the classic interface.*the same command on its machine/,
    ],
  ],
  classic: [
    [/^breakdown-items\b/, /has no breakdown items: use kpi group-items.*a profile of the newer interface/],
    [/--source\b/, /--source: .* has no breakdown items: use --user.*a profile of the newer interface/],
  ],
}

type Line = readonly string[]

/** What an import assigns on the way is tried with imports. */
const isElsewhere = (line: Line): boolean => LOCAL.test(line.join(' ')) || line.includes('--create-assignments')
const examples = (await Promise.all(COMMANDS.map(examplesOf)))
  .flat()
  .map((line) => wordsOf(line).slice(1))
  .filter((line) => !isElsewhere(line))
/** More lines, with names where ids would do, and flags that need more than their command. */
const lines: readonly Line[] = [
  ...examples,
  wordsOf('users update "Ann Lee" --last-name Li'),
  wordsOf('users create --from-json nowhere.json'),
  wordsOf('group-items create --from-json nowhere.json --group Region'),
  wordsOf('assign list'),
  wordsOf('entries add --source 4 --kpi 1 --actual 1'),
  wordsOf('entries list --source 4'),
  wordsOf('report --group-items 4 --users 2'),
]

/** Names no profile: the environment says which service it is. */
const withoutProfile = (line: Line): Line => (line[0] === 'profiles' ? line.filter((word) => word !== 'acme') : line)

/** Runs a line on a service that refuses everything, with a yes to what it may ask. */
const runAt = async (variant: Variant, line: Line): Promise<{ ran: Ran; reached: readonly Reached[] }> => {
  const { url, reached } = await foreignService((response) => response.writeHead(401).end('{}'))
  const home = temporaryFolder()
  onTestFinished(() => home[Symbol.dispose]())
  writeFileSync(home.in('data.csv'), 'user,kpi,date,actual\n1,1,2026-01-01,1\n')
  for (const name of ['daily', 'regions', 'export', 'north', 'south'])
    writeFileSync(home.in(`${name}.csv`), 'date,kpi\n2026-01-01,1\n')
  writeFileSync(home.in('kpi.yaml'), 'categories: [{ name: Sales }]\n')
  const saved = {
    kpi_plan: 1,
    service: '',
    account: '',
    file: '',
    prune: false,
    configuration: '{}',
    rows: [],
    deletes: [],
  }
  writeFileSync(home.in('plan.json'), JSON.stringify(saved))
  writeFileSync(home.in('assignments.csv'), 'user,kpi\n1,1\n')
  writeFileSync(home.in('visitors.csv'), 'Name\n1\n')
  writeFileSync(home.in('places.csv'), 'Mitarbeiter,Filiale\n1,North\n')
  writeExampleSources(home)
  const [path, login] = variant === 'classic' ? ['api', { KPI_LOGIN: 'ann' }] : ['v1', {}]
  const env = { KPI_BASE_URL: `${url}/${path}`, KPI_TOKEN: 'secret', ...login }
  const ran = await shellIn({ home: home.path, env })(...withoutProfile(line))
  return { ran, reached }
}

describe.each(['v1', 'classic'] as const)('%s', (variant) => {
  const lackOf = (line: Line): RegExp | undefined =>
    LACKING[variant].find(([pattern]) => pattern.test(line.join(' ')))?.[1]
  const lacking = lines.filter((line) => lackOf(line) !== undefined)

  test('each of what it lacks is a command that there is', () => {
    const used = new Set(lacking.map(lackOf))
    expect(LACKING[variant].filter(([, instead]) => !used.has(instead))).toEqual([])
  })

  test.each(lacking.map((line) => [line.join(' '), line] as const))(
    'does not have kpi %s: that is refused unsent, with what to use instead',
    async (_, line) => {
      const { ran, reached } = await runAt(variant, line)
      expect(ran).toMatchObject({ code: 7, stdout: '' })
      const [said = '', ...more] = ran.stderr.trimEnd().split('\n')
      expect(line.includes('json') ? `kpi: ${errorOf(ran).message}` : said).toMatch(lackOf(line) ?? /^$/)
      expect(more).toEqual([])
      expect(reached).toEqual([])
    },
  )

  // What comes from a file has to be right before anything is sent; receipts are listed without the service.
  const isOfReceipts = (line: Line): boolean => /^(entries undo$|undo$|history)/.test(line.join(' '))
  const supported = lines.filter(
    (line) => lackOf(line) === undefined && !line.includes('--from-json') && !isOfReceipts(line),
  )
  test.each(supported.map((line) => [line.join(' '), line] as const))('has kpi %s: that is sent', async (_, line) => {
    const isAsked = / (delete|remove) /.test(` ${line.join(' ')} `) && !line.includes('--yes')
    const isFile = line.includes('--to-file')
    const { ran, reached } = await runAt(variant, [
      ...line,
      ...(isAsked ? ['--yes'] : []),
      ...(isFile ? ['--force'] : []),
    ])
    expect({ stderr: ran.stderr, code: ran.code }).toMatchObject({ code: 4 })
    expect(reached.length).toBeGreaterThan(0)
  })
})
