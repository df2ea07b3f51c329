import { mkdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { embeddedImporter, heldIn, type Importer } from '../support/import.ts'

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\n'
const JOB = 'steps:\n  - import: inbox/*.csv\n    move_to: done\n    flags: { verify: true }\n'

const open = async (): Promise<Importer> => {
  const importer = await embeddedImporter()
  mkdirSync(importer.folder.in('inbox'))
  importer.write('job.yaml', JOB)
  importer.write('inbox/a.csv', FILE)
  return importer
}

const comparedIn = (importer: Importer, name: string): unknown =>
  (JSON.parse(importer.read(name)) as { compared: number }).compared

test('a job replaces the receipt of the night before, whatever the file holds tonight', async () => {
  await using importer = await open()
  expect(await importer.kpi('run', 'job.yaml')).toMatchObject({ code: 0 })
  importer.write('inbox/a.csv', `${FILE}Bob,Sales,2026-03-02,2\n`)
  expect(await importer.kpi('run', 'job.yaml')).toMatchObject({ code: 0 })
  expect(comparedIn(importer, 'inbox/a.receipt.json')).toBe(2)
})

describe('before anything is sent, --verify leaves what it did not write', () => {
  test.each(['{"receipt": "of the till"}', 'my notes', '[]'])('%s', async (text) => {
    await using importer = await open()
    importer.write('inbox/a.receipt.json', text)
    const ran = await importer.kpi('entries', 'import', 'inbox/a.csv', '--verify')
    expect([ran.code, ran.stderr]).toEqual([1, 'kpi: inbox/a.receipt.json exists already; --force replaces it\n'])
    expect([importer.read('inbox/a.receipt.json'), await heldIn(importer)]).toEqual([text, []])
  })

  test('the receipt of another file', async () => {
    await using importer = await open()
    importer.write('b.csv', FILE)
    const verify = (file: string, ...flags: string[]) =>
      importer.kpi('entries', 'import', file, '--verify', '--receipt', 'last.json', ...flags)
    expect(await verify('b.csv')).toMatchObject({ code: 0 })
    expect(await verify('inbox/a.csv')).toMatchObject({ code: 1 })
    expect(JSON.parse(importer.read('last.json'))).toMatchObject({ file: { name: 'b.csv' } })
    expect(await verify('inbox/a.csv', '--force')).toMatchObject({ code: 0 })
    expect(JSON.parse(importer.read('last.json'))).toMatchObject({ file: { name: 'inbox/a.csv' } })
  })

  test('a job tells it, and imports nothing of that file', async () => {
    await using importer = await open()
    importer.write('inbox/a.receipt.json', 'my notes')
    const { code, stderr } = await importer.kpi('run', 'job.yaml')
    expect([code, stderr.includes('inbox/a.receipt.json exists already')]).toEqual([1, true])
    expect([importer.read('inbox/a.csv'), await heldIn(importer)]).toEqual([FILE, []])
  })
})

test('what holds nothing is replaced, and a dry run needs no place for a receipt', async () => {
  await using importer = await open()
  importer.write('inbox/a.receipt.json', 'my notes')
  expect(await importer.kpi('entries', 'import', 'inbox/a.csv', '--verify', '--dry-run')).toMatchObject({ code: 0 })
  importer.write('inbox/a.receipt.json', '')
  expect(await importer.kpi('entries', 'import', 'inbox/a.csv', '--verify')).toMatchObject({ code: 0 })
  expect(comparedIn(importer, 'inbox/a.receipt.json')).toBe(1)
})

test.each([
  ['none/a.json', 'there is no such folder; make it first'],
  ['job.yaml/a.json', 'part of its path is not a directory'],
])('a receipt that cannot be written is told before anything is sent: %s', async (receipt, why) => {
  await using importer = await open()
  const ran = await importer.kpi('entries', 'import', 'inbox/a.csv', '--verify', '--receipt', receipt)
  expect([ran.code, ran.stderr.includes(why), await heldIn(importer)]).toEqual([1, true, []])
})
