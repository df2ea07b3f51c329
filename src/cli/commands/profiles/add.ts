import { resolve } from 'node:path'
import { type Command, Option } from '@commander-js/extra-typings'
import { addExamples } from '../../args/examples.ts'
import { requireConfirmation } from '../../args/prompt.ts'
import { tellLine } from '../../args/tell-line.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { readProfiles, requireProfileName } from '../../target/profiles.ts'
import { keepProfile } from './keep-profile.ts'
import { addOwnSettings, readOwnSettings } from './own-settings.ts'
import { readRemote } from './remote-profile.ts'

/** Declares `kpi profiles add` and its flags. */
const declareAdd = (group: Command) =>
  addOwnSettings(group.command('add'))
    .description('add a profile: a remote service, or with --data-dir an embedded one')
    .argument('<name>', 'what to call it')
    .option('--base-url <url>', 'the service: it ends in /api, or in /v1 for the newer interface')
    .option('--login <name>', 'your login name; a key of the newer interface needs none')
    .option('--token-stdin', 'read the account token or the key from standard input')
    .addOption(
      new Option('--token-file <file>', 'a file of yours that holds the token or the key; it is read each time') //
        .conflicts('tokenStdin'),
    )
    .addOption(
      new Option('--token-command <command>', 'a command that prints the token or the key; it is run each time') //
        .conflicts(['tokenStdin', 'tokenFile']),
    )
    .option('--no-check', 'do not ask the service whether it answers and takes the credentials')
    .option('-y, --yes', 'do not ask before a profile of that name is replaced')

type AddFlags = ReturnType<ReturnType<typeof declareAdd>['opts']>

/** Refuses credentials for an embedded service, which takes none: the user means something else. */
const rejectCredentials = ({ baseUrl, login, tokenStdin, tokenFile, tokenCommand }: AddFlags): void => {
  if ([baseUrl, login, tokenStdin, tokenFile, tokenCommand].some((value) => value !== undefined)) {
    throw new UsageError('--data-dir makes a profile of an embedded service, which has no base URL, login or token')
  }
}

const tellAdded = (cli: Cli, name: string, isThere: boolean): Promise<void> =>
  cli.note(
    `${isThere ? 'replaced' : 'added'} profile ${name}; use it with --profile ${name}, or always with: kpi profiles use ${name}`,
  )

const warnOfUrl = (cli: Cli, name: string, { baseUrl }: { readonly baseUrl: string }): Promise<void> =>
  cli.log.warn(
    `${baseUrl} does not end in /api, as the address of a service mostly does; kpi profiles check ${name} tells whether it answers`,
  )

/** Says at a terminal, where somebody has just given it away, what the token of the classic interface allows. */
const tellAccess = async (cli: Cli): Promise<void> => {
  if (!cli.io.stderr.isTerminal) return
  await cli.note(
    'whoever has the account token may read and change everything; kpi profiles add --help says how to let somebody only read',
  )
}

/** Registers `kpi profiles add` */
export const addProfileAdd = (group: Command, act: Act): void => {
  const command = declareAdd(group)
  command.addHelpText(
    'after',
    `
The account token of the classic interface (/api) gives full access. Somebody who only reads gets a key of the newer one (/v1)
instead, with the scopes kpis:read,entries:read,reports:read; on the bundled service its operator makes it:
  kpi service keys create NAME --user EMAIL --scopes kpis:read,entries:read,reports:read`,
  )
  addExamples(
    command,
    'profiles add acme --base-url https://acme.example.com/api --login ann@example.com',
    'profiles add acme --base-url https://acme.example.com/api --login ann@example.com --token-command "pass show kpi"',
    'profiles add nightly --base-url https://kpi.example.com/v1 --token-command "pass show kpi-nightly"',
    'profiles add test --data-dir ./kpi-data --time-zone Europe/Berlin --output json',
  )
  act(command, async (cli, [name], flags) => {
    requireProfileName(name)
    const { dataDir } = cli.flags
    const settings = readOwnSettings(cli)
    if (dataDir !== undefined) rejectCredentials(flags)
    const isThere = readProfiles(cli.io).byName.has(name)
    if (isThere) await requireConfirmation(cli, flags.yes, `replace profile ${name}`)
    if (dataDir !== undefined) {
      await keepProfile(cli.io, name, { kind: 'embedded', dataDir: resolve(cli.io.cwd, dataDir), settings })
      return tellAdded(cli, name, isThere)
    }
    const { profile, secret, asked } = await readRemote(cli, name, flags)
    await keepProfile(cli.io, name, { ...profile, settings }, secret)
    if (!flags.check && profile.kind === 'classic' && !/\/api$/i.test(profile.baseUrl))
      await warnOfUrl(cli, name, profile)
    await tellAdded(cli, name, isThere)
    if (profile.kind === 'classic') await tellAccess(cli)
    await tellLine(cli, command, asked, isThere ? { ...asked, yes: true } : asked)
  })
}
