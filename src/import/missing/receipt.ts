import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isObject } from '../../codec/json.ts'
import { KpiError } from '../../domain/errors.ts'
import { makePrivateFolder } from '../journal/private-folder.ts'
import type { CreatedKind, CreatedThing, CreationLog } from './ensure.ts'

/** Describes the run that a receipt is of: the service, the file and the time. */
type ReceiptHead = { readonly service: string; readonly file: string; readonly at: string }

/** Describes what a run created, as its receipt says. */
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
}

/** Describes something that may have been created, by its name or e-mail address. */
type UnsureThing = { readonly kind: CreatedKind; readonly key: string }

/** Writes down what a run creates, as it happens. */
type ReceiptWriter = CreationLog & {
  readonly path: string
  /** Names it on the command line. */
  readonly name: string
  /** Ends the receipt. */
  readonly close: (at: string) => void
}

const ENDING = '.created.jsonl'

/** Creates a receipt in a folder; only its owner can read it. Each line is on the disk before the next request. */
export const createReceipt = (folder: string, head: ReceiptHead, suffix: string): ReceiptWriter => {
  makePrivateFolder(folder)
  const path = join(folder, `${head.at.replaceAll(/[-:]/g, '').slice(0, 15)}-${suffix}${ENDING}`)
  const file = openSync(path, 'wx', 0o600)
  const write = (line: object): void => {
    writeSync(file, `${JSON.stringify(line)}\n`)
  }
  write(head)
  return {
    path,
    name: basename(path, ENDING),
    intend: (intends, keys) => {
      write({ intends, keys })
      fsyncSync(file)
    },
    add: write,
    close: (ended) => {
      write({ ended })
      fsyncSync(file)
      closeSync(file)
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

/** Reads a receipt. */
export const readReceipt = (path: string): Receipt => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new KpiError('malformed', `cannot read the receipt ${path}: ${String(error)}`, { cause: error })
  }
  const [head, ...others] = linesOf(text)
  if (!isHead(head)) throw new KpiError('malformed', `${path} is no receipt of what an import created`)
  const things = others.filter(isThing)
  const ended = others.find((line) => isObject(line) && typeof line['ended'] === 'string')
  return {
    path,
    name: basename(path, ENDING),
    head,
    things,
    unsure: unsureOf(others),
    ended: isObject(ended) ? String(ended['ended']) : undefined,
  }
}

/** Returns the receipts in a folder, the oldest first. */
export const listReceipts = (folder: string): Receipt[] => {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names
    .filter((name) => name.endsWith(ENDING))
    .toSorted()
    .map((name) => readReceipt(join(folder, name)))
}

/** Removes a receipt of which nothing is left to take back. */
export const removeReceipt = ({ path }: Pick<Receipt, 'path'>): void => rmSync(path, { force: true })
