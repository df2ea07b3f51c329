import { createReadStream, existsSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { parse } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import { decoded } from '../parse/decode.ts'
import { bytesOf, writeWhole } from '../parse/files.ts'
import { readRows } from '../parse/rows.ts'
import type { Table } from '../parse/table.ts'
import { rejectedRows, type Rejects } from './rejects.ts'

/** The file that takes the rejects of a run, which may lay them down more than once. */
export type RejectsFile = {
  /**
   * Writes the rejected rows of a table; of those whose columns are told apart, only those of `values`. What others left
   * under the name is moved aside, unless all of it stands in the new file as well.
   */
  readonly write: (table: Table, rejects: Rejects, values?: readonly number[]) => Promise<void>
  /** Warns of what was moved aside; to be called when nothing more is written. */
  readonly tell: () => void
}

/** Which file that is and how it is; undefined where there is none. */
const stampOf = (path: string): string | undefined => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() ? [found.dev, found.ino, found.size, found.mtimeNs].join(' ') : undefined
}

/** The rows of a rejects file without their reasons, which may be put in other words tomorrow. */
async function* rowsIn(path: string, separator: string): AsyncGenerator<string> {
  for await (const rows of readRows(decoded(bytesOf(createReadStream(path), path), 'utf-8'), separator, path)) {
    for (const { cells } of rows) yield JSON.stringify(cells.slice(0, -1))
  }
}

/** Whether all rows of one rejects file stand in another, in the same order. Both are read but once. */
const holdsAll = async (whole: string, part: string, separator: string): Promise<boolean> => {
  const rows = rowsIn(whole, separator)
  try {
    for await (const row of rowsIn(part, separator)) {
      let next = await rows.next()
      while (!next.done && next.value !== row) next = await rows.next()
      if (next.done) return false
    }
    return true
  } catch (error) {
    // What cannot be read as rejects is not ours.
    if (error instanceof KpiError) return false
    throw error
  } finally {
    await rows.return(undefined)
  }
}

/** `data.rejects.1.csv` for `data.rejects.csv`. */
const numbered = (path: string, number: number): string => {
  const { ext } = parse(path)
  return `${path.slice(0, path.length - ext.length)}.${number}${ext}`
}

/** A rejects file, which people are told of by the name that they know. */
export const createRejectsFile = (path: string, name: string, onWarning: (warning: string) => void): RejectsFile => {
  /** What this run wrote last: rows of a wide file may hold more cells, the next time. */
  let own: string | undefined
  let moved: readonly number[] = []
  const moveAside = async (): Promise<void> => {
    let number = 1
    while (existsSync(numbered(path, number))) number += 1
    await rename(path, numbered(path, number))
    moved = [...moved, number]
  }
  /** A run that goes on comes to some of its rejects late, so that they were moved aside for nothing. */
  const dropHeld = async (separator: string): Promise<void> => {
    for (const number of moved) {
      if (!(await holdsAll(path, numbered(path, number), separator))) continue
      await rm(numbered(path, number))
      moved = moved.filter((other) => other !== number)
    }
  }
  return {
    write: async (table, rejects, values = []) => {
      const { separator } = table.reading
      const onWhole = async (written: string): Promise<void> => {
        const there = stampOf(path)
        if (there === undefined || there === own) return
        if (!(await holdsAll(written, path, separator))) await moveAside()
      }
      await writeWhole(path, rejectedRows(table, rejects, new Set(values)), { like: table.mode, onWhole })
      own = stampOf(path)
      await dropHeld(separator)
    },
    tell: () => {
      for (const number of moved) {
        onWarning(
          `${name} held lines that are no rejects of this run, mended ones perhaps; it is ${numbered(name, number)} now`,
        )
      }
    },
  }
}
