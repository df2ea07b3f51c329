import { CREATED_KINDS, type CreatedKind, type CreatedRecord, type UnsureRecord } from '../../domain/kinds.ts'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isObject } from '../../codec/json.ts'
import { KpiError } from '../../domain/errors.ts'
import { appendToFile } from '../../files/appended-file.ts'
import { fileError } from '../../files/file-error.ts'
import { readRegularFile } from '../../files/read-file.ts'

/** Lists KPIs and owners of which entries are sent. */
export type SentSeries = { readonly kpis: readonly number[]; readonly owners: readonly number[] }

/** Describes the run that a receipt is of: the service, the account as far as it is known, the file and the time. */
export type UndoReceiptHead = {
  readonly service: string
  readonly account?: string | undefined
  readonly file: string
  /** Names the mapping that the file was read by, if one was. */
  readonly mapping?: string | undefined
  readonly at: string
}

/** Counts the entries that a run created, and those that it changed. */
export type ChangeCounts = { readonly created: number; readonly changed: number }

/** Describes what a run created and changed, as its receipt says. */
export type UndoReceipt = {
  readonly path: string
  /** Names it on the command line. */
  readonly name: string
  readonly head: UndoReceiptHead
  readonly things: readonly CreatedRecord[]
  /** Lists what was about to be created when the run was cut off, so that it may be there. */
  readonly unsure: readonly UnsureRecord[]
  /** Tells whether all that the run created was there before it sent entries, and none of it twice. */
  readonly isSettled: boolean
  /** Holds when the run ended; undefined if it was cut off. */
  readonly ended: string | undefined
  /** Holds the same by the clock of the service, which its times of entries are compared with; undefined if it is not known. */
  readonly served: string | undefined
  /** Counts the entries that it created and changed, or may have; undefined if it was cut off. */
  readonly entries: ChangeCounts | undefined
  /** Tells that the service keeps what the run replaced. */
  readonly isKept: boolean
  /** Lists the KPIs and owners of what the service keeps. */
  readonly keptOf: SentSeries
  /** Says why some of what it stored is not in the receipt; undefined where all is. */
  readonly leftOut: string | undefined
  /** Holds when it was last about to send entries, by the clock of the service; undefined if that is not known. */
  readonly sent: string | undefined
  /** Holds the keys of the entries that the service refused. */
  readonly refused: ReadonlySet<string>
  /** Names the journal of the run, if it has one. */
  readonly journal: string | undefined
  /** Names the file from which the run added to entries; undefined if it did not, or read no file. */
  readonly addedFrom: string | undefined
  /** Identifies the run: one that was cut off and continued has a receipt for each part. */
  readonly runId: string | undefined
  /** Holds when all of it was taken back; undefined if something is still to be. */
  readonly takenBack: string | undefined
  /** Counts the entries that each undo left alone, the latest last; all that is still to be taken back then. */
  readonly left: readonly ChangeCounts[]
  /** Counts the entries that the latest undo has left alone, or had not come to when it was last noted. */
  readonly open: number | undefined
  /** Holds when the latest undo began, if it has not come to its end: it goes on, or was cut off. */
  readonly begun: string | undefined
  /** Returns the id that a record has now, where an undo created it again; the same id by default. */
  readonly idNow?: (kind: 'kpi' | 'user' | 'group_item', id: number) => number
}

/** Ends the name of a receipt's file. */
export const ENDING = '.receipt.jsonl'
const ENTRIES_ENDING = '.entries.jsonl'

/** Bounds a receipt without what became of entries: a line for each thing that was created. */
const MOST_BYTES = 256 * 1024 * 1024

/** Returns the path of the file beside a receipt that holds what became of entries, or what some undos left of that. */
export const entriesPath = (path: string, undos = 0): string =>
  path.replace(ENDING, undos === 0 ? ENTRIES_ENDING : `.left-${undos}${ENTRIES_ENDING}`)

