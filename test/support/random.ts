/** Chance that is the same in each run of a test that begins with the same seed. */
export type Random = {
  /** From 0 to 1. */
  readonly share: () => number
  /** A whole number from `from` to `to`, both of them included. */
  readonly whole: (from: number, to: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
}

/** Chance from a seed (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = seed
  const share = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (from: number, to: number): number => from + Math.floor(share() * (to - from + 1))
  return {
    share,
    whole,
    chance: (probability) => share() < probability,
    pick: (list) => list[whole(0, list.length - 1)] as (typeof list)[number],
  }
}
