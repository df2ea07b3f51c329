import { closeSync, openSync, readSync, statSync } from 'node:fs'

/** Sets how much of a receipt is read: it begins with the name of its file, and may hold a difference for each row. */
const HEAD_BYTES = 8192

/** Matches how a receipt begins. */
const HEAD = /^\{\s*"receipt":\s*\d+,\s*"file":\s*\{\s*"name":\s*("(?:[^"\\]|\\.)*")/

const headOf = (path: string): string => {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    return bytes.toString('utf8', 0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}

/** Returns the name of the file whose verification wrote what is at a path; undefined if none did. */
export const fileOfReceipt = (path: string): string | undefined => {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
  const [, name] = HEAD.exec(headOf(path)) ?? []
  return name === undefined ? undefined : String(JSON.parse(name))
}
