import type { Forms } from '../../load/forms/file-forms.ts'
import { flagsNotPlain, formFlags } from '../../load/forms/forms.ts'
import { shellWord } from '../shell-word.ts'
import type { Asked } from './asked.ts'

/**
 * How to import a file of mended rejects, where the whole file showed forms that a few rows of it may not show; nothing
 * where all is plain.
 */
export const formAdvice = (forms: Forms, { mapping, saveMapping }: Asked): readonly string[] => {
  const { decimal, dateFormat } = flagsNotPlain(formFlags(forms))
  if (decimal === undefined && dateFormat === undefined) return []
  const flags = [
    ...(decimal === undefined ? [] : [`--decimal ${shellWord(decimal)}`]),
    ...(dateFormat === undefined ? [] : [`--date-format ${shellWord(dateFormat)}`]),
  ]
  const known = saveMapping ?? mapping
  const said = known === undefined ? flags.join(' ') : `--mapping ${known}`
  return [`a few rows may not show how they are written: import the mended ones with ${said}`]
}
