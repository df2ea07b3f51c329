import { type Day, formatDay } from '../../domain/day.ts'
import { type DateFormat, flagsOf } from './date-format.ts'
import { type Evidence, shown } from './evidence.ts'
import { made } from './known-formats.ts'

/**
 * A form that is found out, and a rarer one that is written alike: weeks instead of months, the day before the month
 * or, with dots, behind it. The rarer one is never assumed; where they are `even`, neither is.
 */
type Rivalry = { readonly usual: string; readonly rare: DateFormat; readonly isEven: boolean }

const alike = (isEven: boolean, ...pairs: readonly string[]): Rivalry[] =>
  pairs.map((pair) => {
    const [usual = '', rare = ''] = pair.split(' | ')
    return { usual, rare: made(rare), isEven }
  })

const RIVALRIES: readonly Rivalry[] = [
  ...alike(true, 'MM/YYYY | WW/YYYY', 'MM.YYYY | WW.YYYY', 'MM-YYYY | WW-YYYY'),
  ...alike(false, 'YYYY-MM | YYYY-WW', 'YYYY/MM | YYYY/WW'),
  ...alike(
    false,
    'YYYY-MM-DD | YYYY-DD-MM',
    'YYYY/MM/DD | YYYY/DD/MM',
    'YYYY.MM.DD | YYYY.DD.MM',
    'YYYYMMDD | YYYYDDMM',
    'DD.MM.YYYY | MM.DD.YYYY',
    'DD. MM. YYYY | MM. DD. YYYY',
    'DD MM YYYY | MM DD YYYY',
  ),
]

const MONTH = /month|monat|mois|\bmes\b|\bmês\b|mese|maand|månad|miesi[aą]c/iu

/** What cells show for the rare form: the first that only it fits, and the first that both fit. */
type Signs = { only?: Evidence; both?: Evidence; isRefuted: boolean }

/** What stands for forms that are rarer than those that a column is read in. */
export type Rivals = {
  readonly note: (text: string, line: number) => void
  /** Why it cannot be told which is meant, as far as these usual forms may be. */
  readonly doubt: (left: readonly DateFormat[]) => string | undefined
}

const reading = (format: DateFormat, text: string): string => {
  const day = format.read(text)
  return `${typeof day === 'number' ? formatDay(day) : 'no date'} (${format.text})`
}

/** Watches the rarer forms of a column; its name may say that months are meant. */
export const createRivals = (name: string, known: readonly DateFormat[]): Rivals => {
  const pairs = RIVALRIES.flatMap(({ usual: text, rare, isEven }) => {
    const usual = known.find((format) => format.text === text)
    const signs: Signs = { isRefuted: false }
    return usual ? [{ usual, rare, isEven: isEven && !MONTH.test(name), signs }] : []
  })
  const look = ({ usual, rare, signs }: (typeof pairs)[number], text: string, line: number): void => {
    const [day, other]: (Day | null | undefined)[] = [usual.read(text), rare.read(text)]
    if (typeof other === 'number') {
      if (day === null) signs.only ??= { text, line }
      else if (day !== other) signs.both ??= { text, line }
    } else if (typeof day === 'number') signs.isRefuted = true
  }
  return {
    note: (text, line) => {
      for (const pair of pairs) if (!pair.signs.isRefuted) look(pair, text, line)
    },
    doubt: (left) => {
      for (const { usual, rare, isEven, signs } of pairs) {
        const cell = signs.only ?? (isEven ? signs.both : undefined)
        if (!cell || signs.isRefuted || !left.includes(usual)) continue
        const beside = signs.only && signs.both ? `, and ${shown(signs.both)} is either` : ''
        return `${shown(cell)} is ${reading(usual, cell.text)} or ${reading(rare, cell.text)}${beside}; say which: ${flagsOf([usual, rare])}`
      }
      return undefined
    },
  }
}
