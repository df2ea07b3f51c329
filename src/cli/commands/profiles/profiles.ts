import type { Command } from '@commander-js/extra-typings'
import { type AnyRecord, type Field, type NamedField, printable } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { requireConfirmation } from '../../args/prompt.ts'
import type { Act, Cli, Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { type Format, isForPeople } from '../../output/print.ts'
import { printsList, printsOne } from '../../output/printed.ts'
import { emptyBecause, tellEmpty } from '../../output/short-answer.ts'
import { type Profile, profileNamed, type Profiles, readProfiles, writeProfiles } from '../../target/profiles.ts'
import { describeToken, deleteToken } from '../../target/secrets.ts'
import { addProfileAdd } from './add.ts'
import type { SecretPlace } from '../../target/credentials.ts'
import { settingSentence, fieldName, PROFILE_SETTINGS, type Setting } from '../../target/settings.ts'
import { addListOptions, applyListOptions, chooseColumns, type ListOptions } from '../verbs/list-options.ts'
import { addProfileCheck } from './check.ts'
import { secretNames } from './keep-profile.ts'
import { addProfileUpdate } from './update.ts'

const settingField = (setting: Setting<unknown>): Field => {
  const about = settingSentence(setting)
  const kind = setting.isNumber ? 'integer' : 'text'
  return { kind, about: about.charAt(0).toUpperCase() + about.slice(1), nullable: true }
}

const profileRecord = printable(
  'profile',
  'profile',
  {
    name: { kind: 'text', about: 'Name of the profile' },
    current: { kind: 'boolean', about: 'Whether it is used if no profile is named' },
    kind: { kind: 'text', about: 'embedded, classic or v1' },
    place: { kind: 'text', about: 'Data directory or base URL' },
    login: { kind: 'text', about: 'Login name, of a classic one', nullable: true },
    token_from: { kind: 'text', about: 'Where the token or key comes from', nullable: true },
    ...Object.fromEntries(PROFILE_SETTINGS.map((one) => [fieldName(one), settingField(one)])),
  },
  ['name', 'kind', 'place', 'login', 'current'],
)

const secretPlace = (
  profile: string,
  { tokenCommand, tokenFile, secretName }: Exclude<Profile, { readonly kind: 'embedded' }>,
): SecretPlace => ({ profile, tokenCommand, tokenFile, secretName })

const recordOf = (
  cli: Cli,
  { current }: Profiles,
  name: string,
  profile: Profile,
): Record<string, string | number | boolean | null> => ({
  name,
  current: name === current,
  kind: profile.kind,
  place: profile.kind === 'embedded' ? profile.dataDir : profile.baseUrl,
  login: profile.kind === 'classic' ? profile.login : null,
  token_from: profile.kind === 'embedded' ? null : describeToken(cli.io, secretPlace(name, profile)),
  ...Object.fromEntries(
    PROFILE_SETTINGS.map((one) => {
      const text = profile.settings?.[one.key]
      return [fieldName(one), text === undefined ? null : one.isNumber ? Number(text) : text]
    }),
  ),
})

/** Returns the columns of a list; in a table those that hold something, unless they were asked for. */
const columnsOf = (records: readonly AnyRecord[], options: ListOptions, format: Format): readonly NamedField[] => {
  const columns = chooseColumns(profileRecord, options, format)
  if (options.columns !== undefined || !isForPeople(format) || records.length === 0) return columns
  return columns.filter(({ name }) => records.some((record) => record[name] !== null))
}

const addList = (group: Command, act: Act): void => {
  const command = addListOptions(group.command('list').description('list all profiles'))
  printsList(command, profileRecord)
  addExamples(command, 'profiles list', 'profiles list --columns name,place,token_from')
  act(command, async (cli, _, options) => {
    const profiles = readProfiles(cli.io)
    const all = [...profiles.byName].map(([name, profile]) => recordOf(cli, profiles, name, profile))
    const records = applyListOptions(profileRecord, all, options)
    await cli.printMany(columnsOf(records, options, cli.printing().format), records)
    if (records.length === 0)
      await tellEmpty(cli, profileRecord, emptyBecause(options), 'add one with: kpi profiles add')
  })
}

const addUse = (group: Command, act: Act): void => {
  const command = group
    .command('use')
    .description('set the profile that is used when none is named')
    .argument('[name]')
    .option('--none', 'use no profile, but the embedded service')
  addExamples(command, 'profiles use acme', 'profiles use --none')
  act(command, async (cli, [name], { none }) => {
    const profiles = readProfiles(cli.io)
    if ((name === undefined) !== (none === true)) throw new UsageError('name one profile to use, or say --none')
    if (name === 'none' && !profiles.byName.has(name)) {
      throw new UsageError('there is no profile none; to use no profile: kpi profiles use --none')
    }
    if (name !== undefined) profileNamed(profiles, name)
    await writeProfiles(cli.io, { ...profiles, current: name })
    await cli.note(name === undefined ? 'no profile is used from now on' : `profile ${name} is used from now on`)
  })
}

const addShow = (group: Command, act: Act): void => {
  const command = group.command('show').description('show a profile, without its secret').argument('<name>')
  addExamples(command, 'profiles show acme')
  printsOne(command, profileRecord)
  act(command, async (cli, [name]) => {
    const profiles = readProfiles(cli.io)
    await cli.printOne(profileRecord, recordOf(cli, profiles, name, profileNamed(profiles, name)))
  })
}

const addRemove = (group: Command, act: Act): void => {
  const command = group
    .command('remove')
    .description('remove a profile and its secret; the data stays')
    .argument('<name>')
    .option('-y, --yes', 'do not ask')
  addExamples(command, 'profiles remove acme', 'profiles remove acme --yes')
  act(command, async (cli, [name], { yes }) => {
    const { current, byName } = readProfiles(cli.io)
    profileNamed({ current, byName }, name)
    await requireConfirmation(cli, yes, `remove profile ${name} and its secret`)
    const rest = new Map([...byName].filter(([one]) => one !== name))
    await writeProfiles(cli.io, { current: current === name ? undefined : current, byName: rest })
    for (const one of secretNames(name)) deleteToken(cli.io, one)
    const after = current === name ? '; it was the one in use: commands go to the embedded service now' : ''
    await cli.note(`removed profile ${name}${after}`)
  })
}

/** Registers `kpi profiles …` */
export const profiles: Register = (group, act) => {
  addProfileAdd(group, act)
  addProfileUpdate(group, act)
  addList(group, act)
  addShow(group, act)
  addUse(group, act)
  addProfileCheck(group, act)
  addRemove(group, act)
}
