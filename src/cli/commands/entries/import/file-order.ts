import { basename, dirname } from 'node:path'
import { looseName, withoutAccents } from '../../../../domain/name-form.ts'
import type { Row } from '../../../../tabular/source/table.ts'

/** Lists the words in the name of a file that say that it corrects another one. */
const CORRECTIONS: ReadonlySet<string> = new Set(
  [
    'corrected correction corr fixed fix revised revision update updated amended restated final neu new',
    'korrigiert korrektur korr berichtigt berichtigung aktualisiert geändert final corrigé corrigée correction rectifié',
    'corregido corregida corrección revisado actualizado corretto corretta correzione rettificato corrigido corrigida',
    'correção retificado gecorrigeerd correctie herzien rättad korrigerad korrigering rettet poprawione poprawiony korekta',
  ]
    .join(' ')
    .split(' ')
    .map((word) => withoutAccents(looseName(word))),
)

/** Matches a version in the name of a file: `v2`, `rev3`, or the number of another download, `(2)`. */
const VERSION = /^(?:v|ver|version|rev|r)(\d{1,4})$/
const DOWNLOAD = /\((\d{1,3})\)/g
const BETWEEN = /[\s._()[\]-]+/

/** Matches a day or a month in the name of a file. */
const DATES = /(?<!\d)(\d{4})[-_. ]?(\d{2})(?:[-_. ]?(\d{2}))?(?:[-_T ]?(\d{2})[-_.:h]?(\d{2}))?(?!\d)/g

/** Describes the name of a file: what it is called without the marks of a correction, and which correction it is. */
type FileName = {
  readonly base: string
  /** Orders files of one base: 1 for the first, higher for later versions, and highest for corrections. */
  readonly rank: number
  /** Holds the name without dates, and its last date. */
  readonly undated: string
  readonly date: string | undefined
}

/** Sets by how much a correction comes behind any version. */
const CORRECTED = 100_000

const describe = (path: string): FileName => {
  const folder = dirname(path)
  const stem = withoutAccents(looseName(basename(path)))
  const downloads = [...stem.matchAll(DOWNLOAD)].map(([, number]) => Number(number) + 1)
  const words = stem
    .replaceAll(DOWNLOAD, '')
    .split(BETWEEN)
    .filter((word) => word !== '')
  const versions = words.flatMap((word) => Number(VERSION.exec(word)?.[1] ?? NaN) || [])
  const isCorrected = words.some((word) => CORRECTIONS.has(word))
  const kept = words.filter((word) => !CORRECTIONS.has(word) && !VERSION.test(word))
  const dates = [...stem.matchAll(DATES)].map(([, ...parts]) => parts.map((part) => part ?? '').join(''))
  return {
    base: `${folder}/${kept.join(' ')}`,
    rank: Math.max(1, ...versions, ...downloads) + (isCorrected ? CORRECTED : 0),
    undated: stem.replaceAll(DATES, ' ').split(BETWEEN).join(' '),
    date: dates.at(-1),
  }
}

/** Returns which of two files is the later one by its name: a correction of the other, or one with a later date. */
const laterByMark = (one: FileName, other: FileName): boolean | undefined =>
  one.base !== other.base || one.rank === other.rank ? undefined : one.rank > other.rank

const laterByDate = (one: FileName, other: FileName): boolean | undefined => {
  if (one.undated !== other.undated || one.date === other.date) return undefined
  return one.date === undefined || other.date === undefined ? undefined : one.date > other.date
}

/** Matches the time at which a file was written, in a line above its header. */
const TIME =
  /(?<!\d)(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?|(?<!\d)(\d{2})\.(\d{2})\.(\d{4})(?:,? (\d{2}):(\d{2}))?/g
/** Bounds the characters of a cell above the header that are looked through. */
const LONGEST_CELL = 200

/** Returns the only time that the lines above a header name; undefined if there is none, or several. */
const timeAbove = (above: readonly Row[]): string | undefined => {
  const times = above.flatMap(({ cells }) =>
    cells.flatMap((cell) =>
      [...cell.slice(0, LONGEST_CELL).matchAll(TIME)].map(([, ...parts]) => {
        const [year, month, day, hour, minute, second, dayFirst, monthNext, yearLast, hours, minutes] = parts
        return [year ?? yearLast, month ?? monthNext, day ?? dayFirst, hour ?? hours, minute ?? minutes, second]
          .map((part) => part ?? '')
          .join('')
      }),
    ),
  )
  const [only, ...others] = new Set(times)
  return others.length === 0 ? only : undefined
}

/** Describes a file as the order of an import needs it: its path without the ending, and the lines above its header. */
export type OrderedFile = { readonly stem: string; readonly above: readonly Row[] }

/** Says which of two files is the later one, and what shows it. */
type Later = { readonly isOne: boolean; readonly why: string }

/** Returns which of two files corrects the other by its name, whatever they hold. */
export const correctsByName = (one: OrderedFile, other: OrderedFile): Later | undefined => {
  const isOne = laterByMark(describe(one.stem), describe(other.stem))
  return isOne === undefined ? undefined : { isOne, why: 'as its name says' }
}

/** Returns which of two files that give other values is the later one: by its name, a date in it, or a time above its header. */
export const isLater = (one: OrderedFile, other: OrderedFile): Later | undefined => {
  const byName = correctsByName(one, other)
  if (byName) return byName
  const byDate = laterByDate(describe(one.stem), describe(other.stem))
  if (byDate !== undefined) return { isOne: byDate, why: 'as the date in its name is later' }
  const [time, before] = [timeAbove(one.above), timeAbove(other.above)]
  if (time === undefined || before === undefined || time === before) return undefined
  return { isOne: time > before, why: 'as the time above its header is later' }
}

/** Names two files, of which one has to be imported before the other. */
export type FilePair<T> = { readonly earlier: T; readonly later: T }

/** Returns files in their order, but for those that have to come after others. */
export const orderFiles = <T>(files: readonly T[], pairs: readonly FilePair<T>[]): T[] => {
  const after = Map.groupBy(pairs, ({ later }) => later)
  const [ordered, waiting] = [new Set<T>(), new Set<T>()]
  const add = (file: T): void => {
    if (ordered.has(file) || waiting.has(file)) return
    waiting.add(file)
    for (const { earlier } of after.get(file) ?? []) add(earlier)
    waiting.delete(file)
    ordered.add(file)
  }
  for (const file of files) add(file)
  return [...ordered]
}
