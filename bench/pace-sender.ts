import { setTimeout } from 'node:timers/promises'
import { httpTransport } from '../src/client/http/http-transport.ts'
import { createRateLimiter } from '../src/client/rate-limit/limiter.ts'
import { fileState } from '../src/client/rate-limit/shared-state.ts'

/** Sends so many requests to a service, as fast as its limit allows, sharing that with others by a file. */
const [url = '', file = '', requests = '0', name = ''] = process.argv.slice(2)

const clock = {
  now: Date.now,
  uptime: () => performance.now(),
  sleep: async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined)
  },
}
const note = (text: string): void => void process.stderr.write(`${text}\n`)
const limiter = createRateLimiter({
  clock,
  signal: new AbortController().signal,
  share: fileState(file, note),
  name: `${name}-`,
  random: Math.random,
  note,
})
const transport = httpTransport({
  baseUrl: new URL(url),
  login: 'a@example.com',
  token: 'secret',
  timeoutMs: 30_000,
  now: Date.now,
  limiter,
})
let left = Number(requests)
const sender = async (): Promise<void> => {
  while (left > 0) {
    left -= 1
    await transport.send({ method: 'GET', path: '/kpis' })
  }
}
await Promise.all(Array.from({ length: 10 }, sender))
await transport.close()
