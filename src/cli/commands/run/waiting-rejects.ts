import { resolve } from 'node:path'
import { fileSource } from '../../../tabular/source/files.ts'
import { openTable } from '../../../reading/open-table.ts'
import { countRejectedRows } from '../../../reading/rejects/rejects.ts'
import { countOf, pathWord } from '../../output/text.ts'
import type { Step } from './step.ts'
import { type LinesPlace, waitingRejects } from './step-lines.ts'

/** Describes where a job runs, and where temporary files go. */
type JobPlace = LinesPlace & { readonly tempDir: string }

/** Counts the rows of a file of rejected rows, which is UTF-8. */
const countRows = async (path: string, file: string, tempDir: string): Promise<number> => {
  const table = await openTable(fileSource(path, file), { encoding: 'utf-8', skipLines: 0 }, tempDir)
  try {
    return await countRejectedRows(table)
  } finally {
    table.close()
  }
}

/** Says of a file how many rejected rows wait in it, and how they are imported; undefined where none does. */
const waitingText = async ({ cwd, tempDir }: JobPlace, step: Step, file: string): Promise<string | undefined> => {
  // Say it without a count where the file cannot be read, as somebody is at work on it.
  const count = await countRows(resolve(cwd, file), file, tempDir).catch(() => undefined)
  if (count === 0) return undefined
  const rows = count === undefined ? 'rows' : countOf(count, 'row')
  const them = count === 1 ? 'it' : 'them'
  const flags = step.parts.every(({ of }) => of !== 'flag') ? '' : ' and the flags of this step'
  return `${file} holds ${rows} that an earlier run rejected: fix ${them} there, import ${them} with kpi entries import ${pathWord(file)}${flags}, and move the file away`
}

/** Tells of rejected rows that wait where a step finds its files: the step leaves them out, and they are in no service. */
export const tellWaitingRejects = async (
  place: JobPlace,
  step: Step,
  tell: (text: string) => Promise<void>,
): Promise<void> => {
  for (const file of await waitingRejects(step, place)) {
    const text = await waitingText(place, step, file)
    if (text !== undefined) await tell(text)
  }
}
