import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { embeddedImporter, heldIn, remoteImporter } from '../support/import.ts'
import { shellIn } from '../support/kpi.ts'

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\n'

/** The words of a line as a shell makes them. */
const shellWords = (line: string): string[] =>
  execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`])
    .toString()
    .split('\0')
    .slice(0, -1)

/** The command lines that a log shows. */
const linesIn = (log: string, before = ''): string[] =>
  log.split('\n').flatMap((line) => {
    const [, shown = ''] = /^\S+ \[\d+ \w+\] (.*)$/.exec(line) ?? []
    return shown.startsWith(`${before}kpi `) ? [shown.slice(before.length)] : []
  })

test('each command line in the log can be pasted later, in the folder of the job', async () => {
  await using importer = await embeddedImporter()
  for (const folder of ['jobs', 'jobs/in box']) mkdirSync(importer.folder.in(folder))
  importer.write('jobs/in box/a b.csv', FILE)
  importer.write(
    'jobs/job.yaml',
    `log: job.log
steps:
  - import: in box/*.csv
    flags: { on-conflict: skip }
  - run: report --from yesterday --to=today --kpis 'Sales,Visits' --rows
  - check:
    flags: { from: yesterday, only: missed }
`,
  )
  const { KPI_DATA_DIR: dataDir = '' } = importer.world.env ?? {}
  const world = { ...importer.world, env: {} }
  const kpi = shellIn(world)
  expect((await kpi('run', 'jobs/job.yaml', '--data-dir', 'data')).code).toBe(0)
  const log = importer.read('jobs/job.log')
  expect(log).toContain(`to run a line of this log by itself: cd ${importer.folder.in('jobs')}\n`)
  expect(log).toContain(` service: embedded, in ${dataDir} (--data-dir)\n`)
  const lines = linesIn(log)
  expect(lines.map((line) => line.replaceAll(dataDir, 'DATA'))).toEqual([
    String.raw`kpi --data-dir DATA entries import in\ box/*.csv --on-conflict skip`,
    "kpi --data-dir DATA entries import 'in box/a b.csv' --on-conflict skip",
    'kpi --data-dir DATA report --from 2026-11-20 --to=2026-11-21 --kpis Sales,Visits --rows',
    'kpi --data-dir DATA check --from 2026-11-20 --only missed',
  ])
  for (const line of lines.slice(1)) {
    const later = shellIn({ ...world, cwd: importer.folder.in('jobs'), now: Date.parse('2026-11-25T12:00:00Z') })
    expect(await later(...shellWords(line).slice(1))).toMatchObject({ code: 0 })
  }
  expect(await heldIn(importer)).toHaveLength(1)
})

test('the log has the line of each step with the days that it worked on, also where a word or nothing says them', async () => {
  await using importer = await embeddedImporter()
  importer.write('a.csv', 'user,kpi,actual\nAnn Lee,Sales,1\n')
  importer.write(
    'job.yaml',
    `log: job.log
steps:
  - import: a.csv
    flags: { date: yesterday }
  - report:
  - report:
    flags: { from: this-year, rows: true }
  - check:
    flags: { from: yesterday, only: missed }
  - run: entries list --from=last-week --limit 5
  - run: entries add --user 2 --kpi Sales --date -7d --actual 1
  - run: kpis update Visits --target-default 12 --from this-quarter
  - report:
    flags: { from: 2026-11-01, to: 2026-11-02 }
`,
  )
  expect((await importer.kpi('run', 'job.yaml', '--quiet', '--time-zone', 'Pacific/Kiritimati')).code).toBe(0)
  const days = linesIn(importer.read('job.log'), 'for the same days: ')
  expect(days.map((line) => line.replace('kpi --time-zone Pacific/Kiritimati ', ''))).toEqual([
    'entries import a.csv --date 2026-11-21',
    'report --from 2026-10-23 --to 2026-11-22',
    'report --from 2026-01-01 --rows --to 2026-11-22',
    'check --from 2026-11-21 --only missed --to 2026-11-21',
    'entries list --from 2026-11-09 --limit 5 --to 2026-11-15',
    'entries add --user 2 --kpi Sales --date 2026-11-15 --actual 1',
    'kpis update Visits --target-default 12 --from 2026-10-01',
  ])
  for (const line of days) {
    const later = shellIn({ ...importer.world, now: Date.parse('2027-02-25T12:00:00Z') })
    expect(await later(...shellWords(line).slice(1))).toMatchObject({ code: 0 })
  }
  expect(await heldIn(importer)).toHaveLength(2)
})

test('the log names the service of the environment, and no secret', async () => {
  await using importer = await remoteImporter()
  const { KPI_BASE_URL: url = '', KPI_LOGIN: login = '', KPI_TOKEN: token = '-' } = importer.world.env ?? {}
  importer.write('job.yaml', 'log: job.log\nsteps:\n  - run: users list\n')
  expect((await importer.kpi('run', 'job.yaml')).code).toBe(0)
  const log = importer.read('job.log')
  expect(log).toContain(
    `cd ${importer.folder.path} && export KPI_BASE_URL=${url} KPI_LOGIN=${login} (and KPI_TOKEN, which is secret)\n`,
  )
  expect(log).not.toContain(token)
})
