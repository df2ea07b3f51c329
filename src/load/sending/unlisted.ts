import { Stopped } from '../../client/stopped.ts'
import { entryKeyOf, type Item } from './delivery.ts'
import { LATER_LOOKS } from './look-again.ts'
import { hasNumbersOf } from './matching.ts'
import { notRecognised } from './recognise.ts'
import { noteLag, readNow } from './reconcile.ts'
import type { Sending } from './sending.ts'

/** Bounds how long after it was sent an entry is looked for that the service does not list, and how often. */
const LISTED_WITHIN_MS = 60_000
const PAUSE_MS = 5000
/** Adds how long the run that sent it had looked for it. */
const LOOKED_MS = LATER_LOOKS.reduce((sum, pause) => sum + pause)

/**
 * Looks for an entry that an earlier run has sent and not found listed, and ends the run where it is not found now, either:
 * it is not sent once more, unless the answer to it proved nothing.
 */
export const mustBeListed = async (sending: Sending, items: readonly Item[]): Promise<void> => {
  const { capabilities, clock, signal } = sending
  const { unlisted } = capabilities.known()
  const item = unlisted && items.find((one) => entryKeyOf(one) === unlisted.key)
  if (!item) return
  for (;;) {
    const entry = (await readNow(sending, [item]))?.get(unlisted.key)
    if (entry && hasNumbersOf(entry, item.draft)) {
      item.before = item.found = entry
      capabilities.learn({ isRecognised: true, unlisted: undefined })
      // A run that comes much later cannot tell how late the list was.
      noteLag(sending, LOOKED_MS + Math.min(LISTED_WITHIN_MS, clock.now() - unlisted.at))
      return
    }
    if (clock.now() - unlisted.at > LISTED_WITHIN_MS) break
    await clock.sleep(PAUSE_MS, signal)
    if (signal.aborted) throw new Stopped('stopped')
  }
  if (unlisted.isProven) throw await notRecognised(sending, item, undefined)
  capabilities.learn({ unlisted: undefined })
}
