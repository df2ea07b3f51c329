import { NAMESPACE } from '../../../codec/xml-parse.ts'
import { datedTarget } from '../../../domain/resources/dated-target.ts'
import { BATCH_LIMIT } from '../../../domain/resources/entry.ts'
import { type Field, fieldsOnRequest, type NamedField, type Resource } from '../../../domain/schema.ts'
import type { Facts } from './facts.ts'
import { type Purpose, type Schema, shownField, takenField } from './field-schemas.ts'

/** Returns a reference to a part of the document under `components`. */
export const ref = (kind: string, name: string): Schema => ({ $ref: `#/components/${kind}/${name}` })

/** Returns the XML name of a schema. */
export const inXml = (name: string, more: Schema = {}): Schema => ({ xml: { name, namespace: NAMESPACE, ...more } })

/** Describes the facts on which schemas depend. */
type SchemaStyle = Pick<Facts, 'isXml' | 'isLenient'>

const named = ({ isXml }: SchemaStyle, name: string, more?: Schema): Schema => (isXml ? inXml(name, more) : {})

/** Returns the schema of a list of dated targets as XML has it: each is an element of its own. */
const listInXml = (schema: Schema): Schema => ({
  ...schema,
  items: Object.assign({}, schema['items'], inXml(datedTarget.root)),
  xml: { wrapped: true },
})

const propertiesOf = (
  fields: readonly NamedField[],
  schemaOf: (field: Field) => Schema,
  { isXml }: SchemaStyle,
): Schema =>
  Object.fromEntries(
    fields.map(({ name, field }) => [
      name,
      isXml && field.kind === 'targets' ? listInXml(schemaOf(field)) : schemaOf(field),
    ]),
  )

const shown = (of: Resource, style: SchemaStyle): Schema => ({
  type: 'object',
  description: `One ${of.title}, as it is shown.`,
  properties: propertiesOf([...of.shown, ...fieldsOnRequest(of)], shownField, style),
  required: of.shown.map(({ name }) => name),
  ...named(style, of.root),
})

const listOf = (of: Resource, style: SchemaStyle): Schema => ({
  type: 'array',
  items: ref('schemas', shownName(of)),
  ...named(style, `ArrayOf${of.root}`, { wrapped: true }),
})

/** Returns the lists that a body holds besides its fields: the entries of a batch. */
const innerLists = ({ lists = {} }: Resource, style: SchemaStyle): Schema =>
  Object.fromEntries(
    Object.entries(lists).map(([name, inner]) => [
      name,
      {
        type: 'array',
        items: ref('schemas', draftName(inner)),
        minItems: 1,
        maxItems: BATCH_LIMIT,
        ...named(style, name, { wrapped: true }),
      },
    ]),
  )

/** Returns the fields of a body. It omits ids that the path already holds, and in a change, secrets. */
export const bodyFields = ({ path, writable, fields }: Resource, purpose: Purpose): NamedField[] => {
  const onRequest = Object.entries<Field>(fields).flatMap(([name, field]) => (field.onRequest ? [{ name, field }] : []))
  return [...writable, ...onRequest].filter(({ name, field }) => {
    const isKept = purpose === 'update' && (name === 'id' || field.secret)
    // Only a change has something before it.
    const isOfChange = purpose === 'add' && field.onRequest && field.writeOnly
    return !isKept && !isOfChange && !path.includes(`{${name}}`)
  })
}

type Taken = { readonly purpose: Purpose; readonly about: string; readonly required: readonly string[] }

const taken = (of: Resource, { purpose, about, required }: Taken, style: SchemaStyle): Schema => ({
  type: 'object',
  description: about,
  properties: {
    ...innerLists(of, style),
    ...propertiesOf(bodyFields(of, purpose), (field) => takenField(field, purpose, style.isLenient), style),
  },
  ...(required.length > 0 && { required }),
  ...named(style, of.root),
})

const draft = (of: Resource, style: SchemaStyle): Schema => {
  const isMandatory = ({ field }: NamedField): boolean =>
    field.required === true && !(style.isLenient && field.lenient === true)
  const mandatory = bodyFields(of, 'add')
    .filter(isMandatory)
    .map(({ name }) => name)
  const about = `What makes one ${of.title}. Other fields are ignored.`
  return taken(of, { purpose: 'add', about, required: [...Object.keys(of.lists ?? {}), ...mandatory] }, style)
}

const patch = (of: Resource, style: SchemaStyle): Schema => {
  const about = `What changes one ${of.title}. What is not sent stays as it is.`
  return taken(of, { purpose: 'update', about, required: [] }, style)
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Returns the name of a resource in names of schemas: its root in XML, or one like those. */
const nameOf = ({ root, name }: Resource): string => root || name.split('_').map(capital).join('')

/** Returns the name of a body, which differs where the path gives some fields: KPIs of a category are `CategoryKPI`. */
const bodyNameOf = (of: Resource): string => {
  const parentField = of.writable.find(({ name }) => of.path.includes(`{${name}}`))
  return (parentField ? capital(parentField.name.replace(/_id$/, '')) : '') + nameOf(of)
}

/** Returns the name of the schema of a resource as it is shown. */
export const shownName = (of: Resource): string => nameOf(of)
export const draftName = (of: Resource): string => (of.lists ? nameOf(of) : `${bodyNameOf(of)}Draft`)
export const patchName = (of: Resource): string => `${bodyNameOf(of)}Patch`
export const listName = (of: Resource): string => `ArrayOf${nameOf(of)}`

/** Returns every schema of a resource. */
export const schemasOf = (of: Resource, style: SchemaStyle): Schema =>
  of.lists
    ? { [draftName(of)]: draft(of, style) }
    : {
        [shownName(of)]: shown(of, style),
        [listName(of)]: listOf(of, style),
        [draftName(of)]: draft(of, style),
        [patchName(of)]: patch(of, style),
      }
