import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inProcessTransport } from '../../src/cli/embedded.ts'
import { createClient } from '../../src/client/client.ts'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { type FileWork, countSqlite, scansIn, statementsIn } from '../support/count-work.ts'
import { ROOT } from '../support/documents.ts'
import { NOW } from '../support/io.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { KPI, launch } from '../support/process.ts'
import { type Asked, ask, type Service, startService } from '../support/service.ts'
import { embeddedUser, type User } from '../support/user.ts'

/*
 * Budgets of work, which do not depend on the machine. Whoever adds work raises a number here, and says why; whoever saves
 * some lowers it.
 */

const [USERS, KPIS, DAYS] = [10, 10, 100]

/** Rows of all users, KPIs and days, in the order of their keys. */
const csvOf = (add: number): string => {
  const lines = ['user,kpi,date,actual']
  for (let user = 0; user < USERS; user += 1)
    for (let kpi = 0; kpi < KPIS; kpi += 1)
      for (let day = 0; day < DAYS; day += 1) {
        const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)
        lines.push(`user${user}@example.com,K${kpi},${date},${user + kpi + day + add}`)
      }
  return `${lines.join('\n')}\n`
}

const fill = async ({ client }: Pick<User, 'client'>): Promise<void> => {
  for (let kpi = 0; kpi < KPIS; kpi += 1) await client.kpis.add(kpiNamed(`K${kpi}`))
  for (let user = 0; user < USERS; user += 1) {
    const { id } = await client.users.add(userNamed(`U${user}`, { email: `user${user}@example.com` }))
    for (let kpi = 1; kpi <= KPIS; kpi += 1) await client.assignments(id).add({ id: kpi, sort_order: kpi })
  }
}

/** The most that a line may do to the store: statements, committed transactions, pages written; and to journals, in statements. */
type Budget = {
  readonly statements: number
  readonly commits: number
  readonly frames: number
  readonly journal: number
  readonly requests?: number
}

const NOTHING: Pick<FileWork, 'commits' | 'frames'> & { statements: number } = { statements: 0, commits: 0, frames: 0 }

const doneIn = (work: ReadonlyMap<string, FileWork>, kind: string): typeof NOTHING => {
  const done = work.get(kind)
  return done ? { statements: statementsIn(done), commits: done.commits, frames: done.frames } : NOTHING
}

/** Returns what of a store and a journal was more than a budget allows, and what statements that ran often read whole. */
const tooMuch = (work: ReadonlyMap<string, FileWork>, most: Budget, requests = 0): string[] => {
  const { statements: journal } = doneIn(work, 'journal')
  const done: Required<Budget> = { ...doneIn(work, 'db'), journal, requests }
  const store = work.get('db')
  const over = Object.entries(done).filter(([name, count]) => count > (most[name as keyof Budget] ?? 0))
  return [...over.map(([name, count]) => `${count} ${name}`), ...(store ? scansIn(store, 3) : [])]
}

describe('a line on the embedded service', () => {
  let user: User
  beforeAll(async () => {
    user = await embeddedUser()
    await fill(user)
    writeFileSync(user.folder.in('one.csv'), csvOf(0))
    writeFileSync(user.folder.in('two.csv'), csvOf(1000))
    await user.kpi('dump', '--to-file', 'all.yaml')
  })
  afterAll(() => user[Symbol.asyncDispose]())

  const IMPORT = ['entries', 'import']
  const JSON_OUT = ['-o', 'json']
  const YEAR = ['--from', '2026-01-01', '--to', '2026-12-31']

  // A batch keeps what it replaces, and nothing of that is read before: of 10,000 changes that are 66 pages.
  // The lines run in this order: each finds what the ones before have stored.
  test.each<[what: string, line: readonly string[], most: Budget]>([
    [
      'an import of 10,000 new rows',
      [...IMPORT, 'one.csv', ...JSON_OUT],
      { statements: 97, commits: 2, frames: 155, journal: 54, requests: 14 },
    ],
    [
      'the same import again',
      [...IMPORT, 'one.csv', ...JSON_OUT],
      { statements: 67, commits: 2, frames: 0, journal: 54, requests: 14 },
    ],
    [
      'an import of 10,000 changes',
      [...IMPORT, 'two.csv', ...JSON_OUT],
      { statements: 10077, commits: 2, frames: 160, journal: 54, requests: 14 },
    ],
    [
      'the same with --only-changes',
      [...IMPORT, 'two.csv', '--only-changes', ...JSON_OUT],
      { statements: 67, commits: 0, frames: 0, journal: 25, requests: 15 },
    ],
    ['kpis list', ['kpis', 'list'], { statements: 17, commits: 0, frames: 0, journal: 0 }],
    [
      'a report of 10,000 rows',
      ['report', ...YEAR, '-o', 'csv'],
      { statements: 21, commits: 0, frames: 0, journal: 0 },
    ],
    ['an apply of an unchanged account', ['apply', 'all.yaml'], { statements: 70, commits: 0, frames: 0, journal: 0 }],
    ['a delete of a KPI', ['kpis', 'delete', 'K9', '--yes'], { statements: 107, commits: 1, frames: 55, journal: 0 }],
  ])('does no more than it must: %s', async (_, line, most) => {
    let ran: Ran | undefined
    const work = await countSqlite(async () => {
      ran = await user.kpi(...line)
    })
    if (ran?.code !== 0) throw new Error(ran?.stderr)
    const requests = line.includes('import') ? (jsonOf(ran) as { requests: number }).requests : undefined
    expect(tooMuch(work, most, requests)).toEqual([])
  })
})

