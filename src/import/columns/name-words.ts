import { foldName } from './header.ts'

const list = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(', ')).map(foldName))

/** Lists names of columns whose cells identify something. */
const IDS = list(
  'id, ids, uuid, guid, no, nr, num, number, nummer, code, codes, key, index, row, line, #, ean, gtin, isin, iban, vat id',
  'zip, zip code, zipcode, postcode, post code, postal code, plz, postleitzahl, code postal, cap, cp, postnummer, phone',
  'telephone, telefon, tel, fax, mobile, numero, num, codigo, code insee, kennung, schlussel, kod, numer, nummer, fips',
  'номер, код, 番号, コード, 编号, 编码, 代码',
)
/** Lists words that end the name of such a column, after other words: `Order no`, `customer_id`, `Rechnungs Nr.`. */
const ID_ENDS = list('id, uuid, guid, no, nr, number, nummer, code, key, numero, num, numer, zip, phone, #')
/** Matches a name in one word that ends in such a word: `orderId`, `Kundennummer`. */
const JOINED_ID = /(?:[a-z](?:ID|Id|No|Nr|Code|Key)|nummer|nr\.?)$/

/** Tells whether a column is named for ids: of orders, customers, places. A number of something is none. */
export const namesIds = (header: string): boolean => {
  const name = foldName(header).replace(/\.$/, '')
  if (IDS.has(name)) return true
  const last = name.split(' ').at(-1) ?? ''
  return (name !== last && ID_ENDS.has(last)) || JOINED_ID.test(header.trim())
}
