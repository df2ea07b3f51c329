import { type Command, Option } from '@commander-js/extra-typings'
import { addExamples } from '../../args/examples.ts'
import { namesIn } from '../../args/names.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { type Profile, profileNamed, readProfiles, writeProfiles } from '../../target/profiles.ts'
import { keepProfile } from './keep-profile.ts'
import { addOwnSettings, type OwnSettings, readOwnSettings } from './own-settings.ts'
import { withSecretSource } from './remote-profile.ts'

const NOTHING =
  'say what to change: --time-zone, --output, --fiscal-year-start, --week-start, --ca-file, --token-command, --token-file or --unset; a service or a kept secret is changed by kpi profiles add'

/** Lists the settings that a profile need not have, each with what it is called there. */
const SETTINGS = {
  'time-zone': 'timeZone',
  output: 'output',
  'fiscal-year-start': 'fiscal_year_start',
  'week-start': 'week_start',
  'ca-file': 'caFile',
} as const

type Setting = keyof typeof SETTINGS

const isSetting = (name: string): name is Setting => name in SETTINGS

const isSet = ({ calendar, ...others }: OwnSettings, name: Setting): boolean =>
  SETTINGS[name] in { ...others, ...calendar }

/** Returns the settings that a list names; refuses those that there are not, and those that the line also sets. */
const readUnset = (list: string | undefined, settings: OwnSettings): Setting[] => {
  if (list === undefined) return []
  const names = namesIn('--unset', list)
  const faults = names.flatMap((name) => {
    if (!isSetting(name))
      return `--unset ${name} is no setting of a profile; there are ${Object.keys(SETTINGS).join(', ')}`
    return isSet(settings, name) ? `--unset ${name} and --${name} contradict each other` : []
  })
  if (faults.length > 0) throw new UsageError(faults.join('; '))
  return names.filter(isSetting)
}

/** Returns a profile with settings changed, and without those that are unset. */
const withChanges = (before: Profile, settings: OwnSettings, unset: readonly Setting[]): Profile => {
  const { timeZone, output, calendar, caFile, ...place } = before
  const isKept = (name: Setting): boolean => !unset.includes(name)
  const zone = isKept('time-zone') ? (settings.timeZone ?? timeZone) : undefined
  const format = isKept('output') ? (settings.output ?? output) : undefined
  const certificates = isKept('ca-file') ? (settings.caFile ?? caFile) : undefined
  const { fiscal_year_start: year, week_start: week } = { ...calendar, ...settings.calendar }
  const dates = {
    ...(year !== undefined && isKept('fiscal-year-start') && { fiscal_year_start: year }),
    ...(week !== undefined && isKept('week-start') && { week_start: week }),
  }
  return {
    ...place,
    ...(zone !== undefined && { timeZone: zone }),
    ...(format !== undefined && { output: format }),
    ...(certificates !== undefined && { caFile: certificates }),
    ...(Object.keys(dates).length > 0 && { calendar: dates }),
  }
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
    .option('--unset <list>', `what it shall not say any more: ${Object.keys(SETTINGS).join(', ')}`)

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
    const settings = readOwnSettings(cli, flags)
    const unset = readUnset(flags.unset, settings)
    if (Object.keys(settings).length === 0 && unset.length === 0 && !namesSecret(flags)) throw new UsageError(NOTHING)
    const { current, byName } = readProfiles(cli.io)
    const profile = withChanges(profileNamed({ current, byName }, name), settings, unset)
    if (namesSecret(flags)) await keepSource(cli, name, profile, flags)
    else await writeProfiles(cli.io, { current, byName: new Map([...byName, [name, profile]]) })
    await cli.note(`updated profile ${name}`)
  })
}
