import type { Instant } from '../domain/day.ts'
import type { Admitted } from './admitted.ts'

/** So long after a note no other one of the same key is tried, in seconds: it may be waiting. */
const NOTE_PAUSE = 5
/** So often a note is tried that could not be written: for a minute. */
const TRIES = 12
/** So many keys are remembered. */
const MOST_NOTES = 1000

/** Does something after a while, unless the process has nothing else left to do. */
export type Later = (task: () => void) => void

const afterPause: Later = (task) => {
  setTimeout(task, NOTE_PAUSE * 1000).unref()
}

/** Takes note that a key was used at a moment. */
export type Notes = (admitted: Pick<Admitted, 'account' | 'key' | 'noteUse'>, now: Instant) => void

/**
 * Takes note that keys are used, behind the answers: no request waits for it, nor fails where it cannot be written, as
 * while another process writes. Then it is tried again for a while, so that a job which asks once has been seen.
 */
export const createNotes = (later: Later = afterPause): Notes => {
  const tried = new Map<string, Instant>()
  const attempt = (noting: Promise<void> | undefined, again: () => Promise<void> | undefined, left: number): void => {
    noting?.catch(() => {
      if (left > 0) later(() => attempt(again(), again, left - 1))
    })
  }
  return ({ account, key, noteUse }, now) => {
    if (!noteUse) return
    const name = `${account.id}/${key}`
    const last = tried.get(name)
    if (last !== undefined && Math.abs(now - last) < NOTE_PAUSE) return
    const noting = noteUse(now)
    if (!noting) return
    if (tried.size >= MOST_NOTES) tried.clear()
    tried.set(name, now)
    attempt(noting, () => noteUse(now), TRIES)
  }
}
