import { workerData } from 'node:worker_threads'
import type { JournalHead } from '../../src/load/journal/journal.ts'
import { notesOnUnfinished } from '../../src/load/journal/unfinished.ts'

/* A thread that looks at all journals of a folder, again and again, until it is ended. */

/** What the thread looks at, and where it counts how often it did. */
export type Inspection = { readonly folder: string; readonly head: JournalHead; readonly count: Int32Array }

const { folder, head, count } = workerData as Inspection
for (;;) {
  notesOnUnfinished(folder, '', head)
  Atomics.add(count, 0, 1)
  Atomics.notify(count, 0)
}
