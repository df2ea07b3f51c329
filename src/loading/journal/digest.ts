import { hash } from 'node:crypto'
import type { EntryDraft } from '../../domain/resources/entry.ts'

const NUMBERS = 5
const DECIMALS = 2
const LETTERS = 16

/** Returns a number that tells whether a value is omitted, cleared or given. */
const stateOf = (value: unknown): number => (value === undefined ? 0 : value === null ? 1 : 2)

const stateOfValues = ({ actual, target, notes, addToActual }: EntryDraft): number =>
  stateOf(actual) + 3 * stateOf(target) + 9 * stateOf(notes) + (addToActual ? 27 : 0)

const textOf = (drafts: readonly EntryDraft[]): string => {
  const noted = drafts.flatMap(({ notes }, at) => (typeof notes === 'string' ? [[at, notes]] : []))
  return noted.length > 0 ? JSON.stringify(noted) : ''
}

/**
 * Returns 64 bits, in hexadecimal, that are the same for the same drafts in the same order. It runs over millions of
 * rows, so it hashes numbers as bytes and not as text.
 */
export const digestOf = (drafts: readonly EntryDraft[]): string => {
  const memory = new ArrayBuffer(drafts.length * (NUMBERS + DECIMALS) * 8)
  const numbers = new Float64Array(memory, 0, drafts.length * NUMBERS)
  const decimals = new BigInt64Array(memory, drafts.length * NUMBERS * 8)
  let at = 0
  for (const draft of drafts) {
    numbers[at * NUMBERS] = draft.user_id ?? 0
    numbers[at * NUMBERS + 1] = draft.source_id ?? 0
    numbers[at * NUMBERS + 2] = draft.kpi_id
    numbers[at * NUMBERS + 3] = draft.entry_date
    numbers[at * NUMBERS + 4] = stateOfValues(draft)
    decimals[at * DECIMALS] = draft.actual ?? 0n
    decimals[at * DECIMALS + 1] = draft.target ?? 0n
    at += 1
  }
  const text = textOf(drafts)
  const bytes = text === '' ? new Uint8Array(memory) : Buffer.concat([Buffer.from(memory), Buffer.from(text)])
  return hash('sha256', bytes, 'hex').slice(0, LETTERS)
}
