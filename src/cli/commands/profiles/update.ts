import { type Command, Option } from '@commander-js/extra-typings'
import { addExamples } from '../../args/examples.ts'
import { namesIn } from '../../args/names.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { type Profile, profileNamed, readProfiles, writeProfiles } from '../../target/profiles.ts'
import { flagName, PROFILE_SETTINGS, type Setting, type SettingTexts } from '../../target/settings.ts'
import { keepProfile } from './keep-profile.ts'
import { addOwnSettings, readOwnSettings } from './own-settings.ts'
import { withSecretSource } from './remote-profile.ts'

const NAMES = PROFILE_SETTINGS.map(flagName)

const NOTHING = `say what to change: ${NAMES.map((name) => `--${name}`).join(', ')}, --token-command, --token-file or --unset; a service or a kept secret is changed by kpi profiles add`

/** Returns the settings that a list names; refuses those that there are not, and those that the line also sets. */
const readUnset = (list: string | undefined, settings: SettingTexts): Setting<unknown>[] => {
  if (list === undefined) return []
  const unset = namesIn('--unset', list).map((name) => PROFILE_SETTINGS.find((one) => flagName(one) === name) ?? name)
  const faults = unset.flatMap((one) => {
    if (typeof one === 'string') return `--unset ${one} is no setting of a profile; there are ${NAMES.join(', ')}`
    const name = flagName(one)
    return one.key in settings ? `--unset ${name} and --${name} contradict each other` : []
  })
  if (faults.length > 0) throw new UsageError(faults.join('; '))
  return unset.filter((one) => typeof one !== 'string')
}

/** Returns a profile with settings changed, and without those that are unset. */
const withChanges = (before: Profile, settings: SettingTexts, unset: readonly Setting<unknown>[]): Profile => {
  const all = Object.entries({ ...before.settings, ...settings })
  return { ...before, settings: Object.fromEntries(all.filter(([key]) => unset.every((one) => one.key !== key))) }
}

/** Declares `kpi profiles update` and its flags. */
const declareUpdate = (group: Command) =>
  addOwnSettings(group.command('update'))
    .description(
      'change where the secret of a profile comes from, its time zone, output, certificates, or start of years and weeks',
    )
    .argument('<name>')
    .option('--token-file <file>', 'a file of yours that holds the token or the key; it is read each time')
    .addOption(
      new Option('--token-command <command>', 'a command that prints the token or the key; it is run each time') //
        .conflicts('tokenFile'),
    )
    .option('--no-check', 'do not ask the service whether it takes that token or key')
    .option('--unset <list>', `what it shall not say any more: ${NAMES.join(', ')}`)

type UpdateFlags = ReturnType<ReturnType<typeof declareUpdate>['opts']>

const namesSecret = ({ tokenCommand, tokenFile }: UpdateFlags): boolean => (tokenCommand ?? tokenFile) !== undefined

/** Stores a profile whose secret comes from somewhere else from now on; a kept one is removed. */
const keepSource = async (cli: Cli, name: string, profile: Profile, flags: UpdateFlags): Promise<void> => {
  if (profile.kind === 'embedded')
    throw new UsageError(
      `profile ${name} is of an embedded service, which has no token; leave out --token-command and --token-file`,
    )
  await keepProfile(cli.io, name, await withSecretSource(cli, name, profile, flags))
}

/** Registers `kpi profiles update` */
export const addProfileUpdate = (group: Command, act: Act): void => {
  const command = declareUpdate(group)
  addExamples(
    command,
    'profiles update acme --output json --time-zone Europe/Berlin',
    'profiles update acme --fiscal-year-start 04 --week-start sunday',
    'profiles update acme --unset time-zone,output',
    'profiles update acme --token-command "pass show kpi"',
  )
  act(command, async (cli, [name], flags) => {
    const settings = readOwnSettings(cli)
    const unset = readUnset(flags.unset, settings)
    if (Object.keys(settings).length === 0 && unset.length === 0 && !namesSecret(flags)) throw new UsageError(NOTHING)
    const { current, byName } = readProfiles(cli.io)
    const profile = withChanges(profileNamed({ current, byName }, name), settings, unset)
    if (namesSecret(flags)) await keepSource(cli, name, profile, flags)
    else await writeProfiles(cli.io, { current, byName: new Map([...byName, [name, profile]]) })
    await cli.note(`updated profile ${name}`)
  })
}
