import { type Field, fieldsOnRequest, type NamedField, type Resource } from '../../domain/schema.ts'

/** Describes what a column of a file can hold: the field of a definition, or both names of a person. */
export type DefinitionRole = NamedField & {
  /** Names it in flags and messages: `category` for `category_id`. */
  readonly role: string
}

/** Names the role of a column with the first and the last name of a person. */
export const FULL_NAME = 'name'

/** Is the role of such a column. */
export const PERSON: DefinitionRole = {
  name: FULL_NAME,
  role: FULL_NAME,
  field: { kind: 'text', about: 'First and last name' },
}

/** Is the role of the column with the first day of the target of a row. */
export const FROM: DefinitionRole = {
  name: 'from',
  role: 'from',
  field: { kind: 'text', about: 'First day of the target' },
}

/** Returns the role of a column with targets from a day on; its name holds the heading. */
export const datedRole = (heading: string, { fields }: Resource): DefinitionRole => {
  const { inUnitOf, nullable } = fields['target_default'] ?? {}
  const field: Field = {
    kind: 'decimal',
    about: 'Target from a day on',
    ...(nullable && { nullable }),
    ...(inUnitOf && { inUnitOf }),
  }
  return { name: `targets ${heading}`, role: heading, field }
}

/** Returns the name of a field without the ending of an id. */
export const withoutId = (name: string): string => name.replace(/_id$/, '')

/** Returns the fields that rows of a kind can give, with the parent that a record lies in. */
export const rolesOf = ({
  of,
  within,
}: {
  readonly of: Resource
  readonly within?: string | undefined
}): DefinitionRole[] => {
  const parent = of.shown.filter(({ name, field }) => name === within && field.readOnly)
  const fields = [...parent, ...of.writable, ...fieldsOnRequest(of)].map(({ name, field }) => ({
    name,
    field,
    role: withoutId(name),
  }))
  return 'first_name' in of.fields ? [...fields, PERSON] : fields
}
