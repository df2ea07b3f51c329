import { expect } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import type { Folder } from './folder.ts'
import { type Ended, startKpi } from './process.ts'
import type { Service } from './service.ts'

/** A way to a service on which commands are killed at one of their writes. */
export type Killer = {
  /** What tells a command the way, and its credentials. */
  readonly env: Readonly<Record<string, string>>
  /** Runs a command, and kills it at a write, if it comes to that: after the service has carried that out or before. */
  readonly run: (line: readonly string[], write: number, isDone: boolean) => Promise<Ended>
  /** Runs a command that is killed at a write. */
  readonly killAt: (line: readonly string[], write: number, isDone: boolean) => Promise<void>
} & AsyncDisposable

/** Opens such a way. */
export const openKiller = async (home: Folder, { handler, login, token }: Service): Promise<Killer> => {
  let [left, isCarriedOut, kill] = [Infinity, false, (): void => undefined]
  const killing: Handler = async (request) => {
    if (request.method === 'GET' || (left -= 1) > 0) return handler(request)
    left = Infinity
    const response = isCarriedOut ? await handler(request) : { status: 503, headers: {}, body: '' }
    kill()
    return response
  }
  const server = await listen(killing, '127.0.0.1', 0)
  const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: login, KPI_TOKEN: token }
  const run: Killer['run'] = async (line, write, isDone) => {
    ;[left, isCarriedOut] = [write, isDone]
    const { child, ended } = startKpi(home, line, env)
    kill = () => void child.kill('SIGKILL')
    const end = await ended
    left = Infinity
    return end
  }
  return {
    env,
    run,
    killAt: async (...at) => expect(await run(...at)).toMatchObject({ signal: 'SIGKILL' }),
    [Symbol.asyncDispose]: () => server.close(),
  }
}
