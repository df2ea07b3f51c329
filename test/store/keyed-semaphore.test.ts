import { expect, test } from 'vitest'
import { createKeyedSemaphore } from '../../src/store/queue.ts'

test('work for one key is done so much at a time, in the order in which it came; other keys do not wait', async () => {
  const gates = createKeyedSemaphore(2)
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const begun: number[] = []
  const all = ends.map(({ promise }, at) =>
    gates(1, async () => {
      begun.push(at)
      await promise
      if (at === 1) throw new Error('failed')
    }),
  )
  await gates(2, () => Promise.resolve())
  expect(begun).toEqual([0, 1])
  ends[1]?.resolve()
  await expect(all[1]).rejects.toThrow('failed')
  await gates(2, () => Promise.resolve())
  expect(begun).toEqual([0, 1, 2])
  for (const { resolve } of ends) resolve()
  await Promise.allSettled(all)
  expect(begun).toEqual([0, 1, 2, 3])
  expect(await gates(1, () => Promise.resolve('again'))).toBe('again')
})
