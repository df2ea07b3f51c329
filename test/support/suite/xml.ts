/** An element as it is read: its name, and text, null or what it holds. */
export type Element = { readonly name: string; readonly value: Value }
/** What an element holds, in the clothes of JSON, but for values, which are all text. */
export type Value = string | null | { readonly [name: string]: Value } | readonly Value[]

const NAMESPACE = 'http://schemas.datacontract.org/2004/07/SimpleKPI.Application.Areas.Api.Models'
const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text as it stands in an element. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one)

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll('&amp;', '&')

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const write = (name: string, value: unknown): string => {
  if (value === null) return `<${name} i:nil="true"/>`
  if (isList(value)) return `<${name}>${value.map((one) => write('KPIEntry', one)).join('')}</${name}>`
  return typeof value === 'object'
    ? `<${name}>${elements(value ?? {})}</${name}>`
    : `<${name}>${escaped(`${value as string | number | boolean}`)}</${name}>`
}

const elements = (body: object): string =>
  Object.entries(body)
    .map(([name, value]) => write(name, value))
    .join('')

/** A body as an XML document with this root. */
export const writeXml = (root: string, body: object): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<${root} xmlns="${NAMESPACE}" xmlns:i="${INSTANCE}">${elements(body)}</${root}>`

type Open = { readonly name: string; readonly nil: boolean; text: string; readonly inside: Element[] }

const LISTS = /^(?:ArrayOf\w+|errors)$/

const closed = ({ name, nil, text, inside }: Open): Element => {
  if (nil) return { name, value: null }
  if (LISTS.test(name)) return { name, value: inside.map(({ value }) => value) }
  if (inside.length > 0) return { name, value: Object.fromEntries(inside.map((one) => [one.name, one.value])) }
  return { name, value: unescaped(text) }
}

/** Reads an answer: elements, text and nil, in the one namespace. Throws where it is anything else. */
export const readXml = (text: string): Element => {
  const top: Open = { name: '', nil: false, text: '', inside: [] }
  const open = [top]
  const body = text.replace(/^<\?xml[^>]*\?>\s*/, '')
  if (!/^<\w+ [^>]*>/.exec(body)?.[0].includes(`xmlns="${NAMESPACE}"`)) throw new Error(`no namespace: ${text}`)
  for (const [whole, end, name, attributes = '', empty, words] of body.matchAll(
    /<(\/?)(\w+)([^>]*?)(\/?)>|([^<]+)|</g,
  )) {
    const last = open.at(-1) ?? top
    if (words !== undefined) last.text += words
    else if (name === undefined) throw new Error(`not XML: ${whole}`)
    else if (end !== '/') open.push({ name, nil: attributes.includes('i:nil="true"'), text: '', inside: [] })
    if (name !== undefined && (end === '/' || empty === '/')) {
      const done = closed(open.pop() ?? top)
      if (done.name !== name) throw new Error(`<${done.name}> ends with </${name}>`)
      open.at(-1)?.inside.push(done)
    }
  }
  const [root] = top.inside
  if (!root || open.length > 1) throw new Error(`not one document: ${text}`)
  return root
}

const DECIMALS: ReadonlySet<string> = new Set(['target_default', 'user_target', 'actual', 'target'])

/** A value that is expected in JSON as it is expected in XML: text, decimals with four places. */
export const asXml = (expected: unknown, name = ''): unknown => {
  if (expected === null) return null
  if (isList(expected)) return expected.map((one) => asXml(one))
  if (typeof expected === 'number' && DECIMALS.has(name)) return expected.toFixed(4)
  if (typeof expected !== 'object') return `${expected as string | number | boolean}`
  if ('asymmetricMatch' in expected) return expected
  return Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, asXml(value, key)]))
}
