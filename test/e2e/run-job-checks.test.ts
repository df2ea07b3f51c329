import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../support/documents.ts'
import { embeddedImporter, heldIn, type Importer } from '../support/import.ts'
import { shellIn } from '../support/kpi.ts'

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\n'

/** What is told of a job, line by line; fails where any of it ran. */
const faultsOf = async (importer: Importer, job: string, ...flags: string[]): Promise<string[]> => {
  importer.write('job.yaml', job)
  const env = { ...importer.world.env, EMPTY: '', TWO_LINES: 'a\nb' }
  const { code, stdout, stderr } = await shellIn({ ...importer.world, env })('run', 'job.yaml', ...flags)
  expect({ code, stdout, held: await heldIn(importer) }).toEqual({ code: 2, stdout: '', held: [] })
  const [first, ...others] = stderr.trimEnd().split('\n')
  expect(first).toBe('kpi run: job.yaml is not a job that can run')
  return others.map((line) => line.trim())
}

const open = async (): Promise<Importer> => {
  const importer = await embeddedImporter()
  mkdirSync(importer.folder.in('inbox'))
  importer.write('inbox/a.csv', FILE)
  return importer
}

const PARTS = `lock:
deadline: soon
log: [a.log, b.log]
steps:
  - import: inbox/*.csv
    move_to: { to: done }
    token_env: X
  - check: {}
    on_failure: []
  - export: [a.csv, b.csv]
  - import: ['']
  - verify: report.csv
    flags: { forse: true, undo: false }
`

const FLAGS = `lock: no lock
steps:
  - import: inbox/*.csv
    move_to: done
    flags:
      rate: fast
      max-errors: lots
      date: 2026-02-30
      encoding: cp1250
      frequency: daily
      dry-run: true
  - check:
    flags:
      from: yesterdayy
      to: -3x
      only: everything
  - report:
    flags: { rolling: x,
             top: 0 }
  - export: r.csv
    flags: { from: 2026-02-01, to: 2026-01-01,
             excel: klingon_speech,
             to-file: other.csv }
  - export: r.txt
    flags: { force: true }
  - export_entries: e.xlsx
    flags:
      user: Ann Lee
      layout: wide
      source: North
  - import: b.csv
    flags: { create-missing: [[users]], frequency: daily }
`

const WEBHOOKS = `steps:
  - report:
  - webhook: http://hooks.example.com/kpi?key=canary
    flags: { quiet: true }
    on_failure: continue
    move_to: done
  - webhook: https://ann:canary@hooks.example.com/
    token_env: NOT_SET
    token_file: none.key
  - webhook: [https://a.example.com, https://b.example.com]
  - webhook: https://a.example.com
    token_file: open.key
  - webhook: nowhere
    token_env: EMPTY
  - webhook: https://a.example.com
    token_env: TWO_LINES
  - webhook: https://a.example.com/canary
    url_env: EMPTY
  - webhook:
    url_env: NOT_SET
  - webhook:
    url_file: none.key
`

test.each([
  ['report: november.html', 'report is for the log: write a file with the step "- export: november.html"'],
  ['report: [out/november.xlsx]', 'report is for the log: write a file with the step "- export: out/november.xlsx"'],
  ['report: november', 'report takes nothing but flags: leave out "november"'],
  ['check: missed.csv', 'check takes nothing but flags: leave out "missed.csv"'],
])('what a step is given that takes nothing is told: %s', async (step, told) => {
  await using importer = await open()
  expect(await faultsOf(importer, `steps:\n  - ${step}\n`)).toEqual([`line 2: ${told}`])
})

const SOURCES = `steps:
  - import: http://a.example.com/x.csv?key=canary
  - import: [inbox/a.csv, ftp://a.example.com/x.csv, "https://bob:canary@a.example.com/x.csv"]
  - import: $SALES_URL
  - import: \${SALES_URL}/*.csv
  - import: https://a.example.com/x.csv?$filter=a
  - import: $there.csv
  - import: inbox/a.csv
    flags:
      sql: select 1
      from-db: shop.sqlite
  - import:
    move_to: done
    flags: { sql: select 1, from_db: shop.sqlite }
  - import:
    flags: { sql: select 1 }
`

