import type { Command } from 'commander'
import { Fault } from '../../domain/errors.ts'
import { valueOfText } from '../../domain/field-value.ts'
import { account } from '../../domain/resources/account.ts'
import { user } from '../../domain/resources/user.ts'
import { asPatch } from '../../domain/schema.ts'
import type { AccountDraft } from '../../service/accounts.ts'
import { DEFAULT_ACCOUNT } from '../../service/names.ts'
import type { Act, Register } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { addFlags, type FieldFlag, type FlagValues, mustBeRight, readPlainFlags } from '../flags.ts'
import { withStore } from '../operator.ts'
import { placeWords } from '../place-words.ts'
import { settingFlags } from './settings.ts'

const { first_name, last_name, email } = user.fields

/** The first user of an account: whoever administers it. */
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
  act(addExamples(list, 'service accounts list'), async (cli) => {
    const { accounts: service } = await import('../../service/accounts.ts')
    await cli.printMany(account.shown, await withStore(cli, (db) => service.list(db)))
  })
  const show = accounts.command('show').description('show one account').argument('<name>', 'the account')
  act(addExamples(show, `service accounts show ${DEFAULT_ACCOUNT}`), async (cli, [name = '']) => {
    const { accounts: service } = await import('../../service/accounts.ts')
    await cli.printOne(account, await withStore(cli, (db) => service.get(db, name)))
  })
}

/** The account that is wanted; all that is wrong with it is told at once. */
const readNew = async (text: string, flags: FlagValues): Promise<AccountDraft> => {
  const given = await readPlainFlags([loginFlag, ...firstUserFlags, ...settingFlags], flags)
  const name = valueOfText(account.fields.name, text)
  if (name === null) given.faults.unshift('the name must not be empty')
  if (name instanceof Fault) given.faults.unshift(`the name ${text} ${name.message}`)
  const fields = mustBeRight(given)
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
    .description('make an account with its first user; its API is not enabled yet')
    .argument('<name>', account.fields.name.about)
    .requiredOption('--login <email>', loginFlag.field.about)
  addFlags(create, [...firstUserFlags, ...settingFlags], 'add')
  addExamples(
    create,
    'service accounts create acme --login boss@acme.example.com',
    'service accounts create acme --login boss@acme.example.com --first-name Eve --fiscal-year-start 4',
  )
  act(create, async (cli, [name = ''], flags) => {
    const draft = await readNew(name, flags)
    const { accounts: service } = await import('../../service/accounts.ts')
    const now = Math.floor(cli.io.now() / 1000)
    await cli.printOne(account, await withStore(cli, (db) => service.create(db, draft, now)))
    const place = placeWords(cli.flags)
    await cli.note(
      `To let clients in: kpi service accounts enable-api ${name}${place}, kpi service token create --account ${name}${place}`,
    )
  })
}

const addSwitches = (accounts: Command, act: Act): void => {
  for (const [verb, enabled] of [
    ['enable-api', true],
    ['disable-api', false],
  ] as const) {
    const command = accounts.command(verb).argument('<name>', 'the account')
    command.description(enabled ? 'let the API answer over HTTP' : 'refuse every request over HTTP')
    addExamples(command, `service accounts ${verb} ${DEFAULT_ACCOUNT}`)
    act(command, async (cli, [name = '']) => {
      const { accounts: service } = await import('../../service/accounts.ts')
      await withStore(cli, (db) => service.setApiEnabled(db, name, enabled))
      await cli.note(`the API of account ${name} is ${enabled ? 'enabled' : 'disabled'}`)
    })
  }
}

/** `kpi service accounts …` */
export const addAccounts: Register = (group, act) => {
  const accounts = group.command('accounts').description('the accounts of the bundled service')
  addListAndShow(accounts, act)
  addCreate(accounts, act)
  addSwitches(accounts, act)
}
