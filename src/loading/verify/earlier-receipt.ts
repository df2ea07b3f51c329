import { lstatSync } from 'node:fs'
import { readHead } from '../../files/read-file.ts'

/** Sets how much of a receipt is read: it begins with the name of its file, and may hold a difference for each row. */
const HEAD_BYTES = 8192

/** Matches how a receipt begins. */
const HEAD = /^\{\s*"receipt":\s*\d+,\s*"file":\s*\{\s*"name":\s*("(?:[^"\\]|\\.)*")/

/** Returns the name of the file whose verification wrote what is at a path; undefined if none did. */
export const fileOfReceipt = (path: string): string | undefined => {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
  const [, name] = HEAD.exec(readHead(path, HEAD_BYTES).toString()) ?? []
  return name === undefined ? undefined : String(JSON.parse(name))
}
