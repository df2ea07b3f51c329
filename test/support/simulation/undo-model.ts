import { readUndoReceipt, undoReceiptNames } from '../../../src/runs/entries/receipt.ts'
import type { Held, Kept } from '../faulty/account.ts'
import type { Written } from '../faulty/entries.ts'
import type { FaultyService } from '../faulty/service.ts'
import { expectedOf, shownHeld } from './expected.ts'
import { type Account, accountOf, type Ran, type Seat } from './seat.ts'
import { rejectedIn } from './simulate.ts'

/*
 * What an import and an undo may make of an account that others change as well, judged by what the service wrote for them: an undo
 * takes back what its own import stored, as far as that is still there, and nothing else.
 */

/** Stands in the reason of a row whose answer was lost for good. */
const LOST = 'it may or may not have been stored'
/**
 * Stands in the reason of a row that was sent, and is not stored, because the service answered as if it were. Sent again it could
 * be added twice where the list shows it late, so that such a row of an adding import is a reject, which is true of it.
 */
const NOT_STORED = 'but did not store it'

const NAMES = ['actual', 'target', 'notes'] as const

/** What became of an entry; it has the id of one that was created. */
type Change = { readonly key: string; readonly before: Held | undefined; readonly after: Held; readonly id?: number }
type Verdict = 'restore' | 'remove' | 'done' | 'leave'

/** A part of a run: what it stored, and what an undo has left of that. */
type Part = {
  readonly changes: readonly Change[]
  /** What it may have noted, and did not store as it was cut off. */
  readonly unsure: readonly Change[]
  /** By when it stored all that it stored; undefined where a service does not show when it stored entries. */
  readonly until: number | undefined
  left: ReadonlySet<string> | undefined
}

/** An import that may have been cut off and continued. */
type Run = {
  readonly id: string
  readonly receipts: Set<string>
  /** The parts, the latest first. */
  readonly parts: Part[]
  /** Whether it was cut off, or answers were lost, so that its receipts may name what was only about to be stored. */
  wasCut: boolean
  /** Whether an undo has ended with nothing left. */
  isTakenBack: boolean
  /** Whether the last undo was cut off after it had changed something. */
  isHalfBack: boolean
}

const changesOf = (own: readonly Written[]): Change[] =>
  [...Map.groupBy(own, ({ key }) => key)].flatMap(([key, list]) => {
    const [before, after] = [list[0]?.before, list.at(-1)?.after]
    return after ? [{ key, before, after, id: after.id }] : []
  })

const changedNames = ({ before, after }: Change): (keyof Held)[] =>
  NAMES.filter((name) => before?.[name] !== after[name])

const judge = (change: Change, held: Held | undefined): Verdict => {
  const { before, after } = change
  if (!before) return !held ? 'done' : shownHeld(held) === shownHeld(after) ? 'remove' : 'leave'
  const holds = (values: Held): boolean => changedNames(change).every((name) => held?.[name] === values[name])
  if (!held) return 'leave'
  return holds(before) ? 'done' : holds(after) ? 'restore' : 'leave'
}

const isNothing = (held: Held | undefined): boolean => !!held && NAMES.every((name) => held[name] === null)

/** Returns what an entry holds once a change is taken back. */
const takenBack = (change: Change, held: Held | undefined): Held | undefined => {
  const verdict = judge(change, held)
  if (verdict === 'remove') return undefined
  if (verdict !== 'restore' || !held || !change.before) return held
  const { before } = change
  return { ...held, ...Object.fromEntries(changedNames(change).map((name) => [name, before[name]])) }
}

/** Returns the keys of the rows whose reasons say something; where a row has several, nobody can tell of which it is said. */
const toldKeys = ({ job, home }: Seat, words: readonly string[]): Set<string> => {
  const told = new Set(
    rejectedIn(home()).flatMap(({ line, reason }) => (words.some((one) => reason.includes(one)) ? [line] : [])),
  )
  return new Set(expectedOf(job).fates.flatMap(({ key, lines }) => (lines.some((line) => told.has(line)) ? [key] : [])))
}

/** Returns the number in a sentence; 0 where it says nothing of that. */
const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0)

