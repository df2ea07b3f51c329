import type { Command } from '@commander-js/extra-typings'
import { addExamples } from '../../args/examples.ts'
import type { Act } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { profileNamed, readProfiles, writeProfiles } from '../../target/profiles.ts'
import { addOwnSettings, readOwnSettings } from './own-settings.ts'

const NOTHING =
  'say what to change: --time-zone, --output, --fiscal-year-start or --week-start; a service or its secret is changed by kpi profiles add'

/** Registers `kpi profiles update` */
export const addProfileUpdate = (group: Command, act: Act): void => {
  const command = addOwnSettings(group.command('update'))
    .description('change the time zone, output format, or start of years and weeks of a profile')
    .argument('<name>')
  addExamples(
    command,
    'profiles update acme --output json --time-zone Europe/Berlin',
    'profiles update acme --fiscal-year-start 04 --week-start sunday',
  )
  act(command, async (cli, [name], flags) => {
    const settings = readOwnSettings(cli, flags)
    if (Object.keys(settings).length === 0) throw new UsageError(NOTHING)
    const { current, byName } = readProfiles(cli.io)
    const before = profileNamed({ current, byName }, name)
    const calendar = { ...before.calendar, ...settings.calendar }
    const profile = { ...before, ...settings, ...(Object.keys(calendar).length > 0 && { calendar }) }
    await writeProfiles(cli.io, { current, byName: new Map([...byName, [name, profile]]) })
    await cli.note(`updated profile ${name}`)
  })
}
