/** Codes of currencies, as they stand before or after amounts. */
const CODES =
  'AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MAD MXN MYR NOK NZD PEN ' +
  'PHP PLN RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD VND ZAR'
/** What stands there instead of a code; longer ones before those that they begin with. */
const WORDS = 'US$ AU$ CA$ NZ$ HK$ A$ C$ R$ S$ SFr. Fr. Rs. Rs kr. kr zł Kč Ft lei лв. лв TL'

const escaped = (text: string): string => text.replaceAll(/[.$]/g, String.raw`\$&`)

/** A pattern of any currency's sign, word or code. */
export const CURRENCY = `${`${WORDS} ${CODES}`.split(' ').map(escaped).join('|')}|\\p{Sc}`
