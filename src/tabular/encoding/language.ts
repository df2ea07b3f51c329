import type { LetterPairs } from './letter-pairs.ts'

/** Sets what a pair of letters costs that the language has not. */
const UNSEEN_COST = 11

const BASE = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = 36

/** Returns what a letter costs after another: the negative logarithm of its share. `^` is the edge of a word. */
export type PairCost = (before: string, letter: string) => number

/** Creates the costs of the letter pairs of a language. */
export const createPairCost = ({ letters, into, from, plain }: LetterPairs, base = BASE): PairCost => {
  const own = new Map(Array.from(letters, (letter, at) => [letter, at]))
  const all = new Map(Array.from(`^${base}${letters}`, (letter, at) => [letter, at]))
  const costAt = (costs: string, at: number): number => Number.parseInt(costs.charAt(at), DIGITS) / 2
  return (before, letter) => {
    const [first, second] = [all.get(before), all.get(letter)]
    const ownSecond = own.get(letter)
    if (ownSecond !== undefined) return first === undefined ? UNSEEN_COST : costAt(into, ownSecond * all.size + first)
    const ownFirst = own.get(before)
    if (ownFirst !== undefined) {
      return second === undefined ? UNSEEN_COST : costAt(from, ownFirst * (base.length + 1) + second)
    }
    return first === undefined || second === undefined ? UNSEEN_COST : costAt(plain, first * (base.length + 1) + second)
  }
}
