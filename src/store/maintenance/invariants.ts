import { nameForm } from '../../domain/name-form.ts'
import { icons } from '../../domain/resources/catalog.ts'
import type { SqlList } from '../db.ts'
import type { TableDefinition } from '../schema/migrations.ts'
import { itemListDigest, listOfItems } from '../tables/item-sets.ts'
import type { Counter } from '../tables/table.ts'
import { PEOPLE } from '../tables/users.ts'

/**
 * Describes an invariant by a query for the rows that may break it: the account, the name of the row, and columns for
 * `isWrong`.
 */
type Invariant = {
  readonly table: string
  readonly sql: string
  readonly fault: string
  readonly remedy: string
  /** Tells whether a row of the query is wrong, if SQL alone cannot tell; otherwise every row is. */
  readonly isWrong?: (row: SqlList) => boolean
}

/** Advises what to do about a row that cannot be corrected by itself. */
export const RESTORE_ADVICE = 'restore a backup from before: kpi service restore'
const DELETE = 'delete it, or restore a backup from before'
const SAVE_USER = 'change the name or the status of the user, which sets it right'

const named = (column: string): string => `cast(x.${column} as text)`

/** Returns SQL for the name of a row within its account: its id, or its key if that has more columns. */
const nameOfKey = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0
    ? named(first)
    : [first, ...more].map((column) => `'${column} ' || x.${column}`).join(` || ', ' || `)

/** Returns SQL for the name of a row of a table `x` within its account. */
export const idOf = ({ of, key }: Pick<TableDefinition, 'of' | 'key'>): string => {
  const hasId = of?.shown.some(({ name }) => name === 'id') && !key.includes('user_id')
  return nameOfKey(hasId ? ['id'] : key)
}

const join = (name: string, on: string): string => `join ${name} ${name} on ${name}.account_id = x.account_id and ${on}`
/** Returns the condition that a value is in several rows, of any account: a join would compare rows of many machines. */
const inSeveral = (name: string, column: string): string =>
  `x.${column} in (select ${column} from ${name} group by ${column} having count(*) > 1)`
const none = (name: string, where: string): string =>
  `not exists (select 1 from ${name} y where y.account_id = x.account_id and ${where})`

const COUNTERS: readonly Counter[] = [
  'breakdowns',
  'items',
  'categories',
  'units',
  'kpis',
  'entries',
  'keys',
  'item_sets',
]

const counterInvariants = COUNTERS.map((counter): Invariant => {
  const largest = `(select max(y.id) from ${counter} y where y.account_id = x.id)`
  const counted = `(select c.last from counters c where c.account_id = x.id and c.name = '${counter}')`
  return {
    table: counter,
    sql: `select x.id, cast(${largest} as text) from accounts x where ${largest} > coalesce(${counted}, 0)`,
    fault: 'has an id above its counter, so the id could be given again',
    remedy: RESTORE_ADVICE,
  }
})

const accountInvariants: readonly Invariant[] = [
  {
    table: 'accounts',
    sql: `select x.id, ${named('id')} from accounts x where ${inSeveral('accounts', 'name')}`,
    fault: 'another account has the same name',
    remedy: RESTORE_ADVICE,
  },
  {
    table: 'accounts',
    sql: `select x.id, ${named('id')} from accounts x
      where not exists (select 1 from users y where y.account_id = x.id and y.user_status_id = 'A')`,
    fault: 'has no active user, so that nobody can log in',
    remedy: 'set a user active: kpi users update',
  },
  {
    table: 'accounts',
    sql: `select x.id, ${named('id')} from accounts x
      where not exists (select 1 from breakdowns y where y.account_id = x.id and y.id = ${PEOPLE})`,
    fault: 'has no breakdown of people',
    remedy: RESTORE_ADVICE,
  },
]

