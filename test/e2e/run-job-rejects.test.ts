import { mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { embeddedImporter, type Importer } from '../support/import.ts'
import type { Ran } from '../support/kpi.ts'

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\n'
const BAD = 'Bob,Sales,2026-03-03,x\n"Bob, the younger",Sales,2026-03-03,"1\n2"\n'
const JOB = 'steps:\n  - import: inbox/*.csv\n    move_to: done\n'

const open = async (job = JOB): Promise<Importer> => {
  const importer = await embeddedImporter()
  mkdirSync(importer.folder.in('inbox'))
  importer.write('job.yaml', job)
  return importer
}

const TOLD = 'inbox/a.rejects.csv holds 2 rows that an earlier run rejected: fix them there, import them with '

describe('a job that finds rejected rows of an earlier run', () => {
  test('tells how many, where, and how to import them, and ends with 0', async () => {
    await using importer = await open()
    importer.write('inbox/a.csv', FILE + BAD)
    const first = await importer.kpi('run', 'job.yaml')
    expect([first.code, first.stderr.includes(TOLD)]).toEqual([3, false])
    const { code, stderr } = await importer.kpi('run', 'job.yaml')
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        `[1 import] ${TOLD}kpi entries import inbox/a.rejects.csv, and move the file away\n`,
      ) as string,
    ])
    rmSync(importer.folder.in('inbox/a.rejects.csv'))
    expect((await importer.kpi('run', 'job.yaml')).stderr).not.toContain('rejected')
  })

  test.each([
    ['a title', 'Sales of March\n', ''],
    ['titles and a blank line', 'Sales of March\n"Shop; all, of\nthem"\n\n', ''],
    ['lines that a flag skips', 'a,b,c,d\n1,2,3,4\n', '    flags: { skip-lines: 2 }\n'],
  ])('counts no row above the header: %s', async (_, above, flags) => {
    await using importer = await open(`${JOB}${flags}`)
    importer.write('inbox/a.csv', above + FILE + BAD)
    expect((await importer.kpi('run', 'job.yaml')).code).toBe(3)
    expect((await importer.kpi('run', 'job.yaml')).stderr).toContain(TOLD)
  })

  test('says that the flags of the step are needed, and tells it beside new files, too', async () => {
    await using importer = await open(`${JOB}    flags: { create-assignments: true }\n`)
    importer.write('inbox/a.csv', FILE + BAD)
    expect((await importer.kpi('run', 'job.yaml')).code).toBe(3)
    importer.write('inbox/b.csv', FILE)
    const { code, stderr } = await importer.kpi('run', 'job.yaml')
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        `${TOLD}kpi entries import inbox/a.rejects.csv and the flags of this step, and move`,
      ) as string,
    ])
  })

  test('does not tell of those that it replaces by the same file', async () => {
    await using importer = await open(JOB.replace('    move_to: done\n', ''))
    importer.write('inbox/a.csv', FILE + BAD)
    for (const _ of ['first', 'second']) {
      const { code, stderr } = await importer.kpi('run', 'job.yaml')
      expect([code, stderr.includes('an earlier run')]).toEqual([3, false])
    }
  })

  test('does not tell of a file that holds nothing', async () => {
    await using importer = await open()
    importer.write('inbox/a.rejects.csv', 'user,kpi,date,actual,reason\n')
    importer.write('inbox/b.rejects.csv', '')
    const { code, stderr } = await importer.kpi('run', 'job.yaml')
    expect([code, stderr.includes('.rejects.csv')]).toEqual([0, false])
  })
})

/** A server of files in which one row is bad; what is below `/gone` is not there. */
const filesAt = async (): Promise<string> => {
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(url.startsWith('/gone') ? 404 : 200).end(`${FILE}Bob,Sales,2026-03-03,${url.split('/')[1]}\n`)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const stepsOf = ({ stdout }: Ran) => JSON.parse(stdout) as { command: string; exit_code: number; message: string }[]

describe('each import of a job has a rejects file of its own', () => {
  test('where addresses end alike, in one step or in two, and a dry run names it', async () => {
    const url = await filesAt()
    await using importer = await open(
      `steps:\n  - import: ["${url}/north/export?token=S", "${url}/south/export?token=S"]\n  - import: ${url}/west/export\n`,
    )
    const planned = stepsOf(await importer.kpi('run', 'job.yaml', '--dry-run', '-o', 'json'))
    expect(planned.map(({ command }) => command.replaceAll(url, ''))).toEqual([
      'entries import /north/export',
      'entries import /south/export --rejects export-2.rejects.csv',
      'entries import /west/export --rejects export-3.rejects.csv',
    ])
    const ran = await importer.kpi('run', 'job.yaml', '--quiet', '-o', 'json')
    expect(ran.code).toBe(3)
    expect(stepsOf(ran).map(({ message }) => message.match(/export\S*csv/g))).toEqual([
      ['export.rejects.csv', 'export-2.rejects.csv'],
      ['export-3.rejects.csv'],
    ])
    for (const [name, region] of [
      ['export.rejects.csv', 'north'],
      ['export-2.rejects.csv', 'south'],
      ['export-3.rejects.csv', 'west'],
    ] as const) {
      expect(importer.read(name)).toContain(region)
    }
  })

  test('where a flag names one for files of one name', async () => {
    await using importer = await open('steps:\n  - import: inbox/**/a.csv\n    flags: { rejects: bad.csv }\n')
    for (const region of ['north', 'south']) {
      mkdirSync(importer.folder.in(`inbox/${region}`))
      importer.write(`inbox/${region}/a.csv`, `${FILE}Bob,Sales,2026-03-03,${region}\n`)
    }
    const [step] = stepsOf(await importer.kpi('run', 'job.yaml', '-o', 'json'))
    expect(step?.message.match(/\bbad\S*csv/g)).toEqual(['bad.csv', 'bad-2.csv'])
    expect([importer.read('bad.csv'), importer.read('bad-2.csv')]).toEqual([
      expect.stringContaining('north'),
      expect.stringContaining('south'),
    ])
  })
})

test('an address without a file does not keep others from being imported', async () => {
  const url = await filesAt()
  await using importer = await open(`steps:\n  - import: ["${url}/gone/a.csv", inbox/b.csv]\n`)
  importer.write('inbox/b.csv', FILE)
  const ran = await importer.kpi('run', 'job.yaml')
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('[1 import] kpi entries import inbox/b.csv\n')])
})

test('a job imports the results of queries', async () => {
  const { DatabaseSync } = await import('node:sqlite')
  const query = (day: number) =>
    `  - import:\n    flags: { sql: "select 'Ann Lee' as user, 'Sales' as kpi, '2026-03-0${day}' as date, total as actual from sales", from-db: shop.sqlite }\n`
  await using importer = await open(`steps:\n${query(1)}${query(2)}`)
  const database = new DatabaseSync(importer.folder.in('shop.sqlite'))
  database.exec("create table sales (total); insert into sales values ('x')")
  database.close()
  const ran = await importer.kpi('run', 'job.yaml', '-o', 'json')
  expect([ran.code, stepsOf(ran).map(({ message }) => message.match(/shop\S*csv/g))]).toEqual([
    3,
    [['shop.rejects.csv'], ['shop-2.rejects.csv']],
  ])
})
