import { isObject, type Json } from '../../codec/json.ts'
import { saysNothing } from '../../client/said.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'

/** What differs from answer to answer, and says nothing of what was done: days and times, and names made by chance. */
const MOMENT = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?/g
const LONG_WORD = /[\w-]{16,}/g
/** Names of ids, which are another one each time, but for one that is none. */
const OF_IDS = /(?:^|_)id$|[a-z]Id$/
/** Names of places and times, and of names made by chance. */
const OF_PLACES =
  /(?:^|_)(?:index|line|row|position|version|time|timestamp|ms|took|duration|elapsed)$|[a-z](?:At|Time|Ms)$/
const OF_CHANCE = /(?:^|_)(?:ref|hash|token|trace|uuid|etag|nonce)$/i
/** Names of values that repeat what was sent; a number elsewhere tells what was done, whatever was sent. */
const OF_VALUES = /actual|target|value|amount|user|kpi|source|owner|item/i

const UNIT = 10_000

/** The numbers that drafts hold, and their notes, which answers may repeat. */
const valuesIn = (drafts: readonly EntryDraft[]): ReadonlySet<number | string> => {
  const sent = new Set<number | string>()
  for (const { user_id, source_id, kpi_id, actual, target, notes } of drafts) {
    for (const one of [user_id, source_id, kpi_id, notes]) if (one !== null && one !== undefined) sent.add(one)
    for (const one of [actual, target]) if (typeof one === 'bigint') sent.add(Number(one) / UNIT)
  }
  return sent
}

/**
 * How an answer to some entries looks: the same for answers that say the same of others. Words and numbers stand for what
 * they say, but for what differs from entry to entry: what was sent, ids, days, times. In an answer to a single one, so do
 * all other numbers in words; none is told from some. Of lists it is told how many more or fewer they name than were sent.
 */
export const shapeOf = (body: Json, drafts: readonly EntryDraft[]): string => {
  const sent = valuesIn(drafts)
  const isOne = drafts.length === 1
  const ofText = (name: string, text: string): string => {
    if (OF_CHANCE.test(name) || sent.has(text)) return '#'
    const plain = text.replaceAll(MOMENT, 'MOMENT').replaceAll(LONG_WORD, (word) => (/\d/.test(word) ? 'TOKEN' : word))
    return isOne ? plain.replaceAll(/\d+/g, (digits) => (Number(digits) === 0 ? '0' : '#')) : plain
  }
  const ofNumber = (name: string, number: number): unknown => {
    if (OF_IDS.test(name)) return number === 0 ? 0 : '#'
    return OF_PLACES.test(name) || (OF_VALUES.test(name) && sent.has(number)) ? '#' : number
  }
  const of = (name: string, value: Json): unknown => {
    if (typeof value === 'string') return ofText(name, value)
    if (typeof value === 'number') return ofNumber(name, value)
    if (JSON.isRawJSON(value)) return ofNumber(name, Number(value.rawJSON))
    if (Array.isArray(value)) {
      const kinds = new Set(value.map((one) => JSON.stringify(of(name, one))))
      return [value.length - drafts.length, ...[...kinds].toSorted()]
    }
    if (!isObject(value)) return value
    const said = Object.entries(value).filter(([, one]) => !saysNothing(one) || one === false)
    return said.map(([key, one]) => [key, of(key, one)])
  }
  const shape = saysNothing(body) ? '' : JSON.stringify(of('', body))
  return shape === '[]' ? '' : shape
}
