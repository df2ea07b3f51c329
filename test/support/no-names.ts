import fc from 'fast-check'

/** Words for no value in the languages whose months are known, each in its usual spelling. */
const WORDS = [
  'UNKNOWN|N/A|null|NaN|NaT|none|blank|empty|not applicable|No value|Unspecified|unassigned|to be determined|TRUE|FALSE|leer',
  'keine Angabe|kein Wert|nicht zugeordnet|ohne|non renseigné|sans objet|sin datos|sconosciuto|não aplicável|onbekend|okänt|ukendt',
  'ukjent|tuntematon|nieznany|neznámý|ismeretlen|necunoscut|nepoznato|непознато|неизвестно|нет данных|невідомо|невядома|άγνωστο',
  'bilinmiyor|teadmata|nezināms|nežinoma|לא ידוע|غير معروف|अज्ञात|ไม่ทราบ|无|未知|不明|なし|該当なし|없음|알 수 없음|tidak diketahui|desconegut',
  'không rõ|ND|N.D.|NS/NC|nedostupné',
].flatMap((line) => line.split('|'))

/** What programs write, which has one spelling. */
const OF_PROGRAMS = [
  String.raw`\N|<NA>|<null>|[NULL]|pd.NA|???|Error 2042|#DIV/0|#DIV/0!|Loading...|[object Object]|'N/A|#N/A|#REF!|#NV|####|(blanks)`,
  '(tom)|Err:502|-|–|…|#GETTING_DATA|1.#QNAN|*|//',
].flatMap((line) => line.split('|'))

/** What LibreOffice and Visual Basic write before the number of an error, by their languages, and how. */
const OF_ERRORS =
  'Err|Error|Fehler|Erreur|Errore|Erro|Fout|Fel|Fejl|Feil|Virhe|Błąd|Chyba|Hiba|Eroare|Ошибка|Помилка|Hata|Σφάλμα|エラー|错误|오류'
const NUMBERED = [':502', ': 508', ' :522', ' 2042', ' 2023'] as const

/** Errors without the sign behind them. */
const OF_CODES = 'REF|WERT|BEZUG|VALEUR|NOMBRE|VALORE|WAARDE|ZAHL|ЗНАЧ|HODNOTA|DEĞER|ÉRTÉK|DIV/0|ДЕЛ/0'

/** What filters and pivot tables show for empty cells, which may be a name without the brackets. */
const IN_BRACKETS = 'tom|vides|vacías|vuote|vazias|leere|lege|tomma|tyhjät|üresek|goale|пустые|порожні|κενά|in bianco'

const inCases = (words: string, ...wrap: readonly ((word: string) => string)[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...words.split('|')), fc.nat(2), fc.constantFrom(...wrap), fc.constantFrom('NFC', 'NFD'))
    .map(([word, turn, within, form]) =>
      within([word, word.toLowerCase(), word.toUpperCase()][turn] ?? word).normalize(form),
    )

const BRACKETS = ['()', '[]', '<>', '{}', '""', "''", '“”', '**', '--', '//'].map((pair) => [
  pair.slice(0, 1),
  pair.slice(1),
])

/** Draws texts that name nothing: words in many spellings, and what programs write. */
export const noNames: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...OF_PROGRAMS),
  inCases(OF_ERRORS, ...NUMBERED.map((number) => (word: string) => word + number)),
  inCases(
    OF_CODES,
    (word) => `#${word}`,
    (word) => `#${word}!`,
  ),
  inCases(
    IN_BRACKETS,
    (word) => `(${word})`,
    (word) => `[${word}]`,
  ),
  fc
    .record({
      word: fc.constantFrom(...WORDS),
      turn: fc.nat(2),
      brackets: fc.constantFrom(['', ''], ...BRACKETS),
      between: fc.constantFrom(' ', '_', '-', '\u00a0'),
      form: fc.constantFrom('NFC', 'NFD'),
      invisible: fc.constantFrom('', '\u200b'),
    })
    .map(({ word, turn, brackets: [before = '', after = ''], between, form, invisible }) => {
      const written = [word, word.toLowerCase(), word.toUpperCase()][turn] ?? word
      return `${before}${written.replaceAll(' ', between)}${invisible}${after}`.normalize(form)
    }),
)

/** Letters, each with those of other scripts that look like it. */
const LIKE: Readonly<Record<string, string>> = {
  A: 'АΑⲀꓮ',
  B: 'ВΒⲂꓐ',
  I: 'ІΙӀⲒꓲ',
  O: 'ОΟⲞꓳ',
  a: 'аαⲁ',
  e: 'е',
  o: 'оοⲟ',
  p: 'рρⲣ',
}

const lettersIn = (keys: string): fc.Arbitrary<string> => fc.constantFrom(...Array.from(keys))

/** Draws two names that look alike, of which the second has a letter of another script. */
export const lookAlikes: fc.Arbitrary<readonly [name: string, other: string]> = fc
  .tuple(lettersIn('ABIO'), fc.array(lettersIn('aeop'), { maxLength: 5 }), fc.nat(5), fc.nat(4))
  .map(([first, others, place, turn]) => {
    const word = [first, ...others]
    const at = place % word.length
    const like = Array.from(LIKE[word[at] ?? ''] ?? '')
    return [word.join(''), word.with(at, like[turn % like.length] ?? '').join('')] as const
  })
