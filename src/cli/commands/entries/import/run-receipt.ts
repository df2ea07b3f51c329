import { listUndoReceipts, removeOldUndoReceipts, removeUndoReceipt } from '../../../../runs/entries/receipt.ts'
import {
  createUndoReceipt,
  type UndoReceiptWriter,
  type ChangeLog,
  type CreationLog,
} from '../../../../runs/entries/receipt-writer.ts'
import { receiptsFolder } from '../../../target/folders.ts'
import { serviceOf, undoLine } from '../../../target/service-of.ts'
import type { CommandRun, Job } from './jobs.ts'

/** Writes down what a run creates and changes, and says at its end how to take that back. */
type RunReceipt = {
  readonly created: CreationLog
  /** Receives what becomes of entries; undefined if the user wants no receipt of it. */
  readonly changes: ChangeLog | undefined
  /** Notes the journal of the run, which ends with what is taken back. */
  readonly journal: (path: string | undefined, runId?: string) => void
  readonly close: () => void
  /** Names it on the command line; null if nothing is to be taken back. */
  readonly name: () => string | null
}

/** Sets for how many days receipts are kept. */
const KEPT_DAYS = 90
const DAY_MS = 86_400_000

/** Sets how often it is noted when something was sent. */
const SENT_MS = 60_000

/** Tells whether a receipt has nothing to take back; what a run may have created counts as created. */
const isEmpty = ({ entries }: UndoReceiptWriter, things: number, isUnsure: boolean): boolean => {
  const { created, changed } = entries()
  return created + changed + things === 0 && !isUnsure
}

/** Creates the receipt of a run, which is a file once something is to be created or changed. */
export const createRunReceipt = (
  { cli, client, progress, parsed, receipts }: CommandRun,
  { file, origin }: Pick<Job, 'file' | 'origin'>,
): RunReceipt => {
  let opened: UndoReceiptWriter | undefined
  let [count, things, hasIntended, leavesOut] = [0, 0, false, false]
  let [isKept, isTouched] = [false, false]
  let journal: Parameters<RunReceipt['journal']> | undefined
  const addedFrom = parsed.options.onConflict === 'add' ? origin : undefined
  const noteJournal = (receipt: UndoReceiptWriter, path: string | undefined, runId?: string): void =>
    receipt.journal({ journal: path, run: runId, added_from: addedFrom })
  const open = (): UndoReceiptWriter => {
    if (opened) return opened
    const [folder, now] = [receiptsFolder(cli.io), cli.io.now()]
    removeOldUndoReceipts(folder, new Date(now - KEPT_DAYS * DAY_MS))
    const suffix = Buffer.from(cli.io.random(3)).toString('hex')
    const { for: account } = client.identifyAccount()
    const head = {
      service: serviceOf(cli),
      account,
      file,
      mapping: parsed.saveMapping ?? parsed.mapping,
      at: new Date(now).toISOString(),
    }
    opened = createUndoReceipt(folder, head, suffix)
    receipts.push(opened.name)
    if (journal) noteJournal(opened, ...journal)
    return opened
  }
  /** Tells whether an earlier part of the run has a receipt. */
  const isContinued = (): boolean => {
    const [, runId] = journal ?? []
    return runId !== undefined && listUndoReceipts(receiptsFolder(cli.io)).receipts.some((one) => one.runId === runId)
  }
  let [notedAt, sentAt] = [-Infinity, -Infinity]
  client.watchChanges((time = -Infinity) => {
    sentAt = time
    if (!opened || time - notedAt < SENT_MS || time === -Infinity) return
    notedAt = time
    opened.send(new Date(time).toISOString())
  })
  const isOfUse = (receipt: UndoReceiptWriter): boolean => {
    const { created, changed } = receipt.entries()
    return things + created + changed > 0 || isTouched
  }
  /** Says how to take it back: to people, as a job finds the name in the summary, and always where things were created. */
  const tell = (receipt: UndoReceiptWriter): void => {
    if (things === 0 && !cli.io.stderr.isTerminal) return
    progress.note(`to take this import back: ${undoLine(cli.flags, 'entries undo', receipt.name)}`)
  }
  return {
    created: {
      intend: (kind, keys) => {
        hasIntended = true
        open().created.intend(kind, keys)
      },
      add: (thing) => {
        count += 1
        if (thing.kind !== 'assignment') things += 1
        open().created.add(thing)
      },
      disown: (kind, key, id) => {
        if (id !== undefined) [count, things] = [count - 1, things - 1]
        open().created.disown(kind, key, id)
      },
      settle: () => opened?.created.settle(),
    },
    changes: parsed.keepsReceipt
      ? {
          add: (changes) => open().changes.add(changes),
          refuse: (changes) => opened?.changes.refuse(changes),
          sync: () => opened?.changes.sync(),
          keep: (series) => {
            open().keep(series)
            isKept = true
          },
          count: (created, changed) => opened?.count(created, changed),
          touch: () => (isTouched = isKept),
          giveUp: (why) => {
            leavesOut = opened !== undefined || isContinued()
            if (leavesOut) {
              open().leaveOut(why)
              progress.note(`what this import stores from now on may not be taken back with it: ${why}`)
            } else if (cli.io.stderr.isTerminal) progress.note(`this import cannot be taken back: ${why}`)
          },
        }
      : undefined,
    journal: (...given) => {
      journal = given
      if (opened) noteJournal(opened, ...given)
    },
    close: () => {
      if (!opened) return
      // End no earlier than the last request, whose answer may be lost although it was done.
      const served = Math.max(client.serviceTime() ?? -Infinity, sentAt)
      opened.close(
        new Date(cli.io.now()).toISOString(),
        served === -Infinity ? undefined : new Date(served).toISOString(),
      )
      // In this process all is created together, or nothing is.
      const isUnsure = (hasIntended && client.addStep === 1) || isTouched
      if (!leavesOut && isEmpty(opened, count, isUnsure)) removeUndoReceipt(opened)
      else if (isOfUse(opened)) tell(opened)
    },
    name: () => (opened && isOfUse(opened) ? opened.name : null),
  }
}
