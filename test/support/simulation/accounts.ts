import { type FaultyAccount, type FaultyKpi, type FaultyUser, type Kept, keyOf } from '../faulty/account.ts'
import type { Random } from '../random.ts'
import { dateOf } from './days.ts'

const KPIS = ['Sales', 'Visits', 'Calls', 'Cost']
/** The first user of an account is whoever it belongs to. */
const FIRST_USER = 2
const USERS = ['Ann', 'Bob', 'Cid', 'Dee', 'Eve']

const drawKpi = ({ chance, whole }: Random, name: string, at: number): FaultyKpi => ({
  id: at + 1,
  name,
  target: chance(0.5) ? BigInt(whole(1, 100)) * 10_000n : null,
  isActive: at === 0 || chance(0.9),
})

const drawUser = ({ chance }: Random, name: string, at: number, kpis: readonly FaultyKpi[]): FaultyUser => ({
  id: FIRST_USER + at,
  name,
  isLocked: at > 0 && chance(0.1),
  kpis: kpis.filter(({ id }) => id === 1 || chance(0.8)).map(({ id }) => id),
})

const drawEntry = (
  { whole, chance }: Random,
  account: Pick<FaultyAccount, 'kpis' | 'users'>,
  days: number,
): Omit<Kept, 'id'> => {
  const kpi = account.kpis[whole(0, account.kpis.length - 1)]
  return {
    user: whole(FIRST_USER, FIRST_USER + account.users.length - 1),
    kpi: kpi?.id ?? 1,
    date: dateOf(whole(0, days - 1)),
    actual: BigInt(whole(-5, 40)) * 5000n,
    target: kpi?.target !== null && chance(0.3) ? BigInt(whole(1, 20)) * 10_000n : null,
    notes: chance(0.2) ? 'as it was' : null,
  }
}

/** A small account that holds something of some days already. */
export const createAccount = (random: Random, days: number): FaultyAccount => {
  const { whole } = random
  const kpis = KPIS.slice(0, whole(1, KPIS.length)).map((name, at) => drawKpi(random, name, at))
  const users = USERS.slice(0, whole(1, USERS.length)).map((name, at) => drawUser(random, name, at, kpis))
  const drawn = Array.from({ length: whole(0, 30) }, () => drawEntry(random, { kpis, users }, days))
  const entries = [...new Map(drawn.map((one) => [keyOf(one), one])).values()]
  return { kpis, users, entries: entries.map((one, at) => ({ ...one, id: at + 1 })) }
}
