import { storedKey } from '../../domain/entry-key.ts'
import { rmSync } from 'node:fs'
import { KpiError } from '../../domain/errors.ts'
import { appendToFile } from '../../files/appended-file.ts'
import { changesToText, type EntryChange } from '../../domain/entry-changes.ts'
import { CLOCK_SPREAD } from './judge-changes.ts'
import { countChanges, readChanges } from '../../runs/entries/receipt-changes.ts'
import { entriesPath, type UndoReceipt } from '../../runs/entries/receipt.ts'
import type { UndoneRun } from './undone-run.ts'

/**
 * Holds the entries that an undo leaves alone. Kept in the receipts, they are all that the next undo looks at: what it
 * would meet of the others was stored after the first.
 */
export type UndoRest = {
  /** Notes in the receipts that an undo begins, so that they tell of it even if it is killed. */
  readonly begin: (at: string) => Promise<void>
  /** Counts entries of a run that the service keeps: those that are as before now, and those that are left alone. */
  readonly count: (part: UndoReceipt, settled: number, left: number) => void
  readonly add: (part: UndoReceipt, change: EntryChange) => void
  /** Counts an entry that is as before now. */
  readonly settle: (part: UndoReceipt) => void
  /** Notes in the receipts how far it is. */
  readonly progress: () => void
  /** Remembers an entry that is as before already, which a later import may have done. */
  readonly meet: (change: EntryChange) => void
  /** Notes in the receipts what is left. */
  readonly keep: () => void
  /**
   * Forgets what was added, as the undo did not come to its end, and notes in the receipts how many entries are left; those
   * of some KPIs went with these.
   */
  readonly stop: (isGone: (kpi: number) => boolean) => Promise<void>
  /** Returns the first of the entries that were added or met. */
  readonly keys: () => ReadonlySet<string>
}

/** Sets how many changes are written at a time. */
const WRITTEN_AT_A_TIME = 1000

/** Sets how many entries are remembered to find what changed them. */
const REMEMBERED = 10_000

const orExplain = (path: string, work: () => void): void => {
  try {
    work()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new KpiError('unusable', `cannot note in ${path} what is left to take back: ${why}`, { cause: error })
  }
}

/** Sets how often it is noted how far an undo of many entries is. */
const NOTES = 1000

/** Notes in a receipt how many entries are left as an undo goes on. */
const createOpenCount = ({ path, open }: UndoReceipt) => {
  let all: number | undefined
  let least = 0
  return {
    begin: (count: number): void => {
      all = count
      least = open ?? count
    },
    note: (settled: number): void => {
      if (all === undefined) return
      const left = all - settled
      if (left >= least || (left > 0 && least - left < all / NOTES)) return
      least = left
      appendToFile(path, `${JSON.stringify({ open: left })}\n`)
    },
  }
}

/** Holds what is left of one receipt. */
type PartRest = {
  readonly add: (change: EntryChange) => void
  readonly keep: () => void
  readonly begin: (at: string) => Promise<void>
  readonly settle: () => void
  readonly count: (settled: number, left: number) => void
  readonly progress: () => void
  readonly stop: (isGone: (kpi: number) => boolean) => Promise<void>
}

/** Holds what is left of one receipt, in a file beside it. */
const createPartRest = (part: UndoReceipt): PartRest => {
  const undos = part.left.length
  const path = entriesPath(part.path, undos + 1)
  let some: EntryChange[] = []
  let [created, changed, settled] = [0, 0, 0]
  const openCount = createOpenCount(part)
  rmSync(path, { force: true })
  const write = (): void => {
    if (some.length > 0) appendToFile(path, changesToText(some))
    some = []
  }
  return {
    add: (change: EntryChange): void => {
      some.push(change)
      if (change.before) changed += 1
      else created += 1
      if (some.length >= WRITTEN_AT_A_TIME) orExplain(part.path, write)
    },
    keep: (): void =>
      orExplain(part.path, () => {
        write()
        appendToFile(part.path, `\n${JSON.stringify({ left: { created, changed } })}\n`)
        rmSync(entriesPath(part.path, undos), { force: true })
      }),
    begin: async (at: string): Promise<void> => {
      const { created: news, changed: olds } = await countChanges(part)
      openCount.begin(news + olds)
      const line = { undo_begun: at, open: part.open ?? news + olds }
      orExplain(part.path, () => appendToFile(part.path, `\n${JSON.stringify(line)}\n`))
    },
    settle: (): void => void (settled += 1),
    count: () => undefined,
    progress: (): void => openCount.note(settled),
    stop: async (isGone: (kpi: number) => boolean): Promise<void> => {
      rmSync(path, { force: true })
      let [all, gone] = [0, settled]
      for await (const changes of readChanges(part, WRITTEN_AT_A_TIME)) {
        all += changes.length
        gone += changes.filter(({ key: [, kpi] }) => isGone(kpi)).length
      }
      if (gone > 0) appendToFile(part.path, `\n${JSON.stringify({ open: all - gone })}\n`)
    },
  }
}

