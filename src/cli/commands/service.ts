import type { Command } from 'commander'
import { account } from '../../domain/resources/account.ts'
import { resource } from '../../domain/schema.ts'
import { DEFAULT_ACCOUNT } from '../../service/names.ts'
import type { Act, Register } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { addStoreFlag, withStore } from '../operator.ts'

const tokenRecord = resource({
  name: 'token',
  plural: 'tokens',
  title: 'token',
  path: '',
  verbs: [],
  fields: {
    login: { kind: 'text', about: 'Login name' },
    token: { kind: 'text', about: 'Account token, shown this once' },
  },
})

const addAccounts = (group: Command, act: Act): void => {
  const accounts = group.command('accounts').description('the accounts of the bundled service')
  const list = accounts.command('list').description('list all accounts')
  act(addExamples(list, 'service accounts list'), async (cli) => {
    const { accounts: service } = await import('../../service/accounts.ts')
    await cli.printMany(account.shown, await withStore(cli, (db) => service.list(db)))
  })
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

const addToken = (group: Command, act: Act): void => {
  const tokens = group.command('token').description('the token that clients log in with')
  const create = tokens
    .command('create')
    .description('make a new token, in place of the one before; it is shown this once')
    .option('--account <name>', 'the account', DEFAULT_ACCOUNT)
  addExamples(create, 'service token create', 'service token create -o json')
  act(create, async (cli, _, { account: name }) => {
    const { accounts: service } = await import('../../service/accounts.ts')
    const { login, token, replaces } = await withStore(cli, (db) =>
      service.createToken(db, String(name), cli.io.random),
    )
    await cli.printOne(tokenRecord, { login, token })
    if (replaces) await cli.note('the token before it works no longer')
  })
}

/** `kpi service …` */
export const service: Register = (group, act) => {
  addStoreFlag(group)
  addAccounts(group, act)
  addToken(group, act)
}
