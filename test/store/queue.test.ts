import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createQueue } from '../../src/store/queue.ts'

test('tasks run one after the other, in the order in which they came', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { maxLength: 8 }), async (scheduler, fates) => {
      const queue = createQueue()
      const events: string[] = []
      const results = fates.map((succeeds, index) =>
        queue(async () => {
          events.push(`begin ${index}`)
          await scheduler.schedule(Promise.resolve())
          events.push(`end ${index}`)
          if (!succeeds) throw new Error(`task ${index}`)
          return index
        }),
      )
      const settled = Promise.allSettled(results)
      await scheduler.waitFor(settled)
      expect(events).toEqual(fates.flatMap((_, index) => [`begin ${index}`, `end ${index}`]))
      expect(await settled).toEqual(
        fates.map((succeeds, index) =>
          succeeds ? { status: 'fulfilled', value: index } : { status: 'rejected', reason: new Error(`task ${index}`) },
        ),
      )
    }),
  )
})

test('a task that throws before it waits fails alone', async () => {
  const queue = createQueue()
  const failed = queue(() => {
    throw new Error('at once')
  })
  const next = queue(() => Promise.resolve('next'))
  await expect(failed).rejects.toThrow('at once')
  expect(await next).toBe('next')
})
