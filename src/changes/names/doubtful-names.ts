import { mapWithPauses } from '../../client/next-turn.ts'
import { unmarkText } from '../../codec/cell-text.ts'
import { LONGEST_NAME, nameForm, newName, seenForm, looseName } from '../../domain/name-form.ts'
import { isNoName, isSpreadsheetError } from '../../domain/no-value-words.ts'
import type { Pause } from '../../domain/pause.ts'

/**
 * Lists letters of other scripts, each behind the one that it looks like: of Cyrillic, Greek, Armenian, Cherokee, Coptic,
 * Lisu and Canadian syllabics beside Latin, and of Japanese scripts beside Chinese signs.
 */
const LIKE = [
  'AАΑᎪ|BВΒᏴ|CСᏟ|EЕΕᎬ|HНΗᎻ|IІΙ|JЈᎫ|KКΚᏦ|MМΜᎷ|NΝ|OОΟՕ|PРΡᏢ|SЅՏᏚ|TТΤᎢ|UՍ|VᏙѴ|WԜᎳ|XХΧ|YУΥ|ZΖᏃ|GᏀԌ|QԚ|LᏞ|DᎠ|RᏒ',
  'aаα|cс|dԁ|eе|gց|hһհ|iіι|jј|lӏ|nո|oоοօ|pрρ|qԛզ|sѕ|uυս|vνѵ|wԝ|xхχ|yу|kκ',
  'IӀⲒꓲ|AⲀꓮᗅ|BⲂꓐᗷ|CⲤꓚᑕ|DꓓᗞᗪᎠ|EⲈꓰ|FꓝᖴϜ|Gꓖ|HⲎꓧᕼ|JꓙᒍᎫ|KⲔꓗ|LⳐꓡᒪ|MⲘꓟ|NⲚꓠ|OⲞꓳ|PⲢꓑᑭ|RꓣᖇᏒ|SꓢᏕ|TⲦꓔ|UꓴᑌՍ|VꓦᐯᏙ|WꓪᎳ',
  'XⲬꓫ᙭|YⲨꓬ|ZꓜᏃ|aⲁ|cⲥꮯ|oⲟ|pⲣ|sꮪ|vꮩ|wѡꮃ|xⲭ|yⲩγ|zꮓ|kк',
  '口ロ|力カ|工エ|二ニ|八ハ|夕タ|卜ト|一ー|ヘへ|リり',
].flatMap((line) => line.split('|'))

const originals = new Map(
  LIKE.flatMap(([one = '', ...others]) => others.map((other) => [other.normalize('NFKD'), one] as const)),
)
const OTHERS = new RegExp(`[${[...originals.keys()].join('')}]`, 'gu')

const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Cherokee',
  'Coptic',
  'Lisu',
  'Canadian_Aboriginal',
  'Katakana',
  'Hiragana',
  'Han',
].map((name) => [name, new RegExp(String.raw`\p{scx=${name}}`, 'u')] as const)

/** Matches capitals of other scripts that look like a small L, beside small letters. */
const LIKE_SMALL_L = /(?<=\p{Ll})[ӀІΙⲒꓲ]|(?<=\p{L})[ӀІΙⲒꓲ](?=\p{Ll})/gu

/** Returns what a name looks like, as names are compared: with one letter for all that look like it. */
const looksOf = (name: string): string =>
  name.length > LONGEST_NAME
    ? name
    : looseName(
        name
          .normalize('NFKD')
          .replaceAll(LIKE_SMALL_L, 'l')
          .replaceAll(OTHERS, (letter) => originals.get(letter) ?? letter),
      )

const codeText = (sign: string): string => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

const letterText = (letter: string): string => {
  const script = SCRIPTS.find(([, letters]) => letters.test(letter))?.[0]
  return `"${letter}" (${codeText(letter)}${script === undefined ? '' : `, ${script}`})`
}

const lettersOf = (name: string): string[] => name.normalize('NFKD').match(/\p{L}/gu) ?? []

/** Returns the first letter in which a name differs from one that it looks like, by its code point and script. */
const tellLetter = (name: string, other: string): string => {
  const others = lettersOf(other)
  const isOther = (letter: string, at: number): boolean => looseName(letter) !== looseName(others[at] ?? '')
  const letters = lettersOf(name)
  const at = letters.findIndex(isOther)
  return `its ${letterText(letters[at] ?? '')} is not ${letterText(others[at] ?? '')}`
}

