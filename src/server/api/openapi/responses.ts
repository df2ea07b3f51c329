import type { Json } from '../../../codec/json.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'
import type { Facts, Refusal, HeaderFacts } from './facts.ts'
import type { Schema } from './field-schemas.ts'
import { ref } from './schemas.ts'

const header = (description: string, type = 'integer'): Schema => ({ description, schema: { type } })

/** Returns the headers of answers, by their names among the components. */
export const headersOf = ({ challenge, callerHeaders }: Facts): Schema => ({
  RequestId: header('Id of the request, by which it is found in the log of the service', 'string'),
  Server: header('kpi/ and the version: only such a service is sure to do what has an Idempotency-Key once', 'string'),
  Location: header('Where the created resource is', 'string'),
  TotalCount: header(`How many rows there are. ${reportRow.caution}`),
  PreferenceApplied: header('dated-targets where the answer has them, as the request has asked', 'string'),
  RetryAfter: header('Seconds to wait before asking again'),
  Authenticate: header(`The scheme of the credentials: ${challenge}`, 'string'),
  Replayed: header('true where this is the first answer to a request with the same Idempotency-Key', 'string'),
  ...Object.fromEntries(Object.values(callerHeaders).map(({ name, says, type }) => [name, header(says, type)])),
})

const toldOfCaller = ({ callerHeaders }: Facts): Schema =>
  Object.fromEntries(Object.entries(callerHeaders).map(([name, one]) => [name, ref('headers', one.name)]))

const headerSchemas: Record<HeaderFacts, (facts: Facts) => Schema> = {
  replay: () => ({ 'Idempotent-Replayed': ref('headers', 'Replayed') }),
  wait: () => ({ 'Retry-After': ref('headers', 'RetryAfter') }),
  credentials: () => ({ 'WWW-Authenticate': ref('headers', 'Authenticate') }),
  caller: toldOfCaller,
}

/** Lists the headers of an answer that needs no credentials. */
export const openHeaders: Schema = {
  'X-Request-Id': ref('headers', 'RequestId'),
  Server: ref('headers', 'Server'),
}

/** Returns the headers of an answer that needs credentials. */
export const usualHeaders = (facts: Facts): Schema => ({ ...openHeaders, ...toldOfCaller(facts) })

/** Returns the same content in each of some formats, with an example of it. */
export const contentIn = (formats: readonly string[], schema: Schema, example: Json): Schema =>
  Object.fromEntries(formats.map((format) => [format, { schema, example }]))

/** Returns the name of a refusal among the components. */
const refusalName = (status: number): string => `Refused${status}`

const refusal = (facts: Facts, status: number, { says, sets = [], example, also }: Refusal): Schema => {
  const schema = ref('schemas', Object.keys(facts.errorSchemas)[0] ?? '')
  return {
    description: says,
    headers: Object.fromEntries(
      [openHeaders, ...sets.map((what) => headerSchemas[what](facts))].flatMap(Object.entries<Json>),
    ),
    content: { ...contentIn(facts.errorFormats, schema, facts.errorExample(example, status)), ...also },
  }
}

/** Returns the refusals, by their names among the components. */
export const refusalsOf = (facts: Facts): Schema =>
  Object.fromEntries(
    Object.entries(facts.refusals).map(([status, one]) => [
      refusalName(Number(status)),
      refusal(facts, Number(status), one),
    ]),
  )

/** Returns references to some of the refusals, by status. */
export const refused = ({ refusals }: Facts, isPossible: (refusal: Refusal) => boolean): Schema =>
  Object.fromEntries(
    Object.entries(refusals)
      .filter(([, one]) => isPossible(one))
      .map(([status]) => [status, ref('responses', refusalName(Number(status)))]),
  )
