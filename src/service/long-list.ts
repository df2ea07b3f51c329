import type { Reader } from '../store/db.ts'
import type { Context } from './context.ts'

/** How a list is read, and whether it is one of very many records. */
export type ListRead<T> = {
  readonly isLong: (tx: Reader) => Promise<boolean>
  readonly read: (tx: Reader) => Promise<readonly T[]>
}

/** Reads a list: a short one at once, a long one in its turn and beside the short reads of others, which would wait for it. */
export const readList = async <T>({ db, beginLong }: Context, { isLong, read }: ListRead<T>): Promise<readonly T[]> => {
  const short = await db.read(async (tx) => ((await isLong(tx)) ? undefined : read(tx)))
  if (short) return short
  await beginLong?.()
  return db.readLong(read)
}