/** Returns the first sign in which a name differs from one that nobody can tell from it by sight. */
const tellSign = (name: string, other: string): string => {
  const [signs, others] = [Array.from(name), Array.from(other)]
  const place = signs.findIndex((sign, at) => sign !== others[at])
  const at = place < 0 ? signs.length : place
  const textOf = (sign: string | undefined): string => (sign === undefined ? 'missing' : codeText(sign))
  return `its character ${at + 1} is ${textOf(signs[at])}, and not ${textOf(others[at])}`
}

/** Describes a new name that looks like another one, which is new as well or exists, and why that is not the same. */
export type LookAlike = { readonly name: string; readonly other: string; readonly why: string }

/** Holds how names are compared: what they look like, whether two that look alike are others, and in what these differ. */
type Comparison = {
  readonly formOf: (name: string) => string
  readonly areOther: (name: string, other: string) => boolean
  readonly tell: (name: string, other: string) => string
}

/** Returns a function that finds the new names that look like others, and are not the same. */
const finderOf =
  ({ formOf, areOther, tell }: Comparison) =>
  async (names: readonly string[], known: readonly string[], pause: Pause): Promise<LookAlike[]> => {
    const first = new Map<string, string>()
    const isNew = new Set(names)
    const all = names.length === 0 ? [] : [...known, ...names]
    const found = await mapWithPauses(all, pause, (name) => {
      const form = formOf(name)
      const other = first.get(form)
      if (other === undefined) first.set(form, name)
      if (other === undefined || !isNew.has(name) || !areOther(name, other)) return []
      return [{ name, other, why: `looks like "${other}", though ${tell(name, other)}` }]
    })
    return found.flat()
  }

/** Returns the new names that look like others, but have letters of another script. */
export const findLookAlikes = finderOf({
  formOf: looksOf,
  areOther: (name, other) => looseName(other) !== looseName(name),
  tell: tellLetter,
})

/** Returns the new names that nobody can tell from others by sight: they differ in how their signs are encoded, or in invisible ones. */
const findTwins = finderOf({ formOf: seenForm, areOther: (name, other) => other !== name, tell: tellSign })

/** Ends the sentence about a new name that looks like a word for no value. */
export const NO_VALUE = 'may stand for no value'

const IS_ERROR = 'is an error of the spreadsheet'

/** Says what a text is that names nothing. */
export const whyNoName = (text: string): string => (isSpreadsheetError(nameForm(text)) ? IS_ERROR : NO_VALUE)

/** Returns a text as it is compared where nothing but its encoding, and marks of exported files around it, may differ. */
const exactly = (text: string): string => newName(unmarkText(text)).normalize('NFC')

/** Tells whether a text is exactly a name, and not only another spelling of it. */
export const isExactly = (name: string, text: string): boolean => exactly(name) === exactly(text)

/** Tells whether `--by-name` says that the names of a field are meant, whatever they could stand for. */
export const isMeantName = (numbersAs: ReadonlyMap<string, 'ids' | 'names'> | undefined, name: string): boolean =>
  numbersAs?.get(name) === 'names'

/** Holds the names of what is new, and those that it stands beside. */
type NamesOfKind = {
  readonly names: readonly string[]
  readonly known: readonly string[]
  /** Tells whether they are names of KPIs, which may count errors. */
  readonly areKpis: boolean
  /** Tells whether two that differ in invisible signs alone are two things: where names are not found by their form. */
  readonly areExact?: boolean
}

/**
 * Returns why new names may not be meant, by name, as the end of a sentence about it: they are errors of a spreadsheet or
 * words for no value, or look like others, but have letters of another script or signs that nobody can tell apart.
 */
export const findDoubtfulNames = async (
  { names, known, areKpis, areExact = false }: NamesOfKind,
  pause: Pause,
): Promise<ReadonlyMap<string, string>> => {
  const alike = await findLookAlikes(names, known, pause)
  const twins = areExact ? await findTwins(names, known, pause) : []
  return new Map([
    ...[...twins, ...alike].map(({ name, why }) => [name, why] as const),
    ...names.filter((name) => isNoName(name, areKpis)).map((name) => [name, NO_VALUE] as const),
  ])
}
