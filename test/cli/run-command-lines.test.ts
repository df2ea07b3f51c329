import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { NO_STEPS, STEP_KINDS, stepKinds } from '../../src/cli/commands/run/job-definition.ts'
import { asksFirst } from '../../src/cli/args/dry-run.ts'
import { describeProgram } from '../../src/cli/program.ts'
import { shellWord } from '../../src/cli/output/text.ts'
import { ALL_SETTINGS, flagName } from '../../src/cli/target/settings.ts'
import { testIo } from '../support/io.ts'
import { temporaryFolder } from '../support/folder.ts'
import { errorOf, type Ran, shellIn, withoutCommand } from '../support/kpi.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

type Row = {
  readonly kind: string
  readonly command: string
  readonly outcome: string
  readonly exit_code: number | null
}

const runJob = (user: User, steps: string, ...flags: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('job.yaml'), `steps:\n${steps}`)
  return user.kpi('run', 'job.yaml', ...flags)
}

const rowsOf = ({ stdout, stderr }: Ran): readonly Row[] => {
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Row[]
}

/** What is told of a job that cannot run, without where. */
const faultsOf = ({ stderr }: Ran): string[] => stderr.trimEnd().split('\n').slice(1)

/** Says what a command line is refused with, in one line. */
const refusalOf = ({ stderr }: Ran): string =>
  withoutCommand(stderr)
    .trimEnd()
    .replace(/^kpi: /, '')

