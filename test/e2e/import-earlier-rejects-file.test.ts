import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { embeddedImporter, heldIn, ID, type Importer, remoteImporter } from '../support/import.ts'

const HEADER = 'user,kpi,date,actual'
const BAD = `${HEADER}\nBob,Sales,2026-01-01,1\nBob,Sales,2026-01-02,x\nBob,Sales,2026-01-03,y\n`
const IMPORT = ['entries', 'import', 'data.csv', '--quiet']
const MOVED = (number: number): string =>
  `warning: data.rejects.csv held lines that this run did not reject, perhaps fixed ones; it was renamed to data.rejects.${number}.csv\n`

const rejectsIn = ({ folder }: Importer): string[] =>
  readdirSync(folder.path)
    .filter((name) => name.startsWith('data.rejects'))
    .toSorted()

/** An importer whose file has been imported once, with rejects. */
const withRejects = async (): Promise<Importer> => {
  const importer = await embeddedImporter()
  importer.write('data.csv', BAD)
  expect((await importer.kpi(...IMPORT)).code).toBe(3)
  return importer
}

describe('a rejects file that is there already', () => {
  test('is moved aside with what was mended in it, and somebody is told, under --quiet, too', async () => {
    await using importer = await withRejects()
    const laidDown = importer.read('data.rejects.csv')
    const mended = laidDown.replace(',x,', ',2,')
    importer.write('data.rejects.csv', mended)
    chmodSync(importer.folder.in('data.rejects.csv'), 0o600)
    const ran = await importer.kpi(...IMPORT)
    expect(ran.code).toBe(3)
    expect(ran.stderr.startsWith(MOVED(1))).toBe(true)
    expect(importer.read('data.rejects.1.csv')).toBe(mended)
    expect(statSync(importer.folder.in('data.rejects.1.csv')).mode & 0o777).toBe(0o600)
    expect(importer.read('data.rejects.csv')).toBe(laidDown)

    importer.write('data.rejects.csv', laidDown.replace(',y,', ',3,'))
    expect((await importer.kpi(...IMPORT)).stderr.startsWith(MOVED(2))).toBe(true)
    expect(importer.read('data.rejects.1.csv')).toBe(mended)
    expect(importer.read('data.rejects.2.csv')).toContain(',3,4,')
    expect(rejectsIn(importer)).toHaveLength(3)
  })

  test('is moved aside where it is that of another file of the same name, or something else', async () => {
    await using importer = await withRejects()
    importer.write('data.csv', BAD.replaceAll('2026-01', '2026-02'))
    expect((await importer.kpi(...IMPORT)).stderr).toContain(MOVED(1))
    expect(importer.read('data.rejects.1.csv')).toContain('Bob,Sales,2026-01-02,x,3,')
    importer.write('data.rejects.csv', Buffer.from('M\xfcller "x" y\n', 'latin1'))
    expect((await importer.kpi(...IMPORT)).stderr).toContain(MOVED(2))
  })

  test('is replaced where all of its lines are rejects again, whatever the words of the reasons are', async () => {
    await using importer = await withRejects()
    const laidDown = importer.read('data.rejects.csv')
    const [header = '', first = ''] = laidDown.split('\n')
    for (const left of [laidDown, laidDown.replaceAll('must be', 'has to be'), `${header}\n${first}\n`, '']) {
      importer.write('data.rejects.csv', left)
      expect((await importer.kpi(...IMPORT)).stderr).not.toContain('warning')
      expect(importer.read('data.rejects.csv')).toBe(laidDown)
    }
    expect(rejectsIn(importer)).toEqual(['data.rejects.csv'])
  })

  test('is moved aside for a file of assignments, too', async () => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', 'user,kpi\nBob,Salez\nBob,Visitz\n')
    const args = ['assign', 'import', 'data.csv', '--quiet']
    expect((await importer.kpi(...args)).code).toBe(3)
    expect((await importer.kpi(...args)).stderr).not.toContain('warning')
    importer.write('data.rejects.csv', importer.read('data.rejects.csv').replace('Salez', 'Sales'))
    expect((await importer.kpi(...args)).stderr).toContain(MOVED(1))
    expect(importer.read('data.rejects.1.csv')).toContain('Bob,Sales,')
  })
})

/** A service that locks Ann once the import is about to send, so that her entries are refused then. */
const locking = async (): Promise<Importer> => {
  const importer: Importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (request.target.endsWith('/kpientries/list')) {
        await importer.client.users.update(ID.ann, { user_status_id: 'L' })
      }
      return handler(request)
    },
  })
  return importer
}

describe('a run that lays its rejects down twice', () => {
  const WIDE = 'user,date,Sales,Visits\nAnn Lee,2026-01-01,1,x\nAnn Lee,2026-01-02,1,2\nBob,2026-01-02,1,\n'

  test('replaces its own, though a row of a wide file holds more the second time', async () => {
    await using importer = await locking()
    importer.write('data.csv', WIDE)
    const ran = await importer.kpi(...IMPORT)
    expect([ran.code, ran.stderr]).toEqual([3, expect.not.stringContaining('warning')])
    expect(importer.read('data.rejects.csv')).toContain('\nAnn Lee,2026-01-01,1,x,2,')
    expect(rejectsIn(importer)).toEqual(['data.rejects.csv'])
    expect(await heldIn(importer)).toHaveLength(1)
  })

  test('leaves nothing aside of what it comes to late, once more', async () => {
    await using importer = await locking()
    importer.write('data.csv', WIDE)
    await importer.kpi(...IMPORT)
    const laidDown = importer.read('data.rejects.csv')
    await importer.client.users.update(ID.ann, { user_status_id: 'A' })
    const again = await importer.kpi(...IMPORT)
    expect([again.code, again.stderr]).toEqual([3, expect.not.stringContaining('warning')])
    expect(importer.read('data.rejects.csv')).toBe(laidDown)
    expect(rejectsIn(importer)).toEqual(['data.rejects.csv'])
  })

  test('keeps what was mended before it', async () => {
    await using importer = await locking()
    importer.write('data.csv', WIDE)
    await importer.kpi(...IMPORT)
    const mended = importer.read('data.rejects.csv').replace(',x,', ',7,')
    importer.write('data.rejects.csv', mended)
    await importer.client.users.update(ID.ann, { user_status_id: 'A' })
    expect((await importer.kpi(...IMPORT)).stderr).toContain(MOVED(1))
    expect(importer.read('data.rejects.1.csv')).toBe(mended)
  })
})

test('a device takes the rejects as it is', async () => {
  await using importer = await embeddedImporter()
  importer.write('data.csv', BAD)
  const { code, stderr } = await importer.kpi(...IMPORT, '--rejects', '/dev/null')
  expect([code, stderr]).toEqual([3, expect.not.stringContaining('warning')])
  expect(existsSync('/dev/null.1')).toBe(false)
})