const TOLD_OF_SOURCES = [
  'line 2: cannot read http://a.example.com/x.csv: it is not HTTPS, so anybody on the way could change the file; name an https: address',
  'line 3: cannot read ftp://a.example.com/x.csv: it is not HTTPS, so anybody on the way could change the file; name an https: address',
  expect.stringContaining('line 3: cannot read https://a.example.com/x.csv: an address with a user and a password'),
  'line 4: $SALES_URL: a job puts no variables in, and there is no file of this name; write what $SALES_URL stands for, and if that is secret, keep others from reading the job (chmod 600)',
  expect.stringContaining('line 5: ${SALES_URL}/*.csv: a job puts no variables in, and there is no file of this name'),
  'line 10: inbox/a.csv and --sql are both given; import the files or the query',
  'line 13: move_to goes with files, and a query moves none; leave it out',
  'line 16: --sql needs --from-db FILE, the SQLite database',
]

const TOLD_OF_PARTS = [
  'line 1: lock is empty; say what it is, or leave it out',
  'line 2: deadline soon is neither a time of day nor a time from now; write 06:30, 30m or 2h',
  'line 3: log is one text, and here is more',
  'line 6: move_to is one text, and here is more',
  'line 7: token_env is no part of the step import, which has flags, on_failure, move_to, required, retry',
  'line 8: check takes nothing but flags: indent flags: like check:',
  'line 9: on_failure is one text, and here is more',
  'line 10: export takes one: the file to write; write a step for each',
  'line 11: import needs files, such as inbox/*.csv, or the flags sql and from-db',
  expect.stringContaining("line 13: unknown option '--forse' (Did you mean --force?)"),
  "line 13: unknown option '--undo'; kpi report verify --help shows what there is",
]

const DAYS =
  'write YYYY-MM-DD, today, yesterday, -7d, this-week, last-month, this-quarter, last-year, ytd, 2026-10, 2026-Q3 or 2026-W07'

const TOLD_OF_FLAGS = [
  'line 1: lock no lock: a name has letters, digits, dots and dashes, as in nightly',
  'line 4: move_to does not go with dry-run, which loads nothing',
  'line 6: --rate fast is not a number of requests a minute; write 60',
  'line 7: --max-errors lots is neither a number of rows nor a share of them; write 100 or 5%',
  'line 8: --date "2026-02-30" is a date that does not exist',
  'line 10: --frequency needs --create-missing',
  `line 14: "yesterdayy" is not a date; did you mean yesterday? ${DAYS}`,
  `line 15: "-3x" is not a date; ${DAYS}`,
  "line 16: option '--only <what>' argument 'everything' is invalid. Allowed choices are missed, missing.",
  'line 18: --rolling x is no whole number from 2 to 1000',
  'line 19: --top 0 is no whole number from 1 to 999999',
  'line 21: --from 2026-02-01 is after --to 2026-01-01',
  'line 22: --excel klingon_speech is no locale; write a language and a country, such as de-DE or en-US',
  'line 23: --to-file is what export names; leave the flag out',
  expect.stringContaining('line 24: r.txt ends in .txt, which is no format of this command'),
  'line 29: --layout wide is for CSV, and this is xlsx',
  "line 30: option '--source <list>' cannot be used with option '--user <list>'",
  'line 32: create-missing must be one value, or a list of values',
]

