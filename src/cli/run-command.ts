import type { ExitCode } from './exit.ts'
import type { Cli } from './cli.ts'
import type { Io } from './io.ts'
import { readPipes } from './target/named-files.ts'
import { findSetting } from './target/find-setting.ts'
import { ALL_SETTINGS, type GlobalFlags, SETTINGS, variablesOf } from './target/settings.ts'

/** Describes how a command is run: where, and what the flags of every command need. */
type Run = {
  readonly io: Io
  readonly begin: (io: Io, flags: GlobalFlags) => Promise<ExitCode>
  readonly cliIn: (io: Io, flags: GlobalFlags) => Cli
  readonly ownsFile: boolean
  /** Tells that it prints records, which may be longer than the screen. */
  readonly isPaged: boolean
}

/** Does work whose output goes page by page where it is more than the screen holds. */
export const byPages = async <T>(
  io: Io,
  flags: GlobalFlags,
  tell: (text: string) => Promise<void>,
  work: (io: Io) => Promise<T>,
): Promise<T> => {
  if (!io.stdout.isTerminal) return work(io)
  const { canPage, paged } = await import('./output/pager.ts')
  const pager = canPage(io) ? findSetting(io, flags, SETTINGS.pager).value : undefined
  return pager === undefined ? work(io) : paged(io, pager, tell, work)
}

const onScreen = (io: Io, flags: GlobalFlags, run: Run): Promise<ExitCode> => {
  const work = (world: Io): Promise<ExitCode> => filtered(world, flags, run)
  return run.isPaged ? byPages(io, flags, (text) => run.cliIn(io, flags).note(text), work) : work(io)
}

/** Runs a command and the filter of `--jq` on what it prints. */
const filtered = async (io: Io, flags: GlobalFlags, { begin }: Run): Promise<ExitCode> => {
  const { jq } = flags
  if (jq === undefined) return begin(io, flags)
  const { withJq } = await import('./jq.ts')
  return withJq(io, { ...flags, jq }, begin)
}

/** Returns the file that the output of a command goes to; undefined where that is printed, or the command writes its own. */
const fileOf = ({ toFile }: GlobalFlags, ownsFile: boolean): string | undefined =>
  ownsFile || toFile === '-' ? undefined : toFile

/** Returns the flags of a command with the format that its file, or its locale, says. */
export const readOutput = async (given: GlobalFlags, ownsFile: boolean): Promise<GlobalFlags> => {
  const isOwn = ownsFile && given.toFile !== undefined && given.toFile !== '-'
  if (isOwn || (fileOf(given, ownsFile) === undefined && given.excel === undefined)) return given
  return (await import('./files/output-file.ts')).withFormat(given)
}

/** Runs a command whose output goes where its flags say, in the format that they say. */
const printed = async (given: GlobalFlags, run: Run): Promise<ExitCode> => {
  const flags = await readOutput(given, run.ownsFile)
  const toFile = fileOf(given, run.ownsFile)
  if (toFile === undefined) return onScreen(run.io, flags, run)
  const { writingTo } = await import('./files/output-file.ts')
  return writingTo(run.cliIn(run.io, flags), toFile, (io) => filtered(io, flags, run))
}

/** Lists the flags and variables that name a file of secrets or certificates. */
const FILE_FLAGS: ReadonlySet<string> = new Set(['caFile', 'tokenFile', 'tlsCert', 'tlsKey'])
const FILE_VARIABLES = variablesOf(ALL_SETTINGS.filter(({ path }) => path === 'file'))

const namedFiles = ({ env }: Io, flags: GlobalFlags): string[] => [
  ...Object.entries(flags).flatMap(([flag, file]) => (FILE_FLAGS.has(flag) && typeof file === 'string' ? [file] : [])),
  ...FILE_VARIABLES.flatMap((name) => env[name] || []),
]

/** Runs a command with what the flags of every command ask for: a lock, a file for its output, a filter. */
export const runCommand = async (flags: GlobalFlags, run: Run): Promise<ExitCode> => {
  const { lock } = flags
  const named = namedFiles(run.io, flags)
  if (named.length > 0) await readPipes(run.io, named, flags.deadline)
  if (lock === undefined) return printed(flags, run)
  const { withNamedLock } = await import('./target/named-lock.ts')
  return withNamedLock(run.io, lock, () => printed(flags, run))
}
