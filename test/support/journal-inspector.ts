import type { JournalHead } from '../../src/runs/entries/journal.ts'
import { notesOnUnfinished } from '../../src/runs/entries/unfinished.ts'

/* A process that looks at all journals of a folder, as an import of another file does, again and again until it is killed. */

const [folder = '', head = ''] = process.argv.slice(2)
for (;;) {
  notesOnUnfinished(folder, '', JSON.parse(head) as JournalHead)
  // Fails, and ends the process, once nobody is there to read it.
  process.stdout.write('.')
}
