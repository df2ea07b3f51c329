import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { isObject } from '../../codec/json.ts'
import { KpiError } from '../../domain/errors.ts'
import { makePrivateFolder } from '../journal/private-folder.ts'
import type { CreatedKind, CreatedThing, CreationLog } from '../missing/ensure.ts'
import { changesIn, changesToText, type EntryChange } from './change-lines.ts'
import type { ChangeLog } from './note-changes.ts'

/** Describes the run that a receipt is of: the service, the account as far as it is known, the file and the time. */
type ReceiptHead = {
  readonly service: string
  readonly account?: string | undefined
  readonly file: string
  readonly at: string
}

/** Counts the entries that a run created, and those that it changed. */
type ChangeCounts = { readonly created: number; readonly changed: number }

/** Describes what a run created and changed, as its receipt says. */
export type Receipt = {
  readonly path: string
  /** Names it on the command line. */
  readonly name: string
  readonly head: ReceiptHead
  readonly things: readonly CreatedThing[]
  /** Lists what was about to be created when the run was cut off, so that it may be there. */
  readonly unsure: readonly UnsureThing[]
  /** Holds when the run ended; undefined if it was cut off. */
  readonly ended: string | undefined
  /** Counts the entries that it was to create or change; undefined if it was cut off. */
  readonly entries: ChangeCounts | undefined
  /** Names the journal of the run, if it has one. */
  readonly journal: string | undefined
}

/** Describes something that may have been created, by its name or e-mail address. */
type UnsureThing = { readonly kind: CreatedKind; readonly key: string }

/** Writes down what a run creates and changes, as it happens. */
export type ReceiptWriter = {
  readonly path: string
  /** Names it on the command line. */
  readonly name: string
  readonly created: CreationLog
  readonly changes: Pick<ChangeLog, 'add' | 'sync'>
  /** Notes the journal of the run. */
  readonly journal: (path: string) => void
  /** Counts the entries so far. */
  readonly entries: () => ChangeCounts
  /** Ends the receipt. */
  readonly close: (at: string) => void
}

const ENDING = '.receipt.jsonl'
/** Ends the name of the file beside a receipt that holds what became of entries. */
const ENTRIES_ENDING = '.entries.jsonl'

/** Sets how many changes are counted at a time. */
const WHOLE_AT_A_TIME = 5000

const entriesPath = (path: string): string => path.replace(ENDING, ENTRIES_ENDING)

/** Describes a file that text is appended to. */
type Appended = { readonly write: (text: string) => void; readonly sync: () => void; readonly close: () => void }

/** Creates a file that only its owner can read; a fault says that without it nothing is sent. */
const appendTo = (path: string): Appended => {
  const orExplain = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const advice = 'make room for it, or import with --no-undo, which keeps no receipt'
      throw new KpiError('unavailable', `cannot write the receipt ${path}: ${why}; ${advice}`, { cause: error })
    }
  }
  const file = orExplain(() => openSync(path, 'wx', 0o600))
  let isWritten = false
  return {
    write: (text) => {
      orExplain(() => writeSync(file, text))
      isWritten = true
    },
    sync: () => {
      if (isWritten) orExplain(() => fsyncSync(file))
      isWritten = false
    },
    close: () => closeSync(file),
  }
}

/** Creates the file of what becomes of entries, once there is any. */
const createChangesFile = (path: string): Pick<ReceiptWriter, 'changes' | 'entries'> & Pick<Appended, 'close'> => {
  let file: Appended | undefined
  let [created, changed] = [0, 0]
  return {
    entries: () => ({ created, changed }),
    changes: {
      add: (changes) => {
        if (changes.length === 0) return
        file ??= appendTo(path)
        file.write(changesToText(changes))
        const ofOld = changes.filter(({ before }) => before).length
        changed += ofOld
        created += changes.length - ofOld
      },
      sync: () => file?.sync(),
    },
    close: () => file?.close(),
  }
}

/** Creates a receipt in a folder; only its owner can read it. Each line is on the disk before the next request. */
export const createReceipt = (folder: string, head: ReceiptHead, suffix: string): ReceiptWriter => {
  makePrivateFolder(folder)
  const path = join(folder, `${head.at.replaceAll(/[-:]/g, '').slice(0, 15)}-${suffix}${ENDING}`)
  const file = appendTo(path)
  const write = (line: object): void => file.write(`${JSON.stringify(line)}\n`)
  const { changes, entries, close } = createChangesFile(entriesPath(path))
  write(head)
  return {
    path,
    name: basename(path, ENDING),
    created: {
      intend: (intends, keys) => {
        write({ intends, keys })
        file.sync()
      },
      add: write,
    },
    changes,
    journal: (journal) => write({ journal }),
    entries,
    close: (ended) => {
      changes.sync()
      close()
      write({ ended, entries: entries() })
      file.sync()
      file.close()
    },
  }
}

