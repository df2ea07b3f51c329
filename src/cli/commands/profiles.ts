import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { resource } from '../../domain/schema.ts'
import type { Act, Cli, Register } from '../cli.ts'
import { readBaseUrl } from '../base-url.ts'
import { addExamples } from '../examples.ts'
import { UsageError } from '../exit.ts'
import type { FlagValues } from '../flags.ts'
import {
  mustBeProfileName,
  type Profile,
  profileNamed,
  type Profiles,
  readProfiles,
  writeProfiles,
} from '../profiles.ts'
import { askText } from '../prompt.ts'
import { describeToken, dropToken, keepToken, readSecretFile } from '../secrets.ts'

const profileRecord = resource({
  name: 'profile',
  plural: 'profiles',
  title: 'profile',
  path: '',
  verbs: [],
  fields: {
    name: { kind: 'text', about: 'Name of the profile' },
    current: { kind: 'boolean', about: 'Whether it is used when none is named' },
    kind: { kind: 'text', about: 'embedded or classic' },
    place: { kind: 'text', about: 'Data directory or base URL' },
    login: { kind: 'text', about: 'Login name', nullable: true },
    token_from: { kind: 'text', about: 'Where the token comes from', nullable: true },
  },
})

const recordOf = (
  cli: Cli,
  { current }: Profiles,
  name: string,
  profile: Profile,
): Record<string, string | boolean | null> => ({
  name,
  current: name === current,
  kind: profile.kind,
  place: profile.kind === 'embedded' ? profile.dataDir : profile.baseUrl,
  login: profile.kind === 'classic' ? profile.login : null,
  token_from: profile.kind === 'embedded' ? null : describeToken(cli.io, name, profile.tokenCommand),
})

const flag = (flags: FlagValues, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/** The token, from standard input, a file, or the terminal; never from a flag. */
const readToken = async (cli: Cli, flags: FlagValues): Promise<string> => {
  const file = flag(flags, 'tokenFile')
  if (file !== undefined) return readSecretFile(cli.io, resolve(cli.io.cwd, file))
  if (flags['tokenStdin'] === true) {
    const { text } = await import('node:stream/consumers')
    return (await text(cli.io.stdin)).trim()
  }
  return askText(cli, 'Account token', 'a token is needed: --token-stdin, --token-file or --token-command', true)
}

const classicProfile = async (cli: Cli, name: string, flags: FlagValues): Promise<Profile> => {
  const place = flag(flags, 'baseUrl') ?? (await askText(cli, 'Base URL', 'a base URL is needed: --base-url'))
  const baseUrl = readBaseUrl(place).href.replace(/\/$/, '')
  const login = flag(flags, 'login') ?? (await askText(cli, 'Login name', 'a login name is needed: --login'))
  const profile = { kind: 'classic', baseUrl, login } as const
  const tokenCommand = flag(flags, 'tokenCommand')
  if (tokenCommand !== undefined) return { ...profile, tokenCommand }
  const token = await readToken(cli, flags)
  if (token === '') throw new UsageError('the token is empty')
  keepToken(cli.io, name, token)
  return profile
}

/** An embedded service takes no credentials; whoever gives some means something else. */
const mustBeEmbedded = (flags: FlagValues): void => {
  const remote = ['baseUrl', 'login', 'tokenStdin', 'tokenFile', 'tokenCommand']
  if (remote.some((name) => flags[name] !== undefined)) {
    throw new UsageError('--data-dir makes a profile of an embedded service, which has no base URL, login or token')
  }
}

const addAdd = (group: Command, act: Act): void => {
  const command = group
    .command('add')
    .description('add a profile: a remote service, or with --data-dir an embedded one')
    .argument('<name>', 'what to call it')
    .option('--base-url <url>', 'the service, such as https://acme.example.com/api')
    .option('--login <name>', 'your login name')
    .option('--token-stdin', 'read the account token from standard input')
    .addOption(
      new Option('--token-file <file>', 'read the account token from a file') //
        .conflicts('tokenStdin'),
    )
    .addOption(
      new Option('--token-command <command>', 'a program that prints the token, asked each time') //
        .conflicts(['tokenStdin', 'tokenFile']),
    )
  addExamples(
    command,
    'profiles add acme --base-url https://acme.example.com/api --login ann@example.com',
    'profiles add acme --base-url https://acme.example.com/api --login ann@example.com --token-command "pass show kpi"',
    'profiles add test --data-dir ./kpi-data',
  )
  act(command, async (cli, [name = ''], flags) => {
    mustBeProfileName(name)
    const { dataDir } = cli.flags
    if (dataDir !== undefined) mustBeEmbedded(flags)
    const profile: Profile =
      dataDir === undefined
        ? await classicProfile(cli, name, flags)
        : { kind: 'embedded', dataDir: resolve(cli.io.cwd, dataDir) }
    const { current, byName } = readProfiles(cli.io)
    await writeProfiles(cli.io, { current, byName: new Map([...byName, [name, profile]]) })
    if (profile.kind === 'embedded' || profile.tokenCommand !== undefined) dropToken(cli.io, name)
    const done = byName.has(name) ? 'replaced' : 'added'
    await cli.note(`${done} profile ${name}; use it with --profile ${name}, or always with: kpi profiles use ${name}`)
  })
}

const addList = (group: Command, act: Act): void => {
  act(addExamples(group.command('list').description('list all profiles'), 'profiles list'), async (cli) => {
    const profiles = readProfiles(cli.io)
    const records = [...profiles.byName].map(([name, profile]) => recordOf(cli, profiles, name, profile))
    await cli.printMany(profileRecord.shown, records)
  })
}

const addUse = (group: Command, act: Act): void => {
  const command = group
    .command('use')
    .description('use a profile when none is named')
    .argument('[name]')
    .option('--none', 'use none again, but the embedded service')
  addExamples(command, 'profiles use acme', 'profiles use --none')
  act(command, async (cli, [name], { none }) => {
    const profiles = readProfiles(cli.io)
    if ((name === undefined) !== (none === true)) throw new UsageError('name one profile to use, or say --none')
    if (name !== undefined) profileNamed(profiles, name)
    await writeProfiles(cli.io, { ...profiles, current: name })
    await cli.note(name === undefined ? 'no profile is used from now on' : `profile ${name} is used from now on`)
  })
}

const addShow = (group: Command, act: Act): void => {
  const command = group.command('show').description('show a profile, without its secret').argument('<name>')
  addExamples(command, 'profiles show acme')
  act(command, async (cli, [name = '']) => {
    const profiles = readProfiles(cli.io)
    await cli.printOne(profileRecord, recordOf(cli, profiles, name, profileNamed(profiles, name)))
  })
}

const addRemove = (group: Command, act: Act): void => {
  const command = group.command('remove').description('remove a profile and its secret; no data').argument('<name>')
  addExamples(command, 'profiles remove acme')
  act(command, async (cli, [name = '']) => {
    const { current, byName } = readProfiles(cli.io)
    profileNamed({ current, byName }, name)
    const rest = new Map([...byName].filter(([one]) => one !== name))
    await writeProfiles(cli.io, { current: current === name ? undefined : current, byName: rest })
    dropToken(cli.io, name)
    const after = current === name ? '; it was the one in use: commands go to the embedded service now' : ''
    await cli.note(`removed profile ${name}${after}`)
  })
}

/** `kpi profiles …` */
export const profiles: Register = (group, act) => {
  addAdd(group, act)
  addList(group, act)
  addShow(group, act)
  addUse(group, act)
  addRemove(group, act)
}
