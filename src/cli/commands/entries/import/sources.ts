import { countOf } from '../../../../domain/count-text.ts'
import { KpiError } from '../../../../domain/errors.ts'
import { fstatSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { isAddress, requireSafeAddress, shownAddress, shownSource } from '../../../../client/http/address.ts'
import { fileError } from '../../../../files/file-error.ts'
import { streamSpecial } from '../../../../files/read-file.ts'
import { isDevice } from '../../../../files/place.ts'
import { fileSource, type RereadableFile } from '../../../../tabular/source/files.ts'
import { areSheetsAsked, sheetName, type Table } from '../../../../tabular/source/table.ts'
import { openTables, type RequestedFormat, openQuery } from '../../../../reading/open-table.ts'
import { spoolSource } from '../../../../tabular/source/spool.ts'
import type { Cli } from '../../../cli.ts'
import { exitOf, IncompleteRun, UsageError } from '../../../exit.ts'
import type { Io } from '../../../io.ts'
import { findReach } from '../../../target/network.ts'

/** Describes a query of an SQLite database, instead of a file. */
export type QueryFlags = { readonly sql: string; readonly database: string }

/** Describes what is imported: a file, a pipe or standard input, the file at an address, or the result of a query. */
export type ImportSource = {
  /** Names it in messages: a file as it was given, `-` for standard input, an address without its query. */
  readonly label: string
  /** Identifies it for a later run of the same command; undefined for a stream, which cannot be read again. */
  readonly origin: string | undefined
  /** Holds the path of its rejects file and receipt, without what tells them apart. */
  readonly stem: string
  /** Describes the file that is read, on this machine; undefined if there is none. */
  readonly stat: () => Stats | undefined
  /** Opens it as a table, or as one for each of the sheets that are meant. */
  readonly open: (cli: Cli, asked: RequestedFormat, signal: () => AbortSignal) => Promise<readonly Table[]>
}

/** Describes what is imported as one table: a source, or a sheet of it. */
export type OpenSource = Omit<ImportSource, 'open'> & { readonly table: Table }

const TABLE_ENDING = /\.(?:csv|tsv|txt|xlsx|ods|json|ndjson|jsonl)$/i

/** Returns `data` for `data.csv`, `data.csv.gz` and `data.zip`. */
export const stemOf = (file: string): string => {
  if (/\.zip$/i.test(file)) return file.slice(0, -'.zip'.length).replace(TABLE_ENDING, '')
  const plain = file.replace(/\.(?:gz|zst)$/i, '')
  return join(dirname(plain), basename(plain, extname(plain)))
}

/** Returns a text as a part of a file's name. */
const asFileName = (text: string): string => text.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_')

/** Returns the last part of an address's path as the name of a file. */
const fileNameOf = ({ pathname, hostname }: URL): string => {
  const last = pathname.split('/').findLast((part) => part !== '') ?? hostname
  let name = last
  try {
    name = decodeURIComponent(last)
  } catch {
    // Keep what is not percent-encoded as it is.
  }
  return asFileName(name).replace(/^[. ]+/, '_')
}

/** Tells whether a file can be read only once: standard input, a pipe or a device. */
const isStream = (cwd: string, file: string): boolean => file === '-' || isDevice(resolve(cwd, file))

/** Returns a path that no command takes for a flag. */
const pathOf = (name: string): string => (name.startsWith('-') ? `./${name}` : name)

/** Returns the path of the rejects file and receipt of a file or address, without what tells them apart. */
export const stemOfSource = (cwd: string, text: string): string => {
  const address = isAddress(text) ? URL.parse(text) : null
  if (address) return pathOf(stemOf(fileNameOf(address)))
  return isStream(cwd, text) ? 'stdin' : pathOf(stemOf(text))
}

/** Returns the path of a rejects file that goes with a stem. */
export const rejectsOfStem = (stem: string): string => `${stem}.rejects.csv`

/** Returns the file behind a stream, where the system tells. */
const statOfStream = (stream: Readable): Stats | undefined =>
  'fd' in stream && typeof stream.fd === 'number' ? fstatSync(stream.fd) : undefined

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false })

/** Opens a pipe or a device that is named as a file. */
const openSpecial = async (path: string, name: string): Promise<Readable> => {
  try {
    return await streamSpecial(path)
  } catch (error) {
    throw fileError(error, 'read', name)
  }
}

/** Tells whether a file is read as a stream: standard input, or a pipe or a device that the user named. */
const isStreamed = ({ cwd, readsFound = false }: Io, file: string): boolean =>
  file === '-' || (!readsFound && isStream(cwd, file))

/** Opens a file, a pipe, or standard input. */
const openLocal = async ({ io, note }: Cli, file: string, signal: () => AbortSignal): Promise<RereadableFile> => {
  const path = resolve(io.cwd, file)
  if (!isStreamed(io, file)) return fileSource(path, file)
  if (file === '-' && io.stdinIsTerminal) await note('reading rows from the terminal; end them with Ctrl-D')
  if (file === '-') return spoolSource(io.stdin, io.tempDir, 'standard input', signal())
  return spoolSource(await openSpecial(path, file), io.tempDir, file, signal())
}

