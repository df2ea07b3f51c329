import { writeFileSync } from 'node:fs'
import type fc from 'fast-check'
import { temporaryFolder } from '../folder.ts'
import { jsonOf, type Ran, type Shell, shellIn } from '../kpi.ts'
import { anyForm, type Form } from './form.ts'
import { addressOf } from './layouts.ts'
import { anyMeant, entriesOf, type Meant } from './meant.ts'
import { type Answer, write, type Written } from './written.ts'

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

/** Something of the service, by its id. */
type Thing = { readonly id: number; readonly name?: string; readonly email?: string }

/** Lists what a command lists, each with what it is called: people by their e-mail addresses. */
const callsOf = async (kpi: Shell, noun: string): Promise<ReadonlyMap<string, string>> => {
  const things = jsonOf(await kpi(noun, 'list', '-o', 'json', '--quiet')) as readonly Thing[]
  return new Map(things.map(({ id, name, email }) => [String(id), email ?? name ?? '']))
}

const importOnce = async (bytes: Buffer, flags: readonly string[]): Promise<Outcome> => {
  using folder = temporaryFolder()
  writeFileSync(folder.in('data.csv'), bytes)
  const kpi = shellIn({ home: folder.path })
  const ran = await kpi('entries', 'import', 'data.csv', '--create-missing', '--quiet', '-o', 'json', ...flags)
  return { ...ran, stored: await storedIn(kpi) }
}

/** Lists all entries of an account, by the names of what they belong to. */
const storedIn = async (kpi: Shell): Promise<string[]> => {
  const { stdout } = await kpi('entries', 'export', '--from', '1900-01-01', '--to', '2199-12-31', '--quiet')
  const [names = [], ...rows] = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  if (rows.length === 0) return []
  const [users, items, kpis] = [
    await callsOf(kpi, 'users'),
    await callsOf(kpi, 'breakdown-items'),
    await callsOf(kpi, 'kpis'),
  ]
  const entryOf = (cells: readonly string[]): string => {
    const cell = (name: string): string => (cells[names.indexOf(name)] ?? '').replace(/^#/, '')
    const owner = users.get(cell('user')) ?? items.get(cell('source_id')) ?? ''
    return [owner, kpis.get(cell('kpi')), cell('date'), cell('actual').replace(/(\.\d{3})0$/, '$1')].join('|')
  }
  // A row may have a target and no value.
  return rows
    .filter((cells) => cells[names.indexOf('actual')] !== '')
    .map(entryOf)
    .toSorted()
}

/** How a file was read: without a flag that settles anything, or only with them. */
export type HowRead = 'at once' | 'with flags'

/** Sets how often an import may stop for something else. */
const MOST_STOPS = 8

/** Returns the answers that a message asks for by naming their flags, of those that were not yet given. */
const asked = (stderr: string, answers: readonly Answer[], given: readonly Answer[]): Answer[] =>
  answers.filter((one) => !given.includes(one) && new RegExp(`${one[0]}(?![\\w-])`).test(stderr))

const flagsOf = (answers: readonly Answer[]): string[] =>
  answers.flatMap(([flag, value]) => [flag.split(' ')[0] ?? flag, value])

/** Tells whether an import stored what is meant; rows that are none may be rejected. */
const isRead = (
  { code, stored }: Outcome,
  expected: readonly string[],
  { total, footer, subtotal, unitRow }: Form,
): boolean =>
  (code === 0 || (code === 3 && total + footer + subtotal + unitRow.join('') !== '')) &&
  JSON.stringify(stored) === JSON.stringify(expected)

/** Tells whether an import stopped, or rejected rows, without storing anything that is not meant. */
const isStopped = ({ code, stored }: Outcome, expected: readonly string[]): boolean =>
  (code === 1 && stored.length === 0) || (code === 3 && stored.every((entry) => expected.includes(entry)))

/** Shows a file and what an import made of it. */
const show = (
  { form }: Generated,
  { text }: Written,
  ran: Outcome,
  flags: readonly string[],
  expected: readonly string[],
) =>
  `${flags.join(' ')}\n${JSON.stringify(form)}\n${text}\n${ran.code} ${ran.stderr}\nread ${JSON.stringify(ran.stored)}\nmeant ${JSON.stringify(expected)}`

/**
 * Imports a generated file into a new account: it is read as meant, or stopped with nothing stored that is not meant
 * and a message that names the flag which settles it; with those flags it is read as meant. Throws what is wrong.
 */
export const importGenerated = async (file: Generated): Promise<HowRead> => {
  const written = write(file.meant, file.form)
  const expected = entriesOf(written.meant, file.form.owners === 'names' ? undefined : addressOf)
  const given: Answer[] = []
  for (let stops = 0; stops <= MOST_STOPS; stops += 1) {
    const flags = [...written.needed, ...flagsOf(given)]
    const ran = await importOnce(written.bytes, flags)
    if (isRead(ran, expected, file.form)) return stops === 0 ? 'at once' : 'with flags'
    const fail = (what: string): Error => new Error(`${what}: ${show(file, written, ran, flags, expected)}`)
    if (!isStopped(ran, expected)) throw fail('misread')
    const next = asked(ran.stderr, written.answers, given)
    if (next.length === 0) throw fail('stopped without naming a flag that settles it')
    given.push(...next)
  }
  throw new Error(`stopped ${MOST_STOPS} times: ${written.text}`)
}
