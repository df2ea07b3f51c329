import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { embeddedTransport } from '../../src/cli/embedded.ts'
import { createClient } from '../../src/client/client.ts'
import { entryPages } from '../../src/client/operations/entry-pages.ts'
import { formatDay } from '../../src/domain/day.ts'
import { formatDecimal } from '../../src/domain/decimal.ts'
import { looseRows } from './csv.ts'
import { ROOT } from './documents.ts'
import { temporaryFolder } from './folder.ts'
import { kpiNamed, userNamed } from './import.ts'
import { NOW } from './io.ts'
import { shellIn } from './kpi.ts'

/** An entry by names: user, KPI, date, actual, target, notes. */
export type CorpusRow = readonly [
  user: string,
  kpi: string,
  date: string,
  actual: string | null,
  target: string | null,
  notes: string | null,
]

/** A file of the corpus, and what a person reads in it. */
export type CorpusCase = {
  readonly path: string
  /** Which program writes such a file, and what is remarkable about it. */
  readonly about: string
  readonly args: readonly string[]
  /** Whose and what the rows are; undefined where nobody could tell, so that the command has to stop. */
  readonly rows: readonly CorpusRow[] | undefined
  /** The lines that no one could load, and a part of the reason. */
  readonly rejects: Readonly<Record<string, string>>
  /** What is said where the command stops: it has to, or it may as well, as that is no misreading either. */
  readonly stop: readonly string[] | undefined
}

const CORPUS = join(ROOT, 'test', 'corpus')

type Written = Pick<CorpusCase, 'about'> &
  Partial<Pick<CorpusCase, 'args' | 'rows' | 'rejects' | 'stop'>> & {
    readonly file: string
    readonly mayStop?: readonly string[]
  }

const caseAt = (name: string): CorpusCase => {
  const folder = name.slice(0, -basename(name).length)
  const { file, mayStop, ...written } = JSON.parse(readFileSync(join(CORPUS, name), 'utf8')) as Written
  return { args: [], rejects: {}, rows: undefined, ...written, path: folder + file, stop: written.stop ?? mayStop }
}

/** All files of the corpus, each described by the JSON file beside it. */
export const corpusCases: readonly CorpusCase[] = readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map(caseAt)

const PEOPLE = [
  ['Ann', 'Lee', 'ann'],
  ['Jürgen', 'Müller', 'juergen'],
  ['Zoë', 'Brønsted', 'zoe'],
  ['José', 'Núñez', 'jose'],
  ['Łukasz', 'Żak', 'lukasz'],
  ['山田', '太郎', 'yamada'],
  ['Chloé', 'Lefèvre', 'chloe'],
  ['João', 'Conceição', 'joao'],
] as const

const KPIS = [
  ['Sales', 'D'],
  ['Visits', 'D'],
  ['Conversion', 'D'],
  ['Umsatz', 'D'],
  ['Besucher', 'D'],
  ["Chiffre d'affaires", 'D'],
  ['Intäkter', 'D'],
  ['Faturamento', 'D'],
  ['Ventas', 'D'],
  ['売上', 'D'],
  ['Weekly Hours', 'W'],
  ['Monthly Cost', 'M'],
  ['Yearly Margin', 'Y'],
] as const

const PERCENT_UNIT = 3

/** A data directory whose account has all people and KPIs of the corpus; every KPI has targets and is everybody's. */
const fillCorpusAccount = async (dataDir: string): Promise<void> => {
  const client = createClient(await embeddedTransport(dataDir, () => NOW))
  for (const [name, frequency_id] of KPIS) {
    const unit_id = name === 'Conversion' ? PERCENT_UNIT : 1
    await client.kpis.add(kpiNamed(name, { frequency_id, unit_id, target_default: 0n }))
  }
  for (const [first, last_name, login] of PEOPLE) {
    const { id } = await client.users.add(userNamed(first, { last_name, email: `${login}@example.com` }))
    for (const kpi of KPIS.keys()) await client.assignments(id).add({ id: kpi + 1, sort_order: kpi + 1 })
  }
  await client.close()
}

export const inTextOrder = (rows: readonly CorpusRow[]): CorpusRow[] =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))

/** All entries of a data directory, as the corpus writes them, in the order of their texts. */
const rowsIn = async (dataDir: string): Promise<CorpusRow[]> => {
  const client = createClient(await embeddedTransport(dataDir, () => NOW))
  const rows: CorpusRow[] = []
  for await (const page of entryPages(client, { from: -25_567, to: 84_000 })) {
    for (const { user_id, kpi_id, entry_date, actual, target, notes } of page) {
      const [first, last] = PEOPLE[(user_id ?? 0) - 2] ?? []
      const [one, other] = [actual, target].map((value) => (value === null ? null : formatDecimal(value)))
      const [kpi] = KPIS[kpi_id - 1] ?? []
      rows.push([`${first} ${last}`, String(kpi), formatDay(entry_date), one ?? null, other ?? null, notes])
    }
  }
  await client.close()
  return inTextOrder(rows)
}

/** What became of a file: what is stored then, what was rejected, and what was said. */
export type CorpusOutcome = {
  readonly code: number
  readonly said: string
  readonly rows: readonly CorpusRow[]
  /** The lines of the rejects file with their reasons. */
  readonly rejects: Readonly<Record<string, string>>
}

const SEPARATORS = [',', ';', '\t', '|']

/** The lines and reasons of a rejects file, whose last two columns they are, whatever stands between its cells. */
const rejectsIn = (path: string): Record<string, string> => {
  const bytes = readFileSync(path)
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
  const text = bytes.toString(isWide ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '')
  const separator = SEPARATORS.find((one) => text.includes(`${one}_line${one}_reason`)) ?? ','
  const [, ...rows] = looseRows(text, separator)
  return Object.fromEntries(rows.map((cells) => [cells.at(-2) ?? '', cells.at(-1) ?? '']))
}

/** An account that each file of the corpus is loaded into as if it were the first. */
export type CorpusAccount = { readonly load: (one: CorpusCase) => Promise<CorpusOutcome> } & Disposable

export const openCorpusAccount = async (): Promise<CorpusAccount> => {
  const original = temporaryFolder()
  await fillCorpusAccount(original.in('data'))
  return {
    load: async ({ path, args }) => {
      using folder = temporaryFolder()
      const dataDir = folder.in('data')
      cpSync(original.in('data'), dataDir, { recursive: true })
      const kpi = shellIn({ home: folder.path, env: { KPI_DATA_DIR: dataDir } })
      const rejects = folder.in('rejects.csv')
      const ran = await kpi('entries', 'import', join(CORPUS, path), '--rejects', rejects, '--quiet', ...args)
      const hasRejects = readdirSync(folder.path).includes('rejects.csv')
      return {
        code: ran.code,
        said: ran.stderr,
        rows: await rowsIn(dataDir),
        rejects: hasRejects ? rejectsIn(rejects) : {},
      }
    },
    [Symbol.dispose]: () => original[Symbol.dispose](),
  }
}
