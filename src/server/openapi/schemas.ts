import { NAMESPACE } from '../../codec/xml-names.ts'
import { BATCH_LIMIT } from '../../domain/resources/entry.ts'
import type { NamedField, Resource } from '../../domain/schema.ts'
import { type Schema, shownField, takenField } from './field-schemas.ts'

/** A reference to a part of the description that stands under `components`. */
export const ref = (kind: string, name: string): Schema => ({ $ref: `#/components/${kind}/${name}` })

const xmlNamed = (name: string): Schema => ({ xml: { name, namespace: NAMESPACE } })

const propertiesOf = (fields: readonly NamedField[], schemaOf: typeof shownField): Schema =>
  Object.fromEntries(fields.map(({ name, field }) => [name, schemaOf(field)]))

const shown = (of: Resource): Schema => ({
  type: 'object',
  description: `One ${of.title}, as it is shown.`,
  properties: propertiesOf(of.shown, shownField),
  required: of.shown.map(({ name }) => name),
  ...xmlNamed(of.root),
})

const listOf = (name: string, of: Resource): Schema => ({
  type: 'array',
  items: ref('schemas', name),
  xml: { name: `ArrayOf${of.root}`, namespace: NAMESPACE, wrapped: true },
})

/** The lists that a body holds beside its fields: the entries of a batch. */
const innerLists = ({ lists = {} }: Resource): Schema =>
  Object.fromEntries(
    Object.entries(lists).map(([name, inner]) => [
      name,
      {
        type: 'array',
        items: ref('schemas', draftName(inner)),
        minItems: 1,
        maxItems: BATCH_LIMIT,
        xml: { name, namespace: NAMESPACE, wrapped: true },
      },
    ]),
  )

const taken = (of: Resource, description: string, required: readonly string[]): Schema => ({
  type: 'object',
  description,
  properties: { ...innerLists(of), ...propertiesOf(of.writable, takenField) },
  ...(required.length > 0 && { required }),
  ...xmlNamed(of.root),
})

const draft = (of: Resource): Schema => {
  const mandatory = of.writable.filter(({ field }) => field.required && !field.lenient).map(({ name }) => name)
  const about = `What makes one ${of.title}. Other fields are ignored.`
  return taken(of, about, [...Object.keys(of.lists ?? {}), ...mandatory])
}

const patch = (of: Resource): Schema => {
  const writable = of.writable.filter(({ field }) => !field.secret)
  return taken({ ...of, writable }, `What changes one ${of.title}. What is not sent stays as it is.`, [])
}

/** The names of a resource's schemas: as it is shown, as it is made, as it is changed, and a list of it. */
export const shownName = (of: Resource): string => of.root
export const draftName = (of: Resource): string => (of.lists ? of.root : `${of.root}Draft`)
export const patchName = (of: Resource): string => `${of.root}Patch`
export const listName = (of: Resource): string => `ArrayOf${of.root}`

/** Every schema of a resource that anything may refer to. */
export const schemasOf = (of: Resource): Schema =>
  of.lists
    ? { [draftName(of)]: draft(of) }
    : {
        [shownName(of)]: shown(of),
        [listName(of)]: listOf(shownName(of), of),
        [draftName(of)]: draft(of),
        [patchName(of)]: patch(of),
      }

const FIELD_ERROR: Schema = {
  type: 'object',
  description: 'One fault in what was sent.',
  properties: {
    index: { type: 'integer', minimum: 0, description: 'Which entry of a batch, from 0' },
    field: { type: 'string', description: 'Name of the field' },
    message: { type: 'string', description: 'What is wrong with it' },
  },
  required: ['field', 'message'],
  ...xmlNamed('FieldError'),
}

const ERROR: Schema = {
  type: 'object',
  description: 'Why a request was refused, and every fault of its fields.',
  properties: {
    message: { type: 'string', description: 'What is wrong, for people' },
    errors: {
      type: 'array',
      items: ref('schemas', 'FieldError'),
      xml: { name: 'errors', namespace: NAMESPACE, wrapped: true },
    },
  },
  required: ['message'],
  ...xmlNamed('Error'),
}

/** The schemas of refusals. */
export const errorSchemas: Schema = { Error: ERROR, FieldError: FIELD_ERROR }
