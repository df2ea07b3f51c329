import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { HOSTILE_NAMES, MARKER } from '../support/hostile-names.ts'
import { embeddedImporter, heldIn } from '../support/import.ts'
import { some } from '../support/soak/tests.ts'

/** Names of files that are flags, standard input, or more than one word to whoever is careless. */
const NAMES = [
  '--data-dir=x',
  '--dry-run',
  '--',
  '-',
  '-o',
  '--map=date=actual',
  '--profile',
  '--token-stdin',
  '--no-input',
  '@file',
  '#1',
  '{date}',
  '[a-z]',
  '*',
  '?',
  'a{b,c}',
  '~',
  'https:',
  'https:?token=x',
  ' leading and trailing ',
  'two\nlines',
  'a\ttab',
  '\u001b[31mred',
  'a\u202eb',
  'naïve 数 🙂',
  `${'long '.repeat(45)}x`,
  ...HOSTILE_NAMES.map((name) => name.replaceAll('/', '')),
].map((name) => `${name}.csv`)

const day = (at: number): string => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10)

const PLACES = [
  ['the folder of the job', '*.csv', ''],
  ['a folder whose name is a flag', '--inbox/*.csv', '--inbox'],
  ['several patterns that find the same', '[inbox/*.csv, "inbox/-*", inbox/*]', 'inbox'],
] as const

test.each(some(1, PLACES))(
  'files of any name in %s are imported and moved once',
  async (_, pattern, folder) => {
    await using importer = await embeddedImporter()
    const place = importer.folder.in(folder)
    mkdirSync(place, { recursive: true })
    for (const [at, name] of NAMES.entries()) {
      writeFileSync(`${place}/${name}`, `user,kpi,date,actual\nann@example.com,Sales,${day(at)},${at + 1}\n`)
    }
    const target = pattern.startsWith('[') ? pattern : `"${pattern}"`
    const steps = `steps:\n  - import: ${target}\n    move_to: done\n    flags: { on-conflict: add }\n`
    importer.write('job.yaml', `log: ${importer.folder.in('log')}\n${steps}`)
    const { code, stderr } = await importer.kpi('run', 'job.yaml')
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    // No name makes a line of its own in the log.
    expect(readFileSync(importer.folder.in('log'), 'utf8')).not.toMatch(/^\S+ (?:\[[^\]]+\] )?lines\.csv/m)
    // Each value was added once.
    expect(await heldIn(importer)).toHaveLength(NAMES.length)
    expect((await heldIn(importer)).map((entry) => Number(entry.split(' ')[3]))).toEqual(NAMES.map((__, at) => at + 1))
    expect(readdirSync(importer.folder.in('done')).toSorted()).toEqual(NAMES.toSorted())
    expect(readdirSync(place).filter((name) => NAMES.includes(basename(name)))).toEqual([])
    expect([existsSync(importer.folder.in('x')), existsSync(importer.folder.in(MARKER))]).toEqual([false, false])
  },
  120_000,
)

test('a pattern that finds nothing fails a step, but for one that moves its files away', async () => {
  await using importer = await embeddedImporter()
  importer.write('kept.yaml', 'steps:\n  - import: "inbx/*.csv"\n')
  importer.write('moved.yaml', 'steps:\n  - import: "inbox/*.csv"\n    move_to: done\n')
  const kept = await importer.kpi('run', 'kept.yaml')
  expect([kept.code, kept.stderr]).toEqual([1, expect.stringContaining('no file is inbx/*.csv; name files')])
  const moved = await importer.kpi('run', 'moved.yaml')
  expect([moved.code, moved.stderr]).toEqual([0, expect.stringContaining('nothing to import: no file is inbox/*.csv')])
})

test('what a pattern finds that is no file with a name of UTF-8 fails by itself, and the rest is imported', async () => {
  await using importer = await embeddedImporter()
  const inbox = importer.folder.in('inbox')
  mkdirSync(inbox)
  execFileSync('mkfifo', [`${inbox}/a pipe.csv`])
  symlinkSync('/dev/zero', `${inbox}/b.csv`)
  writeFileSync(Buffer.from(`${inbox}/c d\xff\xfee.csv`, 'latin1'), '')
  importer.write('inbox/good.csv', 'user,kpi,date,actual\nann@example.com,Sales,2026-01-01,1\n')
  importer.write('job.yaml', 'steps:\n  - import: inbox/*.csv\n    move_to: done\n')
  const { code, stdout } = await importer.kpi('run', 'job.yaml', '-o', 'json', '--deadline', '20s')
  const [{ message }] = JSON.parse(stdout) as [{ message: string }]
  expect({ code, faults: message.split('; cannot') }).toEqual({
    code: 1,
    faults: [
      'cannot read inbox/a pipe.csv: it is a pipe, and has to be a file; remove it, or name a file',
      ' read inbox/b.csv: it is a device, and has to be a file; remove it, or name a file',
      ` read inbox/c d\ufffd\ufffde.csv: its name is not UTF-8; rename it: mv 'inbox/c d'*e.csv 'inbox/c d'_e.csv`,
    ],
  })
  expect(await heldIn(importer)).toHaveLength(1)
  expect(readdirSync(importer.folder.in('done'))).toEqual(['good.csv'])
  const rename = /mv .*/.exec(message)?.[0] ?? 'false'
  execFileSync('bash', ['-c', rename], { cwd: importer.folder.path })
  expect(readdirSync(inbox)).toContain('c d_e.csv')
})
