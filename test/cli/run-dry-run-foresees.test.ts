import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

const GOOD = 'user,kpi,date,actual\nAnn Lee,Visits,2026-03-02,1\n'
const NEW = 'user,kpi,date,actual\nAnn Lee,Other,2026-03-02,1\n'
const THIRD = `${NEW}Ann Lee,Third,2026-03-02,1\n`
const PERSON = 'user,email,kpi,date,actual\nCy Dee,cy@example.com,Visits,2026-03-02,1\n'

const IN = '  - import: inbox/a.csv\n'
const MOVED = `${IN}    move_to: done\n`
const MAY_MOVE = `${MOVED}    on_failure: continue\n`
const EXPORT = '  - export: r.csv\n'
const FORCED = `${EXPORT}    flags: { force: true }\n`
const CREATES = `${IN}    flags: { create-missing: all, frequency: D }\n`
const NEXT = '  - import: inbox/b.csv\n'

const NOT_TRIED = 'not tried: an earlier step makes or moves what it reads'
const MAYBE_CREATED = 'not tried: an earlier step may create what it names'

type Files = Readonly<Record<string, string>>
type Case = readonly [
  what: string,
  steps: string,
  files: Files,
  codes: readonly [dry: number, run: number],
  says: string,
]

const FORESEEN: readonly Case[] = [
  ['moved away, then read', MOVED + IN, { a: GOOD }, [1, 1], 'an earlier step moves it away'],
  [
    'moved away by a pattern, then looked for',
    `  - import: inbox/*.csv\n    move_to: done\n  - import: inbox/*.csv\n`,
    { a: GOOD },
    [1, 1],
    'no file is inbox/*.csv',
  ],
  [
    'moved away, then looked for where none may be',
    `${MOVED}  - import: inbox/*.csv\n    move_to: done\n`,
    { a: GOOD },
    [0, 0],
    'nothing to import',
  ],
  ['moved away, and written anew', `${MOVED}  - export: inbox/a.csv\n`, { a: GOOD }, [0, 0], ''],
  [
    'read under two names',
    `  - import: [inbox/a.csv, ./inbox/../inbox/a.csv]\n    move_to: done\n`,
    { a: GOOD },
    [1, 1],
    'an earlier step moves it away',
  ],
  ['written twice', EXPORT + EXPORT, {}, [1, 1], 'r.csv exists already by then'],
  ['written twice, the second by force', EXPORT + FORCED, {}, [0, 0], ''],
  [
    'written where one is, which fails alone',
    `${EXPORT}    on_failure: continue\n`,
    { '../r': 'x\n' },
    [1, 1],
    'exists already',
  ],
  [
    'written for the day where one is',
    '  - export: "{date}.csv"\n',
    { '../2026-11-21': 'x\n' },
    [1, 1],
    'exists already',
  ],
  ['written without a manifest, and verified', `${EXPORT}  - verify: r.csv\n`, {}, [1, 1], 'has no manifest by then'],
  [
    'a name that no step creates',
    `${CREATES}  - check:\n    flags: { kpis: [Nonexistent] }\n`,
    { a: NEW },
    [2, 2],
    'Nonexistent',
  ],
  [
    'a name that an earlier step creates',
    `${CREATES}  - report:\n    flags: { kpis: [other, Visits] }\n`,
    { a: NEW },
    [0, 0],
    '',
  ],
  ['a name that an earlier step creates, in rows', CREATES + NEXT, { a: NEW, b: NEW }, [0, 0], ''],
  ['one of two names, in rows', CREATES + NEXT, { a: NEW, b: THIRD }, [3, 3], 'there is no KPI "Third"'],
  ['a name, but a bad value', CREATES + NEXT, { a: NEW, b: `${NEW}Ann Lee,Other,2026-03-03,x\n` }, [3, 3], '"x"'],
  [
    'a step that ends the job before a graver one',
    `  - import: gone.csv\n  - check:\n    flags: { kpis: Nonexistent }\n`,
    {},
    [1, 1],
    'Nonexistent',
  ],
  [
    'a mapping that an earlier step saves',
    `${IN}    flags: { save-mapping: shop }\n${NEXT}    flags: { mapping: shop }\n`,
    { a: GOOD, b: GOOD },
    [0, 0],
    NOT_TRIED,
  ],
]

const UNKNOWN: readonly Case[] = [
  [
    'an earlier name, and a name of its own',
    `${CREATES}${NEXT}    flags: { create-missing: kpis, frequency: D }\n`,
    { a: PERSON, b: `${THIRD}Cy Dee,Visits,2026-03-03,1\n` },
    [0, 3],
    MAYBE_CREATED,
  ],
  ['moved, then read there', `${MOVED}  - import: done/a.csv\n`, { a: GOOD }, [0, 0], NOT_TRIED],
  [
    'moved, then found there',
    `  - import: inbox/*.csv\n    move_to: done/{date}\n  - import: done/{date}/*.csv\n`,
    { a: GOOD },
    [0, 0],
    NOT_TRIED,
  ],
  [
    'moved under another name, then read there',
    `${MOVED}  - import: done/a.1.csv\n`,
    { a: GOOD, '../done/a': 'x\n' },
    [0, 0],
    NOT_TRIED,
  ],
  ['perhaps moved, then read', MAY_MOVE + IN, { a: GOOD }, [0, 1], NOT_TRIED],
  [
    'perhaps written, then written',
    `${EXPORT}    on_failure: continue\n${EXPORT}`,
    {},
    [0, 1],
    'an earlier step may have written r.csv',
  ],
  [
    'written with a manifest, and verified',
    `${EXPORT}    flags: { manifest: true }\n  - verify: r.csv\n`,
    {},
    [0, 0],
    NOT_TRIED,
  ],
  ['written, then imported', `  - export_entries: e.csv\n  - import: e.csv\n`, {}, [0, 0], NOT_TRIED],
  [
    'an address that cannot be read',
    '  - import: http://127.0.0.1:9/a.csv\n',
    {},
    [0, 5],
    'a dry run reads no addresses',
  ],
  [
    'a user whose address an earlier file has',
    CREATES + NEXT + '    flags: { create-assignments: true }\n',
    { a: PERSON, b: 'user,kpi,date,actual\nCy Dee,Visits,2026-03-03,1\n' },
    [0, 0],
    MAYBE_CREATED,
  ],
  [
    'what an address may create',
    `  - import: http://127.0.0.1:9/a.csv\n    flags: { create-missing: all }\n    on_failure: continue\n  - check:\n    flags: { kpis: Other, only: missed }\n`,
    {},
    [0, 2],
    MAYBE_CREATED,
  ],
]

