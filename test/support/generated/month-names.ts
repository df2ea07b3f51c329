/** A language, and how it shortens the names of months. */
export type Language = keyof typeof NAMES

/** The names of months as files of a language write them, in full and shortened. */
const NAMES = {
  English: [
    'January February March April May June July August September October November December',
    'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec',
  ],
  German: [
    'Januar Februar März April Mai Juni Juli August September Oktober November Dezember',
    'Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.',
  ],
  French: [
    'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
    'janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.',
  ],
  Spanish: [
    'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
    'ene feb mar abr may jun jul ago sept oct nov dic',
  ],
  Italian: [
    'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
    'gen feb mar apr mag giu lug ago set ott nov dic',
  ],
  Portuguese: [
    'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
    'jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.',
  ],
  Dutch: [
    'januari februari maart april mei juni juli augustus september oktober november december',
    'jan. feb. mrt. apr. mei juni juli aug. sep. okt. nov. dec.',
  ],
  Swedish: [
    'januari februari mars april maj juni juli augusti september oktober november december',
    'jan feb mar apr maj jun jul aug sep okt nov dec',
  ],
  capitals: [
    'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER',
    'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC',
  ],
} as const

/** The languages in which months are named; the second English is in capitals. */
export const LANGUAGES: readonly Language[] = [
  ...(['English', 'German', 'French', 'Spanish', 'Italian', 'Portuguese', 'Dutch', 'Swedish'] as const),
  'capitals',
]

/** The names of the twelve months, in full or shortened. */
export const monthNames = (language: Language, isFull: boolean): string[] => NAMES[language][isFull ? 0 : 1].split(' ')