const KINDS: ReadonlySet<unknown> = new Set(CREATED_KINDS)

const isThing = (line: unknown): line is CreatedRecord =>
  isObject(line) && KINDS.has(line['kind']) && Number.isSafeInteger(line['id']) && typeof line['name'] === 'string'

const isHead = (line: unknown): line is UndoReceiptHead =>
  isObject(line) && ['service', 'file', 'at'].every((name) => typeof line[name] === 'string')

const isIntent = (line: unknown): line is { intends: CreatedKind; keys: string[] } =>
  isObject(line) && KINDS.has(line['intends']) && Array.isArray(line['keys'])

type Disowned = { readonly disowns: CreatedKind; readonly key: string; readonly id?: number }

/** Matches a line that says that something was made by another machine, or was made beside that and is removed. */
const isDisowned = (line: unknown): line is Disowned => isObject(line) && KINDS.has(line['disowns'])

/** Returns what was intended and is not known to be created: things of a kind are created in the order of the intent. */
const unsureOf = (lines: readonly unknown[]): UnsureRecord[] => {
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

/** Returns how many entries an undo has left, if that is what a line says. */
const openIn = (line: unknown): number[] => {
  const left = isObject(line) ? countsIn(line['left']) : undefined
  if (left) return [left.created + left.changed]
  return isObject(line) && typeof line['open'] === 'number' ? [line['open']] : []
}

/** Returns the keys of the entries that a line says were refused. */
const refusedIn = (line: unknown): string[] =>
  isObject(line) && Array.isArray(line['refused'])
    ? line['refused'].flatMap((key) => (Array.isArray(key) ? [key.join('/')] : []))
    : []

/** Returns the ids that a line says the service keeps something of. */
const idsIn = (line: unknown, name: keyof SentSeries): number[] =>
  isObject(line) && line['kept_by'] !== undefined && Array.isArray(line[name])
    ? line[name].filter((id) => typeof id === 'number')
    : []

/** Returns when an undo began that has not come to its end, as the lines say. */
const begunIn = (lines: readonly unknown[]): string | undefined => {
  const end = lines.findLastIndex((line) => isObject(line) && countsIn(line['left']) !== undefined)
  const begun = lines.slice(end + 1).findLast((line) => isObject(line) && typeof line['undo_begun'] === 'string')
  return isObject(begun) ? String(begun['undo_begun']) : undefined
}

const notReceipt = (path: string, why: string): KpiError => new KpiError('malformed', `cannot read ${path}: ${why}`)

const textIn = (path: string): string => {
  try {
    return readRegularFile(path, { most: MOST_BYTES }).toString()
  } catch (error) {
    throw fileError(error, 'read', path)
  }
}

/** Reads a receipt, but not what became of entries. */
export const readUndoReceipt = (path: string): UndoReceipt => {
  const text = textIn(path)
  const [first = ''] = text.split('\n', 1)
  const [head, ...others] = linesOf(text)
  if (text.trim() === '') throw notReceipt(path, 'it is empty')
  if (linesOf(first).length === 0 || !isHead(head)) throw notReceipt(path, 'its first line is not that of a receipt')
  const disowned = others.filter(isDisowned)
  const strangers = new Set(disowned.map(({ disowns, id }) => `${disowns} ${id}`))
  const things = others.filter(isThing).filter(({ kind, id }) => !strangers.has(`${kind} ${id}`))
  const names = new Set(disowned.map(({ disowns, key }) => `${disowns} ${key}`))
  const textOf = (name: string): string | undefined => {
    const line = others.find((one) => isObject(one) && typeof one[name] === 'string')
    return isObject(line) ? String(line[name]) : undefined
  }
  const lastTextOf = (name: string): string | undefined =>
    others.flatMap((one) => (isObject(one) && typeof one[name] === 'string' ? [one[name]] : [])).at(-1)
  const end = others.find((line) => isObject(line) && typeof line['ended'] === 'string')
  return {
    path,
    name: basename(path, ENDING),
    head,
    things,
    unsure: unsureOf(others).filter(({ kind, key }) => !names.has(`${kind} ${key}`)),
    ended: textOf('ended'),
    served: textOf('served'),
    sent: lastTextOf('sent'),
    isKept: textOf('kept_by') !== undefined,
    keptOf: {
      kpis: others.flatMap((line) => idsIn(line, 'kpis')),
      owners: others.flatMap((line) => idsIn(line, 'owners')),
    },
    leftOut: textOf('left_out'),
    journal: textOf('journal'),
    addedFrom: textOf('added_from'),
    runId: textOf('run'),
    takenBack: textOf('taken_back'),
    isSettled: others.some((line) => isObject(line) && line['settled'] === true),
    left: others.flatMap((line) => (isObject(line) ? (countsIn(line['left']) ?? []) : [])),
    open: others.flatMap(openIn).at(-1),
    begun: begunIn(others),
    refused: new Set(others.flatMap(refusedIn)),
    entries: isObject(end) ? countsIn(end['entries']) : undefined,
  }
}

/** Returns the names of the receipts in a folder, the oldest first. */
export const undoReceiptNames = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(ENDING))
        .map((name) => basename(name, ENDING))
        .toSorted()
    : []

