import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { CLASSIC_TELLING, headersOf, type Limiter, slidingLimiter } from '../test/support/limiters.ts'
import { node } from './command.ts'
import type { Figure } from './figure.ts'

/** A minute of 600 requests, scaled to two seconds. */
const LIMIT = 40
const WINDOW_MS = 2000
const PROCESSES = 4
const REQUESTS_EACH = 110

type Tally = { accepted: number; refused: number; firstAt: number; lastAt: number }

const answerWith = (limiter: Limiter, tally: Tally) => (_: IncomingMessage, response: ServerResponse) => {
  const now = performance.now()
  const verdict = limiter.ask(now)
  const headers = Object.fromEntries(headersOf(CLASSIC_TELLING, limiter, verdict, Date.now()))
  if (verdict.isAccepted) {
    tally.accepted += 1
    tally.firstAt ||= now
    tally.lastAt = now
  } else {
    tally.refused += 1
  }
  response.writeHead(verdict.isAccepted ? 200 : CLASSIC_TELLING.status, headers).end('[]')
}

const runSenders = async (url: string, file: string): Promise<void> => {
  const senders = Array.from({ length: PROCESSES }, async (_, at) => {
    const { program, args } = node(
      join(import.meta.dirname, 'pace-sender.ts'),
      url,
      file,
      String(REQUESTS_EACH),
      `${at}`,
    )
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = (await once(child, 'close')) as [number]
    if (code !== 0) throw new Error(`a sender ended with ${code}`)
  })
  await Promise.all(senders)
}

/** Four processes that share a key, against the least time in which their requests can be accepted. */
export const pacing = async (folder: string): Promise<Figure[]> => {
  const tally: Tally = { accepted: 0, refused: 0, firstAt: 0, lastAt: 0 }
  const server = createServer(answerWith(slidingLimiter(LIMIT, WINDOW_MS), tally)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  await runSenders(`http://127.0.0.1:${port}/api`, join(folder, 'pace.db'))
  server.close()
  const requests = PROCESSES * REQUESTS_EACH
  const [took, least] = [tally.lastAt - tally.firstAt, (Math.ceil(requests / LIMIT) - 1) * WINDOW_MS]
  const what = `${PROCESSES} processes that share a limit`
  return [
    {
      what: `${what}, until the last request`,
      measured: took / 1000,
      unit: 's',
      against: `least ${(least / 1000).toFixed(1)} s`,
      ratio: took / least,
      limit: 1.05,
    },
    {
      what: `${what}: refused`,
      measured: tally.refused,
      unit: 'requests',
      against: `1 % of ${requests}`,
      ratio: tally.refused / (requests / 100),
      limit: 1,
    },
  ]
}
