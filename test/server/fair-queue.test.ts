import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createRequestScheduler } from '../../src/server/queues/request-scheduler.ts'

/** Turns by a clock that a test moves, and the order in which accounts got theirs. */
const withClock = (heldBytes?: number) => {
  const clock = { now: 0 }
  const scheduler = createRequestScheduler(() => clock.now, heldBytes)
  const order: string[] = []
  const ask = async (name: string): Promise<void> => {
    const turn = scheduler.take(name.slice(0, 1))
    if (turn) await turn
    order.push(name)
    clock.now += 20
  }
  return { clock, scheduler, order, ask }
}

test('what is quick is answered at once', () => {
  const { scheduler } = withClock()
  expect(Array.from({ length: 100 }, () => scheduler.take('a'))).toEqual(Array(100).fill(undefined))
})

test('where it takes long, accounts take turns, whoever came first with how many', async () => {
  const { order, ask } = withClock()
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map(ask))
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('others have their turn between any two', async () => {
  const { order, ask } = withClock()
  const asked = ['a1', 'a2', 'a3'].map(ask)
  while (order.length < 3) {
    await setImmediate()
    order.push('-')
  }
  await Promise.all(asked)
  expect(order.join('')).toMatch(/^a1-*a2-+a3/)
})

test('of what takes long three are worked on at a time, two of one account; accounts take turns', async () => {
  const { scheduler } = withClock(1000)
  const [begun, ends]: [string[], (() => void)[]] = [[], []]
  const begin = async (name: string): Promise<void> => {
    ends.push(await scheduler.begin(name.slice(0, 1)))
    begun.push(name)
  }
  const endNext = async (): Promise<string[]> => {
    ends.shift()?.()
    await setImmediate()
    return begun.splice(0)
  }
  const all = Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(begin))
  await setImmediate()
  expect(begun.splice(0)).toEqual(['a1', 'a2', 'b1'])
  expect([await endNext(), await endNext(), await endNext()]).toEqual([['a3'], ['b2'], ['c1']])
  // The account does not take its answers; when it does, it goes on.
  const taken = scheduler.hold('a', 1000)
  expect(await endNext()).toEqual([])
  taken()
  await setImmediate()
  expect(begun.splice(0)).toEqual(['a4'])
  while (ends.length > 0) await endNext()
  await all
})

test('an account that does not take its answers waits, and no other does', async () => {
  const { scheduler } = withClock(1000)
  const taken = scheduler.hold('a', 1000)
  let isIn = false
  const waiting = Promise.resolve(scheduler.take('a')).then(() => (isIn = true))
  await scheduler.take('b')
  await setImmediate()
  expect(isIn).toBe(false)
  taken()
  await waiting
  expect(scheduler.take('a')).toBeUndefined()
})

test('who comes new with credentials waits behind no crowd from the same network, nor does the crowd for ever', async () => {
  const { scheduler } = withClock()
  const [begun, ends]: [string[], (() => void)[]] = [[], []]
  const admit = async (name: string): Promise<void> => {
    ends.push(await scheduler.admit('network'))
    begun.push(name)
  }
  const crowd = Array.from({ length: 100 }, (_, at) => admit(`c${at}`))
  await setImmediate()
  expect(begun.splice(0)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4'])
  const newcomer = admit('new')
  for (let at = 0; at < 4; at += 1) {
    ends.shift()?.()
    await setImmediate()
  }
  expect(begun).toContain('new')
  expect(begun).toContain('c6')
  while (ends.length > 0) {
    ends.shift()?.()
    await setImmediate()
  }
  await Promise.all([...crowd, newcomer])
})
