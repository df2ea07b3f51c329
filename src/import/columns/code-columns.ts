import type { Contents } from './contents.ts'
import { type HeaderFindings, unassignedColumns } from './header.ts'

/** Sets how many rows show that numbers count them: fewer may do so by chance. */
const LEAST_COUNTED = 5
/** Sets how many rows show that codes stand for names, and how often each has to come at least on the average. */
const LEAST_CODED = 6
const LEAST_EACH = 2

/** Tells whether whole numbers rise by one from each row to the next. */
const countsRows = (texts: readonly string[]): boolean =>
  texts.length >= LEAST_COUNTED && texts.every((text, at) => at === 0 || Number(text) === Number(texts[at - 1]) + 1)

/** Tells whether each text of one column always stands beside the same text of another, and each of that beside the same of this one. */
const areNamesOf = (texts: readonly string[], others: readonly string[]): boolean => {
  const [there, back] = [new Map<string, string>(), new Map<string, string>()]
  for (const [at, text] of texts.entries()) {
    const other = others[at] ?? ''
    if (text === '' || other === '') return false
    if ((there.get(text) ?? other) !== other || (back.get(other) ?? text) !== text) return false
    there.set(text, other)
    back.set(other, text)
  }
  return there.size > 1 && texts.length >= LEAST_EACH * there.size
}

/**
 * Returns what the whole numbers of a column show that they are instead of values: they count the rows, or are codes for
 * the names of another column. The first rows show it.
 */
export const whatNumbersAre = (found: HeaderFindings, contents: Contents, at: number): string | undefined => {
  const { rows } = contents
  if (rows.length < LEAST_COUNTED || !contents.isWhole(at)) return undefined
  const textsOf = (place: number): string[] => rows.map(({ cells }) => cells[place]?.trim() ?? '')
  const texts = textsOf(at)
  if (countsRows(texts)) return 'that rise by one with the rows'
  if (rows.length < LEAST_CODED) return undefined
  const owners = [found.roles.get('user'), found.roles.get('source'), found.roles.get('kpi')]
  const named = [...owners, ...unassignedColumns(found)].find(
    (place) =>
      place !== undefined && place !== at && contents.peek(place) === 'texts' && areNamesOf(texts, textsOf(place)),
  )
  return named === undefined ? undefined : `that go with the names of "${found.header[named]?.trim()}", as codes do`
}