const userInvariants: readonly Invariant[] = [
  {
    table: 'users',
    sql: `select x.account_id, ${named('id')}, x.email, x.email_key from users x`,
    isWrong: ([, , email, key]) => nameForm(String(email)) !== key,
    fault: 'its e-mail address is not the one that it is found by',
    remedy: 'change its e-mail address, which sets it right: kpi users update',
  },
  {
    table: 'users',
    sql: `select x.account_id, ${named('id')} from users x ${join('items', 'items.id = x.id')}
      where items.breakdown_id <> ${PEOPLE} or items.user_id is null or items.user_id <> x.id`,
    fault: 'its item is not one of the breakdown of people',
    remedy: RESTORE_ADVICE,
  },
  {
    table: 'users',
    sql: `select x.account_id, ${named('id')} from users x ${join('items', 'items.id = x.id')}
      where items.name <> x.first_name || coalesce(' ' || x.last_name, '')`,
    fault: 'its item has another name',
    remedy: SAVE_USER,
  },
  {
    table: 'users',
    sql: `select x.account_id, ${named('id')} from users x ${join('items', 'items.id = x.id')}
      where items.is_archived <> case when x.user_status_id = 'L' then 1 else 0 end`,
    fault: 'its item is archived and the user is not locked, or the other way round',
    remedy: SAVE_USER,
  },
  {
    table: 'items',
    sql: `select x.account_id, ${named('id')} from items x
      where (x.user_id is not null or x.breakdown_id = ${PEOPLE}) and ${none('users', 'y.id = x.id')}`,
    fault: 'stands for a user who is not there',
    remedy: RESTORE_ADVICE,
  },
  {
    table: 'user_items',
    sql: `select x.account_id, ${nameOfKey(['user_id', 'id'])} from user_items x
      ${join('items', 'items.id = x.id')} where items.breakdown_id = ${PEOPLE} or items.user_id is not null`,
    fault: 'links a user to a person in place of a group item',
    remedy: DELETE,
  },
]

const kpiInvariants: readonly Invariant[] = [
  {
    table: 'kpis',
    sql: `select x.account_id, ${named('id')}, x.icon_id from kpis x`,
    isWrong: ([, , icon]) => !icons.some(({ id }) => id === Number(icon)),
    fault: 'has an icon that does not exist',
    remedy: 'give it another icon: kpi kpis update',
  },
  {
    table: 'kpis',
    sql: `select x.account_id, ${named('id')} from kpis x
      where x.is_calculated = 1 and ${none('formulas', 'y.kpi_id = x.id')}`,
    fault: 'is calculated and has no formula',
    remedy: RESTORE_ADVICE,
  },
  {
    table: 'formulas',
    sql: `select x.account_id, ${named('kpi_id')} from formulas x
      ${join('kpis', 'kpis.id = x.kpi_id')} where kpis.is_calculated = 0`,
    fault: 'is of a KPI that is not calculated',
    remedy: RESTORE_ADVICE,
  },
]

const entryInvariants: readonly Invariant[] = [
  {
    table: 'entries',
    sql: `select x.account_id, ${named('id')} from entries x
      where x.actual is null and x.target is null and x.notes is null`,
    fault: 'has neither actual, target nor notes',
    remedy: DELETE,
  },
  {
    table: 'entries',
    sql: `select x.account_id, ${named('id')} from entries x
      ${join('kpis', 'kpis.id = x.kpi_id')} where kpis.is_calculated = 1`,
    fault: 'is of a calculated KPI, which takes none',
    remedy: DELETE,
  },
  {
    table: 'item_set_members',
    sql: `select x.account_id, ${nameOfKey(['group_item_id', 'set_id'])} from item_set_members x
      ${join('items', 'items.id = x.group_item_id')} where items.breakdown_id = ${PEOPLE} or items.user_id is not null`,
    fault: 'entries carry a person in place of a group item',
    remedy: RESTORE_ADVICE,
  },
  {
    table: 'item_sets',
    sql: `select x.account_id, ${named('id')}, x.digest, ${listOfItems('y.group_item_id')} from item_sets x
      left join item_set_members y on y.account_id = x.account_id and y.set_id = x.id
      group by x.account_id, x.id, x.digest`,
    isWrong: ([, , digest, list]) => list === null || itemListDigest(String(list)) !== digest,
    fault: 'its digest is not that of the group items in it',
    remedy: RESTORE_ADVICE,
  },
]

const NEW_KEY = 'revoke it, and make another one: kpi service keys'

const keyInvariants: readonly Invariant[] = [
  {
    table: 'keys',
    sql: `select x.account_id, ${named('id')}, x.key_hash from keys x`,
    isWrong: ([, , hash]) => !/^[0-9a-f]{64}$/.test(String(hash)),
    fault: 'its hash is malformed, so it never matches',
    remedy: NEW_KEY,
  },
  {
    table: 'keys',
    sql: `select x.account_id, ${named('id')} from keys x where ${inSeveral('keys', 'key_hash')}`,
    fault: 'another key has the same secret',
    remedy: NEW_KEY,
  },
]

/** Lists everything that must hold between the rows of an account, beyond the rules of single fields. */
export const invariants: readonly Invariant[] = [
  ...accountInvariants,
  ...counterInvariants,
  ...userInvariants,
  ...kpiInvariants,
  ...entryInvariants,
  ...keyInvariants,
]