/** Opens a file as tables; memory is bounded before, as finding the header of many columns is much work without a pause. */
const openFile = (
  { io, note }: Cli,
  file: RereadableFile,
  asked: RequestedFormat,
  signal: () => AbortSignal,
): Promise<readonly Table[]> => {
  io.limitMemory()
  return openTables(file, asked, { folder: io.tempDir, stop: signal, onNote: (text) => void note(text) })
}

const localSource = (io: Io, file: string): ImportSource => {
  const path = resolve(io.cwd, file)
  return {
    label: file,
    origin: isStreamed(io, file) ? undefined : path,
    stem: stemOfSource(io.cwd, file),
    stat: () => (file === '-' ? statOfStream(io.stdin) : statOf(path)),
    open: async (cli, asked, signal) => openFile(cli, await openLocal(cli, file, signal), asked, signal),
  }
}

/** Downloads the file at an address to a temporary file, and opens that. */
const openAddress = async (
  cli: Cli,
  address: URL,
  asked: RequestedFormat,
  signal: () => AbortSignal,
): Promise<readonly Table[]> => {
  const { download } = await import('../../../../client/http/download.ts')
  const { timeoutMs, network } = findReach(cli.io, cli.flags)
  const bounds = { timeoutMs, network: network(), signal: signal() }
  const content = Readable.from(download(address, bounds), { objectMode: false })
  const shown = shownAddress(address)
  const file = await spoolSource(content, cli.io.tempDir, shown, bounds.signal)
  const tables = await openFile(cli, file, asked, signal)
  return tables.map((table) => {
    const evidence = `${countOf(table.bytes, 'byte was', 'bytes were')} downloaded`
    const finding = { topic: 'address', found: shown, evidence }
    return { ...table, reading: { ...table.reading, findings: [finding, ...(table.reading.findings ?? [])] } }
  })
}

/** Returns an address that an import reads; refuses any other. Files are refused when they are opened. */
const addressOf = (text: string): URL => {
  const address = URL.parse(text)
  if (!address) throw new UsageError(`${shownSource(text)} is not an address`)
  requireSafeAddress(address)
  return address
}

const addressSource = (io: Io, text: string): ImportSource => {
  const address = addressOf(text)
  const label = shownAddress(address)
  return {
    label,
    origin: label,
    stem: stemOfSource(io.cwd, text),
    stat: () => undefined,
    open: (cli, asked, signal) => openAddress(cli, address, asked, signal),
  }
}

const querySource = (io: Io, { sql, database }: QueryFlags): ImportSource => {
  const path = resolve(io.cwd, database)
  return {
    label: database,
    origin: path,
    stem: stemOf(database),
    stat: () => statOf(path),
    open: async (cli, asked, signal) => {
      return [await openQuery({ path, name: database, sql, env: io.env }, asked, cli.io.tempDir, signal())]
    },
  }
}

/** Returns what an import reads: the files that are named, or the result of a query. */
export const importSources = (
  io: Io,
  files: readonly string[],
  query: QueryFlags | undefined,
): readonly ImportSource[] => {
  if (query && files.length > 0) {
    throw new UsageError(`${files.map(shownSource).join(' ')} and --sql are both given; import the files or the query`)
  }
  if (query) return [querySource(io, query)]
  if (files.length === 0)
    throw new UsageError('name a file, or - for standard input, or a query with --sql and --from-db')
  return files.map((file) => (isAddress(file) ? addressSource(io, file) : localSource(io, file)))
}

/** Returns a sheet as a source of its own, whose rejects and receipt lie beside those of the other sheets. */
const sheetSource = (source: ImportSource, table: Table): OpenSource => {
  const sheet = table.reading.sheet ?? ''
  const named = (name: string): string => sheetName(name, sheet)
  const { label, origin, stem, stat } = source
  const own = { label: named(label), origin: origin && named(origin), stem: `${stem}-${asFileName(sheet)}`, stat }
  return { ...own, table }
}

/** Refuses all that is imported if some of it cannot be opened, and says it of each. */
const requireOpened = (faults: readonly KpiError[]): void => {
  const [first, ...others] = faults
  if (!first) return
  if (others.length === 0) throw first
  const lines = faults.flatMap(({ message, issues }) => [
    message,
    ...issues.map((one) => `${one.field}: ${one.message}`),
  ])
  throw new IncompleteRun(exitOf(first), first.code, [...lines, 'nothing was sent of any file'])
}

/** Opens all that is imported, so that all that cannot be opened is reported before the first is sent. */
export const openSources = async (
  cli: Cli,
  sources: readonly ImportSource[],
  asked: RequestedFormat,
  signal: () => AbortSignal,
): Promise<OpenSource[]> => {
  const opened: OpenSource[] = []
  const faults: KpiError[] = []
  const isOne = !areSheetsAsked(asked)
  try {
    for (const source of sources) {
      const tables = await source.open(cli, asked, signal).catch((error: unknown) => {
        // Go on to the faults of the other files, unless one ends the work.
        if (sources.length < 2 || signal().aborted || !(error instanceof KpiError)) throw error
        faults.push(error)
        return []
      })
      opened.push(...tables.map((table) => (isOne ? { ...source, table } : sheetSource(source, table))))
    }
    requireOpened(faults)
    return opened
  } catch (error) {
    for (const { table } of opened) table.close()
    throw error
  }
}
