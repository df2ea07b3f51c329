import type { EntryDraft } from '../../domain/resources/entry.ts'
import { ownerOf } from '../../domain/entry-key.ts'

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

const keyMark = (seed: number, draft: EntryDraft): number =>
  finish(mixNumber(mixNumber(mixNumber(seed, ownerOf(draft)), draft.kpi_id), draft.entry_date))

/** Returns a hash with a decimal mixed in; omitted, cleared and given values differ. */
const mixDecimal = (hash: number, value: bigint | null | undefined): number =>
  value === undefined ? mix(hash, 1) : value === null ? mix(hash, 2) : mixNumber(mix(hash, 3), Number(value))

const mixText = (hash: number, value: string | null | undefined): number => {
  if (typeof value !== 'string') return mix(hash, value === null ? 2 : 1)
  let mixed = mix(hash, 3)
  for (let at = 0; at < value.length; at += 1) mixed = mix(mixed, value.charCodeAt(at))
  return mixed
}

const valueMark = ({ actual, target, notes }: EntryDraft): number =>
  finish(mixText(mixDecimal(mixDecimal(0, actual), target), notes))

/** Returns the samples of entries, in their order. It runs over millions of entries, so it must be cheap. */
export const sampleKeys = (drafts: readonly EntryDraft[]): KeySamples => {
  const samples = new Int32Array(drafts.length * NUMBERS)
  let at = 0
  for (const draft of drafts) {
    samples[at] = keyMark(SEEDS[0], draft)
    samples[at + 1] = keyMark(SEEDS[1], draft)
    samples[at + 2] = valueMark(draft)
    at += NUMBERS
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

/** Sets how many entries are sampled at a time. */
const SAMPLED_AT_A_TIME = 1000

/** Counts the entries whose keys are among earlier samples. */
export const countKnown = (earlier: readonly KeySamples[], drafts: Iterable<EntryDraft>): number => {
  const known = new Set(
    earlier.flatMap((samples) => Array.from({ length: countOf(samples) }, (_, at) => keyAt(samples, at))),
  )
  let count = 0
  let some: EntryDraft[] = []
  const take = (): void => {
    const samples = sampleKeys(some)
    for (let at = 0; at < some.length; at += 1) if (known.has(keyAt(samples, at))) count += 1
    some = []
  }
  for (const draft of drafts) if (some.push(draft) === SAMPLED_AT_A_TIME) take()
  take()
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