describe('a step that is a command line', () => {
  test.each([
    ['a text', 'users create --first-name Cy --last-name "de la Cruz" --email cy@example.com'],
    [
      'a text that names the program',
      "kpi users create --first-name Cy --last-name 'de la Cruz' --email=cy@example.com",
    ],
    ['a list', ['users', 'create', '--first-name', 'Cy', '--last-name', 'de la Cruz', '--email', 'cy@example.com']],
  ])('is %s, and does what the line does', async (_what, run) => {
    await using user = await embeddedUser()
    const ran = await runJob(user, stringify([{ run }]), '-o', 'json')
    expect(rowsOf(ran)).toMatchObject([{ kind: 'run', outcome: 'done', exit_code: 0 }])
    expect(await user.client.users.list()).toContainEqual(expect.objectContaining({ last_name: 'de la Cruz' }))
  })

  test('that imports has a line and a rejects file for each file, and moves it, as the step import', async () => {
    await using user = await embeddedUser()
    await fillShop(user)
    mkdirSync(user.folder.in('inbox'))
    writeFileSync(user.folder.in('inbox/a.csv'), 'user,date,actual\nAnn Lee,2026-03-01,1\nAnn Lee,2026-03-02,x\n')
    writeFileSync(user.folder.in('inbox/b.csv'), 'user,date,actual\nAnn Lee,2026-03-03,1\n')
    const ran = await runJob(
      user,
      '  - run: entries import --kpi Visits inbox/*.csv\n    move_to: done\n',
      '-o',
      'json',
    )
    expect(rowsOf(ran)).toMatchObject([{ command: 'entries import inbox/*.csv --kpi Visits', exit_code: 3 }])
    expect([readdirSync(user.folder.in('inbox')), readdirSync(user.folder.in('done'))]).toEqual([
      ['a.rejects.csv'],
      ['a.csv', 'b.csv'],
    ])
  })

  test('has the day in the place of {date}, and no other step is refused for its file', async () => {
    await using user = await embeddedUser()
    await fillShop(user)
    const job = '  - run: kpis list --to-file kpis-{date}.csv\n  - run: users list --to-file users.csv\n'
    expect(rowsOf(await runJob(user, job, '-o', 'json'))).toMatchObject([{ exit_code: 0 }, { exit_code: 0 }])
    expect(readFileSync(user.folder.in('kpis-2026-11-21.csv'), 'utf8')).toContain('Revenue')
    expect(faultsOf(await runJob(user, job))).toEqual([
      '  line 3: users.csv exists already, and this step would fail, as it does not replace files: add --force, and to keep the file of each day name it after the day: users-{date}.csv',
    ])
  })

  test('goes to the place that it names, and else to that of the job', async () => {
    await using user = await embeddedUser()
    await user.kpi('profiles', 'add', 'other', '--data-dir', 'other')
    await user.kpi('groups', 'create', '--name', 'Mine', '--data-dir', 'mine')
    const steps = ['groups list --profile other --to-file other.json', 'groups list --sort -name --to-file mine.json']
    const { code } = await runJob(user, steps.map((run) => `  - run: ${run}\n`).join(''), '--data-dir', 'mine')
    const namesIn = (file: string): unknown =>
      (JSON.parse(readFileSync(user.folder.in(file), 'utf8')) as { name: string }[]).map(({ name }) => name)
    expect([code, namesIn('other.json'), namesIn('mine.json')]).toEqual([0, [], ['Mine']])
  })

  test('that finds differences does not end the job, which ends with them', async () => {
    await using user = await embeddedUser()
    writeFileSync(user.folder.in('kpi.yaml'), 'groups:\n  - name: Region\n')
    const ran = await runJob(user, '  - run: plan kpi.yaml --exit-code\n  - run: users list\n', '-o', 'json')
    expect([ran.code, ...rowsOf(ran).map(({ outcome, exit_code }) => [outcome, exit_code])]).toEqual([
      9,
      ['found', 9],
      ['done', 0],
    ])
  })

  test('ends at its own deadline where that is the sooner one', async () => {
    await using user = await embeddedUser()
    const alarms: number[] = []
    const alarm = (ms: number): AbortSignal => {
      alarms.push(ms)
      return new AbortController().signal
    }
    const steps = '  - run: users list --deadline 5s\n  - run: users list --deadline 48h\n'
    writeFileSync(user.folder.in('job.yaml'), `deadline: 1h\nsteps:\n${steps}`)
    const { code } = await user.kpiIn({ alarm }, 'run', 'job.yaml')
    expect([code, alarms.includes(5000), alarms.includes(48 * 3_600_000)]).toEqual([0, true, false])
  })

  test('is tried by a dry run where that can be done, and nothing that it may make is missed', async () => {
    await using user = await embeddedUser()
    writeFileSync(user.folder.in('a.csv'), 'user,kpi,date,actual\nCy,Visits,2026-03-01,1\n')
    const ran = await runJob(
      user,
      '  - run: api GET /kpis\n  - run: users create --first-name Cy --email cy@example.com\n  - import: a.csv\n  - import: gone.csv\n',
      '--dry-run',
      '-o',
      'json',
    )
    expect(rowsOf(ran).map(({ outcome }) => outcome)).toEqual(['planned', 'planned', 'planned', 'failed'])
    expect(ran.stderr).toContain('not tried: a dry run checks only the flags of this command')
    expect(ran.stderr).toContain('not tried: an earlier step may create what it names')
    expect(await user.client.users.list()).toHaveLength(1)
  })

  test.each([
    ['entries import "a.csv', 'run has a quote that is not closed'],
    ['""', "unknown command ''"],
    ['users list --to-file x.foo', 'x.foo ends in .foo'],
    ['users list --deadline soon', '--deadline soon is neither a time of day nor a time from now'],
    ...[
      'report > r.csv',
      'report 2>err',
      'kpis list | head',
      'kpis get Visits && kpi kpis list',
      'kpis list; doctor',
    ].map((line): [string, string] => [
      line,
      'and no shell reads it: write a step for each command, --to-file for a file, or quote it',
    ]),
    ['profiles use plant', 'it changes what later runs use'],
    ['report --help', 'help is for people who type; a job needs a command'],
    ['entries', 'say which command: list, get, add'],
    ['kpis lst', "unknown command 'lst' (Did you mean list?)"],
    ['report --from 2026-02-30', '"2026-02-30" is a date that does not exist'],
    ['apply kpi.yaml -o nonsense', 'nonsense'],
    ['entries delete --all', "unknown option '--all'"],
  ])('and cannot run is refused before anything runs: %s', async (run, why) => {
    await using user = await embeddedUser()
    const ran = await runJob(
      user,
      `${stringify([{ run: 'users list' }])}${stringify([{ run }])}  - check: x\n`.replaceAll(/^- /gm, '  - '),
    )
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(faultsOf(ran)).toEqual([
      expect.stringContaining(`  line 3: ${why.startsWith('"') ? why : ''}`),
      '  line 4: check takes nothing but flags: leave out "x"',
    ])
    expect(ran.stderr).toContain(why)
  })

  test.each(Object.entries(NO_STEPS))('is not kpi %s: %s', async (path, why) => {
    await using user = await embeddedUser()
    const program = await describeProgram('', testIo({ home: '/' }).io)
    const args = argumentsOf(commandAt(program, path))
    expect(faultsOf(await runJob(user, `  - run: ${[path, ...args].join(' ')}\n`))).toEqual([
      `  line 2: kpi ${path} is no step of a job: ${why}`,
    ])
  })
})

const commandAt = (program: CommandUnknownOpts, path: string): CommandUnknownOpts =>
  path.split(' ').reduce((command, word) => command.commands.find((one) => one.name() === word) ?? command, program)

/** A word for each argument that a command must have. */
const argumentsOf = ({ registeredArguments }: CommandUnknownOpts): string[] =>
  registeredArguments.filter(({ required }) => required).map(({ argChoices }) => argChoices?.[0] ?? 'x')

