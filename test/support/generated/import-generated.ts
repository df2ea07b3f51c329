import { writeFileSync } from 'node:fs'
import type fc from 'fast-check'
import { temporaryFolder } from '../folder.ts'
import { type Ran, shellIn } from '../kpi.ts'
import { anyMeant, entriesOf, type Meant } from './meant.ts'
import { anyForm, type Form, write } from './written.ts'

/** A generated file: what it means, and how it is written. */
export type Generated = { readonly meant: Meant; readonly form: Form }

/** Any file in any form. */
export const anyFile: fc.Arbitrary<Generated> = anyMeant
  .chain((meant) => anyForm(meant).map((form) => ({ meant, form })))
  .filter(({ meant, form }) => isFull(write(meant, form).meant))

/** Tells whether every owner and every KPI has a value, so that a file shows what its columns hold. */
const isFull = (meant: Meant): boolean => {
  const rows = entriesOf(meant).map((entry) => entry.split('|'))
  const hasAll = (names: readonly string[], at: number): boolean =>
    names.every((name) => rows.some((cells) => cells[at] === name))
  return hasAll(meant.owners, 0) && hasAll(meant.kpis, 1)
}

/** What an import came to: how it ended, and what is stored. */
type Outcome = Ran & { readonly stored: readonly string[] }

const importOnce = async (bytes: Buffer, flags: readonly string[]): Promise<Outcome> => {
  using folder = temporaryFolder()
  writeFileSync(folder.in('data.csv'), bytes)
  const kpi = shellIn({ home: folder.path })
  const ran = await kpi('entries', 'import', 'data.csv', '--create-missing', '--quiet', '-o', 'json', ...flags)
  const { stdout } = await kpi('entries', 'export', '--from', '1900-01-01', '--to', '2199-12-31', '--names', '--quiet')
  return { ...ran, stored: storedOf(stdout) }
}

const storedOf = (csv: string): string[] => {
  const [header = '', ...rows] = csv.trim().split('\n')
  const names = header.split(',')
  return rows
    .map((row) => row.split(','))
    .map((cells) => ['source_id', 'kpi', 'date', 'actual'].map((name) => cells[names.indexOf(name)] ?? '').join('|'))
    .map((row) => row.replace(/(\.\d{3})0$/, '$1'))
    .toSorted()
}

/** How a file was read: without a flag that settles anything, or only with them. */
export type HowRead = 'at once' | 'with flags'

/**
 * Imports a generated file into a new account: without flags that settle its form it is read as meant, or stopped with
 * nothing stored; with them it is read as meant. Throws what is wrong.
 */
export const importGenerated = async ({ meant, form }: Generated): Promise<HowRead> => {
  const written = write(meant, form)
  const expected = JSON.stringify(entriesOf(written.meant))
  const first = await importOnce(written.bytes, written.needed)
  const shown = (ran: Outcome, flags: readonly string[]): string =>
    `${flags.join(' ')}\n${JSON.stringify(form)}\n${written.bytes.toString(form.encoding === 'utf-16le' ? 'utf16le' : 'utf8')}\n${ran.code} ${ran.stderr}\nread ${JSON.stringify(ran.stored)}\nmeant ${expected}`
  const isRead = ({ code, stored }: Outcome): boolean =>
    (code === 0 || (code === 3 && form.hasFooter)) && JSON.stringify(stored) === expected
  if (isRead(first)) return 'at once'
  if (first.code !== 1 || first.stored.length > 0) throw new Error(`misread: ${shown(first, written.needed)}`)
  const flags = [...written.needed, ...written.settling]
  const settled = await importOnce(written.bytes, flags)
  if (!isRead(settled)) throw new Error(`not read with flags: ${shown(settled, flags)}`)
  return 'with flags'
}
