import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Handler } from '../../src/server/wire.ts'
import { type Importer, remoteImporter } from '../support/import.ts'
import { jsonOf, runHere } from '../support/kpi.ts'
import { startKpi } from '../support/process.ts'

/** The writes at which the command is killed; the service carries out every other one of them. */
const KILLS = [3, 30, 31]

const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at)
const nameOf = (at: number): string => `Number ${String.fromCharCode(65 + Math.floor(at / 26))}${at}`

type Sent = { readonly method: string; readonly target: string; readonly body: string }

/** Opens an account whose service kills the command that asks it at some of its writes, and notes all that it carries out. */
const openKilling = async () => {
  const kills = [...KILLS]
  const done: Sent[] = []
  let [writes, isArmed, kill]: [number, boolean, () => Promise<unknown>] = [0, false, () => Promise.resolve()]
  const wrap =
    (handler: Handler): Handler =>
    async (request) => {
      if (request.method === 'GET' || !isArmed) return handler(request)
      const body = await request.body()
      const carryOut = async () => {
        done.push({ method: request.method, target: request.target, body: body.toString() })
        return handler({ ...request, body: () => Promise.resolve(body) })
      }
      writes += 1
      if (writes !== kills[0]) return carryOut()
      kills.shift()
      if (kills.length % 2 === 0) await carryOut()
      await kill()
      // Nobody hears it; a request without an end would hold up the end of the service.
      return { status: 503, headers: {}, body: '' }
    }
  const importer = await remoteImporter({ wrap })
  /** Runs a line until it is no longer killed; returns how it ended, and what was carried out meanwhile. */
  const runToEnd = async (line: readonly string[]) => {
    isArmed = true
    let killed = -1
    let ended: { code: number | null; stdout: string; stderr: string } = { code: null, stdout: '', stderr: '' }
    while (ended.code === null) {
      killed += 1
      // What is no longer killed needs no process of its own.
      if (kills.length === 0) {
        ended = await runHere(importer.folder, line, importer.world.env as Record<string, string>)
        break
      }
      const started = startKpi(importer.folder, line, { ...(importer.world.env as Record<string, string>) })
      kill = () => {
        started.child.kill('SIGKILL')
        return started.ended
      }
      ended = await started.ended
    }
    isArmed = false
    return { ...ended, killed, done: done.splice(0) }
  }
  return { importer, runToEnd, [Symbol.asyncDispose]: () => importer[Symbol.asyncDispose]() }
}

const kpisIn = async ({ client }: Importer) =>
  (await client.kpis.list()).filter(({ name }) => name.startsWith('Number '))

/** Creates the KPIs, without a kill. */
const fill = async (importer: Importer, numbers: readonly number[]): Promise<void> => {
  importer.write('kpis.json', JSON.stringify(numbers.map((at) => ({ name: nameOf(at), frequency_id: 'daily' }))))
  expect(await importer.kpi('kpis', 'create', '--from-json', 'kpis.json')).toMatchObject({ code: 0 })
}

const receiptsIn = ({ folder }: Importer): readonly string[] =>
  readdirSync(folder.in('.local/state/kpi/receipts')).filter((name) => name.endsWith('.run'))

test('create --from-json that is killed again and again creates each exactly once', { timeout: 60_000 }, async () => {
  const numbers = numbersTo(90)
  await using killing = await openKilling()
  const { importer, runToEnd } = killing
  importer.write('new.json', JSON.stringify(numbers.map((at) => ({ name: nameOf(at), frequency_id: 'daily' }))))
  const line = ['kpis', 'create', '--from-json', 'new.json', '-o', 'json']
  const { code, stdout, stderr, killed, done } = await runToEnd(line)
  expect({ code, killed }).toEqual({ code: 0, killed: KILLS.length })
  expect(stderr).toMatch(new RegExp(`\\d+ of ${numbers.length} KPIs were created before, and are not created again`))
  expect(done.filter(({ method }) => method === 'POST')).toHaveLength(numbers.length)
  const kpis = await kpisIn(importer)
  expect(kpis.map(({ name }) => name).toSorted()).toEqual(numbers.map(nameOf).toSorted())
  expect(new Set(kpis.map(({ sort_order }) => sort_order)).size).toBe(numbers.length)
  expect((jsonOf({ stdout, stderr, code: 0 }) as { name: string }[]).map(({ name }) => name)).toEqual(
    kpis.map(({ name }) => name),
  )
  expect(receiptsIn(importer)).toEqual([expect.not.stringContaining('open')])
  // The same again is another run, which is refused.
  expect((await runToEnd(line)).stderr).toContain('there is a KPI of that name already')
})

test('update --from-json that is killed again and again changes each', { timeout: 60_000 }, async () => {
  const numbers = numbersTo(60)
  await using killing = await openKilling()
  const { importer, runToEnd } = killing
  await fill(importer, numbers)
  const listed = await kpisIn(importer)
  const read = await importer.kpi('kpis', 'list', '-o', 'json', '--columns', 'id,name,updated_at')
  const seen = (jsonOf(read) as { name: string }[]).filter(({ name }) => name.startsWith('Number '))
  importer.write('new.json', JSON.stringify(seen.map((one) => ({ ...one, description: 'changed' }))))
  const { code, killed, done } = await runToEnd(['kpis', 'update', '--from-json', 'new.json', '-o', 'json'])
  expect({ code, killed }).toEqual({ code: 0, killed: KILLS.length })
  expect(done.length).toBeLessThanOrEqual(numbers.length + KILLS.length)
  const kpis = await kpisIn(importer)
  expect(kpis.map(({ description }) => description)).toEqual(kpis.map(() => 'changed'))
  expect(kpis.map(({ id, name }) => [id, name])).toEqual(listed.map(({ id, name }) => [id, name]))
})

test('delete of many names that is killed again and again deletes each', { timeout: 60_000 }, async () => {
  const numbers = numbersTo(60)
  await using killing = await openKilling()
  const { importer, runToEnd } = killing
  await fill(importer, numbers)
  const { code, stderr, killed } = await runToEnd(['kpis', 'delete', ...numbers.map(nameOf), '--yes'])
  expect({ code, killed }).toEqual({ code: 0, killed: KILLS.length })
  expect(stderr).toMatch(new RegExp(`\\d+ of ${numbers.length} KPIs were deleted before`))
  expect(await kpisIn(importer)).toEqual([])
})

test('the record of a run holds no password', async () => {
  await using killing = await openKilling()
  const { importer } = killing
  const password = 'correct horse'
  importer.write('new.json', JSON.stringify({ first_name: 'Ida', email: 'ida@example.com', password }))
  expect(await importer.kpi('users', 'create', '--from-json', 'new.json')).toMatchObject({ code: 0 })
  const [receipt = ''] = receiptsIn(importer)
  const bytes = readFileSync(join(importer.folder.in('.local/state/kpi/receipts'), receipt))
  expect([bytes.includes('ida@example.com'), bytes.includes(password)]).toEqual([true, false])
})
