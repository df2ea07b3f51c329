import { Fault } from '../../domain/errors.ts'
import { givenIn } from '../args/raw-options.ts'
import { settingFault } from '../args/setting-fault.ts'
import type { Io } from '../io.ts'
import { type Format, FORMATS } from '../output/print.ts'
import { findSetting, sourceOf } from './find-setting.ts'
import { type GlobalFlags, readFormat, SETTINGS } from './settings.ts'

/** Returns the format to print in; `-o` may also name one of the formats of files that a command writes. */
export const findFormat = (io: Io, flags: GlobalFlags, fileFormats: readonly string[]): Format => {
  const { output } = flags
  if (output === undefined) return findSetting(io, flags, SETTINGS.output).value
  const format = readFormat(output, [...new Set([...FORMATS, ...fileFormats])])
  if (!(format instanceof Fault)) return format
  if (fileFormats.includes(output)) return 'table'
  throw settingFault('--output', output, format)
}

/** Tells whether a line, or what is usual here, wants data and errors as JSON; errors of a step go to the log of its job. */
export const isOutputJson = (args: readonly string[], io: Io): boolean => {
  if (io.isStep) return false
  const [output, profile] = [givenIn(args, '-o', '--output'), givenIn(args, '-p', '--profile')]
  const flags = { output, profile, dataDir: givenIn(args, '--data-dir') }
  return /^(?:nd)?json$/.test(sourceOf(io, flags, SETTINGS.output)?.text ?? '')
}
