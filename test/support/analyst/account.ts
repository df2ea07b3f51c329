import { join } from 'node:path'
import { listen } from '../../../src/server/http/listener.ts'
import { ROOT } from '../documents.ts'
import { sqliteDatabase } from '../databases.ts'
import { temporaryFolder } from '../folder.ts'
import { NOW, type World } from '../io.ts'
import { jsonOf, type Ran, shellIn } from '../kpi.ts'
import { startService } from '../service.ts'

/** The names of the categories, whose ids follow that of the one that every account has. */
const CATEGORIES = ['Weather', 'Money'] as const
const [WEATHER, MONEY] = [2, 3]
const DECIMAL = 2

const KPIS = [
  { name: 'Rain', category_id: WEATHER, aggregate_function: 'SUM', frequency_id: 'D', value_direction: 'N' },
  {
    name: 'Highest temperature',
    category_id: WEATHER,
    aggregate_function: 'AVG',
    frequency_id: 'D',
    value_direction: 'U',
    target_default: 25,
  },
  { name: 'Wind', category_id: WEATHER, aggregate_function: 'AVG', frequency_id: 'W', value_direction: 'D' },
  { name: 'Exchange rate', category_id: MONEY, aggregate_function: 'AVG', frequency_id: 'M', value_direction: 'D' },
].map((kpi, at) => ({ ...kpi, unit_id: DECIMAL, icon_id: 1, sort_order: 5 + at, is_active: true }))

/** Those who are not in the first two files. */
const USERS = [
  'New York',
  'Seattle',
  'Brazil',
  'Canada',
  'Denmark',
  'Euro',
  'India',
  'Japan',
  'Sweden',
  'Switzerland',
].map((first_name) => ({
  first_name,
  email: `${first_name.toLowerCase().replace(' ', '.')}@example.com`,
  user_type: 'User',
  user_status_id: 'A',
}))

const EXAMPLE = join(ROOT, 'examples/load-entries')
const weather = (kpi: string, column: string): string[] => [
  join(ROOT, 'test/data/weather.csv'),
  '--kpi',
  kpi,
  '--map',
  `user=location,actual=${column}`,
  '--ignore',
  ['precipitation', 'temp_max', 'temp_min', 'wind', 'weather'].filter((name) => name !== column).join(),
]

/** The imports of the four files, the weather once for each of its measures. */
const IMPORTS: readonly (readonly string[])[] = [
  [join(EXAMPLE, 'worldwide-aggregate.csv'), '--user', 'World'],
  [join(EXAMPLE, 'key-countries-pivoted.csv'), '--kpi', 'Confirmed'],
  weather('Rain', 'precipitation'),
  weather('Highest temperature', 'temp_max'),
  weather('Wind', 'wind'),
  [
    join(ROOT, 'test/data/exchange-rates.csv'),
    '--kpi',
    'Exchange rate',
    '--map',
    'user=Country,actual=Exchange rate,date=Date',
  ],
]

/** The ways to the account, by name. */
export const WAYS = ['embedded', 'classic', 'v1'] as const
export type Way = (typeof WAYS)[number]

/** An account with figures, and command lines on three ways to it. */
export type AnalystAccount = {
  /** Where the service keeps them, if that is a file. */
  readonly dataDir: string
  /** Runs a command line on a day; on the tests' own where none is given. */
  readonly kpi: (way: Way, today: string | undefined, ...args: string[]) => Promise<Ran>
} & AsyncDisposable

/** Creates records of a noun in a world. */
export const create = async (world: World, noun: string, records: readonly object[]): Promise<unknown> =>
  jsonOf(await shellIn({ ...world, stdin: JSON.stringify(records) })(noun, 'create', '--from-json', '-', '-o', 'json'))

const loadFourFiles = async (world: World): Promise<void> => {
  for (const noun of ['users', 'kpis']) {
    jsonOf(await shellIn(world)(noun, 'create', '--from-json', join(EXAMPLE, `${noun}.json`), '-o', 'json'))
  }
  await create(
    world,
    'categories',
    CATEGORIES.map((name) => ({ name })),
  )
  await create(world, 'users', USERS)
  await create(world, 'kpis', KPIS)
  for (const words of IMPORTS) {
    jsonOf(
      await shellIn(world)(
        'entries',
        'import',
        ...words,
        '--create-assignments',
        '--period-dates',
        'as-is',
        '-o',
        'json',
      ),
    )
  }
}

/** Loads figures through the interface; the flags tell commands of the service where its store is. */
type Load = (world: World, ofService: readonly string[]) => Promise<void>

/** Loads figures into a new account, through the command line: those of the four files if no others. */
export const openAnalystAccount = async (
  load: Load = loadFourFiles,
  database = sqliteDatabase,
): Promise<AnalystAccount> => {
  const folder = temporaryFolder()
  const place = await database()
  const service = await startService(NOW, async () => place)
  const server = await listen(service.handler, '127.0.0.1', 0)
  const { login, token, key, dataDir } = service
  const env: Record<Way, Record<string, string>> = {
    embedded: { KPI_DATA_DIR: dataDir },
    classic: { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: login, KPI_TOKEN: token },
    v1: { KPI_BASE_URL: `${server.url}/v1`, KPI_TOKEN: key },
  }
  await load({ home: folder.path, env: { ...place.env, ...env.classic } }, place.flags)
  return {
    dataDir,
    kpi: (way, today, ...args) => {
      const now = today === undefined ? {} : { now: Date.parse(`${today}T12:00:00Z`) }
      return shellIn({ home: folder.path, env: env[way], ...now })(...args)
    },
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await service[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
