import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { PublicFile } from '../../corpus/public/public-file.ts'
import { temporaryFolder } from '../folder.ts'
import { shellIn } from '../kpi.ts'
import { rowsOf } from './bytes.ts'
import { type Entry, READINGS } from './readings.ts'

/** What the import of a file came to: every entry as it was read by hand, refused with nothing stored, or misread. */
export type Checked = { readonly result: 'read' | 'refused' | 'misread'; readonly rows: number; readonly said: string }

/** The first day that can be stored; a row before it has to be rejected. */
const FIRST = '1900-01-01'

/** Names an entry so that two readings compare: an item of several columns may be joined in any way. */
const keyOf = ({ owner, kpi, date, actual }: Entry): string =>
  [owner.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase(), kpi.replace(/\s+/g, ' '), date, actual].join('|')

/** Reads an export, in which the id stands for an item whose name is a number. */
const storedOf = (exported: string, items: ReadonlyMap<string, string>): Entry[] => {
  const [header = [], ...rows] = rowsOf(exported)
  const cell = (row: readonly string[], name: string): string => row[header.indexOf(name)] ?? ''
  return rows
    .map((row) => ({
      owner: items.get(cell(row, 'source_id')) ?? (cell(row, 'source_id') || cell(row, 'user')),
      kpi: cell(row, 'kpi'),
      date: cell(row, 'date'),
      actual: cell(row, 'actual'),
    }))
    .map((entry) => ({
      ...entry,
      actual: entry.actual.includes('.') ? entry.actual.replace(/\.?0+$/, '') : entry.actual,
    }))
}

/** Checks that bytes are those of a public file, whole or cut. */
export const requireKnown = ({ file, whole, cut }: PublicFile, bytes: Buffer): void => {
  const sum = createHash('sha256').update(bytes).digest('hex')
  if (sum !== whole && sum !== cut) throw new Error(`${file} is not the file of the list: its SHA-256 is ${sum}`)
}

/** Imports a public file into a new account with one command, and compares all that is stored with its reading. */
export const checkImport = async ({ file, args }: PublicFile, bytes: Buffer): Promise<Checked> => {
  using folder = temporaryFolder()
  const entries = READINGS[file]?.(bytes) ?? []
  const storable = entries.filter(({ date }) => date >= FIRST)
  const expected = storable.map(keyOf).toSorted()
  const code = storable.length < entries.length ? 3 : 0
  writeFileSync(folder.in(basename(file)), bytes)
  const kpi = shellIn({ home: folder.path })
  const ran = await kpi('entries', 'import', folder.in(basename(file)), '--create-missing', '--quiet', ...args)
  const exported = await kpi('entries', 'export', '--from', FIRST, '--to', '2199-12-31', '--names', '--quiet')
  const listed = await kpi('breakdown-items', 'list', '--quiet', '-o', 'csv')
  const items = new Map(rowsOf(listed.stdout).map(([id = '', , name = '']) => [id, name]))
  const stored = storedOf(exported.stdout, items).map(keyOf).toSorted()
  const rows = expected.length
  if (rows > 0 && ran.code === code && JSON.stringify(stored) === JSON.stringify(expected))
    return { result: 'read', rows, said: ran.stderr }
  if (stored.length === 0) return { result: 'refused', rows, said: ran.stderr || exported.stderr }
  const has = new Set(stored)
  const meant = new Set(expected)
  const extra = stored.find((key) => !meant.has(key))
  const absent = expected.find((key) => !has.has(key))
  return {
    result: 'misread',
    rows,
    said: `exit ${ran.code}, ${stored.length} stored, extra ${extra}, absent ${absent}`,
  }
}
