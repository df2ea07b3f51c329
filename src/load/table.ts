import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { Source } from './files.ts'
import type { ENCODINGS, SEPARATORS } from './options.ts'
import { readRows, type Row } from './rows.ts'

/** How the bytes of a file become rows. */
export type Reading = {
  readonly gzip: boolean
  readonly encoding: (typeof ENCODINGS)[number]
  readonly separator: (typeof SEPARATORS)[number]
  /** What in the file shows that, a line each. */
  readonly evidence: readonly string[]
}

/** What the user said of how a file is to be read; whatever is left out is found out. */
export type AskedReading = Partial<Pick<Reading, 'encoding' | 'separator'>>

/** A file as rows, the header first; it can be read more than once. */
export type Table = {
  readonly name: string
  readonly reading: Reading
  /** The SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string
  readonly bytes: number
  readonly rows: () => AsyncGenerator<readonly Row[]>
  readonly close: () => void
}

const sha256Of = async (source: Source): Promise<string> => {
  const digest = createHash('sha256')
  await pipeline(source.open(), digest)
  return digest.digest('hex')
}

/** Finds out how a file is to be read. */
export const openTable = async (source: Source, asked: AskedReading = {}): Promise<Table> => {
  const reading: Reading = { gzip: false, encoding: 'utf-8', separator: ',', ...asked, evidence: [] }
  return {
    name: source.name,
    reading,
    sha256: await sha256Of(source),
    bytes: 0,
    rows: () => readRows(source.open()),
    close: source.close,
  }
}

/** The header of a file; empty where there is none. */
export const headerOf = async (table: Table): Promise<readonly string[]> => {
  for await (const [header] of table.rows()) if (header) return header.cells
  return []
}