const openJob = async (steps: string, files: Files): Promise<User> => {
  const user = await embeddedUser()
  await fillShop(user)
  for (const name of ['inbox', 'done']) mkdirSync(user.folder.in(name))
  for (const [name, text] of Object.entries(files)) writeFileSync(user.folder.in(`inbox/${name}.csv`), text)
  writeFileSync(user.folder.in('job.yaml'), `steps:\n${steps}`)
  return user
}

/** All files but what is known of names. */
const kept = ({ folder }: User): string[] =>
  readdirSync(folder.path, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('.cache'))
    .toSorted()

const textOf = ({ stdout, stderr }: Ran): string => stdout + stderr

describe.each([
  ['ends as the job does', FORESEEN],
  ['says that it does not know', UNKNOWN],
])('a dry run %s', (_, cases) => {
  test.each(cases)('with a file or name: %s', async (_what, steps, files, [dry, run], says) => {
    await using user = await openJob(steps, files)
    const before = kept(user)
    const foreseen = await user.kpi('run', 'job.yaml', '--dry-run')
    expect([foreseen.code, textOf(foreseen)]).toEqual([dry, expect.stringContaining(says)])
    expect(kept(user)).toEqual(before)
    const ran = await user.kpi('run', 'job.yaml')
    expect([ran.code, textOf(ran)]).toEqual([run, expect.any(String)])
  })
})

describe('what a dry run says of imports', () => {
  const BAD = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-02,1\nZoe,Visits,2026-03-02,1\n'

  test('is all that the dry run of the import says, with the file where there are several', async () => {
    await using user = await openJob('  - import: inbox/*.csv\n', { a: GOOD, b: BAD })
    const { stderr } = await user.kpi('run', 'job.yaml', '--dry-run')
    const ofImport = (await user.kpi('entries', 'import', 'inbox/b.csv', '--dry-run', '--summary-only')).stderr
    const lines = ofImport.trimEnd().split('\n').slice(1)
    expect(lines.length).toBeGreaterThan(3)
    const said = lines.map(
      (line, at) => `kpi: step 1, import, inbox/b.csv${at === 0 ? ', would end with 3' : ''}: ${line}`,
    )
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^service: embedded, in /),
      'dry run, nothing was done: 2 commands of 1 step',
      'kpi: the job job.yaml would do its work, and 1 step would find something',
      ...said,
    ])
    expect((await user.kpi('run', 'job.yaml')).stderr).toContain('did its work, and 1 step found something')
  })

  test.each([
    ['named', '"inbox/{date}.csv"', 'inbox/2026-11-21.csv'],
    ['found', 'inbox/{date}*.csv', 'inbox/2026-11-21*.csv'],
  ])('is the line of a file that is %s, which the log and the table have, too', async (_, target, shown) => {
    const flags = '    flags: { create-assignments: true, date: 2026-03-02 }\n'
    await using user = await openJob(`  - import: ${target}\n${flags}`, {
      '2026-11-21': GOOD.replaceAll(/,date|,2026-03-02/g, ''),
    })
    const line = 'entries import inbox/2026-11-21.csv --create-assignments --date 2026-03-02'
    expect((await user.kpi('run', 'job.yaml', '--dry-run')).stdout).toContain(line)
    const ran = await user.kpi('run', 'job.yaml', '-o', 'json')
    expect(ran.stderr).toContain(`[1 import] kpi ${line}\n`)
    expect(JSON.parse(ran.stdout)).toMatchObject([{ command: line.replace('inbox/2026-11-21.csv', shown) }])
  })
})

describe('a job whose next run would be refused', () => {
  const WARNED =
    'step 1, export: the next run of this job will be refused, as r.csv exists by then: add flags: { force: true }'

  test.each([
    ['that writes the same file each day', EXPORT, true],
    ['that replaces its file', FORCED, false],
    ['that goes on', `${EXPORT}    on_failure: continue\n`, false],
    ['that names its file after the day', '  - export: "r-{date}.csv"\n', false],
    ['that moves its file', `${EXPORT}  - import: "*.csv"\n    move_to: done\n    on_failure: continue\n`, false],
  ])('is one %s: %s', async (_, steps, isWarned) => {
    await using user = await openJob(steps, {})
    for (const more of [['--dry-run'], ['--quiet']])
      expect((await user.kpi('run', 'job.yaml', ...more)).stderr.includes(WARNED)).toBe(isWarned)
  })
})
