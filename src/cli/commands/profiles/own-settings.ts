import { type Command, type OptionValues } from '@commander-js/extra-typings'
import { resolve } from 'node:path'
import { Fault } from '../../../domain/errors.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { type Format, FORMATS } from '../../output/print.ts'
import { readMonth, readWeekStart } from '../../target/calendar-settings.ts'
import type { Profile } from '../../target/profiles.ts'
import { findTimeZone } from '../../target/time-zone.ts'

/** Adds the flags of what a profile says besides its service; --time-zone, --output and --ca-file are flags of every command. */
export const addOwnSettings = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
) =>
  command
    .option('--fiscal-year-start <month>', 'the month in which years begin, 1 to 12, for a service that does not tell')
    .option('--week-start <day>', 'the day on which weeks begin, monday or sunday, for a service that does not tell')

type OwnFlags = { readonly fiscalYearStart?: string | undefined; readonly weekStart?: string | undefined }

const readEach = <T>(flag: string, text: string | undefined, read: (text: string) => T | Fault, faults: string[]) => {
  const value = text === undefined ? undefined : read(text)
  if (!(value instanceof Fault)) return value
  faults.push(`${flag} ${value.message}`)
  return undefined
}

const readCalendar = ({ fiscalYearStart, weekStart }: OwnFlags): Profile['calendar'] => {
  const faults: string[] = []
  const year = readEach('--fiscal-year-start', fiscalYearStart, readMonth, faults)
  const week = readEach('--week-start', weekStart, readWeekStart, faults)
  if (faults.length > 0) throw new UsageError(faults.join('; '))
  return { ...(year !== undefined && { fiscal_year_start: year }), ...(week !== undefined && { week_start: week }) }
}

/** Describes what a profile says besides its service. */
export type OwnSettings = {
  timeZone?: string
  output?: Format
  calendar?: NonNullable<Profile['calendar']>
  caFile?: string
}

/** Reads what flags say of a profile besides its service; only what is given is there. */
export const readOwnSettings = ({ io, flags: given }: Cli, flags: OwnFlags): OwnSettings => {
  const { timeZone, caFile } = given
  if (timeZone !== undefined) findTimeZone(io, given)
  const calendar = readCalendar(flags)
  const output = FORMATS.find((one) => one === given.output)
  return {
    ...(timeZone !== undefined && { timeZone }),
    ...(output && { output }),
    ...(caFile !== undefined && { caFile: resolve(io.cwd, caFile) }),
    ...(calendar && Object.keys(calendar).length > 0 && { calendar }),
  }
}
