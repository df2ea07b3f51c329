import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { some } from '../support/soak/tests.ts'
import { runHere } from '../support/kpi.ts'
import { KPI, startKpi, startProgram } from '../support/process.ts'

const DAYS = 20_000
const EXPORT = ['report', 'export', '--from', '1970-01-01', '--to', '2199-12-31', '--force', '--to-file']

const fill = async (home: Folder): Promise<void> => {
  const rows = Array.from({ length: DAYS }, (_, day) => `${formatDay(day)},${day}.25\n`)
  writeFileSync(home.in('data.csv'), `date,actual\n${rows.join('')}`)
  await runHere(home, ['kpis', 'create', '--name', 'Sales', '--frequency', 'D', '--quiet'])
  const file = ['data.csv', '--user', 'Admin', '--kpi', 'Sales', '--create-assignments']
  expect((await runHere(home, ['entries', 'import', ...file, '--quiet'])).code).toBe(0)
}

let filled: Folder
beforeAll(async () => {
  filled = temporaryFolder()
  await fill(filled)
})
afterAll(() => filled[Symbol.dispose]())

/** Starts an export and sends it a signal as soon as its temporary folder is there. */
const stop = async (home: Folder, name: string, signal: NodeJS.Signals): Promise<number | null> => {
  const running = startKpi(home, [...EXPORT, name])
  const watcher = watch(home.path, (_, changed) => {
    if (!changed?.startsWith('.kpi-')) return
    watcher.close()
    running.child.kill(signal)
  })
  const { code } = await running.ended
  watcher.close()
  return code
}

/** How often an export is tried that was done before the signal came, as may happen on a busy machine. */
const TRIES = 5

/** Stops an export; what it wrote if it was done before is whole, and is replaced by what was there. */
const stopInTime = async (
  home: Folder,
  name: string,
  signal: NodeJS.Signals,
  whole: number,
): Promise<number | null> => {
  const path = home.in(name)
  const before = existsSync(path) ? readFileSync(path) : undefined
  for (let tries = 1; ; tries += 1) {
    const code = await stop(home, name, signal)
    const after = existsSync(path) ? readFileSync(path) : undefined
    const isDone = after !== undefined && !before?.equals(after)
    if (!isDone || tries === TRIES) return code
    // The time at which it was made may take more or fewer bytes in what is packed.
    expect(Math.abs(after.length - whole)).toBeLessThan(100)
    if (before) writeFileSync(path, before)
    else rmSync(path)
  }
}

test.each(some(2, ['r.csv', 'r.json', 'r.ndjson.gz', 'r.md', 'r.xlsx', 'r.html']))(
  'an export to %s that is killed, interrupted or without room leaves the file as it was',
  async (name) => {
    using home = temporaryFolder()
    cpSync(filled.path, home.path, { recursive: true })
    expect((await runHere(home, [...EXPORT, `whole-${name}`])).code).toBe(0)
    const whole = statSync(home.in(`whole-${name}`)).size
    expect(await stopInTime(home, name, 'SIGKILL', whole)).toBe(null)
    expect(existsSync(home.in(name))).toBe(false)
    writeFileSync(home.in(name), 'earlier')
    expect(await stopInTime(home, name, 'SIGINT', whole)).toBe(6)
    expect(readFileSync(home.in(name), 'utf8')).toBe('earlier')
    const without = ['/bin/sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh', ...KPI]
    const refused = await startProgram(home, [...without, ...EXPORT, name]).ended
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain(`cannot write`)
    expect(readFileSync(home.in(name), 'utf8')).toBe('earlier')
    expect(readdirSync(home.path).filter((one) => one.startsWith('.kpi-')).length).toBe(1)
    expect((await runHere(home, [...EXPORT, name, '--manifest'])).code).toBe(0)
    expect((await runHere(home, ['report', 'verify', name])).stdout).toContain(`: ${DAYS} rows`)
  },
)
