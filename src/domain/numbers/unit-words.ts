import { CURRENCY_CODES, isCurrency } from './affixed-number.ts'

/** Maps the signs and words of currencies that stand for one to its code. */
const SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '€': 'EUR',
    '£': 'GBP',
    '₹': 'INR',
    '₩': 'KRW',
    '₽': 'RUB',
    '₺': 'TRY',
    '₫': 'VND',
    '₴': 'UAH',
    '฿': 'THB',
    zł: 'PLN',
    kč: 'CZK',
    r$: 'BRL',
    us$: 'USD',
    円: 'JPY',
  }),
)
const CODES = new Set(CURRENCY_CODES.split(' '))

/** Maps the signs that several currencies have to these. */
const SHARED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    $: 'USD AUD CAD NZD HKD SGD MXN ARS CLP COP TWD UYU DOP JMD TTD BSD BBD BZD FJD NAD LRD',
    '¥': 'JPY CNY',
    KR: 'SEK NOK DKK ISK',
  }),
)

/** Returns the currency of a sign as it is written in cells: its code, or the sign if several currencies have it. */
export const currencyOf = (sign: string): string => SIGNS.get(sign.toLowerCase()) ?? sign

const PERCENT =
  /%|\b(?:percent|percentage|per cent|pct|prozent|pourcentage|porcentaje|percentuale|percentagem|procent)\b/i

/** Tells whether the name of a KPI or of a unit says that values are percentages. */
export const namesPercent = (name: string): boolean => PERCENT.test(name)

/** Tells whether a text means percent, and says nothing else. */
export const isPercent = (text: string): boolean => text.trim() !== '' && text.replace(PERCENT, '').trim() === ''

/** Lists what only stands beside numbers and in units, with its codes: in names of KPIs it may mean something else. */
const BESIDE_NUMBERS: ReadonlyMap<string, string> = new Map(
  [
    'AU$ A$: AUD, CA$ C$: CAD, NZ$: NZD, HK$: HKD, S$: SGD, DOLLAR DOLLARS: USD AUD CAD NZD HKD SGD, EURO EUROS: EUR',
    'RS: INR PKR LKR NPR MUR, FR SFR: CHF, LEI: RON MDL, ЛВ: BGN, TL: TRY, YEN: JPY, 元: CNY TWD HKD, ₪: ILS, ₱: PHP',
    '₦: NGN, ₡: CRC, ₲: PYG, ₵: GHS, ₸: KZT, ₼: AZN, ₾: GEL, ₮: MNT, ₭: LAK, ៛: KHR, ৳: BDT, ֏: AMD, ؋: AFN',
    `${'﷼'.normalize('NFKC')}: SAR IRR QAR OMR YER`,
  ].flatMap((line) =>
    line.split(', ').flatMap((part) => {
      const [signs = '', codes = ''] = part.split(': ')
      return signs.split(' ').map((sign) => [sign, codes] as const)
    }),
  ),
)

/** Returns a sign as it is compared: in large letters, of usual width, and without a full stop. */
const plainSign = (sign: string): string => currencyOf(sign.normalize('NFKC')).toUpperCase().replace('.', '')

/** Returns the codes that a sign may stand for; a code stands for itself. */
const codesOf = (sign: string): readonly string[] => {
  const plain = plainSign(sign)
  return (SHARED.get(plain) ?? BESIDE_NUMBERS.get(plain) ?? plain).split(' ')
}

/** Tells whether two signs or codes of currencies may mean the same one. */
export const mayBeSame = (one: string, other: string): boolean =>
  plainSign(one) === plainSign(other) || codesOf(one).some((code) => codesOf(other).includes(code))

/** Tells whether two signs, codes or words are one currency, whatever else they may mean: `€` and `Euro`, but not `$` and `USD`. */
export const isSameCurrency = (one: string, other: string): boolean =>
  plainSign(one) === plainSign(other) ||
  (codesOf(one).length === 1 && codesOf(other).length === 1 && mayBeSame(one, other))

/** Returns a code to call a currency by: of a sign that several have, the first of theirs. */
export const codeFor = (sign: string): string => codesOf(sign)[0] ?? sign

/** Tells whether several currencies have a sign. */
export const isSharedSign = (sign: string): boolean => SHARED.has(sign.toUpperCase().replace('.', ''))

const words = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')))

/** Lists words for thousands, millions and so on. */
const FACTORS = words(
  'thousand thousands million millions billion billions trillion mio mrd tsd mn mln mld bn tausend millionen milliarden',
  'milliers milliards mille miles millones mil milhões crore crores cr lakh lakhs trn tys mkr k m mm 000 000s',
  'тыс млн млрд 千 百万 億 万 亿 百萬 萬',
)
/** Lists the words of units, in small letters. */
const UNITS = words(
  'kg mg lb lbs oz tonne tonnes ton tons km cm mm mi mile miles meter metre meters metres yd sqm sqft m² m³ m2 m3 ha ltr',
  'litre litres liter liters ml cl hl gal gallon gallons kwh mwh gwh wh kw mw gw hr hrs hour hours min mins minute minutes',
  'sec secs second seconds days weeks months pcs pc piece pieces stk stück units ea each percent pct % ‰ °c °f kb mb gb tb',
)
const ANY_CURRENCY = [...SIGNS.keys(), '$', '¥', ...CODES, '元']
  .map((sign) => sign.replaceAll('$', String.raw`\$`))
  .join('|')
