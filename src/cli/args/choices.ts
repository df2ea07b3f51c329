import { didYouMean, nearest } from '../../client/nearest.ts'
import { elsewhereIn } from '../../domain/field-value.ts'
import type { Field } from '../../domain/schema.ts'

/** Returns the choices of a field as people type them, with what is stored, and the one that a text probably means. */
export const sayChoices = (field: Field, text: string): string => {
  const { oneOf = [], words } = field
  const said = words?.map((word, at) => `${word} (${oneOf[at]})`) ?? oneOf
  return `one of ${said.join(', ')}${didYouMean(nearest(text, words ?? oneOf), elsewhereIn(field))}`
}
