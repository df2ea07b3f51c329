import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { neverPause, type Pause } from '../../domain/pause.ts'
import type { Account } from '../../domain/resources/account.ts'
import type { Resource } from '../../domain/schema.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { Context } from '../../service/context.ts'
import type { Db } from '../../store/db.ts'
import { shownPath } from '../request-target.ts'
import type { Answer, Call, Route } from './call.ts'
import { createRouter } from './router.ts'

/** What a call runs on: whose it is, when it came, and how strictly its body is read. */
type Caller = {
  readonly account: Account
  readonly now: Instant
  readonly lenient: boolean
  /** In place of the service's own store: a transaction that is open already. */
  readonly db?: Db | undefined
  /** Lets other requests have their turn; not given where there are none. */
  readonly pause?: Pause | undefined
  /** Waits for a turn of what takes long; not given where there are no others. */
  readonly beginLong?: Context['beginLong']
}

/** The error for a method that a path does not have. */
export const notAllowed = (method: string, path: string, allow: readonly string[]): KpiError =>
  new KpiError('method_not_allowed', `${method} is not possible at ${shownPath(path)}`, { allow })

/** An operation of the service. */
type Operation = {
  /** The scope that a key needs for it. */
  readonly scope: Scope | undefined
  /** What its body holds, where it takes one. */
  readonly takes: Resource | undefined
  /** Whether its answer follows from the path and from what is stored, and from nothing else. */
  readonly isLasting: boolean
  /** Whether it may take long, so that it has to wait for its turn. */
  readonly isLong: boolean
  /** What is asked of it in, an answer out. Refusals are thrown as `KpiError`. */
  readonly run: (caller: Caller, asked: Pick<Call, 'query' | 'body'>) => Promise<Answer>
}

/** The service as a function. */
type App = {
  /** The methods that a path has; `not_found` where there is no such path. */
  readonly methodsOf: (path: string) => readonly string[]
  /** What a method does at a path; `not_found` or `method_not_allowed` where that is nothing. */
  readonly find: (method: string, path: string) => Operation
  /** Does what a call asks for. */
  readonly answer: (caller: Caller, call: Call) => Promise<Answer>
}

/** The service on a store. What carries its calls, a socket or a function, is no concern of it. */
export const createApp = (db: Db, routes: readonly Route[]): App => {
  const route = createRouter(routes)
  const methodsOf = (path: string): string[] => {
    const methods = [...route(path).methods.keys()]
    return methods.includes('GET') ? [...methods, 'HEAD', 'OPTIONS'] : [...methods, 'OPTIONS']
  }
  const find = (method: string, path: string): Operation => {
    const { methods, ids } = route(path)
    const found = methods.get(method)
    if (!found) throw notAllowed(method, path, methodsOf(path))
    const { takes, query, handle, scope, isLong = false } = found
    return {
      scope,
      takes,
      isLong,
      isLasting: method === 'GET' && query === undefined,
      run: ({ account, now, lenient, db: open, pause = neverPause, beginLong }, { query: asked, body }) =>
        handle({
          ctx: { db: open ?? db.ofAccount(account.id), account, now, beginLong },
          ids,
          query: asked,
          body,
          lenient,
          pause,
        }),
    }
  }
  return { methodsOf, find, answer: async (caller, call) => find(call.method, call.path).run(caller, call) }
}