/** Holds the receipts in a folder, and why others cannot be read. */
type UndoReceiptList = { readonly receipts: readonly UndoReceipt[]; readonly faults: readonly KpiError[] }

/** Returns the receipts in a folder, the oldest first; one that cannot be read does not hide the others. */
export const listUndoReceipts = (folder: string): UndoReceiptList => {
  const [receipts, faults]: [UndoReceipt[], KpiError[]] = [[], []]
  for (const name of undoReceiptNames(folder)) {
    try {
      receipts.push(readUndoReceipt(join(folder, name + ENDING)))
    } catch (error) {
      if (!(error instanceof KpiError)) throw error
      faults.push(error)
    }
  }
  return { receipts, faults }
}

/**
 * Notes in a receipt that nothing is left to take back, and removes the values of entries, which are of no more use. A
 * last line that a crash cut off must not swallow the note.
 */
export const markTakenBack = ({ path, left }: UndoReceipt, at: string): void => {
  try {
    appendToFile(path, `\n${JSON.stringify({ taken_back: at })}\n`)
    rmSync(entriesPath(path, left.length), { force: true })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new KpiError(
      'unusable',
      `the import was taken back, but that cannot be noted in its receipt ${path}: ${why}`,
      {
        cause: error,
      },
    )
  }
}

/** Returns the receipts of the last runs of a file that ended before all was there that they had begun to create. */
export const unsettledReceipts = (
  receipts: readonly UndoReceipt[],
  file: string,
  service: string,
): readonly UndoReceipt[] => {
  const ofFile = receipts.filter(({ head }) => head.file === file && head.service === service)
  const last = ofFile.findLastIndex(
    ({ isSettled, takenBack, isKept, path }) =>
      isSettled || isKept || takenBack !== undefined || existsSync(entriesPath(path)),
  )
  return ofFile.slice(last + 1)
}

/** Removes a receipt with all that stands beside it. */
export const removeUndoReceipt = ({ path }: Pick<UndoReceipt, 'path'>): void => {
  const name = basename(path, ENDING)
  for (const one of readdirSync(dirname(path))) {
    if (one.startsWith(`${name}.`)) rmSync(join(dirname(path), one), { force: true })
  }
}

/** Removes the receipts in a folder that were begun before a time. */
export const removeOldUndoReceipts = (folder: string, before: Date): void => {
  const oldest = before.toISOString().replaceAll(/[-:]/g, '').slice(0, 15)
  for (const name of undoReceiptNames(folder)) {
    if (name < oldest) removeUndoReceipt({ path: join(folder, name + ENDING) })
  }
}
