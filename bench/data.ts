import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { formatDay, parseDay } from '../src/domain/day.ts'
import type { UserDraft } from '../src/domain/resources/user.ts'
import { kpi, run } from './command.ts'

export const USERS = 100
export const KPIS = 50
export const FIRST_DAY = parseDay('2020-01-01') ?? 0

/** How the rows of a file come: by user, KPI and day; day by day, as an export of a running year has them; or in no order. */
export type Order = 'key' | 'day' | 'shuffled'

/** The numbers below a limit in no order, but in the same one each time. */
const shuffled = (limit: number): Uint32Array => {
  const numbers = Uint32Array.from({ length: limit }, (_, at) => at)
  let seed = 1
  for (let last = limit - 1; last > 0; last -= 1) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    const at = Math.floor((seed / 2 ** 32) * (last + 1))
    const [one, other] = [numbers[last] ?? 0, numbers[at] ?? 0]
    numbers[last] = other
    numbers[at] = one
  }
  return numbers
}

/** One row of the file: ids of user and KPI, day, value. */
function* rowsOf(rows: number, order: Order, firstDay: number): Generator<string> {
  const days = rows / (USERS * KPIS)
  const places = order === 'shuffled' ? shuffled(rows) : undefined
  for (let number = 0; number < rows; number += 1) {
    const at = places?.[number] ?? number
    const [series, day] =
      order === 'day' ? [at % (USERS * KPIS), Math.floor(at / (USERS * KPIS))] : [Math.floor(at / days), at % days]
    const [user, measure] = [Math.floor(series / KPIS) + 2, (series % KPIS) + 1]
    yield `${user},${measure},${formatDay(firstDay + day)},${user * measure + day}.25\n`
  }
}

/** Writes a file of entries and answers its path. */
export const writeRows = async (folder: string, rows: number, order: Order, from = '2020-01-01'): Promise<string> => {
  const path = join(folder, `${order}-${rows}-${from}.csv`)
  const file = createWriteStream(path)
  file.write('user,kpi,date,actual\n')
  let block = ''
  for (const row of rowsOf(rows, order, parseDay(from) ?? NaN)) {
    block += row
    if (block.length < 1 << 16) continue
    if (!file.write(block)) await once(file, 'drain')
    block = ''
  }
  file.end(block)
  await once(file, 'finish')
  return path
}

const common = { icon_id: 1, unit_id: 1, frequency_id: 'D', value_direction: 'U', is_active: true } as const

/** The KPIs of the files, and the users, as drafts. */
export const kpisOfData = (): (typeof common & { name: string; sort_order: number })[] =>
  Array.from({ length: KPIS }, (_, at) => ({ ...common, name: `KPI ${at + 1}`, sort_order: at + 1 }))

export const usersOfData = (): UserDraft[] =>
  Array.from({ length: USERS }, (_, at) => ({
    first_name: 'User',
    last_name: String(at + 2),
    email: `user${at + 2}@example.com`,
    user_type: 'User',
    user_status_id: 'A',
  }))

/** Makes an account with the users and KPIs that the files name, and the assignments between them. */
export const makeAccount = (folder: string): string => {
  const dataDir = join(folder, 'account')
  mkdirSync(dataDir, { recursive: true })
  const create = (noun: string, list: readonly object[]): void => {
    const path = join(folder, `${noun}.json`)
    writeFileSync(path, JSON.stringify(list))
    run(kpi('--data-dir', dataDir, noun, 'create', '--from-json', path, '-o', 'json'))
  }
  create('kpis', kpisOfData())
  create('users', usersOfData())
  // A first small file makes the assignments, so that only the loading is measured later.
  const path = join(folder, 'first.csv')
  const rows = Array.from(
    { length: USERS * KPIS },
    (_, at) => `${Math.floor(at / KPIS) + 2},${(at % KPIS) + 1},2019-12-31,1\n`,
  )
  writeFileSync(path, `user,kpi,date,actual\n${rows.join('')}`)
  run(kpi('--data-dir', dataDir, 'entries', 'import', path, '--create-assignments', '--quiet'))
  return dataDir
}
