import { isObject, type Json } from '../../codec/json.ts'
import { saysNothing } from '../../client/said.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'

/** What differs from answer to answer, and says nothing of what was done: days and times, and names made by chance. */
const MOMENT = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?/g
const TOKEN = /\b(?=[\w-]*\d)[\w-]{16,}\b/g
/** Names of numbers that differ likewise. */
const OF_PLACES = /(?:^|_)(?:id|index|line|row|position|number|version|time|timestamp)$|[a-z](?:Id|At|Time)$/
/** Names of numbers that tell what was done, and are never taken for those that were sent. */
const OF_DEEDS =
  /status|state|code|err|fail|reject|skip|ignor|succe|ok|count|total|rows|creat|updat|chang|add|sav|stor|insert/i

const UNIT = 10_000

/** The numbers that drafts hold, which answers may repeat. */
const numbersIn = (drafts: readonly EntryDraft[]): ReadonlySet<number> => {
  const sent = new Set<number>()
  for (const { user_id, source_id, kpi_id, actual, target } of drafts) {
    for (const one of [user_id, source_id, kpi_id]) if (typeof one === 'number') sent.add(one)
    for (const one of [actual, target]) if (typeof one === 'bigint') sent.add(Number(one) / UNIT)
  }
  return sent
}

/**
 * How an answer to some entries looks: the same for answers that say the same of others. Words and numbers stand for what
 * they say, but for what differs from entry to entry: what was sent, ids, days, times. In an answer to a single one, so do
 * all other numbers in words; none is told from some.
 */
export const shapeOf = (body: Json, drafts: readonly EntryDraft[]): string => {
  const sent = numbersIn(drafts)
  const isOne = drafts.length === 1
  const ofText = (text: string): string => {
    const plain = text.replaceAll(MOMENT, 'MOMENT').replaceAll(TOKEN, 'TOKEN')
    return isOne ? plain.replaceAll(/\d+/g, (digits) => (Number(digits) === 0 ? '0' : '#')) : plain
  }
  const ofNumber = (name: string, number: number): unknown => {
    const isOpen = !OF_DEEDS.test(name) && (OF_PLACES.test(name) || sent.has(number))
    return isOpen ? '#' : number
  }
  const of = (name: string, value: Json): unknown => {
    if (typeof value === 'string') return ofText(value)
    if (typeof value === 'number') return ofNumber(name, value)
    if (JSON.isRawJSON(value)) return ofNumber(name, Number(value.rawJSON))
    if (Array.isArray(value)) return [...new Set(value.map((one) => JSON.stringify(of(name, one))))].toSorted()
    if (!isObject(value)) return value
    const said = Object.entries(value).filter(([, one]) => !saysNothing(one) || one === false)
    return said.map(([key, one]) => [key, of(key, one)])
  }
  const shape = saysNothing(body) ? '' : JSON.stringify(of('', body))
  return shape === '[]' ? '' : shape
}