const TOLD_OF_WEBHOOKS = [
  'line 3: the webhook http://hooks.example.com/… is not HTTPS; what is sent there could be read',
  'line 4: flags is no part of the step webhook, which has url_env, url_file, token_env, token_file',
  'line 5: on_failure is no part of the step webhook, which has url_env, url_file, token_env, token_file',
  'line 6: move_to is no part of the step webhook, which has url_env, url_file, token_env, token_file',
  expect.stringContaining('line 7: the webhook https://hooks.example.com/ has a user and a password in its address'),
  'line 8: token_env: the variable NOT_SET is not set',
  'line 9: token_env and token_file both name a secret; leave out one of them',
  expect.stringMatching(/^line 9: cannot read the token file .*none\.key: there is no such file$/),
  'line 10: webhook takes one: an https address; write a step for each',
  expect.stringMatching(/^line 12: .*open\.key can be read by others; fix it with: chmod 600 /),
  'line 13: the address of a webhook is not one; write https://HOST/PATH',
  'line 14: token_env: the variable EMPTY is empty; it must hold the secret',
  'line 16: token_env: the variable TWO_LINES holds more than a secret: spaces, several lines or characters that are not ASCII',
  'line 18: webhook, url_env and url_file each name an address; leave only one of them',
  'line 18: url_env: the variable EMPTY holds no address; write https://HOST/PATH',
  'line 20: url_env: the variable NOT_SET is not set',
  expect.stringMatching(/^line 22: cannot read the token file .*none\.key: there is no such file$/),
]

/** A job with a text wherever a path may stand. */
const withPaths = (path: string): string => `log: ${path}
steps:
  - import: ${path}
  - import: ${path}.{csv,txt}
  - import: inbox/*.csv
    move_to: ${path}
  - import: inbox/*.csv
    flags:
      rejects: ${path}
      journal: ${path}
      receipt: ${path}
  - import:
    flags:
      sql: select 1
      from-db: ${path}
  - export: ${path}
  - export: a.csv
    flags:
      append-since: ${path}
  - export_entries: ${path}
  - verify: ${path}
  - webhook:
    url_file: ${path}
  - webhook: https://localhost/
    token_file: ${path}
`

const LINES_OF_PATHS = [1, 3, 4, 6, 9, 10, 11, 15, 16, 19, 20, 21, 23, 25]

describe.each([[], ['--dry-run']])('before anything runs, under "%s"', (...flags) => {
  test('each part is told that is empty, no text, or of another step', async () => {
    await using importer = await open()
    expect(await faultsOf(importer, PARTS, ...flags)).toEqual(TOLD_OF_PARTS)
  })

  test('each flag is told that its command would refuse', async () => {
    await using importer = await open()
    expect(await faultsOf(importer, FLAGS, ...flags)).toEqual(TOLD_OF_FLAGS)
  })

  test('each source is told that an import would refuse, without its secrets', async () => {
    await using importer = await open()
    importer.write('$there.csv', FILE)
    const told = await faultsOf(importer, SOURCES, ...flags)
    expect(told).toEqual(TOLD_OF_SOURCES)
    expect(told.join('\n')).not.toContain('canary')
  })

  test('each webhook is told that could not be sent, without its secrets', async () => {
    await using importer = await open()
    importer.write('open.key', 'canary')
    chmodSync(importer.folder.in('open.key'), 0o644)
    const told = await faultsOf(importer, WEBHOOKS, ...flags)
    expect(told).toEqual(TOLD_OF_WEBHOOKS)
    expect(told.join('\n')).not.toContain('canary')
  })
})

test.each([
  ['a'.repeat(300), /its name or its path is longer than the system allows/],
  [
    `${'a/'.repeat(2500)}a`,
    /its name or its path is longer than the system allows|a pattern has more than 4096 characters/,
  ],
  ['a'.repeat(140_000), /a text has more than 131071 bytes; shorten it/],
])('a text that is too long for a path is a fault with its line: %#', async (path, why) => {
  await using importer = await open()
  const told = await faultsOf(importer, withPaths(path))
  expect(told.join('').length).toBeLessThan(LINES_OF_PATHS.length * 1100)
  // A pattern may be longer than the names that it finds.
  const lines = LINES_OF_PATHS.filter((line) => line !== 4 || path.length > 4096)
  expect(told.map((line) => Number(/^line (\d+): /.exec(line)?.[1]))).toEqual(lines)
  for (const line of told) expect(line).toMatch(why)
})

