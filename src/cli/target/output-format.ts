import { didYouMean, nearest } from '../../client/nearest.ts'
import { givenIn } from '../args/raw-options.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { type Format, FORMATS } from '../output/print.ts'
import { profileSettings } from './profile-choice.ts'
import type { GlobalFlags } from './settings.ts'

/** Returns the format of the profile in use; where none can be told, that fault is told when the service is looked for. */
const ofProfile = (io: Io, flags: GlobalFlags): Format | undefined => {
  try {
    return profileSettings(io, flags).output
  } catch {
    return undefined
  }
}

/** Returns the format that is usual here, if `-o` gives none: of the environment, the project file, or the profile. */
const usualFormat = (io: Io, flags: GlobalFlags): string =>
  io.env['KPI_OUTPUT'] || (io.project?.settings.output ?? ofProfile(io, flags) ?? 'table')

/** Returns the format to print in; `-o` may also name one of the formats of files that a command writes. */
export const findFormat = (io: Io, flags: GlobalFlags, fileFormats: readonly string[]): Format => {
  const { output } = flags
  if (output !== undefined && fileFormats.includes(output)) return FORMATS.find((one) => one === output) ?? 'table'
  const text = output ?? usualFormat(io, flags)
  const format = FORMATS.find((one) => one === text)
  if (format) return format
  const all = [...new Set([...FORMATS, ...fileFormats])]
  throw new UsageError(
    `there is no output format ${text}; there are ${all.join(', ')}${didYouMean(nearest(text, all))}`,
  )
}

/** Tells whether a line, or what is usual here, wants data and errors as JSON. */
export const isOutputJson = (args: readonly string[], io: Io): boolean => {
  const profile = givenIn(args, '-p', '--profile')
  const dataDir = givenIn(args, '--data-dir')
  const flags = { ...(profile !== undefined && { profile }), ...(dataDir !== undefined && { dataDir }) }
  return /^(?:nd)?json$/.test(givenIn(args, '-o', '--output') ?? usualFormat(io, flags))
}
