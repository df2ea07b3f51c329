import type { TextRequest } from '../../../src/client/http/network-exchange.ts'
import { type Answer, refuse, withHeaders } from './answers.ts'
import type { Kind } from './kinds.ts'
import type { Routes } from './routes.ts'

/** Does a POST with an Idempotency-Key once, where the service is ours. */
export const onceOnly = (kind: Kind, routes: Routes): Routes => {
  const known = new Map<string, { readonly body: string | null; readonly answer: Answer }>()
  return (request: TextRequest) => {
    const key = request.headers['idempotency-key']
    if (!kind.isBundled || request.method !== 'POST' || key === undefined) return routes(request)
    const name = `${request.path} ${key}`
    const before = known.get(name)
    if (before && before.body !== request.body)
      return refuse(kind, kind.variant === 'v1' ? 422 : 400, 'the Idempotency-Key was used for another body')
    if (before) return withHeaders(before.answer, { 'idempotent-replayed': 'true' })
    const answer = routes(request)
    if (answer.status < 300 || answer.status === 400 || answer.status === 422)
      known.set(name, { body: request.body, answer })
    return answer
  }
}
