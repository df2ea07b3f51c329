import { mkdirSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { embeddedImporter, type Importer } from '../support/import.ts'

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
