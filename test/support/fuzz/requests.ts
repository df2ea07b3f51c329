import fc from 'fast-check'
import type { Variant } from '../../../src/domain/variants.ts'
import { operationsOf, type Placed } from '../described.ts'
import type { Description } from '../description.ts'
import { type Body, bodiesFor } from './bodies.ts'
import { authorization, contentType, type Header, oddHeader } from './headers.ts'
import { mostly } from './odd.ts'
import { BASIC, BEARER, type FuzzRequest, FRAMINGS } from './request.ts'
import { aimsFor } from './targets.ts'

const METHODS = [
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'get',
  'FOO',
  'G ET',
  '',
]

const PREFIXES: Readonly<Record<Variant, string>> = { classic: '/api', v1: '/v1' }

const bodyFor = (placed: Placed, bodies: ReturnType<typeof bodiesFor>, any: Placed): fc.Arbitrary<Body | undefined> =>
  placed.operation.requestBody
    ? mostly(bodies(placed.operation), fc.constant(undefined), 40)
    : mostly(fc.constant(undefined), bodies(any.operation), 15)

const requestFor = (
  variant: Variant,
  placed: Placed,
  bodies: fc.Arbitrary<Body | undefined>,
): fc.Arbitrary<FuzzRequest> =>
  bodies.chain((body) =>
    fc
      .record({
        method: mostly(fc.constant(placed.method), fc.constantFrom(...METHODS), 15),
        aim: aimsFor(placed, PREFIXES[variant]),
        version: mostly(fc.constant('1.1'), fc.constantFrom('1.0', '1.1', '2.0', '0.9', '1'), 60),
        host: mostly(fc.constant<readonly Header[]>([['Host', 'localhost']]), fc.constant([]), 60),
        credentials: authorization(variant === 'v1' ? BEARER : BASIC),
        type: contentType(body, variant),
        more: mostly(fc.constant<readonly Header[]>([]), fc.array(oddHeader, { minLength: 1, maxLength: 3 }), 3),
        framing: mostly(fc.constantFrom('length', 'length', 'length', 'chunked'), fc.constantFrom(...FRAMINGS), 40),
      })
      .map(({ method, aim, version, host, credentials, type, more, framing }) => ({
        variant,
        operation: aim.isRegular ? `${method === 'HEAD' ? 'GET' : method} ${placed.path}` : undefined,
        method,
        target: aim.target,
        version,
        headers: [...host, ...credentials, ...type, ...more],
        body,
        framing,
      })),
  )

/** The descriptions of both variants. */
export type Descriptions = Readonly<Record<Variant, Description>>

/** Requests to a service as it describes itself. */
export const requestsTo = (descriptions: Descriptions): fc.Arbitrary<FuzzRequest> => {
  const all = (Object.entries(descriptions) as [Variant, Description][]).flatMap(([variant, description]) => {
    const operations = operationsOf(description)
    const bodies = bodiesFor(description)
    const any = operations.find(({ operation }) => operation.requestBody)
    return operations.map((placed) => requestFor(variant, placed, bodyFor(placed, bodies, any ?? placed)))
  })
  return fc.oneof(...all)
}
