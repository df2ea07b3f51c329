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
const linesIn = (log: string): string[] =>
  log.split('\n').flatMap((line) => /^\S+ \[\d+ \w+\] (kpi .*)$/.exec(line)?.[1] ?? [])

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