/** Counts what is left of a run that the service keeps, of which nothing but that is noted in the receipt. */
const createKeptRest = (part: UndoReceipt, all: number): PartRest => {
  let [settled, left] = [0, 0]
  const openCount = createOpenCount(part)
  const note = (line: object): void =>
    orExplain(part.path, () => appendToFile(part.path, `\n${JSON.stringify(line)}\n`))
  return {
    add: () => undefined,
    keep: () => note({ left: { created: 0, changed: left } }),
    begin: async (at) => {
      openCount.begin(all)
      note({ undo_begun: at, open: part.open ?? all })
    },
    settle: () => undefined,
    count: (some, others) => {
      settled += some
      left += others
    },
    progress: () => openCount.note(settled),
    stop: async () => {
      if (settled > 0) note({ open: all - settled })
    },
  }
}

/** Creates what holds the entries that an undo of a run leaves alone; `keptCounts` has those of runs that the service keeps. */
export const createUndoRest = (
  { parts }: Pick<UndoneRun, 'parts'>,
  keptCounts: ReadonlyMap<UndoReceipt, number> = new Map(),
): UndoRest => {
  const rests = new Map([
    ...parts.filter(({ isKept }) => !isKept).map((part) => [part.path, createPartRest(part)] as const),
    ...[...keptCounts].map(([part, all]) => [part.path, createKeptRest(part, all)] as const),
  ])
  const keys = new Set<string>()
  const meet = ({ key }: EntryChange): void => {
    if (keys.size < REMEMBERED) keys.add(storedKey(...key))
  }
  return {
    begin: async (at) => {
      for (const rest of rests.values()) await rest.begin(at)
    },
    add: ({ path }, change) => {
      meet(change)
      rests.get(path)?.add(change)
    },
    settle: ({ path }) => rests.get(path)?.settle(),
    count: ({ path }, settled, left) => rests.get(path)?.count(settled, left),
    progress: () => rests.forEach(({ progress }) => progress()),
    meet,
    keep: () => rests.forEach(({ keep }) => keep()),
    stop: async (isGone) => {
      for (const rest of rests.values()) await rest.stop(isGone)
    },
    keys: () => keys,
  }
}

/** Tells whether a receipt says something of one of some entries. */
const isOf = async (receipt: UndoReceipt, keys: ReadonlySet<string>): Promise<boolean> => {
  for await (const some of readChanges(receipt, WRITTEN_AT_A_TIME)) {
    if (some.some(({ key }) => keys.has(storedKey(...key)))) return true
  }
  return false
}

/** Returns the receipts of imports that began after a run, and were not taken back. */
const receiptsAfter = (
  { parts, head }: Pick<UndoneRun, 'parts' | 'head'>,
  receipts: readonly UndoReceipt[],
): UndoReceipt[] => {
  const own = new Set(parts.map(({ path }) => path))
  return receipts.filter(
    (one) =>
      one.takenBack === undefined && one.head.service === head.service && one.head.at > head.at && !own.has(one.path),
  )
}

/**
 * Returns the entries that later imports found missing, and stored: so the run had not stored them, or somebody deleted
 * them. Reads the receipts of imports that began where times do not tell which of the two stored an entry.
 */
export const findStoredAnew = async (
  run: Pick<UndoneRun, 'parts' | 'head' | 'ended'>,
  receipts: readonly UndoReceipt[],
): Promise<ReadonlySet<string>> => {
  const until = run.ended === undefined ? Infinity : Date.parse(run.ended) + CLOCK_SPREAD * 1000
  const keys = new Set<string>()
  for (const receipt of receiptsAfter(run, receipts)) {
    if (Date.parse(receipt.head.at) > until) continue
    for await (const some of readChanges(receipt, WRITTEN_AT_A_TIME))
      for (const { key, before } of some) if (!before) keys.add(storedKey(...key))
  }
  return keys
}

/**
 * Returns the later imports, the latest first, that stored some of the entries that an undo of a run does not change: by their
 * keys, or by the ids of their runs, as the service tells them. One that was continued has one receipt here.
 */
export const laterImportsOf = async (
  run: UndoneRun,
  keys: ReadonlySet<string>,
  heldBy: ReadonlySet<string>,
  receipts: readonly UndoReceipt[],
): Promise<UndoReceipt[]> => {
  const found = new Map<string, UndoReceipt>()
  for (const receipt of receiptsAfter(run, receipts).toReversed()) {
    const { name, runId = name } = receipt
    if (found.has(runId)) continue
    if (heldBy.has(runId) || (keys.size > 0 && (await isOf(receipt, keys)))) found.set(runId, receipt)
  }
  return [...found.values()]
}
