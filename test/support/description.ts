import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { readXml } from './suite/xml.ts'
import { asJson, type XmlSchema } from './xml-schema.ts'

type Named<T> = Readonly<Record<string, T>>
type Reference = { readonly $ref?: string }
/** What a body holds, by its media type. */
export type Content = Named<{ readonly schema: Reference; readonly example?: unknown }>

/** What an answer may be, or a reference to that. */
export type Described = Reference & { readonly headers?: Named<Reference>; readonly content?: Content }

/** A parameter with its example, or a reference to one. */
export type Parameter = Reference & {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description?: string
  readonly schema: object
  readonly example?: unknown
}

/** One operation of a description. */
export type Operation = {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly tags: readonly string[]
  /** Where it is other than for the rest. */
  readonly security?: readonly object[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Named<Described>
}

/** A description in OpenAPI, as far as tests look into it. */
export type Description = {
  readonly info: object
  readonly paths: Named<Named<Operation>>
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly servers: readonly { readonly url: string }[]
  readonly components: Named<Named<object>>
}

/** The operation for a method and path, with whatever ids in it; undefined where none is described. */
export const operationFor = ({ paths }: Description, method: string, path: string): Operation | undefined => {
  const segments = path.replace(/\?.*$/, '').replace(/\/$/, '').split('/')
  const fits = (part: string, segment = ''): boolean =>
    part.startsWith('{') || part.toLowerCase() === segment.toLowerCase()
  const formats = Object.keys(paths).filter((form) => {
    const parts = form.split('/')
    return parts.length === segments.length && parts.every((part, at) => fits(part, segments[at]))
  })
  // Fixed words win over ids.
  const [form = ''] = formats.sort((left, right) => left.split('{').length - right.split('{').length)
  return paths[form]?.[method.toLowerCase()]
}

/** What is described of an operation's answers with a status. */
const answerOf = ({ components }: Description, operation: Operation, status: number): Described | undefined => {
  const described = operation.responses[status]
  return described?.$ref === undefined ? described : components['responses']?.[described.$ref.split('/').at(-1) ?? '']
}

/** The faults of a value by a schema of the description. */
export type Judge = (schema: Reference, value: unknown) => string[]

const closed = (schemas: Named<object>): Named<object> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      'properties' in schema ? { ...schema, additionalProperties: false } : schema,
    ]),
  )

/** Judges values by a description; where it is `strict`, objects hold nothing beyond what is described. */
export const judgeOf = (description: Description, strict: boolean): Judge => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: fullFormats })
  const { components } = description
  const schemas = components['schemas'] ?? {}
  ajv.addSchema({ $id: 'description', components: { schemas: strict ? closed(schemas) : schemas } })
  return ({ $ref = '' }, value) => {
    const validate = ajv.getSchema(`description${$ref}`)
    if (!validate) return [`${$ref} is not described`]
    void validate(value)
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

/** An answer, as far as it is described. */
export type Answered = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** Headers that are HTTP's own. */
const USUAL: ReadonlySet<string> = new Set([
  'allow',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
])

/** Reads a body of a media type, as JSON, by its schema; throws where it is none. */
const readerOf = ({ components }: Description): ((type: string, schema: Reference, body: string) => unknown) => {
  const resolve = (schema: XmlSchema): XmlSchema =>
    schema.$ref === undefined ? schema : (components['schemas']?.[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  return (type, schema, body) =>
    type === 'application/xml' ? asJson(readXml(body), schema, resolve) : JSON.parse(body)
}

/** Judges answers to an operation; that to HEAD has no body. */
export type JudgeAnswer = (operation: Operation, answer: Answered, hasBody?: boolean) => string[]

/** The faults of an answer by what is described of its operation: its status, headers, media type and body. */
export const judgeAnswersOf = (description: Description): JudgeAnswer => {
  const judge = judgeOf(description, true)
  const read = readerOf(description)
  return (operation, { status, headers, body }, hasBody = true) => {
    const answer = answerOf(description, operation, status)
    if (!answer) return [`${status} is not described: ${body}`]
    const known = new Set(Object.keys(answer.headers ?? {}).map((name) => name.toLowerCase()))
    const unknown = Object.keys(headers).filter((name) => !USUAL.has(name) && !known.has(name))
    const [type = ''] = (headers['content-type'] ?? '').toString().split(';')
    const schema = answer.content?.[type]?.schema
    if (!schema) return body === '' && !answer.content ? unknown : [...unknown, `${type} is not described: ${body}`]
    return hasBody ? [...unknown, ...judge(schema, read(type, schema, body))] : unknown
  }
}
