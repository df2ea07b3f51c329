import { describe, expect, test } from 'vitest'
import { readDeadline } from '../../src/cli/args/deadline.ts'
import { formatDay } from '../../src/domain/day.ts'
import type { Handler } from '../../src/server/wire.ts'
import { heldIn, remoteImporter } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { errorOf, jsonOf, shellIn } from '../support/kpi.ts'
import { odsFiles } from '../support/workbook.ts'
import { zipOf } from '../support/zip.ts'

const HOUR = 3_600_000

describe('a deadline', () => {
  test.each([
    ['30m', HOUR / 2],
    ['2h', 2 * HOUR],
    ['90s', 90_000],
    [undefined, 24 * HOUR],
  ])('%s is so long from now', (text, length) => {
    expect(readDeadline(text, NOW).at - NOW).toBe(length)
  })

  test.each([0, 1, 6, 12, 23])('of a time of day is the next moment at which clocks here show it: %i:30', (hour) => {
    const { at } = readDeadline(`${hour}:30`, NOW)
    const date = new Date(at)
    expect([date.getHours(), date.getMinutes(), date.getSeconds()]).toEqual([hour, 30, 0])
    expect(at).toBeGreaterThan(NOW)
    expect(at - NOW).toBeLessThanOrEqual(25 * HOUR)
  })

  test('of the time that it is now is tomorrow', () => {
    const now = new Date(2026, 0, 10, 6, 30).getTime()
    expect(readDeadline('06:30', now).at).toBe(new Date(2026, 0, 11, 6, 30).getTime())
    expect(readDeadline('06:31', now).at).toBe(now + 60_000)
  })

  test.each(['', '0m', '25:00', '6:5', 'soon', '30', '-5m', '900h', '12:60'])('%j is refused', (text) => {
    expect(() => readDeadline(text, NOW)).toThrow(
      'is neither a time of day nor a time from now; write 06:30, 30m or 2h',
    )
  })
})

const ROWS = 12_000
const TEXT = [
  'user,kpi,date,actual',
  ...Array.from({ length: ROWS }, (_, at) => `Ann Lee,Sales,${formatDay(at)},1`),
].join('\n')

describe('an import whose deadline comes', () => {
  test('while it sends stops after what is in flight, says so, and goes on with the same command', async () => {
    const late = new AbortController()
    const asked: number[] = []
    const wrap =
      (handler: Handler): Handler =>
      (request) => {
        if (request.target.endsWith('/kpientries/list') && request.method === 'POST') late.abort()
        return handler(request)
      }
    await using importer = await remoteImporter({ wrap })
    importer.write('data.csv', TEXT)
    const alarm = (milliseconds: number): AbortSignal => {
      asked.push(milliseconds)
      return asked.length === 1 ? late.signal : new AbortController().signal
    }
    const shell = shellIn({ ...importer.world, alarm })
    const ran = await shell('entries', 'import', 'data.csv', '--deadline', '2h', '-o', 'json')
    expect(asked).toEqual([2 * HOUR, 700])
    const { left } = JSON.parse(ran.stdout) as { left: number }
    expect([ran.code, left > 0]).toEqual([6, true])
    expect(errorOf(ran).message).toBe(
      `the deadline (2h) has passed; stopped with ${left} entries left; run the same command to continue`,
    )
    expect(jsonOf(await importer.kpi('entries', 'import', 'data.csv', '-o', 'json'))).toMatchObject({ left: 0 })
    expect(await heldIn(importer)).toHaveLength(ROWS)
  })

  test('while it reads has sent nothing', async () => {
    await using importer = await remoteImporter()
    importer.write('data.csv', TEXT)
    const shell = shellIn({ ...importer.world, alarm: () => AbortSignal.abort() })
    expect(await shell('entries', 'import', 'data.csv', '--deadline', '06:30')).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringContaining(
        'kpi: the deadline (06:30) has passed; stopped before anything was sent',
      ) as unknown,
    })
    expect(await heldIn(importer)).toEqual([])
  })

  test('while it reads a workbook that stands for many rows stops it then', async () => {
    const cell = '<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="15"/>'
    const rows = `<table:table-row table:number-rows-repeated="1000000">${cell}</table:table-row>`
    await using importer = await remoteImporter()
    importer.write('data.ods', zipOf(odsFiles({ A: rows })))
    const shell = shellIn({ ...importer.world, alarm: () => AbortSignal.timeout(50) })
    expect(await shell('entries', 'import', 'data.ods', '--deadline', '5s')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        'kpi: the deadline (5s) has passed; stopped before anything was sent; run the same command again',
      ) as unknown,
    })
  })

  test('is within a day, where nothing else is said', async () => {
    await using importer = await remoteImporter()
    importer.write('data.csv', TEXT)
    const asked: number[] = []
    const alarm = (milliseconds: number): AbortSignal => {
      asked.push(milliseconds)
      return new AbortController().signal
    }
    await shellIn({ ...importer.world, alarm })('entries', 'import', 'data.csv')
    expect(asked).toEqual([24 * HOUR])
  })

  test('that makes no sense is refused', async () => {
    await using importer = await remoteImporter()
    importer.write('data.csv', TEXT)
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--deadline', 'noon')
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('--deadline noon') as unknown })
  })
})
