import type { Instant } from '../../domain/day.ts'
import { Fault, type Issue, KpiError, refuseFaults } from '../../domain/errors.ts'
import { checkValue } from '../../domain/field-value.ts'
import { type Account, account as resource } from '../../domain/resources/account.ts'
import { category, unit } from '../../domain/resources/catalog.ts'
import { group } from '../../domain/resources/groups.ts'
import { type User, user } from '../../domain/resources/user.ts'
import { completeRecord, type Field, type Fields, type FieldValue, type Patch } from '../../domain/schema.ts'
import type { Db, Reader, Writer } from '../../store/db.ts'
import { FINISH_COPY, readUnfinished } from '../../store/maintenance/unfinished-copy.ts'
import { accounts as store } from '../../store/tables/accounts.ts'
import { categories, units } from '../../store/tables/catalog.ts'
import { table, takeIds } from '../../store/tables/table.ts'
import { users } from '../../store/tables/users.ts'
import { DEFAULT_ACCOUNT, DEFAULT_LOGIN } from '../context.ts'
import { hashSecret, makeSecret, type Random } from './secrets.ts'

const UNITS = [
  { name: 'Number', entry_format: '#', display_format: '#', is_percentage: false },
  { name: 'Decimal', entry_format: '#.00', display_format: '#.00', is_percentage: false },
  { name: 'Percent', entry_format: '#.00', display_format: '#.00%', is_percentage: true },
  { name: 'Currency', entry_format: '#.00', display_format: '£ #.00', is_percentage: false },
]

/** Describes the first user of an account, who logs in with the e-mail address. */
type FirstUser = Pick<User, 'email'> & Pick<Patch<typeof user>, 'first_name' | 'last_name'>

/** Creates the records that a new account starts with. */
const seedAccount = async (tx: Writer, account: number, first: FirstUser, now: Instant): Promise<void> => {
  const stamp = { created_at: now, updated_at: now }
  const breakdowns = table('breakdowns', group)
  const people = await takeIds(tx, account, 'breakdowns')
  await breakdowns.insert(tx, account, { id: people, name: 'People', sort_order: 1, ...stamp })
  const { email, first_name = 'Admin', last_name = null } = first
  const admin = { user_type: 'Admin', user_status_id: 'A', first_name, last_name, email }
  const rights = { can_manage_users: true, can_admin_settings: true }
  const id = await takeIds(tx, account, 'items')
  await users.insert(tx, account, completeRecord(user, { ...admin, ...rights }, { id, ...stamp }), {
    password_hash: null,
  })
  const general = await takeIds(tx, account, 'categories')
  await categories.insert(
    tx,
    account,
    completeRecord(category, { name: 'General', sort_order: 1 }, { id: general, ...stamp }),
  )
  for (const draft of UNITS) {
    const unitId = await takeIds(tx, account, 'units')
    await units.insert(tx, account, completeRecord(unit, draft, { id: unitId, ...stamp }))
  }
}

/** Refuses an account whose copy is not finished, by its own name or by the one that it has until then. */
const requireNoCopy = async (tx: Reader, name: string): Promise<void> => {
  for (const account of await store.list(tx)) {
    const copy = readUnfinished(account.name)
    if (copy === undefined || (name !== account.name && name !== copy.account)) continue
    throw new KpiError(
      'conflict',
      `the copy of account ${copy.account} from ${copy.source} is not finished; ${FINISH_COPY}`,
    )
  }
}

const find = async (tx: Reader, name: string): Promise<Account> => {
  const account = await store.findByName(tx, name)
  if (account && readUnfinished(name) === undefined) return account
  await requireNoCopy(tx, name)
  // Commands without --account mean the default account, which a store need not have.
  const advice = name === DEFAULT_ACCOUNT ? 'name one with --account; ' : ''
  throw new KpiError('not_found', `there is no account ${name}; ${advice}kpi service accounts list shows them`)
}

/** Describes the settings of an account. */
type Settings = Omit<Patch<typeof resource>, 'name'>

/**
 * Describes a new account: its name, the first user with the e-mail address as login, and settings other than the
 * defaults.
 */
export type AccountDraft = { readonly name: string; readonly login: string } & Settings &
  Pick<Patch<typeof user>, 'first_name' | 'last_name'>

const faultOf = (field: Field, value: FieldValue): string | undefined => {
  const kept = checkValue(field, value)
  if (kept instanceof Fault) return kept.message
  if (kept === null) return field.nullable ? undefined : 'must not be empty'
  return kept === value ? undefined : 'must not have blanks around it'
}

