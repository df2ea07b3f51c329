import { foldedNames, foldName, isYearName, roleOf } from './header.ts'
import { type DatePart, PART_WORDS } from '../formats/period-words.ts'

/** Lists names of columns whose cells identify something. */
const IDS = foldedNames(
  'id, ids, uuid, guid, no, nr, nº, n°, №, num, number, nummer, code, codes, key, index, row, row number, #, ean, gtin, isin, iban',
  'zip, zip code, zipcode, postcode, post code, postal code, plz, postleitzahl, code postal, postnummer, phone, telephone',
  'telephone number, telefon, tel, fax, mobile, numero, codigo, code insee, kennung, schlüssel, kod, numer, fips',
  'номер, код, 番号, コード, 编号, 编码, 代码',
  's no, sno, sl no, sr no, srno, serial, serial no, seq, seq no, sequence, lfd, lfd nr, lfdnr, rownum, row num, row id, rowid, row no',
  'line, line no, position, pos, pos nr, rank, ranking, rang, rangliste, platz, platzierung, rango, puesto, posição, pozycja, lp, l p',
  'п/п, № п/п, n п/п, 序号, 行号, 連番, 順位, 排名, 순번, 번호, 순위, warengruppe, artikelgruppe, kostenstelle, konto, cost center, account',
)
/** Lists names of columns whose numbers may have decimals and measure nothing either: coordinates and versions. */
const PLACES = foldedNames(
  'lat, latitude, lon, long, lng, longitude, x coord, y coord, x coordinate, y coordinate, coordinates, easting, northing',
  'breitengrad, längengrad, breite, länge, latitud, longitud, latitudine, longitudine, широта, долгота, 緯度, 経度, 纬度, 经度',
  'version, versions, release, build, ver',
)
/** Matches the names that programs give to the numbers of rows that they write: pandas and R. */
const WRITTEN_INDEX = /^(?:unnamed: \d+(?:\.\d+|[ _]level[ _]\d+)?|level[ _]\d+|\.\.\.\d+|v1|x1?|rn)$/i
/** Lists words that end the name of such a column, after other words: `Order no`, `customer_id`, `Rechnungs Nr.`. */
const ID_ENDS = foldedNames('id, uuid, guid, no, nr, number, nummer, code, key, numero, num, numer, zip, phone')
/** Matches a name in one word that ends in such a word: `orderId`, `Kundennummer`. */
const JOINED_ID = /(?:[a-z](?:ID|Id|No|Nr|Code|Key)|nummer|nr\.?)$/
/** Matches a name that counts something after all: `Total number`. */
const COUNTS = /^(?:total|average|avg|max|min|mean) /

/** Tells whether a column is named for ids: of orders, customers, places. A number of something is none. */
export const namesIds = (header: string): boolean => {
  const name = foldName(header.replaceAll('.', ' ').trim())
  if (IDS.has(name) || WRITTEN_INDEX.test(header.trim())) return true
  const last = name.split(' ').at(-1) ?? ''
  return (name !== last && ID_ENDS.has(last) && !COUNTS.test(name)) || JOINED_ID.test(header.trim())
}

/** Names the parts of dates and times that columns are named for. */
export type TimePart = DatePart | 'date' | 'time'

const PARTS: readonly (readonly [TimePart, ReadonlySet<string>])[] = [
  [
    'date',
    foldedNames(
      'date, datum, fecha, data, yyyymmdd, date key, datekey, date id, dateid, date int, calendar date, период, 日付',
    ),
  ],
  ['quarter', foldedNames(...PART_WORDS.quarter)],
  ['month', foldedNames(...PART_WORDS.month, 'month no, month of year, mm, year month, yearmonth, yyyymm')],
  ['week', foldedNames(...PART_WORDS.week, 'week no, week of year, iso week')],
  [
    'day',
    foldedNames(
      ...PART_WORDS.day,
      'day no, day number, day of week, day of year, weekday, week day, dow, doy, wochentag, jour de la semaine',
      'día de la semana, veckodag, dzień tygodnia, 曜日, 星期',
    ),
  ],
  [
    'time',
    foldedNames(
      'hour, hr, hh, hour of day, minute, second, time, time of day, timestamp, unix time, epoch, stunde, uhrzeit, zeit',
      'zeitstempel, heure, hora, ora, uur, tijd, timme, tid, godzina, час, время, 時, 時刻, 时刻',
    ),
  ],
]

/** Matches words before the name of a part that do not make it the name of something that is measured. */
const BEFORE_PART = /^(?:fiscal|calendar|report|reporting|iso|business|accounting|order|start|end) /

/** Returns the part of dates or times that a column is named for; undefined if it is named for none. */
export const timePartOf = (header: string): TimePart | undefined => {
  const name = foldName(header.replaceAll(/([a-z])([A-Z])/g, '$1 $2'))
  const plain = name.replace(BEFORE_PART, '')
  if (isYearName(name) || isYearName(plain) || name === 'yyyy') return 'year'
  return PARTS.find(([, names]) => names.has(name) || names.has(plain) || names.has(foldName(header)))?.[0]
}

/** Tells whether a column is named for coordinates or versions. */
export const namesPlaces = (header: string): boolean => PLACES.has(foldName(header))

/** Lists names of ids that are those of values where the numbers have decimals, such as an average position. */
const WITH_DECIMALS = foldedNames(
  'index, rank, ranking, position, pos, rang, platz, rango, posição, 順位, 排名, 순위, x, serial, line',
)

/** Tells whether a column of numbers with decimals that is named for ids may be one of values. */
export const mayHaveDecimals = (header: string): boolean => WITH_DECIMALS.has(foldName(header))

/** Tells whether numbers in a column with such a name hardly measure anything. */
export const hasUnlikelyName = (header: string): boolean =>
  timePartOf(header) !== undefined || namesIds(header) || namesPlaces(header)

/** Lists words for targets that are no names of a column of targets, because they may be KPIs as well. */
const MORE_TARGETS = foldedNames(
  'budget, budgets, budgeted, targets, goals, plans, planned, plan value, quota target, vorgabe, vorgaben, ziele, planung',
  'plan wert, sollwerte, objectifs, cibles, budget prévu, prévu, objetivos, metas, presupuesto, previsto, obiettivi',
  'budget previsto, orçamento, orçado, objetivo mensal, begroting, doelen, doelstelling, måltal, budsjett, budżet, cele',
  'plán, cíl, rozpočet, terv, cél, hedef, bütçe, tavoite, budjetti, план, цель, бюджет, норма плана, στόχος, προϋπολογισμός',
  '目標, 目標値, 予算, 計画, 目标, 预算, 计划, 預算, 計劃, 목표, 예산, 계획',
)

/** Tells whether a name is a word for targets. */
export const namesTarget = (name: string): boolean => roleOf(name) === 'target' || MORE_TARGETS.has(foldName(name))
