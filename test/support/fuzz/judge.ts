import type { Variant } from '../../../src/domain/variants.ts'
import { type Answered, type Description, judgeAnswersOf, judgeOf } from '../description.ts'
import { operationsOf, type Placed, unsaid } from '../described.ts'
import type { RawAnswer } from './connection.ts'
import { type FuzzRequest, isWhole } from './request.ts'
import type { Descriptions } from './requests.ts'

/** What may be answered wherever a request goes. */
const GENERAL: ReadonlySet<number> = new Set([
  200, 201, 204, 400, 401, 403, 404, 405, 406, 408, 409, 413, 414, 415, 422, 431,
])

const PREFIXES: Readonly<Record<Variant, string>> = { classic: '/api', v1: '/v1' }

/** The faults of what every answer has, whatever was asked. */
const generalFaults = ({ variant }: FuzzRequest, { status, headers, body }: RawAnswer): string[] => {
  const has = (name: string): boolean => (headers[name] ?? '') !== ''
  const location = headers['location']
  return [
    ...(status >= 500 ? [`it is ${status}`] : []),
    ...(has('x-request-id') ? [] : ['X-Request-Id is missing']),
    ...(status === 401 && !has('www-authenticate') ? ['WWW-Authenticate is missing'] : []),
    ...((status === 405 || status === 204) && !has('allow') ? ['Allow is missing'] : []),
    ...((status === 429 || status === 503) && !has('retry-after') ? ['Retry-After is missing'] : []),
    ...(status === 201 && location === undefined ? ['Location is missing'] : []),
    ...(location === undefined || location.startsWith(`${PREFIXES[variant]}/`) ? [] : [`Location is ${location}`]),
    ...(body !== '' && !has('content-type') ? ['Content-Type is missing'] : []),
  ]
}

type Judged = (request: FuzzRequest, answer: RawAnswer) => readonly string[]

type VariantJudge = {
  readonly operations: ReadonlyMap<string, Placed>
  readonly ofAnswer: ReturnType<typeof judgeAnswersOf>
  readonly ofBody: ReturnType<typeof judgeOf>
}

const judgeFor = (description: Description): VariantJudge => ({
  operations: new Map(operationsOf(description).map((placed) => [placed.is, placed])),
  ofAnswer: judgeAnswersOf(description),
  ofBody: judgeOf(description, false),
})

/** A schema that refusals have in either variant, or before it is known which one is asked. */
const ERROR = { classic: '#/components/schemas/Error', v1: '#/components/schemas/Problem' } as const

/** Judges answers by the descriptions of both variants, and by what holds for all of them. */
export const createJudge = (descriptions: Descriptions): Judged => {
  const judges = { classic: judgeFor(descriptions.classic), v1: judgeFor(descriptions.v1) }
  /** A refusal of a request that is for no operation. */
  const refusalFaults = ({ status, headers, body }: RawAnswer): string[] => {
    const type = headers['content-type'] ?? ''
    if (body === '' || status < 400 || type.startsWith('application/xml')) return []
    const variant = type === 'application/problem+json' ? 'v1' : 'classic'
    return judges[variant].ofBody({ $ref: ERROR[variant] }, JSON.parse(body))
  }
  /** What was taken although it should not be, or refused although it is as described. */
  const bodyFaults = ({ operation }: Placed, { variant, body }: FuzzRequest, answer: Answered): readonly unknown[] => {
    const schema = operation.requestBody?.content['application/json']?.schema
    const isTold = (answer.headers['content-type'] ?? '').toString().includes('json') || answer.body === ''
    if (!schema || body?.format !== 'json' || !body.isAsDescribed || !isTold) return []
    return unsaid(judges[variant].ofBody(schema, JSON.parse(body.text)), answer)
  }
  return (request, answer) => {
    const { operations, ofAnswer } = judges[request.variant]
    const placed = isWhole(request) ? operations.get(request.operation ?? '') : undefined
    const general = generalFaults(request, answer)
    if (!placed)
      return [...general, ...(GENERAL.has(answer.status) ? refusalFaults(answer) : [`it is ${answer.status}`])]
    const withBody = request.method !== 'HEAD'
    const faults = ofAnswer(placed.operation, answer, withBody)
    const unsaidFaults = bodyFaults(placed, request, answer).map((fault) => `is not said: ${JSON.stringify(fault)}`)
    return [...general, ...faults, ...unsaidFaults]
  }
}
