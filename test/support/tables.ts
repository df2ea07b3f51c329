import { writeFileSync } from 'node:fs'
import { fileSource } from '../../src/tabular/source/files.ts'
import type { ParsedFormat } from '../../src/tabular/source/table.ts'
import { openTable, type RequestedFormat } from '../../src/reading/open-table.ts'
import { temporaryFolder } from './folder.ts'

/** What a file was read as: its rows, as their lines and cells, and what was found. */
export type ReadTable = {
  readonly rows: readonly (readonly [line: number, ...cells: string[]])[]
  readonly reading: ParsedFormat
  readonly sha256: string
  readonly bytes: number
  readonly name: string
}

/** Reads a file twice, which has to give the same. */
export const readTable = async (
  content: string | Uint8Array,
  asked: RequestedFormat = {},
  name = 'data.bin',
): Promise<ReadTable> => {
  using folder = temporaryFolder()
  writeFileSync(folder.in(name), content)
  const table = await openTable(fileSource(folder.in(name), name), asked, folder.path)
  try {
    const read = async (): Promise<(readonly [number, ...string[]])[]> => {
      const rows: (readonly [number, ...string[]])[] = []
      for await (const some of table.rows()) for (const { line, cells } of some) rows.push([line, ...cells])
      return rows
    }
    const [rows, again] = [await read(), await read()]
    if (JSON.stringify(rows) !== JSON.stringify(again)) throw new Error('the second reading differs')
    const { reading, sha256, bytes } = table
    return { rows, reading, sha256, bytes, name: table.name }
  } finally {
    table.close()
  }
}

/** Why a file cannot be read. */
export const refusalOf = async (content: string | Uint8Array, asked: RequestedFormat = {}): Promise<string> => {
  const read = await readTable(content, asked).catch((error: unknown) => error)
  if (!(read instanceof Error)) throw new Error(`it was read: ${JSON.stringify(read)}`)
  return read.message
}
