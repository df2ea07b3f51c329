import { performance } from 'node:perf_hooks'

/*
 * Loaded into a server by `node --import`: measures how long its event loop lets nobody else in, in processor time of its
 * thread, so that a busy machine does not count. Asked by a message, it says the longest since it was asked before.
 */

/** What a server says of itself: the longest turn of its event loop, and the most memory it ever held. */
export type LoopReport = { readonly longestMs: number; readonly peakMb: number; readonly seconds: number }

const busyMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

let longestMs = 0
let before = busyMs()
const meter = setInterval(() => {
  const now = busyMs()
  longestMs = Math.max(longestMs, now - before)
  before = now
}, 1)
meter.unref()

process.on('message', () => {
  const report: LoopReport = {
    longestMs,
    peakMb: process.resourceUsage().maxRSS / 1024,
    seconds: performance.now() / 1000,
  }
  process.send?.(report)
  longestMs = 0
})
process.channel?.unref()
// Whoever measures is gone, however that came about.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
