import type { Forms } from '../../load/forms/file-forms.ts'
import { flagsNotPlain, formFlags, lastingFlags } from '../../load/forms/forms.ts'
import type { Reading } from '../../load/reading/table.ts'
import { shellWord } from '../shell-word.ts'
import type { Asked } from './asked.ts'

/** The flags of a mapping that has just been saved, beside which rejects are UTF-8, whatever the file was. */
const mappingFlags = (name: string, { encoding }: Reading, asked: Asked): string[] => [
  `--mapping ${name}`,
  ...(encoding === 'utf-8' || asked.reading.encoding !== undefined ? [] : ['--encoding utf-8']),
]

/**
 * The flags with which a file of mended rejects is imported, beside those that were given, where the whole file showed
 * forms that a few rows of it may not show; none where all is plain.
 */
export const formNeeds = (forms: Forms, reading: Reading, asked: Asked): readonly string[] => {
  const { decimal, dateFormat } = flagsNotPlain(formFlags(forms))
  const { options, saveMapping } = asked
  const needed = [
    ...(decimal === undefined || options.decimal !== undefined ? [] : ['decimal' as const]),
    ...(dateFormat === undefined || options.dateFormat !== undefined ? [] : ['dateFormat' as const]),
  ]
  if (needed.length === 0) return []
  const saved = saveMapping === undefined ? {} : lastingFlags(forms)
  const said = { decimal: `--decimal ${decimal}`, dateFormat: `--date-format ${shellWord(dateFormat ?? '')}` }
  return [
    ...(saveMapping === undefined ? [] : mappingFlags(saveMapping, reading, asked)),
    ...needed.filter((one) => saved[one] === undefined).map((one) => said[one]),
  ]
}
