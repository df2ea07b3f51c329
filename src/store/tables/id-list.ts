import { setImmediate } from 'node:timers/promises'
import type { Reader } from '../db.ts'

/** Holds the condition that a column's value is in a bound list; see `listOf`. */
export const IN_LIST = 'in (select value from json_each(?))'

/** Returns any number of ids as one bound value. */
export const listOf = (ids: Iterable<number>): string => JSON.stringify([...ids])

const ascending = (left: number, right: number): number => left - right

/** Cuts a list into pieces. */
function* pieces(list: readonly number[], size: number): Generator<readonly number[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size)
}

/** Cuts a list into sorted parts for one query each; other requests run between two of them. */
export async function* partsOfIds(list: Iterable<number>, size: number): AsyncGenerator<string> {
  for (const some of pieces([...list].toSorted(ascending), size)) {
    yield listOf(some)
    await setImmediate()
  }
}

/**
 * Cuts the pairs of two lists into sorted parts, small enough for one query each. Other requests run between two of
 * them, because a query that finds no rows lets none run.
 */
export async function* partsOfPairs(
  { keysPerQuery }: Reader,
  first: Iterable<number>,
  second: Iterable<number>,
): AsyncGenerator<readonly [first: string, second: string]> {
  const [ones, others] = [[...first].toSorted(ascending), [...second].toSorted(ascending)]
  const width = Math.min(others.length, keysPerQuery)
  for (const some of pieces(ones, Math.max(1, Math.floor(keysPerQuery / Math.max(1, width))))) {
    for (const more of pieces(others, width)) {
      yield [listOf(some), listOf(more)]
      await setImmediate()
    }
  }
}
