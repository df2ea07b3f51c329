import { hash } from 'node:crypto'
import { ACTUAL, ADDS, decimalAt, type EntryBlock, NOTES, numberAt, TARGET } from '../../domain/entry-block.ts'

const NUMBERS = 5
const DECIMALS = 2
const LETTERS = 16

/** Returns a number that tells whether a value is omitted, cleared or given. */
const stateOf = (flags: number, { given, cleared }: typeof ACTUAL): number =>
  flags & given ? 2 : flags & cleared ? 1 : 0

const stateOfValues = (flags: number): number =>
  stateOf(flags, ACTUAL) + 3 * stateOf(flags, TARGET) + 9 * stateOf(flags, NOTES) + (flags & ADDS ? 27 : 0)

const textOf = (block: EntryBlock): string => {
  const noted: (readonly [number, string])[] = []
  for (let at = 0; at < block.count; at += 1)
    if (numberAt(block.flags, at) & NOTES.given) noted.push([at, block.notes[at] ?? ''])
  return noted.length > 0 ? JSON.stringify(noted) : ''
}

/** Holds the digests of blocks that are in use: one is asked for as its interval is planned, and as it is sent. */
const digests = new WeakMap<EntryBlock, string>()

/**
 * Returns 64 bits, in hexadecimal, that are the same for the same entries in the same order. It runs over millions of
 * rows, so it hashes numbers as bytes and not as text.
 */
export const digestOf = (block: EntryBlock): string => {
  const known = digests.get(block)
  if (known !== undefined) return known
  const digest = newDigestOf(block)
  digests.set(block, digest)
  return digest
}

const newDigestOf = (block: EntryBlock): string => {
  const { count, owner, kpi, day, flags, sources } = block
  const memory = new ArrayBuffer(count * (NUMBERS + DECIMALS) * 8)
  const numbers = new Float64Array(memory, 0, count * NUMBERS)
  const decimals = new BigInt64Array(memory, count * NUMBERS * 8)
  for (let at = 0; at < count; at += 1) {
    const [by, given] = [numberAt(owner, at), numberAt(flags, at)]
    numbers[at * NUMBERS] = Math.max(0, by)
    numbers[at * NUMBERS + 1] = by < 0 ? -by : sources.size > 0 ? (sources.get(by) ?? 0) : 0
    numbers[at * NUMBERS + 2] = numberAt(kpi, at)
    numbers[at * NUMBERS + 3] = numberAt(day, at)
    numbers[at * NUMBERS + 4] = stateOfValues(given)
    if (given & ACTUAL.given) decimals[at * DECIMALS] = decimalAt(block, 'actual', at)
    if (given & TARGET.given) decimals[at * DECIMALS + 1] = decimalAt(block, 'target', at)
  }
  const text = textOf(block)
  const bytes = text === '' ? new Uint8Array(memory) : Buffer.concat([Buffer.from(memory), Buffer.from(text)])
  return hash('sha256', bytes, 'hex').slice(0, LETTERS)
}
