import type { Instant } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import type { Db } from '../store/db.ts'
import type { Answer, Call } from './call.ts'
import { createRouter } from './router.ts'
import { routes } from './routes/index.ts'

/** What a call runs on: whose it is, when it came, and how strictly its body is read. */
export type Caller = { readonly account: Account; readonly now: Instant; readonly lenient: boolean }

/** The service as a function: a call in, an answer out. Refusals are thrown as `KpiError`. */
export type App = {
  readonly answer: (caller: Caller, call: Call) => Promise<Answer>
  /** The methods that a path has; `not_found` where there is no such path. */
  readonly methodsOf: (path: string) => readonly string[]
}

/** The service on a store. What carries its calls, a socket or a function, is no concern of it. */
export const createApp = (db: Db): App => {
  const route = createRouter(routes)
  const methodsOf = (path: string): string[] => {
    const methods = [...route(path).methods.keys()]
    return methods.includes('GET') ? [...methods, 'HEAD', 'OPTIONS'] : [...methods, 'OPTIONS']
  }
  return {
    methodsOf,
    answer: ({ account, now, lenient }, { method, path, query, body }) => {
      const { methods, ids } = route(path)
      const handle = methods.get(method)
      if (!handle) {
        throw new KpiError('method_not_allowed', `${method} is not possible at ${path}`, { allow: methodsOf(path) })
      }
      return handle({ ctx: { db, account, now }, ids, query, body, lenient })
    },
  }
}
