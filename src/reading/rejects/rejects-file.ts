import { lstatSync, rmSync, statSync } from 'node:fs'
import { parse } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import { decodeText } from '../../tabular/encoding/encoding.ts'
import { freeNumber, moveFile } from '../../files/move-file.ts'
import { writeWhole, type Writing } from '../../files/write-file.ts'
import { bytesOfFile } from '../../tabular/source/files.ts'
import { readRows } from '../../tabular/text/rows.ts'
import type { Table } from '../../tabular/source/table.ts'
import { rejectedRows, type Rejects } from './rejects.ts'

/** Returns a text that changes if a file is replaced or written; undefined if there is no file. */
const stampOf = (path: string): string | undefined => {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() ? [found.dev, found.ino, found.size, found.mtimeNs].join(' ') : undefined
}

/** Yields the rows of a rejects file without their reasons, as the wording of those may change. */
async function* rowsIn(path: string, separator: string): AsyncGenerator<string> {
  for await (const rows of readRows(decodeText(bytesOfFile(path, path), 'utf-8'), separator, path)) {
    for (const { cells } of rows) yield JSON.stringify(cells.slice(0, -1))
  }
}

/** Bounds how much larger a file may be whose rows can all be in another one: its reasons may be worded at more length. */
const [MOST_TIMES, MOST_MORE] = [4, 65_536]

/** Tells whether a file is so large that another cannot hold all of its rows, so that nobody need read it. */
const isTooLarge = (whole: string, part: string): boolean =>
  statSync(part).size > MOST_TIMES * statSync(whole).size + MOST_MORE

/** Tells whether all rows of one rejects file are in another, in the same order. Both are read once. */
const holdsAll = async (whole: string, part: string, separator: string): Promise<boolean> => {
  if (isTooLarge(whole, part)) return false
  const rows = rowsIn(whole, separator)
  try {
    for await (const row of rowsIn(part, separator)) {
      let next = await rows.next()
      while (!next.done && next.value !== row) next = await rows.next()
      if (next.done) return false
    }
    return true
  } catch (error) {
    // A file that cannot be read as rejects was not written by an import.
    if (error instanceof KpiError) return false
    throw error
  } finally {
    await rows.return(undefined)
  }
}

/** Returns `data.rejects.1.csv` for `data.rejects.csv`. */
const numbered = (path: string, number: number): string => {
  const { ext } = parse(path)
  return `${path.slice(0, path.length - ext.length)}.${number}${ext}`
}

/** Creates the rejects file of a run, which may be written more than once; `name` is for messages. */
export const createRejectsFile = (
  path: string,
  name: string,
  onWarning: (warning: string) => void,
  writing: Pick<Writing, 'isNamed' | 'signal'> = {},
) => {
  /** Holds the stamp of the file that this run wrote last: in a wide file, a row may have more cells the next time. */
  let own: string | undefined
  let moved: readonly number[] = []
  const moveAside = (): void => {
    const number = freeNumber((one) => numbered(path, one), 1)
    moveFile(path, numbered(path, number))
    moved = [...moved, number]
  }
  /** Removes moved files whose rows are all in the new file: a continued run finds some of its rejects late. */
  const dropHeld = async (separator: string): Promise<void> => {
    for (const number of moved) {
      if (!(await holdsAll(path, numbered(path, number), separator))) continue
      rmSync(numbered(path, number))
      moved = moved.filter((other) => other !== number)
    }
  }
  return {
    /**
     * Writes the rejected rows of a table, if there are any, unless a signal asks to stop; if only some cells of a row are
     * rejected, its other cells in the columns `values` are left empty. An existing file of that name is moved aside,
     * unless the new file has all of its rows.
     */
    write: async (
      table: Table,
      rejects: Rejects,
      values: readonly number[] = [],
      signal?: AbortSignal,
    ): Promise<void> => {
      if (rejects.count() === 0) return
      const { separator } = table.reading
      const onWhole = async (written: string): Promise<void> => {
        const there = stampOf(path)
        if (there === undefined || there === own) return
        if (!(await holdsAll(written, path, separator))) moveAside()
      }
      const rows = rejectedRows(table, rejects, new Set(values), signal)
      await writeWhole(path, rows, { ...writing, like: table.mode, onWhole })
      own = stampOf(path)
      await dropHeld(separator)
    },
    /** Warns of files that were moved aside; call it once nothing more is written. */
    warnOfMovedFiles: (): void => {
      for (const number of moved) {
        onWarning(
          `${name} held lines that this run did not reject, perhaps fixed ones; it was renamed to ${numbered(name, number)}`,
        )
      }
    },
  }
}
export type RejectsFile = ReturnType<typeof createRejectsFile>