test('a job with very many addresses is refused for its length', async () => {
  await using importer = await open()
  const lines = Array.from({ length: 60_000 }, (_, at) => `# https://h/?${at}`)
  const told = await faultsOf(importer, `lock: no lock\nsteps:\n  - report:\n${lines.join('\n')}\n`)
  expect(told).toEqual([expect.stringContaining('one thing has more than 50000 words')])
})

/** Jobs that run. */
const RIGHT = [
  readFileSync(join(ROOT, 'examples/nightly/nightly.yaml'), 'utf8'),
  'lock: 7\ndeadline: 06:30\nlog: run-{date}.log\nsteps:\n  - report:\n  - verify: a.csv\n    on_failure: continue\n',
  'steps:\n  - import: [a.csv, b.csv]\n    flags: { create-missing: "users,kpis", encoding: cp1250, skip-lines: 3, strict: false, map: [date=Day, actual=Ist] }\n    move_to: done\n',
  'steps:\n  - import: a.csv\n    flags: { create-missing: true, email-pattern: "{name}@example.com" }\n',
  'steps:\n  - report:\n    flags: { from: "last month", sort: -actual, top: 3, kpis: [Visits, Sales] }\n  - export_entries: e.csv\n    flags: { from: ytd, names: true }\n',
  'steps:\n  - import:\n    flags: { sql: select 1, from-db: shop.sqlite }\n',
  'steps:\n  - webhook: https://a.example.com/{date}\n    token_env: HOME_KEY\n',
  'steps:\n  - webhook:\n    url_env: HOME_URL\n',
]

/** Jobs that are wrong in a way that a schema can say. */
const WRONG = [
  'lock:\nsteps:\n  - report:\n',
  'steps: []\n',
  'steps:\n  - chekc:\n',
  'steps:\n  - check: Visits\n',
  'steps:\n  - check:\n    report:\n',
  'steps:\n  - import: a\n    flags: { empty: nothing }\n',
  'steps:\n  - import: a\n    flags: { user: true }\n',
  'steps:\n  - import: a\n    flags: { create-assignment: true }\n',
  'steps:\n  - import: a\n    token_env: X\n',
  'steps:\n  - import: a\n    move_to:\n',
  'steps:\n  - import:\n',
  'steps:\n  - import:\n    flags: { sql: select 1 }\n',
  'steps:\n  - export: [a, b]\n',
  'steps:\n  - webhook: https://a.example.com\n    flags: { quiet: true }\n',
  'steps:\n  - webhook:\n',
  'steps:\n  - report:\n    on_failure: maybe\n',
  'job: x\nsteps:\n  - report:\n',
]

describe('the schema of jobs', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'docs/job-schema.json'), 'utf8')) as object
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema)
  const cases = [...RIGHT.map((job) => ({ job, isRight: true })), ...WRONG.map((job) => ({ job, isRight: false }))]

  test.each(cases)('says what kpi run says, %#', async ({ job, isRight }) => {
    expect(validate(parse(job))).toBe(isRight)
    await using importer = await open()
    importer.write('job.yaml', job)
    const env = { ...importer.world.env, HOME_KEY: 'secret', HOME_URL: 'https://a.example.com/x' }
    const { code } = await shellIn({ ...importer.world, env })('run', 'job.yaml', '--dry-run')
    // A right job may still name files that are not there.
    expect(code === 2).toBe(!isRight)
  })

  test('is named where a job begins, by a path that is there', () => {
    const [first = ''] = readFileSync(join(ROOT, 'examples/nightly/nightly.yaml'), 'utf8').split('\n')
    const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)$/.exec(first) ?? []
    expect(JSON.parse(readFileSync(join(ROOT, 'examples/nightly', path), 'utf8'))).toEqual(schema)
  })
})
