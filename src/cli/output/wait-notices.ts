import type { Clock, Waiting } from '../../client/transport.ts'

/** Takes the reason for a wait when it begins, and undefined when it is over. */
export type OnWait = (waiting: Waiting | undefined) => void

/** Returns a clock that announces its sleeps. */
export const announcingClock = (
  { now, uptime, sleep }: Clock,
  waitingFor: (milliseconds: number) => Waiting | undefined,
  onWait: OnWait,
): Clock => ({
  now,
  uptime,
  sleep: async (milliseconds, signal) => {
    onWait(waitingFor(milliseconds))
    await sleep(milliseconds, signal)
    onWait(undefined)
  },
})

/** Sets the shortest wait that is announced. */
const LONG_MS = 5000
/** Sets the shortest time between announcements; a wait in several pieces is announced once. */
const EVERY_MS = 30_000

/** Announces waits of more than a few seconds, one at a time. */
export const announceLongWaits = (now: () => number, announce: (waiting: Waiting) => void): OnWait => {
  let [toldAt, toldUntil] = [-Infinity, -Infinity]
  return (waiting) => {
    if (!waiting) return
    const at = now()
    if (waiting.until - at < LONG_MS || at - toldAt < EVERY_MS || waiting.until - toldUntil < LONG_MS) return
    ;[toldAt, toldUntil] = [at, waiting.until]
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
