import { writeFileSync } from 'node:fs'
import type { Variant } from '../../src/domain/variants.ts'
import { listen } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { type Folder, temporaryFolder } from './folder.ts'
import { type Shell, shellIn } from './kpi.ts'
import { startService, wayTo, type Way } from './service.ts'

type Request = Parameters<Handler>[0]

/** A machine with files, a home and an address of the service of its own. */
export type Machine = {
  readonly kpi: Shell
  readonly folder: Folder
  readonly env: Readonly<Record<string, string>>
  readonly write: (name: string, text: string) => void
}

/** Sees each request of a machine before it is done; it may wait, or answer itself. */
export type Watch = (machine: number, request: Request, answer: () => ReturnType<Handler>) => ReturnType<Handler>

/** Two machines of one service: the first request of each to create something waits until the other has sent its own. */
export type TwoMachines = {
  readonly machines: readonly [Machine, Machine]
  readonly way: Way
  /** Lets requests wait no more, as one of the machines is gone. */
  readonly part: () => void
  /** Counts the requests of a machine, by method and path. */
  readonly count: (machine: number, method: string, path: string) => number
} & AsyncDisposable

/** Calls `stop` when the second machine looks again at what it has created at a path; that request gets no answer. */
export const beforeLook = (path: string, stop: () => unknown): Watch => {
  let hasCreated = false
  return (machine, { method, target }, answer) => {
    const isWatched = machine === 1 && target.split('?')[0]?.endsWith(path) === true
    if (!isWatched || method !== 'GET' || !hasCreated) {
      hasCreated ||= isWatched && method === 'POST'
      return answer()
    }
    hasCreated = false
    stop()
    return new Promise(() => undefined)
  }
}

/** Opens them. What the first machine creates has the lower id. */
export const openTwoMachines = async (
  variant: Variant,
  watch: Watch = (_, _request, answer) => answer(),
): Promise<TwoMachines> => {
  const service = await startService()
  const way = await wayTo(service)
  const asked: string[] = []
  let isOpen = false
  // Answers what was left without an answer, as a server waits for that before it closes.
  const closed = Promise.withResolvers<void>()
  const gates = new Map<
    string,
    { arrived: Set<number>; both: PromiseWithResolvers<void>; first: PromiseWithResolvers<void> }
  >()
  const handlerOf =
    (machine: number): Handler =>
    async (request) => {
      const path = request.target.replace(/^\/(api|v1)/, '').replace(/\?.*/, '')
      asked.push(`${machine} ${request.method} ${path}`)
      const answer = async (): ReturnType<Handler> =>
        Promise.race([
          watch(machine, request, async () => service.handler(request)),
          closed.promise.then(() => ({ status: 503, headers: {}, body: '' })),
        ])
      if (isOpen || request.method !== 'POST' || /kpientries|\/users\/\d+\/kpis/.test(path)) return answer()
      const gate = gates.get(path) ?? {
        arrived: new Set(),
        both: Promise.withResolvers(),
        first: Promise.withResolvers(),
      }
      gates.set(path, gate)
      gate.arrived.add(machine)
      if (gate.arrived.size === 2) gate.both.resolve()
      await gate.both.promise
      if (machine === 1) await gate.first.promise
      const response = await answer()
      if (machine === 0) gate.first.resolve()
      return response
    }
  const closing: (() => Promise<unknown>)[] = []
  const machineOf = async (number: number): Promise<Machine> => {
    const folder = temporaryFolder()
    const server = await listen(handlerOf(number), '127.0.0.1', 0)
    closing.push(async () => {
      await server.close()
      folder[Symbol.dispose]()
    })
    const { login, token, key } = service
    const env =
      variant === 'v1'
        ? { KPI_BASE_URL: `${server.url}/v1`, KPI_TOKEN: key }
        : { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: login, KPI_TOKEN: token }
    return {
      kpi: shellIn({ home: folder.path, env }),
      folder,
      env,
      write: (name, text) => writeFileSync(folder.in(name), text),
    }
  }
  const part = (): void => {
    isOpen = true
    for (const { both, first } of gates.values()) {
      both.resolve()
      first.resolve()
    }
  }
  return {
    part,
    machines: [await machineOf(0), await machineOf(1)],
    way,
    count: (machine, method, path) => asked.filter((one) => one === `${machine} ${method} ${path}`).length,
    [Symbol.asyncDispose]: async () => {
      closed.resolve()
      for (const close of closing) await close()
      await service[Symbol.asyncDispose]()
    },
  }
}