const KINDS: ReadonlySet<unknown> = new Set<CreatedKind>([
  'category',
  'unit',
  'kpi',
  'group',
  'item',
  'user',
  'assignment',
])

const isThing = (line: unknown): line is CreatedThing =>
  isObject(line) && KINDS.has(line['kind']) && Number.isSafeInteger(line['id']) && typeof line['name'] === 'string'

const isHead = (line: unknown): line is ReceiptHead =>
  isObject(line) && ['service', 'file', 'at'].every((name) => typeof line[name] === 'string')

const isIntent = (line: unknown): line is { intends: CreatedKind; keys: string[] } =>
  isObject(line) && KINDS.has(line['intends']) && Array.isArray(line['keys'])

/** Returns what was intended and is not known to be created: things of a kind are created in the order of the intent. */
const unsureOf = (lines: readonly unknown[]): UnsureThing[] => {
  const starts = [...lines.keys()].filter((at) => isIntent(lines[at]))
  return starts.flatMap((start, at) => {
    const intent = lines[start]
    if (!isIntent(intent)) return []
    const done = lines.slice(start, starts[at + 1]).filter((line) => isThing(line) && line.kind === intent.intends)
    return intent.keys.slice(done.length).map((key) => ({ kind: intent.intends, key }))
  })
}

/** Returns the lines of a receipt; the last may have been cut off by a crash. */
const linesOf = (text: string): unknown[] =>
  text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as unknown]
    } catch {
      return []
    }
  })

const countsIn = (value: unknown): ChangeCounts | undefined =>
  isObject(value) ? { created: Number(value['created']), changed: Number(value['changed']) } : undefined

/** Reads a receipt, but not what became of entries. */
export const readReceipt = (path: string): Receipt => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new KpiError('malformed', `cannot read the receipt ${path}: ${String(error)}`, { cause: error })
  }
  const [head, ...others] = linesOf(text)
  if (!isHead(head)) throw new KpiError('malformed', `${path} is no receipt of an import`)
  const things = others.filter(isThing)
  const textOf = (name: string): string | undefined => {
    const line = others.find((one) => isObject(one) && typeof one[name] === 'string')
    return isObject(line) ? String(line[name]) : undefined
  }
  const end = others.find((line) => isObject(line) && typeof line['ended'] === 'string')
  return {
    path,
    name: basename(path, ENDING),
    head,
    things,
    unsure: unsureOf(others),
    ended: textOf('ended'),
    journal: textOf('journal'),
    entries: isObject(end) ? countsIn(end['entries']) : undefined,
  }
}

/** Returns the names of the receipts in a folder, the oldest first. */
export const receiptNames = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(ENDING))
        .map((name) => basename(name, ENDING))
        .toSorted()
    : []

/** Returns the receipts in a folder, the oldest first. */
export const listReceipts = (folder: string): Receipt[] =>
  receiptNames(folder).map((name) => readReceipt(join(folder, name + ENDING)))

/** Yields what an import made of entries, some at a time, in the order in which it sent them. */
export async function* readChanges({ path }: Pick<Receipt, 'path'>, most: number): AsyncGenerator<EntryChange[]> {
  const from = entriesPath(path)
  if (!existsSync(from)) return
  let some: EntryChange[] = []
  for await (const line of createInterface({ input: createReadStream(from, 'utf8'), crlfDelay: Infinity })) {
    for (const change of changesIn(line)) {
      some.push(change)
      if (some.length < most) continue
      yield some
      some = []
    }
  }
  if (some.length > 0) yield some
}

/**
 * Refuses a receipt whose entries are not all there any more, as a file that was cut or edited has them. The last line of
 * a run that was cut off may be missing.
 */
export const requireWhole = async (receipt: Receipt): Promise<void> => {
  const { entries, path } = receipt
  if (!entries) return
  let [created, changed] = [0, 0]
  for await (const some of readChanges(receipt, WHOLE_AT_A_TIME)) {
    const ofOld = some.filter(({ before }) => before).length
    changed += ofOld
    created += some.length - ofOld
  }
  if (created === entries.created && changed === entries.changed) return
  throw new KpiError(
    'unusable',
    `the receipt ${path} is damaged: it is of ${entries.created + entries.changed} entries, and ${created + changed} of them can be read; nothing was taken back`,
  )
}

/** Removes a receipt of which nothing is left to take back. */
export const removeReceipt = ({ path }: Pick<Receipt, 'path'>): void => {
  for (const one of [path, entriesPath(path)]) rmSync(one, { force: true })
}

/** Removes the receipts in a folder that were begun before a time. */
export const removeOldReceipts = (folder: string, before: Date): void => {
  const oldest = before.toISOString().replaceAll(/[-:]/g, '').slice(0, 15)
  for (const name of receiptNames(folder)) {
    if (name < oldest) removeReceipt({ path: join(folder, name + ENDING) })
  }
}
