import { resolve } from 'node:path'
import { type Command, Option } from '@commander-js/extra-typings'
import { addExamples } from '../../args/examples.ts'
import { askForYes, askText } from '../../args/prompt.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { isV1Url, readBaseUrl } from '../../target/base-url.ts'
import { requireProfileName, type Profile, readProfiles, writeProfiles } from '../../target/profiles.ts'
import { deleteToken, saveToken, readSecretFile, SECRETS, faultOfForm, faultOfVariant } from '../../target/secrets.ts'
import { addOwnSettings, readOwnSettings } from './own-settings.ts'

type RemoteProfile = Exclude<Profile, { readonly kind: 'embedded' }>
type RemoteKind = RemoteProfile['kind']

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
    .option('-y, --yes', 'do not ask before a profile of that name is replaced')

type AddFlags = ReturnType<ReturnType<typeof declareAdd>['opts']>

const QUESTIONS: Record<RemoteKind, string> = { classic: 'Account token', v1: 'Key' }

/** Returns the token or key, from standard input or the terminal; never from a flag. */
const readSecret = async (cli: Cli, name: string, kind: RemoteKind, flags: AddFlags): Promise<string> => {
  if (flags.tokenStdin === true) {
    const { readStdin } = await import('../../args/deadline.ts')
    return (await readStdin(cli.io, cli.flags.deadline)).trim()
  }
  const missing = `a ${SECRETS[kind]} is needed: --token-stdin, --token-file or --token-command`
  return askText(cli, `${QUESTIONS[kind]} of profile ${name}`, missing, true)
}

const sourceOf = ({ tokenFile, tokenStdin }: AddFlags): string => {
  if (tokenFile !== undefined) return `the file ${tokenFile}`
  return tokenStdin === true ? 'standard input' : 'what was typed'
}

const requireGoodSecret = (kind: RemoteKind, secret: string, flags: AddFlags): void => {
  if (secret === '') throw new UsageError(`the ${SECRETS[kind]} is empty`)
  const noForm = faultOfForm(kind, secret)
  if (noForm !== undefined) throw new UsageError(`${sourceOf(flags)} holds no ${SECRETS[kind]}: ${noForm}`)
  const fault = faultOfVariant(kind, secret)
  if (fault !== undefined) throw new UsageError(`the secret cannot be used: ${fault}`)
}

/** Returns the remote place: its URL, which shows the variant, and the login name for the classic one. */
const remotePlace = async (cli: Cli, { baseUrl: url, login }: AddFlags): Promise<RemoteProfile> => {
  const place = url ?? (await askText(cli, 'Base URL', 'a base URL is needed: --base-url'))
  const baseUrl = readBaseUrl(place).href.replace(/\/$/, '')
  if (!isV1Url(baseUrl)) {
    return {
      kind: 'classic',
      baseUrl,
      login: login ?? (await askText(cli, 'Login name', 'a login name is needed: --login')),
    }
  }
  if (login === undefined) return { kind: 'v1', baseUrl }
  throw new UsageError('a base URL that ends in /v1 takes a key, which says by itself whose it is; leave --login out')
}

const remoteProfile = async (cli: Cli, name: string, flags: AddFlags): Promise<Profile> => {
  const profile = await remotePlace(cli, flags)
  const { tokenCommand } = flags
  if (tokenCommand !== undefined) return { ...profile, tokenCommand }
  if (flags.tokenFile !== undefined) {
    const tokenFile = resolve(cli.io.cwd, flags.tokenFile)
    requireGoodSecret(profile.kind, readSecretFile(cli.io, tokenFile), flags)
    return { ...profile, tokenFile }
  }
  const secret = await readSecret(cli, name, profile.kind, flags)
  requireGoodSecret(profile.kind, secret, flags)
  saveToken(cli.io, name, secret)
  return profile
}

/** Refuses credentials for an embedded service, which takes none: the user means something else. */
const rejectCredentials = ({ baseUrl, login, tokenStdin, tokenFile, tokenCommand }: AddFlags): void => {
  if ([baseUrl, login, tokenStdin, tokenFile, tokenCommand].some((value) => value !== undefined)) {
    throw new UsageError('--data-dir makes a profile of an embedded service, which has no base URL, login or token')
  }
}

/** Registers `kpi profiles add` */
export const addProfileAdd = (group: Command, act: Act): void => {
  const command = declareAdd(group)
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
    const settings = readOwnSettings(cli, flags)
    if (dataDir !== undefined) rejectCredentials(flags)
    // A script that sets a profile up again means it.
    if (readProfiles(cli.io).byName.has(name) && cli.canAsk && flags.yes !== true)
      await askForYes(cli, `replace profile ${name}`)
    const place: Profile =
      dataDir === undefined
        ? await remoteProfile(cli, name, flags)
        : { kind: 'embedded', dataDir: resolve(cli.io.cwd, dataDir) }
    const profile: Profile = { ...place, ...settings }
    const { current, byName } = readProfiles(cli.io)
    await writeProfiles(cli.io, { current, byName: new Map([...byName, [name, profile]]) })
    if (profile.kind === 'embedded' || (profile.tokenCommand ?? profile.tokenFile) !== undefined)
      deleteToken(cli.io, name)
    if (profile.kind === 'classic' && !/\/api$/i.test(profile.baseUrl))
      await cli.log.warn(
        `${profile.baseUrl} does not end in /api, as the address of a service mostly does; kpi profiles check ${name} tells whether it answers`,
      )
    const done = byName.has(name) ? 'replaced' : 'added'
    await cli.note(`${done} profile ${name}; use it with --profile ${name}, or always with: kpi profiles use ${name}`)
  })
}
