import type { Field, Resource } from '../domain/schema.ts'
import type { Json } from './json.ts'
import { malformedXml, parseXml, type XmlElement } from './xml-parse.ts'

/** How much of the name of another root is told back. */
const NAME_LIMIT = 50

/** The other two ways in which XML writes a boolean. */
const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['1', 'true'],
  ['0', 'false'],
])

/** An element with elements in it is no value: as an object, any field refuses it. */
const readValue = (field: Field, { text, children, isNil }: XmlElement): Json => {
  if (isNil) return null
  if (children.length > 0) return {}
  return field.kind === 'boolean' ? (BOOLEANS.get(text.trim()) ?? text) : text
}

const own = <T>(of: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined

/** The elements in an element that holds nothing else. */
const childrenOf = ({ name, text, children }: XmlElement): readonly XmlElement[] => {
  if (text.trim() !== '') throw malformedXml(`has text directly in <${name}>, where only elements may stand`)
  return children.filter(({ isKnown }) => isKnown)
}

const readList = (of: Resource, element: XmlElement): Json => {
  if (element.isNil) return null
  const items = childrenOf(element).filter(({ name }) => name === of.root)
  return items.map((item) => (item.isNil ? null : readObject(of, item)))
}

const readObject = (of: Resource, element: XmlElement): Readonly<Record<string, Json>> => {
  const body: Record<string, Json> = {}
  for (const child of childrenOf(element)) {
    const [field, list] = [own(of.fields, child.name), own(of.lists ?? {}, child.name)]
    if (field) body[child.name] = readValue(field, child)
    else if (list) body[child.name] = readList(list, child)
  }
  return body
}

/**
 * Reads an XML body that holds a resource into what JSON would give for it: values as text, nil as null. Elements that
 * the resource does not have are ignored. Throws `malformed` for another document, or what is none.
 */
export const readXml = async (text: string, of: Resource): Promise<Readonly<Record<string, Json>>> => {
  const root = await parseXml(text)
  if (root.name !== of.root || !root.isKnown || root.isNil) {
    const found = root.isNil ? 'null' : `<${root.name.slice(0, NAME_LIMIT)}>`
    const where = root.isKnown ? '' : ' of another namespace'
    throw malformedXml(`is ${found}${where}, it must be <${of.root}> with its fields in it`)
  }
  return readObject(of, root)
}
