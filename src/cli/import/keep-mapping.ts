import type { Plan } from '../../load/columns/columns.ts'
import type { Forms } from '../../load/forms/file-forms.ts'
import { lastingFlags } from '../../load/forms/forms.ts'
import type { Reading } from '../../load/reading/table.ts'
import type { Cli } from '../cli.ts'
import type { Asked } from './asked.ts'
import { mappingOf } from './mapping.ts'
import { writeMapping } from './mapping-file.ts'

/** Saves how a file is read, where that was asked. */
export const keepMapping = (
  { io, note }: Cli,
  { saveMapping: name, options, saidDate }: Asked,
  { plan, forms, reading }: { readonly plan: Plan; readonly forms: Forms; readonly reading: Reading },
): void => {
  if (name === undefined) return
  writeMapping(io, name, mappingOf({ options, plan, reading, forms: lastingFlags(forms), date: saidDate }))
  void note(`how the file is read is saved: --mapping ${name}`)
}
