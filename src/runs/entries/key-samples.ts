import { ACTUAL, decimalAt, type EntryBlock, NOTES, numberAt, TARGET } from '../../domain/entry-block.ts'

/** Holds three hashes for each entry, two of its key and one of its values, to recognize it by. */
export type KeySamples = Int32Array

const NUMBERS = 3
const SEEDS = [0x1b873593, 0x2c1b3c6d] as const
const TWO_TO_32 = 2 ** 32

/** Mixes 32 more bits into a hash, as MurmurHash3 does. */
const mix = (hash: number, bits: number): number => {
  const first = Math.imul(bits, 0xcc9e2d51)
  const taken = hash ^ Math.imul((first << 15) | (first >>> 17), 0x1b873593)
  return (Math.imul((taken << 13) | (taken >>> 19), 5) + 0xe6546b64) | 0
}

const mixNumber = (hash: number, value: number): number => mix(mix(hash, value | 0), Math.floor(value / TWO_TO_32) | 0)

const finish = (hash: number): number => {
  const first = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return second ^ (second >>> 16)
}

const keyMark = (seed: number, { owner, kpi, day }: EntryBlock, at: number): number =>
  finish(mixNumber(mixNumber(mixNumber(seed, numberAt(owner, at)), numberAt(kpi, at)), numberAt(day, at)))

/** Returns a hash with what becomes of a value mixed in: omitted, cleared and given values differ. */
const mixState = (hash: number, flags: number, { given, cleared }: typeof ACTUAL): number =>
  mix(hash, flags & given ? 3 : flags & cleared ? 2 : 1)

const mixDecimal = (hash: number, block: EntryBlock, column: 'actual' | 'target', at: number): number => {
  const bits = column === 'actual' ? ACTUAL : TARGET
  const flags = numberAt(block.flags, at)
  const mixed = mixState(hash, flags, bits)
  if ((flags & bits.given) === 0) return mixed
  const units = numberAt(block[column], at)
  return mixNumber(mixed, Number.isNaN(units) ? Number(decimalAt(block, column, at)) : units)
}

const mixNotes = (hash: number, { flags, notes }: EntryBlock, at: number): number => {
  const text = numberAt(flags, at) & NOTES.given ? (notes[at] ?? '') : ''
  let mixed = mixState(hash, numberAt(flags, at), NOTES)
  for (let sign = 0; sign < text.length; sign += 1) mixed = mix(mixed, text.charCodeAt(sign))
  return mixed
}

const valueMark = (block: EntryBlock, at: number): number =>
  finish(mixNotes(mixDecimal(mixDecimal(0, block, 'actual', at), block, 'target', at), block, at))

/** Returns the samples of entries, in their order. It runs over millions of entries, so it must be cheap. */
export const sampleKeys = (block: EntryBlock): KeySamples => {
  const samples = new Int32Array(block.count * NUMBERS)
  for (let at = 0; at < block.count; at += 1) {
    samples[at * NUMBERS] = keyMark(SEEDS[0], block, at)
    samples[at * NUMBERS + 1] = keyMark(SEEDS[1], block, at)
    samples[at * NUMBERS + 2] = valueMark(block, at)
  }
  return samples
}

const keyAt = (samples: KeySamples, at: number): string => `${samples[at * NUMBERS]}/${samples[at * NUMBERS + 1]}`
const countOf = (samples: KeySamples): number => samples.length / NUMBERS

/**
 * Returns for each entry its place among earlier samples, and whether its values are the same; undefined if it is not
 * among them.
 */
export const findSamples = (
  earlier: KeySamples,
  samples: KeySamples,
): ({ readonly at: number; readonly isSame: boolean } | undefined)[] => {
  const places = new Map(Array.from({ length: countOf(earlier) }, (_, at) => [keyAt(earlier, at), at]))
  return Array.from({ length: countOf(samples) }, (_, own) => {
    const at = places.get(keyAt(samples, own))
    if (at === undefined) return undefined
    return { at, isSame: earlier[at * NUMBERS + 2] === samples[own * NUMBERS + 2] }
  })
}

/** Counts the entries whose keys are among earlier samples. */
export const countKnown = (earlier: readonly KeySamples[], blocks: Iterable<EntryBlock>): number => {
  const known = new Set(
    earlier.flatMap((samples) => Array.from({ length: countOf(samples) }, (_, at) => keyAt(samples, at))),
  )
  let count = 0
  for (const block of blocks) {
    const samples = sampleKeys(block)
    for (let at = 0; at < block.count; at += 1) if (known.has(keyAt(samples, at))) count += 1
  }
  return count
}

/** Returns samples, followed by the earlier ones whose keys are not among them. */
export const joinSamples = (samples: KeySamples, earlier: KeySamples): KeySamples => {
  const own = new Set(Array.from({ length: countOf(samples) }, (_, at) => keyAt(samples, at)))
  const others = Array.from({ length: countOf(earlier) }, (_, at) => at).filter((at) => !own.has(keyAt(earlier, at)))
  return Int32Array.from([
    ...samples,
    ...others.flatMap((at) => [...earlier.subarray(at * NUMBERS, (at + 1) * NUMBERS)]),
  ])
}
