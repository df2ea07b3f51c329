/** The names of months from January on, in full and as spreadsheets shorten them; accents may be left out. */
const NAMES: readonly (readonly string[])[] = [
  'january jan januar jän jänner janvier janv enero ene gennaio gen janeiro januari styczeń stycznia sty',
  'february feb februar feber février févr fév febrero febbraio fevereiro fev februari luty lutego lut',
  'march mar märz mär mrz mars marzo março maart mrt marzec marca',
  'april apr avril avr abril abr aprile kwiecień kwietnia kwi',
  'may mai mayo maggio mag maio mei maj maja',
  'june jun juni juin junio giugno giu junho czerwiec czerwca cze',
  'july jul juli juillet juil julio luglio lug julho lipiec lipca',
  'august aug août aoû agosto ago augustus augusti sierpień sierpnia sie',
  'september sep sept septembre septiembre settembre set setembro wrzesień września wrz',
  'october oct oktober okt octobre octubre ottobre ott outubro out październik października paź',
  'november nov novembre noviembre novembro',
  'december dec dezember dez décembre déc diciembre dic dicembre dezembro grudzień grudnia gru',
].map((names) => names.split(' '))

const fold = (name: string): string => name.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').replace(/\.$/, '')

const months = new Map(NAMES.flatMap((names, at) => names.map((name) => [fold(name), at + 1] as const)))

/** All names of months, with their numbers, for tests to hold that none is that of two. */
export const monthNames: readonly (readonly [name: string, month: number])[] = NAMES.flatMap((names, at) =>
  names.map((name) => [fold(name), at + 1] as const),
)

/** Names that mean one month in Polish and another in Croatian, so that they mean none here. */
const TWO_MONTHS = /(?<!\p{L})(?:lip|lis|listopada?)(?!\p{L})/iu

/** Whether a text has the name of a month that is another one in another language. */
export const namesTwoMonths = (text: string): boolean => TWO_MONTHS.test(text)

/** The month, 1 to 12, that a name means. */
export const monthOf = (name: string): number | undefined => months.get(fold(name))
