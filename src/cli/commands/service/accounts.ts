import type { Command } from '@commander-js/extra-typings'
import { cellText } from '../../../codec/cell-text.ts'
import { Fault } from '../../../domain/errors.ts'
import { valueOfText } from '../../../domain/field-value.ts'
import { account } from '../../../domain/resources/account.ts'
import { user } from '../../../domain/resources/user.ts'
import { type AnyRecord, asPatch } from '../../../domain/schema.ts'
import type { AccountDraft } from '../../../service/accounts/accounts.ts'
import { DEFAULT_ACCOUNT } from '../../../service/context.ts'
import { addExamples } from '../../args/examples.ts'
import {
  addFlags,
  type FieldFlag,
  fieldFlags,
  type FlagValues,
  requireNoFaults,
  readPlainFlags,
} from '../../args/flags.ts'
import type { Act, Cli, Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printsList, printsOne } from '../../output/printed.ts'
import { withStore } from '../../target/bundled-store.ts'
import { targetFlags } from '../../target/source.ts'

/** Defines the settings of an account; its name stays. */
const settingFlags: readonly FieldFlag[] = fieldFlags(account).filter(({ name }) => name !== 'name')

const ACCOUNT_FLAG = ['--account <name>', 'the account', DEFAULT_ACCOUNT] as const

const addShow = (settings: Command, act: Act): void => {
  const show = settings
    .command('show', { isDefault: true })
    .description('show the settings')
    .option(...ACCOUNT_FLAG)
  printsOne(show, account)
  act(addExamples(show, 'service settings show', 'service settings'), async (cli, _, { account: name }) => {
    const { accounts: service } = await import('../../../service/accounts/accounts.ts')
    await cli.printOne(account, await withStore(cli, (db) => service.get(db, name)))
  })
}

/** Notes the earlier value of each setting that has changed. */
const noteChanges = async (cli: Cli, before: AnyRecord, after: AnyRecord): Promise<void> => {
  const changes = account.shown
    .map(({ name, field }) => ({
      name,
      was: cellText(field, before[name] ?? null),
      is: cellText(field, after[name] ?? null),
    }))
    .filter(({ was, is }) => was !== is)
    .map(({ name, was, is }) => `${name}: ${was} is now ${is}`)
  await cli.note(changes.length > 0 ? changes : 'nothing has changed')
}

const addSet = (settings: Command, act: Act): void => {
  const set = settings
    .command('set')
    .description('change the given settings')
    .option(...ACCOUNT_FLAG)
  addFlags(set, settingFlags, 'update')
  addExamples(set, 'service settings set --week-start sunday', 'service settings set --fiscal-year-start 4')
  printsOne(set, account)
  act(set, async (cli, _, flags) => {
    const given = requireNoFaults(await readPlainFlags(settingFlags, flags))
    if (Object.keys(given).length === 0) throw new UsageError('nothing to change was given; --help shows the flags')
    const { accounts: service } = await import('../../../service/accounts/accounts.ts')
    const { before, after } = await withStore(cli, (db) => service.set(db, flags.account, asPatch(account, given)))
    await cli.printOne(account, after)
    await noteChanges(cli, before, after)
  })
}

/** Registers `kpi service settings …` */
export const addSettings: Register = (group, act) => {
  const settings = group.command('settings').description('the settings of an account')
  addShow(settings, act)
  addSet(settings, act)
}

const { first_name, last_name, email } = user.fields

/** Lists the flags of an account's first user, who administers it. */
const firstUserFlags: readonly FieldFlag[] = [
  {
    flag: 'first-name',
    name: 'first_name',
    field: { ...first_name, about: 'First name of the first user', usual: 'Admin' },
  },
  { flag: 'last-name', name: 'last_name', field: { ...last_name, about: 'Last name of the first user' } },
]
const loginFlag: FieldFlag = {
  flag: 'login',
  name: 'login',
  field: { ...email, about: 'E-mail address of the first user, the login name' },
}

const addListAndShow = (accounts: Command, act: Act): void => {
  const list = accounts.command('list').description('list all accounts')
  printsList(list, account)
  act(addExamples(list, 'service accounts list'), async (cli) => {
    const { accounts: service } = await import('../../../service/accounts/accounts.ts')
    await cli.printMany(account.shown, await withStore(cli, (db) => service.list(db)))
  })
  const show = accounts.command('show').description('show one account').argument('<name>', 'the account')
  printsOne(show, account)
  act(addExamples(show, `service accounts show ${DEFAULT_ACCOUNT}`), async (cli, [name]) => {
    const { accounts: service } = await import('../../../service/accounts/accounts.ts')
    await cli.printOne(account, await withStore(cli, (db) => service.get(db, name)))
  })
}

/** Returns the account to create; all its faults are reported at once. */
const readNew = async (text: string, flags: FlagValues): Promise<AccountDraft> => {
  const given = await readPlainFlags([loginFlag, ...firstUserFlags, ...settingFlags], flags)
  const name = valueOfText(account.fields.name, text)
  if (name === null) given.faults.unshift('the name must not be empty')
  if (name instanceof Fault) given.faults.unshift(`the name ${text} ${name.message}`)
  const fields = requireNoFaults(given)
  const { plan, week_start, fiscal_year_start } = asPatch(account, fields)
  const { first_name, last_name } = asPatch(user, fields)
  return {
    name: text.trim(),
    login: String(fields['login']),
    first_name,
    last_name,
    plan,
    week_start,
    fiscal_year_start,
  }
}

const addCreate = (accounts: Command, act: Act): void => {
  const create = accounts
    .command('create')
    .description('create an account with its first user; its API is not enabled yet')
    .argument('<name>', account.fields.name.about)
    .requiredOption('--login <email>', loginFlag.field.about)
  addFlags(create, [...firstUserFlags, ...settingFlags], 'add')
  addExamples(
    create,
    'service accounts create acme --login boss@acme.example.com',
    'service accounts create acme --login boss@acme.example.com --first-name Eve --fiscal-year-start 4',
  )
  printsOne(create, account)
  act(create, async (cli, [name], flags) => {
    const draft = await readNew(name, flags)
    const { accounts: service } = await import('../../../service/accounts/accounts.ts')
    const now = Math.floor(cli.io.now() / 1000)
    await cli.printOne(account, await withStore(cli, (db) => service.create(db, draft, now)))
    const place = targetFlags(cli.flags)
    await cli.note('To let clients in:')
    await cli.note(`  kpi service accounts enable-api ${name}${place}`)
    await cli.note(`  kpi service token create --account ${name}${place}`)
  })
}

const addSwitches = (accounts: Command, act: Act): void => {
  for (const [verb, enabled] of [
    ['enable-api', true],
    ['disable-api', false],
  ] as const) {
    const command = accounts.command(verb).argument('<name>', 'the account')
    command.description(
      enabled
        ? 'enable the API of an account over HTTP'
        : 'disable the API of an account: refuse every request over HTTP',
    )
    addExamples(command, `service accounts ${verb} ${DEFAULT_ACCOUNT}`)
    act(command, async (cli, [name]) => {
      const { accounts: service } = await import('../../../service/accounts/accounts.ts')
      await withStore(cli, (db) => service.setApiEnabled(db, name, enabled))
      await cli.note(`the API of account ${name} is ${enabled ? 'enabled' : 'disabled'}`)
    })
  }
}

/** Registers `kpi service accounts …` */
export const addAccounts: Register = (group, act) => {
  const accounts = group.command('accounts').description('the accounts of the bundled service')
  addListAndShow(accounts, act)
  addCreate(accounts, act)
  addSwitches(accounts, act)
}
