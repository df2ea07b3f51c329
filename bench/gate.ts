import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, kpi, node, run, timeOf } from './command.ts'
import { makeAccount, writeRows } from './data.ts'
import type { Figure } from './figure.ts'

/*
 * A short bench for every gate: each figure is the least of a few rounds, beside the least program that does the same, and its
 * limit is about twice what it was when the limit was set. Noise passes, a factor of three does not.
 */

const ROWS = 100_000
const ROUNDS = 4
const plain = (...args: string[]): Command => node(join(import.meta.dirname, 'plain.mjs'), ...args)

/** Times commands in turns, each on a fresh copy of a store; returns the least of each. */
const leastOf = (dataDir: string, ...commandsOn: readonly ((dataDir: string) => Command)[]): number[] => {
  const copy = `${dataDir}-copy`
  const rounds = Array.from({ length: ROUNDS }, () =>
    commandsOn.map((commandOn) => {
      rmSync(copy, { recursive: true, force: true })
      cpSync(dataDir, copy, { recursive: true })
      return timeOf(commandOn(copy))
    }),
  )
  return commandsOn.map((_, at) => Math.min(...rounds.map((times) => times[at] ?? NaN)))
}

const bare = (): Command => node('-e', '0')

/** Returns how many times what another command takes one takes, both beyond an empty Node.js. */
const compare = (dataDir: string, ours: (dataDir: string) => Command, theirs: (dataDir: string) => Command): number => {
  const [least = NaN, our = NaN, their = NaN] = leastOf(dataDir, bare, ours, theirs)
  return (our - least) / (their - least)
}

const figure = (what: string, against: string, ratio: number, limit: number): Figure => ({
  what,
  measured: ratio,
  unit: 'times',
  against,
  ratio,
  limit,
})

/** Imports, a report, lists and starts in under a minute. */
export const gating = async (folder: string): Promise<Figure[]> => {
  const account = makeAccount(folder)
  const file = await writeRows(folder, ROWS, 'key')
  const store = (dataDir: string): string => join(dataDir, 'kpi.db')
  const loading = (dataDir: string): Command =>
    kpi('--data-dir', dataDir, 'entries', 'import', file, '--quiet', '-o', 'json')
  const importing = compare(account, loading, (dataDir) => plain('import', store(dataDir), file))
  run(loading(account))
  const days = ['2020-01-03', '2020-01-04'] as const
  const again = compare(account, loading, (dataDir) => plain('report', store(dataDir), '2020-01-01', '2020-12-31'))
  const reporting = compare(
    account,
    (dataDir) => kpi('--data-dir', dataDir, 'report', '--from', days[0], '--to', days[1], '-o', 'csv'),
    (dataDir) => plain('report', store(dataDir), ...days),
  )
  const [least = NaN, list = NaN] = leastOf(account, bare, (dataDir) => kpi('--data-dir', dataDir, 'kpis', 'list'))
  return [
    figure(`import of ${ROWS} new rows`, 'inserts alone', importing, 6),
    figure('the same import again', 'reading its entries', again, 4),
    figure('report of 10,000 rows', 'reading and joining alone', reporting, 4),
    figure('kpis list', 'bare node', list / least, 5),
  ]
}
