import { describe, expect, test } from 'vitest'
import { takeIds } from '../../src/store/tables/table.ts'
import { openTestStore } from '../support/store.ts'

describe('ids', () => {
  test('are counted from 1, in runs of any length', async () => {
    await using store = await openTestStore()
    const { db, account } = store
    const taken: number[] = []
    for (const count of [1, 1, 5000, 1]) taken.push(await db.write((tx) => takeIds(tx, account, 'entries', count)))
    expect(taken).toEqual([1, 2, 3, 5003])
  })

  test('are counted for each kind and each account', async () => {
    await using store = await openTestStore()
    const { db, account, addAccount } = store
    const other = await addAccount('other')
    const take = (of: number, kind: 'kpis' | 'entries'): Promise<number> => db.write((tx) => takeIds(tx, of, kind))
    expect(await take(account, 'kpis')).toBe(1)
    expect(await take(account, 'kpis')).toBe(2)
    expect(await take(account, 'entries')).toBe(1)
    expect(await take(other.id, 'kpis')).toBe(1)
  })

  test('are never given twice, however many ask at once', async () => {
    await using store = await openTestStore()
    const { db, account } = store
    const taken = await Promise.all(Array.from({ length: 200 }, () => db.write((tx) => takeIds(tx, account, 'kpis'))))
    expect(new Set(taken).size).toBe(200)
  })

  test('of a transaction that is undone are not lost', async () => {
    await using store = await openTestStore()
    const { db, account } = store
    const undone = db.write(async (tx) => {
      await takeIds(tx, account, 'kpis', 10)
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect(await db.write((tx) => takeIds(tx, account, 'kpis'))).toBe(1)
  })
})
