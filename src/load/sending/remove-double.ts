import { Stopped } from '../../client/stopped.ts'
import { KpiError } from '../../domain/errors.ts'
import { StoppedHalfway } from './refusal.ts'
import type { Sending } from './sending.ts'

/** Thrown where a second entry for a key is there that this run made, and could not be removed. */
export class DoubleLeft extends KpiError {}

/** Removes an entry that this run has made beside another one for the same user, KPI and date. */
export const removeDouble = async ({ client }: Sending, id: number): Promise<void> => {
  try {
    await client.entries.remove(id)
  } catch (error) {
    if (error instanceof Stopped) throw new StoppedHalfway(error.message, { cause: error })
    if (!(error instanceof KpiError)) throw error
    if (error.code === 'not_found') return
    const { code, retryAfter } = error
    const message = `entry ${id} is a second one for the same user, KPI and date, and could not be removed: ${error.message}`
    throw new DoubleLeft(code, message, {
      mayBeDone: true,
      cause: error,
      ...(retryAfter !== undefined && { retryAfter }),
    })
  }
}
