import { didYouMean, nearest } from '../../client/nearest.ts'
import type { Field } from '../../domain/schema.ts'

/** Returns the choices of a field as people type them, with what is stored, and the one that a text probably means. */
export const sayChoices = ({ oneOf = [], words }: Field, text: string): string => {
  const said = words?.map((word, at) => `${word} (${oneOf[at]})`) ?? oneOf
  return `one of ${said.join(', ')}${didYouMean(nearest(text, words ?? oneOf))}`
}
