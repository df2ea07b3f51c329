import { cpSync, mkdirSync } from 'node:fs'
import type { Exchange } from '../../../src/client/http/network-exchange.ts'
import { run } from '../../../src/cli/main.ts'
import type { FaultyService } from '../faulty/service.ts'
import { exchangeWith, failure } from '../faulty/exchange.ts'
import { testIo } from '../io.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import type { Interruption } from './job.ts'

/** Somebody's machine, as it is between two runs. */
export type Machine = {
  readonly env: Readonly<Record<string, string>>
  readonly clock: VirtualClock
  readonly service: FaultyService
  /** Draws bytes that come once. */
  readonly random: (count: number) => Uint8Array
  /** Makes the name of a folder that is not there yet. */
  readonly newHome: () => string
}

/** How a run ended: by itself, or killed, so that only the disk is left of it. */
export type Ended =
  | { readonly code: number; readonly stdout: string; readonly stderr: string; readonly home: string }
  | { readonly code: undefined; readonly home: string }

/**
 * Runs a command. One that is killed leaves the disk as it was at that moment, in a new home; what is left of the process
 * winds down in the old one, cut off from the service.
 */
export const runIn = async (
  { env, clock, service, newHome, random }: Machine,
  home: string,
  args: readonly string[],
  interruption: Interruption | undefined,
): Promise<Ended> => {
  const stop = new AbortController()
  let requests = 0
  let left: string | undefined
  const interrupt = (): void => {
    if (interruption?.how === 'kill') {
      left = newHome()
      cpSync(home, left, { recursive: true })
    }
    stop.abort()
  }
  const network = (timeoutMs: number): Exchange => {
    const way = exchangeWith(service, clock, timeoutMs)
    const ask: Exchange['ask'] = async (request, unwanted) => {
      requests += 1
      const isIt = requests === interruption?.atRequest
      if (isIt && !interruption.isAfter) interrupt()
      if (left !== undefined) throw failure('ECONNREFUSED')
      const answer = way.ask(request, unwanted)
      if (isIt && interruption.isAfter) interrupt()
      return answer
    }
    return { ...way, ask }
  }
  const { io, stdout, stderr } = testIo({ home, env, signal: stop.signal })
  mkdirSync(`${home}/tmp`, { recursive: true })
  const time = { now: clock.now, uptime: clock.elapsed, sleep: clock.sleep }
  const world = { ...io, ...time, tempDir: `${home}/tmp`, random, network }
  const code = await run(args, world)
  return left === undefined ? { code, stdout: stdout(), stderr: stderr(), home } : { code: undefined, home: left }
}
