import type { Clock, Waiting } from '../../client/transport.ts'

/** Takes the reason for a wait when it begins, and undefined when it is over. */
export type OnWait = (waiting: Waiting | undefined) => void

/** Sets the shortest time between announcements, after which a wait that goes on is announced again. */
const EVERY_MS = 30_000

/** Returns a clock that announces its sleeps, again and again while one goes on. */
export const announcingClock = (
  { now, uptime, sleep }: Clock,
  waitingFor: (milliseconds: number) => Waiting | undefined,
  onWait: OnWait,
): Clock => ({
  now,
  uptime,
  sleep: async (milliseconds, signal) => {
    for (let left = milliseconds; ; left -= EVERY_MS) {
      onWait(waitingFor(left))
      await sleep(Math.min(left, EVERY_MS), signal)
      if (left <= EVERY_MS || signal?.aborted === true) break
    }
    onWait(undefined)
  },
})

/** Sets the shortest wait that is announced. */
const LONG_MS = 5000

/** Announces waits of more than a few seconds, one at a time, and every 30 seconds while they go on. */
export const announceLongWaits = (now: () => number, announce: (waiting: Waiting) => void): OnWait => {
  let toldAt = -Infinity
  return (waiting) => {
    if (!waiting) return
    const at = now()
    if (waiting.until - at < LONG_MS || at - toldAt < EVERY_MS) return
    toldAt = at
    announce(waiting)
  }
}

/** Sets by how much the end of a wait may move between its pieces. */
const SAME_MS = 1000

/** Announces each wait, however short: one in several pieces once. */
export const announceEachWait = (announce: (waiting: Waiting) => void): OnWait => {
  let toldUntil = -Infinity
  return (waiting) => {
    if (!waiting || Math.abs(waiting.until - toldUntil) <= SAME_MS) return
    toldUntil = waiting.until
    announce(waiting)
  }
}