/** Returns the numbers of what an undo says that it has done; before that, it says what it is to do. */
const saidIn = (text: string) => ({
  restored: numberIn(text, /^(?:kpi: )?put back (\d+) entr/m),
  removed: numberIn(text, /^(?:kpi: )?(?:put back .* and )?removed (\d+) entr/m),
  left: numberIn(text, /; (\d+) left alone/),
})

/** How much later an entry was stored than a run, if that can be told. */
const [ENDED_MS, KILLED_MS] = [62_000, 362_000]

const CUT: ReadonlySet<number> = new Set([4, 5, 6, 130])

/** Judges the commands of a seat, one after another. */
export type UndoModel = {
  /** Imports, and returns the exit code. */
  readonly load: (mayBeCut: boolean) => Promise<number | undefined>
  /** Takes back what a receipt names. */
  readonly takeBack: (receipt: string, mayBeCut: boolean) => Promise<number | undefined>
  /** Lists the receipts that are open, the latest first. */
  readonly open: () => Promise<readonly string[]>
  readonly complaints: readonly string[]
}

type Row = {
  readonly receipt: string
  readonly taken_back_at: string | null
  readonly left_entries: number | null
  readonly undo_begun_at: string | null
}

/** Creates what judges the commands of a seat. */
export const createUndoModel = (seat: Seat, service: FaultyService): UndoModel => {
  const { job } = seat
  const complaints: string[] = []
  const runs: Run[] = []
  /** What was there when the run began that goes on, and how much had been written then. */
  let begun: { readonly base: Account; readonly from: number } | undefined
  /** The keys that others changed between the look of a command and its write. */
  const vague = new Set<string>()

  const pathOf = (receipt: string): string => `${seat.receipts()}/${receipt}.receipt.jsonl`

  const judgeImport = ({ own }: Ran): string[] =>
    own.flatMap(({ key, before, after }) => {
      const fate = expectedOf(job).fateOn(key, before)
      const wanted = fate && fate.isRejected !== true ? shownHeld(fate.after) : 'what it held'
      return shownHeld(after) === wanted || vague.has(key)
        ? []
        : [`the import made ${shownHeld(after)} of ${shownHeld(before)} at ${key}, not ${wanted}`]
    })

  /** In the end all rows are stored, but for what others changed meanwhile. */
  const judgeStored = (): string[] => {
    if (!begun) return []
    const others = service.written.slice(begun.from).filter((one) => !seat.wrote(one))
    const open = new Set([...others.map(({ key }) => key), ...toldKeys(seat, [LOST])])
    if (job.onConflict === 'add') for (const key of toldKeys(seat, [NOT_STORED])) open.add(key)
    const held = accountOf(service.entries())
    return expectedOf(job).fates.flatMap(({ key }) => {
      const fate = expectedOf(job).fateOn(key, begun?.base.get(key))
      if (!fate || fate.isRejected !== false || open.has(key)) return []
      const [is, wanted] = [shownHeld(held.get(key)), shownHeld(fate.after)]
      return is === wanted ? [] : [`the import is over, and ${key} holds ${is} instead of ${wanted}`]
    })
  }

  /** Notes what a part of a run stored. One that stores only what an earlier part was about to has no receipt of its own. */
  const note = (receipt: string | undefined, ran: Ran): void => {
    const { own, foreign, held, at, isTroubled } = ran
    const { code } = ran.ended
    const changes = changesOf(own)
    const isCut = code !== 0 && code !== 3
    const told = toldKeys(seat, [LOST, NOT_STORED])
    const sure = new Set(changes.map(({ key }) => key))
    const unsure = expectedOf(job).fates.flatMap(({ key }) => {
      // Where others store the same meanwhile, nobody can tell whose it is.
      const isUnsure = !sure.has(key) && (isCut || told.has(key) || foreign.has(key))
      const fate = isUnsure ? expectedOf(job).fateOn(key, held.get(key)) : undefined
      const isSent = fate?.after && shownHeld(fate.before) !== shownHeld(fate.after)
      return fate?.after && isSent ? [{ key, before: fate.before, after: fate.after }] : []
    })
    const until = job.kind.isBundled ? at + (code === undefined ? KILLED_MS : ENDED_MS) : undefined
    const last = runs.at(-1)
    const id = receipt === undefined ? last?.id : readUndoReceipt(pathOf(receipt)).runId
    if (id === undefined) {
      if (changes.some(({ key }) => !vague.has(key)))
        complaints.push(`an import that stored ${changes.length} entries has no receipt`)
      return
    }
    const run =
      last?.id === id
        ? last
        : { id, receipts: new Set<string>(), parts: [], wasCut: false, isTakenBack: false, isHalfBack: false }
    if (run !== last) runs.push(run)
    if (receipt !== undefined) run.receipts.add(receipt)
    run.parts.unshift({ changes, unsure, until, left: undefined })
    run.wasCut ||= isCut || isTroubled
  }

  const load: UndoModel['load'] = async (mayBeCut) => {
    const known = new Set(undoReceiptNames(seat.receipts()))
    const from = service.written.length
    const ran = await seat.run(seat.line, mayBeCut)
    begun ??= { base: ran.held, from }
    for (const key of ran.foreign) vague.add(key)
    const { code } = ran.ended
    const isOver = code === 0 || code === 3
    complaints.push(...judgeImport(ran))
    const receipt = undoReceiptNames(seat.receipts()).find((name) => !known.has(name))
    note(receipt, ran)
    if (isOver) {
      complaints.push(...judgeStored())
      begun = undefined
    }
    return code
  }

  const open: UndoModel['open'] = async () => {
    const { ended } = await seat.run(['entries', 'undo', '-o', 'json'], false)
    if (ended.code !== 0) {
      complaints.push('the receipts cannot be listed')
      return []
    }
    const list = JSON.parse(ended.stdout) as Row[]
    const halfBack = runs.filter(({ isHalfBack }) => isHalfBack).flatMap(({ receipts }) => [...receipts])
    for (const receipt of halfBack) {
      const isTold = list.some(
        (one) => one.receipt === receipt && one.undo_begun_at !== null && one.left_entries !== null,
      )
      if (!isTold) complaints.push(`the list does not say that an undo of ${receipt} was cut off`)
    }
    if (halfBack.length > 0 && !ended.stderr.includes('has not come to its end'))
      complaints.push('nothing says how an undo that was cut off goes on')
    return list.filter(({ taken_back_at }) => taken_back_at === null).map(({ receipt }) => receipt)
  }

  /** Tells whether an entry is one that others stored first after a part of a run, as far as that shows. */
  const isNewer = ({ id }: Change, { until }: Part, held: Kept | undefined): boolean =>
    held !== undefined && held.id !== id && until !== undefined && (held.createdAt ?? 0) > until

  /**
   * Returns what an undo of parts, the latest first, is to come to. Where another run has stored the same anew, an undo may or
   * may not find that out: then it is what it has come to.
   */
  const foresee = (parts: readonly Part[], { held, isPutOff }: Ran, found: Account) => {
    const state = new Map(held)
    const counts = { restore: 0, remove: 0, done: 0, leave: 0 }
    const known = new Map<string, Verdict>()
    const left = parts.map((part) => {
      const leaves = new Set<string>()
      const set = (change: Change, verdict: Verdict): void => {
        const { key } = change
        const last = known.get(key)
        known.set(key, verdict)
        if (verdict === 'leave') leaves.add(key)
        if (last === undefined || (verdict !== 'done' && (verdict !== 'leave' || last !== 'leave')))
          counts[verdict] += 1
        if (verdict === 'remove') state.delete(key)
        const before = state.get(key)
        if (verdict === 'restore' && before) state.set(key, { ...before, ...takenBack(change, before) })
      }
      for (const change of part.changes.filter(({ key }) => part.left?.has(key) ?? true)) {
        const is = state.get(change.key)
        const verdict = judge(change, is)
        const isUntouched = shownHeld(found.get(change.key)) === shownHeld(is)
        const isLeft = isNewer(change, part, is) || (is?.id !== change.id && isUntouched)
        if (verdict === 'remove' && isLeft) set(change, 'leave')
        // A service stores no entry of nothing, and one that puts a request off without a word of when seems to refuse it.
        else if (
          (verdict === 'remove' || verdict === 'restore') &&
          (isPutOff || isNothing(takenBack(change, is))) &&
          isUntouched
        )
          set(change, 'leave')
        else set(change, verdict)
      }
      for (const change of part.unsure) {
        const is = state.get(change.key)
        const verdict = judge(change, is)
        const isDone = shownHeld(found.get(change.key)) === shownHeld(takenBack(change, is))
        if (verdict === 'restore' && isDone) set(change, verdict)
        if (verdict === 'remove' && isDone && !isNewer(change, part, is)) set(change, verdict)
      }
      return leaves
    })
    return { state, counts, left }
  }

  const judgeUndo = (ran: Ran, { parts, wasCut, isTakenBack }: Run): string[] => {
    const { ended, own } = ran
    const changes = parts.flatMap((part) => [...part.changes, ...part.unsure])
    const strange = own.flatMap(({ key, before, after }) => {
      const isOwn = changes.some(
        (change) => change.key === key && shownHeld(takenBack(change, before)) === shownHeld(after),
      )
      return isOwn || vague.has(key)
        ? []
        : [`the undo made ${shownHeld(after)} of ${shownHeld(before)} at ${key}, which its import did not store`]
    })
    if (ended.code === undefined) return strange
    const said = saidIn(ended.stderr)
    const isMixed = [...changes, ...own].some(({ key }) => vague.has(key))
    if (CUT.has(ended.code)) {
      const isSilent = ended.stderr.includes('nothing was changed')
      return [
        ...strange,
        ...(!isMixed && said.restored + said.removed > own.length
          ? [`the undo was cut off, and says that it changed more than the ${own.length} entries that it changed`]
          : []),
        ...(isSilent && own.length > 0 ? ['the undo says that nothing was changed, and something was'] : []),
      ]
    }
    if (ended.code !== 0 && ended.code !== 3) return [...strange, `the undo ends with ${ended.code}`]
    const found = accountOf(service.entries())
    if (ended.stderr.includes('was taken back already'))
      return isTakenBack && own.length === 0 ? [] : ['the undo says that all was taken back already']
    const { state, counts } = foresee(parts, ran, found)
    const differ = [...new Set([...state.keys(), ...found.keys()])].filter(
      (key) => !vague.has(key) && shownHeld(state.get(key)) !== shownHeld(found.get(key)),
    )
    const wanted = { restored: counts.restore, removed: counts.remove, left: counts.leave }
    const isSaid =
      said.restored === wanted.restored &&
      said.removed === wanted.removed &&
      (said.left === wanted.left || (wasCut && said.left > wanted.left))
    return [
      ...strange,
      ...differ.map(
        (key) => `the undo is over, and ${key} holds ${shownHeld(found.get(key))}, not ${shownHeld(state.get(key))}`,
      ),
      ...(isMixed || ran.isPutOff || isSaid
        ? []
        : [`the undo says ${JSON.stringify(said)}, and it is ${JSON.stringify(wanted)}`]),
      ...((ended.code === 3) === said.left > 0
        ? []
        : [`the undo ends with ${ended.code}, and left ${said.left} alone`]),
    ]
  }

  const takeBack: UndoModel['takeBack'] = async (receipt, mayBeCut) => {
    const ran = await seat.run(['entries', 'undo', receipt, '--yes'], mayBeCut)
    for (const key of ran.foreign) vague.add(key)
    if (ran.own.length > 0) begun = undefined
    const run = runs.find(({ receipts }) => receipts.has(receipt))
    if (!run) return ran.ended.code
    complaints.push(...judgeUndo(ran, run))
    const { code } = ran.ended
    run.isTakenBack ||= code === 0
    run.isHalfBack = code !== 0 && code !== 3 && (ran.own.length > 0 || run.isHalfBack)
    if (code === 3) {
      const { left } = foresee(run.parts, ran, accountOf(service.entries()))
      for (const [at, part] of run.parts.entries()) part.left = left[at]
    }
    return code
  }
  return { load, takeBack, open, complaints }
}
