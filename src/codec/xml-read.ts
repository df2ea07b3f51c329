import { neverPause, type Pause } from '../domain/pause.ts'
import { datedTarget } from '../domain/resources/dated-target.ts'
import type { Field, Resource } from '../domain/schema.ts'
import { fieldNamed, SPELLINGS_LIMIT } from './field-names.ts'
import type { Json } from './json.ts'
import { malformedXml, parseXml, type XmlElement } from './xml-parse.ts'

/** Sets how many characters of the name of a wrong root are quoted. */
const NAME_LIMIT = 50

/** Maps the two other spellings of booleans in XML. */
const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['1', 'true'],
  ['0', 'false'],
])

/** Returns the value of an element; one with children becomes an object, which every field refuses. */
const readValue = (field: Field, { text, children, isNil }: XmlElement): Json => {
  if (isNil) return null
  if (children.length > 0) return {}
  return field.kind === 'boolean' ? (BOOLEANS.get(text.trim()) ?? text) : text
}

/** Returns the children of an element that must not have text. */
const childrenOf = ({ name, text, children }: XmlElement): readonly XmlElement[] => {
  if (text.trim() !== '') throw malformedXml(`has text directly in <${name}>, where only elements may stand`)
  return children
}

const isNamed = ({ name, isKnown }: XmlElement, { root }: Resource): boolean =>
  isKnown && name.length === root.length && name.toLowerCase() === root.toLowerCase()

const readList = async (of: Resource, element: XmlElement, pause: Pause): Promise<Json> => {
  if (element.isNil) return null
  const items: Json[] = []
  for (const item of childrenOf(element)) {
    if (isNamed(item, of)) items.push(item.isNil ? null : await readObject(of, item, pause))
  }
  return items
}

const readObject = async (of: Resource, element: XmlElement, pause: Pause): Promise<Readonly<Record<string, Json>>> => {
  const body: Record<string, Json> = {}
  const names = new Set<string>()
  for (const child of childrenOf(element)) {
    const turn = pause()
    if (turn) await turn
    // Keep the spelling; `membersOf` resolves duplicates.
    const name = child.isKnown ? fieldNamed(of, child.name) : undefined
    const [field, list] = name === undefined ? [] : [of.fields[name], of.lists?.[name]]
    if (name !== undefined && names.add(child.name).size > SPELLINGS_LIMIT) {
      throw malformedXml('spells the names of its fields in too many ways')
    }
    if (field?.kind === 'targets' && !(child.children.length === 0 && child.text.trim() !== ''))
      body[child.name] = await readList(datedTarget, child, pause)
    else if (field) body[child.name] = readValue(field, child)
    else if (list) body[child.name] = await readList(list, child, pause)
  }
  return body
}

/**
 * Reads an XML body into the JSON that it stands for: values as text, nil as null. Names match without regard to case,
 * and unknown elements are ignored. Other requests run while it reads a large document. Throws `malformed` for any
 * other document.
 */
export const readXml = async (
  text: string,
  of: Resource,
  pause: Pause = neverPause,
): Promise<Readonly<Record<string, Json>>> => {
  const root = await parseXml(text, pause)
  if (!isNamed(root, of) || root.isNil) {
    const found = root.isNil ? 'null' : `<${root.name.slice(0, NAME_LIMIT)}>`
    const where = root.isKnown ? '' : ' of another namespace'
    throw malformedXml(`is ${found}${where}, it must be <${of.root}> with its fields in it`)
  }
  return readObject(of, root, pause)
}