/** Returns the faults of values by the rules of their fields; missing values have none. */
const faultsOf = (fields: Fields, values: Readonly<Record<string, FieldValue | undefined>>): Issue[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const field = fields[name]
    const message = field && value !== undefined ? faultOf(field, value) : undefined
    return message === undefined ? [] : [{ field: name, message }]
  })

/** Holds a new token, its login name, and whether it replaces an older token. */
type MadeToken = { readonly login: string; readonly token: string; readonly replaces: boolean }

/** Returns the login name to show with a token: the wanted one, else that of the first administrator. */
const loginOf = async (tx: Reader, { id, name }: Account, wanted: string | undefined): Promise<string> => {
  if (wanted !== undefined) {
    const holder = await users.findByEmail(tx, id, wanted.trim())
    if (holder?.user_status_id === 'A') return holder.email
    throw new KpiError('not_found', `account ${name} has no active user ${wanted}`)
  }
  const active = (await users.list(tx, id)).filter(({ user_status_id }) => user_status_id === 'A')
  const [first] = [...active.filter(({ user_type }) => user_type === 'Admin'), ...active]
  if (!first) throw new KpiError('conflict', `account ${name} has no active user to log in`)
  return first.email
}

const { plan, week_start, fiscal_year_start } = resource.fields
const defaults = { plan: plan.usual, week_start: week_start.usual, fiscal_year_start: fiscal_year_start.usual }

/** Manages accounts for the operator: never over the interface. */
export const accounts = {
  list: (db: Db): Promise<Account[]> => db.read((tx) => store.list(tx)),

  /** Returns the account with a name; throws if there is none. */
  get: (db: Db, name: string): Promise<Account> => db.read((tx) => find(tx, name)),

  /** Creates an account with its first user, an administrator. Its API is off. Throws all faults at once. */
  create: (db: Db, { name, login, first_name, last_name, ...settings }: AccountDraft, now: Instant): Promise<Account> =>
    db.write(async (tx) => {
      refuseFaults([
        ...faultsOf(resource.fields, { name, ...settings }),
        ...faultsOf({ ...user.fields, login: user.fields.email }, { login, first_name, last_name }),
      ])
      if (await store.findByName(tx, name)) throw new KpiError('conflict', `there is an account ${name} already`)
      await requireNoCopy(tx, name)
      const {
        plan = defaults.plan,
        week_start = defaults.week_start,
        fiscal_year_start = defaults.fiscal_year_start,
      } = settings
      const set = { plan, week_start, fiscal_year_start }
      const id = await store.insert(tx, { ...set, name, api_enabled: false, created_at: now })
      await seedAccount(tx, id, { email: login, first_name, last_name }, now)
      return find(tx, name)
    }),

  setApiEnabled: (db: Db, name: string, enabled: boolean): Promise<Account> =>
    db.write(async (tx) => {
      const { id } = await find(tx, name)
      await store.setApiEnabled(tx, id, enabled)
      return find(tx, name)
    }),

  /** Changes the given settings; returns the account before and after. */
  set: (db: Db, name: string, settings: Settings): Promise<{ before: Account; after: Account }> =>
    db.write(async (tx) => {
      const before = await find(tx, name)
      refuseFaults(faultsOf(resource.fields, settings))
      const after = completeRecord(resource, settings, before)
      await store.setSettings(tx, after)
      return { before, after }
    }),

  /**
   * Creates the account's token, and revokes the one before. Nobody can read it later: the store keeps only its hash.
   */
  createToken: (db: Db, name: string, random: Random, login?: string): Promise<MadeToken> =>
    db.write(async (tx) => {
      const account = await find(tx, name)
      const loginName = await loginOf(tx, account, login)
      const token = makeSecret('token', random)
      return { login: loginName, token, replaces: await store.setToken(tx, account.id, hashSecret(token)) }
    }),

  /** Tells whether the account has a token; throws if `login` cannot have one. */
  hasToken: (db: Db, name: string, login?: string): Promise<boolean> =>
    db.read(async (tx) => {
      const account = await find(tx, name)
      await loginOf(tx, account, login)
      return store.hasToken(tx, account.id)
    }),

  /** Revokes the account's token; returns whether it had one. */
  revokeToken: (db: Db, name: string): Promise<boolean> =>
    db.write(async (tx) => store.setToken(tx, (await find(tx, name)).id, null)),
}

/** Returns the account of the embedded service; creates it if there is none yet. */
export const ensureDefaultAccount = async (db: Db, now: Instant): Promise<Account> => {
  try {
    return await accounts.create(db, { name: DEFAULT_ACCOUNT, login: DEFAULT_LOGIN }, now)
  } catch (error) {
    if (!(error instanceof KpiError && error.code === 'conflict')) throw error
    return db.read((tx) => find(tx, DEFAULT_ACCOUNT))
  }
}