/** All commands below one that do something, with their words. */
const linesBelow = (
  command: CommandUnknownOpts,
  before: readonly string[],
): { command: CommandUnknownOpts; words: string[] }[] =>
  command.commands.flatMap((below) => {
    const words = [...before, below.name()]
    const isGroup = below.commands.length > 0 && !['report', 'undo'].includes(below.name())
    return [...(isGroup ? [] : [{ command: below, words }]), ...linesBelow(below, words)]
  })

/** How an option can be given wrongly, whatever else is on the line: so that no line of these does anything. */
const wrongWays = ({ long, required, optional, argChoices }: Option): string[][] => {
  if (long === undefined) return []
  if (!required && !optional) return [[`${long}=x`]]
  // Another word may be the name of a group, which only the service knows.
  const wrong = long === '--group-by' ? 'itme' : 'no such choice'
  return [...(required ? [[long]] : []), ...(argChoices ? [[`${long}=${wrong}`]] : [])]
}

/** Values that options may have, by what they say that they take. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/<(?:day|date)>/, '2026-01-02'],
  [/<file>/, 'x.csv'],
  [/<locale>/, 'de-DE'],
  [/<n>/, '3'],
]

/** An option with a value that it may have. */
const given = ({ long = '', required, argChoices, flags }: Option): string[] => {
  if (!required) return [long]
  return [long, argChoices?.[0] ?? VALUES.find(([kind]) => kind.test(flags))?.[1] ?? 'x']
}

/** The most steps of a job here: a job has at most 1000. */
const STEPS = 500

/** A dry run of jobs of some lines, one after the other. */
const plannedIn = async (user: User, lines: readonly (readonly string[])[]): Promise<readonly Ran[]> => {
  const ran: Ran[] = []
  for (let at = 0; at < lines.length; at += STEPS) {
    const steps = lines.slice(at, at + STEPS).map((run) => `  - run: ${JSON.stringify(run)}\n`)
    ran.push(await runJob(user, steps.join(''), '--dry-run', '-o', 'json'))
  }
  return ran
}

/** What jobs of some lines are refused with, by the places of the lines. */
const refusedIn = async (user: User, lines: readonly (readonly string[])[]): Promise<ReadonlyMap<number, string>> => {
  const ran = await plannedIn(user, lines)
  const told = ran.flatMap((one, job) =>
    one.code === 2 ? errorOf(one).issues.map(({ field, message }) => ({ job, field, message })) : [],
  )
  return new Map(
    told.map(({ job, field, message }) => [job * STEPS + Number(field.slice('line '.length)) - 2, message]),
  )
}

describe('for every flag of every command', () => {
  test('a step is refused with the sentence of the command line', async () => {
    await using user = await embeddedUser()
    const program = await describeProgram('', testIo({ home: '/' }).io)
    const lines = linesBelow(program, []).flatMap(({ command, words }) =>
      // The flags of every command are parsed in one place: those that stand alone are enough for them.
      [...command.options, ...(words.length === 1 ? program.options : [])].flatMap((option) =>
        wrongWays(option).map((flag) => [...words, ...argumentsOf(command), ...flag]),
      ),
    )
    expect(lines.length).toBeGreaterThan(800)
    const typed = new Map<number, string>()
    for (const [at, words] of lines.entries()) typed.set(at, refusalOf(await user.kpi(...words)))
    expect(await refusedIn(user, lines)).toEqual(typed)
  })

  test('a step that is refused is refused by the command line, and any other is planned as it is typed', async () => {
    await using user = await embeddedUser()
    const program = await describeProgram('', testIo({ home: '/' }).io)
    const lines = linesBelow(program, [])
      .filter(({ words }) => !(words.join(' ') in NO_STEPS))
      .flatMap(({ command, words }) => {
        const yes = asksFirst(command, {}) ? ['--yes'] : []
        return command.options.map((one) => [...words, ...argumentsOf(command), ...given(one), ...yes])
      })
    const refused = await refusedIn(user, lines)
    expect(refused.size).toBeLessThan(lines.length / 4)
    for (const [at, message] of refused) expect(refusalOf(await user.kpi(...(lines[at] ?? [])))).toBe(message)
    const left = lines.filter((_, at) => !refused.has(at))
    const rows = (await plannedIn(user, left)).flatMap(rowsOf)
    expect(rows.map(({ command }) => command)).toEqual(left.map((words) => words.map(shellWord).join(' ')))
  })

  test('that a step of another kind has, it is refused with the same sentence', async () => {
    await using user = await embeddedUser()
    const program = await describeProgram('', testIo({ home: '/' }).io)
    const cases = STEP_KINDS.filter((kind) => stepKinds[kind].words.length > 0).flatMap((kind) => {
      const { words, target, flag } = stepKinds[kind]
      const file = target === 'none' ? [] : ['x.csv']
      const before = [...words, ...(flag === undefined ? [] : [flag]), ...file]
      return commandAt(program, words.join(' '))
        .options.filter(({ long }) => long !== flag)
        .flatMap(wrongWays)
        .map((flags) => ({ kind, file: file[0] ?? null, before, flags }))
    })
    expect(cases.length).toBeGreaterThan(100)
    const steps = cases.map(({ kind, file, flags: [word = ''] }) => {
      const [name = '', value = true] = word.slice('--'.length).split('=')
      return `  - ${JSON.stringify({ [kind]: file, flags: { [name]: value } })}\n`
    })
    const told = errorOf(await runJob(user, steps.join(''), '-o', 'json')).issues.map(({ message }) => message)
    const typed: string[] = []
    for (const { before, flags } of cases) typed.push(refusalOf(await user.kpi(...before, ...flags)))
    expect(told).toEqual(typed)
  })
})

