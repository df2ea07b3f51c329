import type { Batch } from './batch.ts'
import type { Prepared } from './prepare.ts'
import { judgeDrafts, onlyClears } from './verdict.ts'

/**
 * Settles the drafts of a batch that only clear: those of entries that are not there are counted as empty, those that
 * would be refused become rejects. Answers what is left to send.
 */
export const settleClears = async (
  batch: Batch,
  { reference, rejects, summary, standing }: Prepared,
): Promise<Batch> => {
  const clears = batch.drafts.filter(onlyClears)
  if (clears.length === 0) return batch
  const verdicts = await judgeDrafts(standing, clears, reference)
  const verdictOf = new Map(clears.map((draft, at) => [draft, verdicts[at]]))
  const isLeft = batch.drafts.map((draft, at) => {
    const verdict = verdictOf.get(draft)
    const lines = [batch.lines[at] ?? 0].flat()
    if (verdict?.action === 'nothing') summary.empty += lines.length
    if (verdict?.action === 'reject') for (const line of lines) rejects.add(line, verdict.reason)
    return verdict?.action !== 'nothing' && verdict?.action !== 'reject'
  })
  return {
    drafts: batch.drafts.filter((_, at) => isLeft[at]),
    lines: batch.lines.filter((_, at) => isLeft[at]),
  }
}
