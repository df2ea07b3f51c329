import { resolve } from 'node:path'
import { gzipped } from '../../export/chunks.ts'
import { formatOfName } from '../../export/report/formats.ts'
import type { Cli } from '../cli.ts'
import { UsageError, type ExitCode } from '../exit.ts'
import { type Io, withStdout } from '../io.ts'
import type { GlobalFlags } from '../target/settings.ts'
import { formatOfFile } from './file-format.ts'
import { readyFile, writeNamed } from './named-output.ts'
import { requireNoFolder } from './require-free.ts'
import { holdBack } from '../output/whole-output.ts'

/** Names the formats that a file of what is printed may have by its ending. */
const FORMATS = ['csv', 'json', 'ndjson', 'yaml', 'markdown'] as const

const formatFor = ({ toFile, excel, output }: GlobalFlags): string | undefined => {
  if (toFile !== undefined && toFile !== '-') return formatOfFile(toFile, output, FORMATS)
  return output ?? (excel === undefined ? undefined : 'csv')
}

/**
 * Returns the flags with the format that the ending of `--to-file` names, or `--excel` asks for. Refuses flags that do
 * not go together.
 */
export const withFormat = (flags: GlobalFlags): GlobalFlags => {
  const { excel, jq } = flags
  if (jq !== undefined && excel !== undefined) throw new UsageError('--excel is for CSV, and --jq filters JSON')
  if (jq !== undefined) return flags
  const output = formatFor(flags)
  if (excel !== undefined && output !== 'csv') {
    throw new UsageError(`--excel is for CSV, and this is ${String(output)}`)
  }
  return output === undefined ? flags : { ...flags, output }
}

/**
 * Runs a command whose output goes to a file: as a whole, once the command has ended. If it fails, or the file cannot be
 * written, what it had printed goes to standard output, and the file stays as it was.
 */
export const writingTo = async (cli: Cli, file: string, command: (io: Io) => Promise<ExitCode>): Promise<ExitCode> => {
  const { io } = cli
  const path = resolve(io.cwd, file)
  requireNoFolder(cli, file)
  await readyFile(cli, { toFile: file, force: cli.flags.force })
  const held = holdBack(io.tempDir)
  const write = async (text: string): Promise<void> => held.add(text)
  try {
    const code = await command(withStdout(io, { ...io.stdout, write, isTerminal: false, columns: undefined }))
    const { isGzip } = formatOfName(file)
    await writeNamed(cli, path, isGzip ? gzipped(held.all()) : held.all())
    await cli.note(`written to ${file}`)
    return code
  } catch (error) {
    for (const text of held.all()) await io.stdout.write(text)
    throw error
  } finally {
    held.close()
  }
}
