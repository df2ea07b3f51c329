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

/** Describes the context of a call: its account, its time, and how strictly to read its body. */
type Caller = {
  readonly account: Account
  readonly now: Instant
  readonly lenient: boolean
  /** Holds an open transaction, to use instead of the service's store. */
  readonly db?: Db | undefined
  /** Lets other requests run; undefined if there are none. */
  readonly pause?: Pause | undefined
  /** Waits for a slot for long work; undefined if there are no other requests. */
  readonly beginLong?: Context['beginLong']
  readonly run?: Context['run']
  readonly showsDatedTargets?: Context['showsDatedTargets']
  readonly credentials?: Context['credentials']
}

/** Returns the error for a method that a path does not allow. */
export const methodNotAllowedError = (method: string, path: string, allow: readonly string[]): KpiError =>
  new KpiError('method_not_allowed', `${method} is not possible at ${shownPath(path)}`, { allow })

/** Describes an operation of the service. */
type Operation = {
  /** Names the scope that a key needs for it. */
  readonly scope: Scope | undefined
  /** Defines its body; undefined if it takes none. */
  readonly takes: Resource | undefined
  /** Tells whether its answer depends only on the path and the store, so that it can be cached. */
  readonly isLasting: boolean
  /** Tells whether it may take long, so that it has to wait for a slot. */
  readonly isLong: boolean
  /** Does what a call asks for; throws refusals as `KpiError`. */
  readonly run: (caller: Caller, asked: Pick<Call, 'query' | 'body'>) => Promise<Answer>
}

/** Finds the operations of the service. */
type App = {
  /** Returns the methods of a path; throws `not_found` if there is no such path. */
  readonly methodsOf: (path: string) => readonly string[]
  /** Returns the operation of a method and path; throws `not_found` or `method_not_allowed` if there is none. */
  readonly find: (method: string, path: string) => Operation
  /** Does what a call asks for. */
  readonly answer: (caller: Caller, call: Call) => Promise<Answer>
}

/** Creates the service on a store, to be used over HTTP or in process. */
export const createApp = (db: Db, routes: readonly Route[]): App => {
  const route = createRouter(routes)
  const methodsOf = (path: string): string[] => {
    const methods = [...route(path).methods.keys()]
    return methods.includes('GET') ? [...methods, 'HEAD', 'OPTIONS'] : [...methods, 'OPTIONS']
  }
  const find = (method: string, path: string): Operation => {
    const { methods, ids } = route(path)
    const found = methods.get(method)
    if (!found) throw methodNotAllowedError(method, path, methodsOf(path))
    const { takes, query, handle, scope, isLong = false } = found
    return {
      scope,
      takes,
      isLong,
      isLasting: method === 'GET' && query === undefined,
      run: (
        { account, now, lenient, db: open, pause = neverPause, beginLong, run, credentials, showsDatedTargets },
        { query: asked, body },
      ) =>
        handle({
          ctx: { db: open ?? db.ofAccount(account.id), account, now, beginLong, run, credentials, showsDatedTargets },
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