const batchOf = (add: number): object => ({
  entries: Array.from({ length: 1000 }, (_, at) => ({
    user_id: 2 + (at % USERS),
    kpi_id: 1 + (Math.floor(at / USERS) % KPIS),
    entry_date: new Date(Date.UTC(2026, 0, 1 + Math.floor(at / (USERS * KPIS)))).toISOString().slice(0, 10),
    actual: at + add,
  })),
})

describe('a request to the service', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await fill({
      client: createClient(
        inProcessTransport(service.db, await ensureDefaultAccount(service.db, NOW / 1000), () => NOW),
      ),
    })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  test.each<[what: string, asked: Asked, most: Budget]>([
    [
      'a batch of 1,000 new entries',
      { method: 'POST', path: '/kpientries/list', body: batchOf(0) },
      { statements: 14, commits: 1, frames: 17, journal: 0 },
    ],
    [
      'a batch of 1,000 changes',
      { method: 'POST', path: '/kpientries/list', body: batchOf(1) },
      { statements: 1008, commits: 1, frames: 10, journal: 0 },
    ],
    [
      'the same batch again',
      { method: 'POST', path: '/kpientries/list', body: batchOf(1) },
      { statements: 8, commits: 1, frames: 0, journal: 0 },
    ],
    ['a GET of the KPIs', { path: '/kpis' }, { statements: 3, commits: 0, frames: 0, journal: 0 }],
    ['a GET of an entry', { path: '/kpientries/1' }, { statements: 1, commits: 0, frames: 0, journal: 0 }],
  ])('takes no more than it must: %s', async (_, asked, most) => {
    let status = 0
    const work = await countSqlite(async () => {
      ;({ status } = await ask(service, asked))
    })
    expect(Math.floor(status / 100)).toBe(2)
    expect(tooMuch(work, most)).toEqual([])
  })
})

describe('a start', () => {
  let user: User
  beforeAll(async () => {
    user = await embeddedUser()
    await fill(user)
    writeFileSync(user.folder.in('one.csv'), csvOf(0))
    for (const [file, date] of [
      ['german', '3. März 2026'],
      ['russian', '3 марта 2026 г.'],
    ])
      writeFileSync(user.folder.in(`${file}.csv`), `user,kpi,date,actual\nuser0@example.com,K1,${date},1\n`)
  })
  afterAll(() => user[Symbol.asyncDispose]())

  // Only dates in words that few files have load the words of all languages. Two small modules of an import are by themselves, as
  // jobs have them too, which know no more of it. The table of settings, with a sentence on each for help and the documents, is
  // 6 kilobytes of each. Dated targets, people's names in any order, requests that change many entries, and which flags are used first
  // are 40 more; an import also reads scales and units beside numbers, which file corrects another, and in 7 kilobytes which of its
  // rows are not sent then, and in 19 more how units of cells are meant, what new users are near to, and what a lost answer may have done.
  test.each<[line: readonly string[], modules: number, kilobytes: number]>([
    [['--version'], 3, 17],
    [['kpis', 'list'], 7, 582],
    [['kpis', 'list', '-o', 'json'], 6, 543],
    [['report', '--from', '2026-01-01', '--to', '2026-12-31'], 17, 672],
    [['entries', 'import', 'one.csv'], 59, 2121],
    [['entries', 'import', 'german.csv'], 59, 2121],
    [['entries', 'import', 'russian.csv'], 60, 2253],
  ])('loads no more than it must: %j', async (line, modules, kilobytes) => {
    const [program = '', ...words] = KPI
    const command = [program, '--import', join(ROOT, 'test/support/count-modules.mjs'), ...words, ...line]
    const { code, stderr } = await launch(user.folder, command).ended
    expect([code, stderr]).toEqual([0, expect.stringMatching(/\{"modules":.*\}$/)])
    const loaded = JSON.parse(stderr.split('\n').at(-1) ?? '') as { modules: number; bytes: number }
    const done = { modules: loaded.modules, kilobytes: Math.ceil(loaded.bytes / 1000) }
    expect(done).toEqual({ modules: Math.min(modules, done.modules), kilobytes: Math.min(kilobytes, done.kilobytes) })
  })
})
