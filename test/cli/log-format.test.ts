import { describe, expect, test } from 'vitest'
import { run } from '../../src/cli/main.ts'
import { embeddedImporter, type Importer } from '../support/import.ts'
import { NOW, testIo } from '../support/io.ts'
import type { Ran } from '../support/kpi.ts'

/** Every line of a text as the object that it is; fails for anything else. */
const events = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const runIn = async (importer: Importer, step: number, ...args: string[]): Promise<Ran> => {
  const { io, stdout, stderr } = testIo({ ...importer.world, terminal: 80 })
  let time = NOW
  const code = await run(args, { ...io, now: () => (time += step) })
  return { code, stdout: stdout(), stderr: stderr() }
}

const JSON_LOG = ['--log-format', 'json']

describe('--log-format json', () => {
  test('tells notes, progress and the end of an import as objects, one a line, and nothing else', async () => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', 'user,kpi,date,actual,Region\nBob,Sales,2026-01-01,1,N\nZed,Sales,2026-01-01,1,N\n')
    const ran = await runIn(importer, 31_000, 'entries', 'import', 'data.csv', '-o', 'json', ...JSON_LOG)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 1, rejected: 1 }])
    const told = events(ran.stderr)
    expect(told.every(({ ts, level, event }) => [ts, level, event].every((one) => typeof one === 'string'))).toBe(true)
    expect(told[0]?.['ts']).toMatch(/^2026-11-2\dT[\d:.]+Z$/)
    expect(told).toContainEqual(
      expect.objectContaining({ level: 'info', event: 'note', message: 'columns left out: Region' }),
    )
    expect(told).toContainEqual(expect.objectContaining({ event: 'progress', phase: 'send', done: 1, total: 1 }))
    expect(told.at(-1)).toMatchObject({ level: 'error', event: 'failed', code: 'rejected', exit_code: 3 })
  })

  test('leaves warnings and errors where quiet is wanted', async () => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', 'user,kpi,date,actual,Region\nZed,Sales,2026-01-01,1,N\n')
    const ran = await runIn(importer, 31_000, 'entries', 'import', 'data.csv', '--quiet', ...JSON_LOG)
    expect(events(ran.stderr).map(({ level }) => level)).toEqual(['error'])
  })

  test.each([
    [['kpis', 'get', '77'], 1],
    [['kpis', 'list', '--nope'], 2],
    [['kpis'], 2],
    [['categories', 'delete', '1'], 1],
  ])('tells the errors of other commands so: %j', async (args, code) => {
    await using importer = await embeddedImporter()
    const ran = await runIn(importer, 0, ...args, ...JSON_LOG)
    expect(ran.code).toBe(code)
    expect(events(ran.stderr)).toMatchObject([{ level: 'error', event: 'failed', exit_code: code }])
  })

  test('may stand before the command', async () => {
    await using importer = await embeddedImporter()
    const ran = await runIn(importer, 0, ...JSON_LOG, 'kpis', 'get', '77')
    expect(events(ran.stderr)).toMatchObject([{ code: 'not_found' }])
  })
})

test('a log format that there is not is refused', async () => {
  await using importer = await embeddedImporter()
  expect(await importer.kpi('kpis', 'list', '--log-format', 'xml')).toMatchObject({
    code: 2,
    stderr: 'kpi kpis list: --log-format xml is no log format; there are text, json\n',
  })
})