/** Matches a currency with a word for thousands or millions written to it, such as `T€`, `kEUR`, `百万円` or `$m`. */
const JOINED = new RegExp(
  `^(?:(T|k|K|M|m|Mio\\.?|Mn|Mrd\\.?|Tsd\\.?|bn|千|百万|億|万|亿|百萬|萬)(${ANY_CURRENCY})|(${ANY_CURRENCY})'?(k|K|m|M|mm|mn|Mn|mln|bn|b|B|000s?|mio|mrd))$`,
  'u',
)

/** Returns the currency of a word that also says its scale, such as `T€`, and that scale; undefined if it is none. */
export const joinedCurrency = (word: string): { readonly currency: string; readonly scale: string } | undefined => {
  const [, before, after, first, last] = JOINED.exec(word) ?? []
  const [currency, scale] = after === undefined ? [first, last] : [after, before]
  return currency === undefined || scale === undefined ? undefined : { currency: currencyOf(currency), scale }
}

/** Lists the names of columns of units. */
const UNIT_NAMES = new Set(
  [
    'unit, units, uom, unit of measure, unit of measurement, measurement unit, einheit, einheiten, mengeneinheit, unité, unite',
    'unité de mesure, unidad, unidades, unidad de medida, unidade, unità, unita, unità di misura, eenheid, enhet, jednostka',
    'единица, 単位, 单位, 單位, multiplier, currency, currencies, currency code, currency unit, iso currency, ccy, währung',
    'waehrung, währungscode, devise, code devise, moneda, moeda, valuta, waluta, валюта, 通貨, 货币, 币种, 幣別',
  ].flatMap((line) => line.split(', ')),
)

/** Tells whether a column is named for units or currencies, such as `Currency` or `Unit of measure`. */
export const namesUnits = (header: string): boolean =>
  UNIT_NAMES.has(
    header
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' '),
  )

const isUnitWord = (word: string): boolean => {
  const plain = word.toLowerCase().replace(/\.$/, '')
  return UNITS.has(plain) || (plain.length > 1 && FACTORS.has(plain)) || isCurrency(word) || JOINED.test(word)
}

const SHORT_WORDS = /^\D{1,20}$/u

/**
 * Tells whether a text is a currency or another unit, such as `EUR`, `kg` or `Mio. €`, and nothing else; in a column
 * that is named for units, any short words are.
 */
export const isUnit = (text: string, isUnitColumn: boolean): boolean =>
  SHORT_WORDS.test(text) && (isUnitColumn || text.split(/[\s/]+/).every(isUnitWord))

/** Lists words for what numbers count, beside currencies and other units. */
const COUNTED = words(
  'persons people pers personen personnes personas persone osoby number count items anz anzahl unités nombre nb unidades',
  'número szt antal stuks aantal prozent g t tonnen to h std stunden heures horas minuten s d tage jours l twh celsius',
  'm2 m3 人 件 个',
)

/** Returns the unit that a cell below a header gives, without brackets; undefined if its words are not known. */
export const unitBelowHeader = (text: string): string | undefined => {
  const bare = text.replace(/^[([]([^()[\]]*)[)\]]$/u, '$1').trim()
  return COUNTED.has(bare.toLowerCase().replace(/\.$/, '')) || isUnit(bare, false) ? bare : undefined
}

/** Describes the currency that a name gives, and how it is written: with a factor, if there is one. */
type NamedCurrency = { readonly currency: string; readonly text: string; readonly hasFactor: boolean }

const LINKS = words('of de di in von der')
const isFactor = (word: string | undefined): boolean =>
  word !== undefined && FACTORS.has(word.toLowerCase().replaceAll(/[.']/g, ''))

/** Returns the words of a currency and of the factor beside it: `Mio. €`, `EUR million`, `thousands of EUR`. */
const withFactor = (parts: readonly string[], at: number): string[] => {
  if (isFactor(parts[at - 1])) return parts.slice(at - 1, at + 1)
  if (LINKS.has(parts[at - 1]?.toLowerCase() ?? '') && isFactor(parts[at - 2])) return parts.slice(at - 2, at + 1)
  return isFactor(parts[at + 1]) ? parts.slice(at, at + 2) : parts.slice(at, at + 1)
}

/** Returns the currencies that the name of a KPI says, such as `Revenue (EUR)`, `Umsatz in €` or `Sales (Mio. €)`. */
export const currenciesIn = (name: string): NamedCurrency[] => {
  const parts = name.split(/[\s()[\],;:/]+/).filter((part) => part !== '')
  return parts.flatMap((part, at) => {
    const joined = joinedCurrency(part)
    if (joined) return [{ currency: joined.currency, text: part, hasFactor: true }]
    const currency = SIGNS.get(part.toLowerCase()) ?? (CODES.has(part) || isSharedSign(part) ? part : undefined)
    if (currency === undefined) return []
    const text = withFactor(parts, at)
    return [{ currency, text: text.join(' '), hasFactor: text.length > 1 }]
  })
}

/** Lists signs that do not say which currency is meant: that of any computer, and forints or feet. */
const UNCLEAR = words('¤ ft')
const ALL_CODES = new Set(Intl.supportedValuesOf('currency'))

/** Returns the currencies that a unit or a sign beside a number gives, which may be a word such as `Euro`. */
export const currenciesOf = (text: string): string[] => {
  if (UNCLEAR.has(text.toLowerCase())) return []
  if (isCurrency(text) || ALL_CODES.has(text)) return [currencyOf(text)]
  const others = text.split(/[\s()[\],;:/]+/).filter((word) => BESIDE_NUMBERS.has(plainSign(word)))
  return [...currenciesIn(text).map(({ currency }) => currency), ...others]
}