test('paths in the environment count from where the job was started, not from its own folder', async () => {
  using folder = temporaryFolder()
  mkdirSync(folder.in('jobs'))
  writeFileSync(folder.in('jobs/job.yaml'), 'steps:\n  - run: profiles list --columns name -o csv\n')
  const kpi = shellIn({ home: folder.path, env: { KPI_CONFIG_DIR: 'conf', KPI_DATA_DIR: 'data' } })
  await kpi('profiles', 'add', 'plant', '--data-dir', './plant')
  const ran = await kpi('run', 'jobs/job.yaml')
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('plant') as unknown])
  expect(readdirSync(folder.in('jobs'))).toEqual(['job.yaml'])
})

test('what a step says is a sentence, whatever prints the results of commands elsewhere', async () => {
  await using user = await embeddedUser()
  writeFileSync(user.folder.in('a.csv'), 'user,kpi,date,actual\nNobody,1,2026-03-01,1\n')
  const job = 'steps:\n  - import: a.csv\n  - run: kpis get Nil -o json\n'
  writeFileSync(user.folder.in('job.yaml'), job)
  const plain = await user.kpi('run', 'job.yaml', '-o', 'csv')
  rmSync(user.folder.in('a.rejects.csv'))
  expect(await user.kpiIn({ env: { KPI_OUTPUT: 'json' } }, 'run', 'job.yaml', '-o', 'csv')).toEqual(plain)
  expect(plain.stderr).not.toContain('{')
})

test.each([
  ['after an import that sent all', '  - import: a.csv\n', 5],
  ['after an import without a file', '  - import: none-*.csv\n    move_to: done\n', 5],
  ['after a check that found something', '  - import: a.csv\n  - check:\n', 5],
  ['after a step that failed', '  - run: kpis get 99\n', 1],
])('a webhook that is not reached %s is no work left', async (_when, steps, code) => {
  await using user = await embeddedUser()
  await fillShop(user)
  writeFileSync(user.folder.in('a.csv'), 'user,kpi,date,actual\nAnn Lee,Visits,2026-03-01,1\n')
  const ran = await runJob(user, `${steps}  - webhook: http://127.0.0.1:9/hook\n`)
  expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining('webhook')])
})

test('what is behind -- stays an argument', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const typed = await user.kpi('kpis', 'get', '--', '--yes')
  const ran = await runJob(user, '  - run: kpis get -- --yes\n', '-o', 'json')
  expect(rowsOf(ran)).toMatchObject([{ exit_code: typed.code, message: refusalOf(typed) }])
})

test.each([
  ...ALL_SETTINGS.filter(({ sources, without }) => sources.flag !== undefined && without === undefined)
    .map(flagName)
    .filter((name) => name !== 'store')
    .map((name) => [`--${name}`, name === 'data-dir' ? '' : '/no:such']),
  ['--lock', '../x'],
])('a step with %s %j is refused before any step runs', async (flag, value) => {
  await using user = await embeddedUser()
  const steps = [{ run: 'kpis list' }, { run: ['kpis', 'list', flag, value] }]
  const { code, stderr } = await runJob(user, stringify(steps))
  expect([code, stderr]).toEqual([2, expect.stringMatching(/is not a job that can run\n.*line 3: /)])
})

test('every name among flags that is none is told, with its line', async () => {
  await using user = await embeddedUser()
  const names = ['Only', 'FOO', 'bar', 'from2', 'über']
  const flags = ['from: yesterday', ...names.map((name) => `${name}: 1`)]
  const { stderr } = await runJob(user, `  - check:\n    flags:\n${flags.map((one) => `      ${one}\n`).join('')}`)
  names.forEach((name, at) => expect(stderr).toContain(`line ${at + 5}: unknown option '--${name}`))
})
