import { KpiError } from '../domain/errors.ts'
import type { Received } from './transport.ts'

/** Whether there is more of a list than has come, by what the service says of that; undefined where it says nothing. */
export const hasMore = ({ total, hasNext }: Pick<Received, 'total' | 'hasNext'>, come: number): boolean | undefined =>
  hasNext === true ? true : total === undefined ? undefined : total > come

/** Whether two records hold the same. */
const isSame = (one: object, other: object): boolean => {
  const values = new Map<string, unknown>(Object.entries(other))
  return Object.entries(one).every(([name, value]) => values.get(name) === value)
}

/**
 * All of a list, which some services give a page at a time. It is asked for whole first: another page only where the
 * service says that there is one.
 */
export const wholeList = async <T extends object>(
  ask: (page: number) => Promise<Received>,
  read: (received: Received) => T[],
): Promise<T[]> => {
  const list: T[] = []
  for (let page = 1; ; page += 1) {
    const received = await ask(page)
    const [first, ...others] = read(received)
    if (first === undefined) return list
    if (list.some((one) => isSame(one, first))) {
      throw new KpiError('unavailable', 'the service answers the same page of a list again and again')
    }
    list.push(first, ...others)
    if (!hasMore(received, list.length)) return list
  }
}
