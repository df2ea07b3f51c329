import { Aborted, type Clock, mayBeDone } from '../../client/transport.ts'
import { Fault, isNotFound, isRefused, KpiError, reasonsOf } from '../../domain/errors.ts'
import { createdKind, parentOf } from '../../domain/kinds.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import type { NotedEntry, RunRecord } from '../../runs/run-record.ts'
import type { PlanAgain } from '../plan/plan.ts'
import { type Access, type Account, accessTo, lookAgain } from '../records/access.ts'
import { type Change, isAccountRecord } from '../records/change.ts'
import { readFormula } from '../records/formulas.ts'
import type { KindName } from '../records/kind-fields.ts'
import { type AccountRecord, nounOf, type Snapshot } from '../records/snapshot.ts'
import { areOutside } from './dated-outside.ts'
import { createDependents, type Dependents, type HeldByUsers } from './dependents.ts'
import { clientsOf, removeNewDoubles } from './doubles.ts'
import { noteOf, requestName, sentFields } from './note-change.ts'

/** Says what became of a change: it is done, needed no request any more, or was refused by the service. */
export type Outcome = {
  readonly change: Change
  readonly result: 'done' | 'unchanged' | 'skip' | 'refused'
  /** Holds what the service answered. */
  readonly answer?: AnyRecord
  readonly refusal?: KpiError
}

/** Runs before a change is sent; `noteEntries` takes the entries that it is about to write. */
export type BeforeChange = (change: Change, noteEntries: (entries: readonly NotedEntry[]) => void) => Promise<void>

/** Holds what sending changes needs. */
export type Sending = {
  readonly account: Account
  readonly snapshot: Snapshot
  /** Notes each change before it is sent, and what became of it; one without a head is not continued. */
  readonly run: Pick<RunRecord, 'intend' | 'amend' | 'settle' | 'settleAll' | 'withdraw' | 'disown' | 'noteEntries'> &
    Partial<Pick<RunRecord, 'head'>>
  readonly again: PlanAgain
  /** Holds what was read already of what may go with deleted records. */
  readonly held?: HeldByUsers | undefined
  readonly clock: Pick<Clock, 'now'>
  readonly signal: AbortSignal
  /** Says what an error of one change is about, in front of it; by default the action and the record. */
  readonly labelOf?: (change: Change) => string
  /** Does what must be done before a change is sent. */
  readonly before?: BeforeChange
  /** Receives what became of each change; it may throw to end the run. */
  readonly onOutcome: (outcome: Outcome) => void | Promise<void>
  /** Receives a record that is removed again, as another machine had just created the same, which is used instead. */
  readonly onRemoved?: (change: Change, older: number) => void | Promise<void>
  /** Receives how many created records may be there twice, as it is not known yet whether another machine made the same. */
  readonly onUnsettled?: (count: number) => void
  readonly onWarning: (text: string) => void
}

/** Sets how many changes are noted together where each is a request, as each note waits for the disk. */
const AHEAD = 20

/** Returns the records that a change cannot be made without, its own among them. */
const neededBy = (snapshot: Snapshot, { record, fields, defaults = {} }: Change): AccountRecord[] => {
  const formula = record.desired?.values['formula']
  const read = formula === undefined ? undefined : readFormula(snapshot, String(formula))
  return [
    record,
    ...Object.values(record.above),
    ...[...Object.values(defaults), ...fields.map(({ after }) => after)].filter(isAccountRecord),
    ...(read === undefined || read instanceof Fault ? [] : read.inputs),
  ]
}

/** Counts the first changes of one kind: they are noted together, once the records that they refer to have ids. */
const blockLength = (changes: readonly Change[], most: number): number => {
  const [first] = changes
  const end = changes.findIndex(
    ({ record, action }, at) => at === most || record.kind !== first?.record.kind || action !== first.action,
  )
  return end < 0 ? changes.length : end
}

/** Tells whether two records lie in the same parent: the items of a group, or the assignments of a user. */
const isBeside = (one: AccountRecord, other: AccountRecord): boolean => {
  const parent = one.kind.fields.find(({ as }) => as === parentOf(one.kind.name))
  return parent === undefined || one.above[parent.name] === other.above[parent.name]
}

/** Returns an error with what it is about in front. */
const named = (error: KpiError, label: string): KpiError => {
  const { code, message, issues, mayBeDone, missingScope } = error
  if (label === '') return error
  return new KpiError(code, `${label}: ${message}`, { issues, mayBeDone, missingScope, cause: error })
}

/** Returns the reasons why a change was refused, in the words of the service. */
export const reasonsOfChange = (refusal: KpiError): readonly string[] =>
  reasonsOf(refusal.cause instanceof KpiError ? refusal.cause : refusal)

/** Removes a record; one that has gone meanwhile, with something else, is no failure. */
const remove = async (access: Access, record: AccountRecord): Promise<void> => {
  try {
    await access.remove(record.stored ?? {})
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Tells whether a refusal says that another machine has just created a record, or changed the list that a change was made of. */
const isMet = ({ action, record }: Change, { issues }: KpiError): boolean =>
  action === 'create' ? !record.desired?.isNew : issues.some(({ field }) => field === 'targets')

/** Describes a change that is noted and about to be sent. */
type Open = { readonly change: Change; readonly id: number }

/** Sends the changes of one run. */
class Sender {
  readonly #sending: Sending
  readonly #access: Readonly<Record<KindName, Access>>
  readonly #known = new Map<KindName, ReadonlySet<number>>()
  readonly #created = new Map<AccountRecord, Change>()
  readonly #refused = new Set<AccountRecord>()
  readonly #lossesTold = new Set<string>()
  readonly #dependentsOf: (record: AccountRecord) => Promise<Dependents>

  constructor(sending: Sending) {
    this.#sending = sending
    this.#dependentsOf = createDependents(sending.account, sending.snapshot, sending.held)
    this.#access = accessTo(sending.account)
  }

  /** Sends changes in their order; each is noted before it is sent. */
  async send(changes: readonly Change[]): Promise<void> {
    const { account, signal, snapshot, run } = this.#sending
    for (const kind of new Set(changes.map(({ record }) => record.kind.name)))
      this.#known.set(kind, new Set(snapshot.ofKind(kind).flatMap(({ id }) => id ?? [])))
    const ahead = account.client.addStep > 1 ? account.client.addStep : AHEAD
    for (let rest = changes; rest.length > 0;) {
      if (signal.aborted) throw new Aborted('it was interrupted')
      const [first] = rest
      if (first?.action === 'delete') {
        await this.#delete(first)
        rest = rest.slice(1)
        continue
      }
      const block = rest.slice(0, blockLength(rest, ahead))
      rest = rest.slice(block.length)
      const ids = run.intend(block.map((change) => noteOf(snapshot, change)))
      await this.#sendBlock(block.map((change, at) => ({ change, id: ids[at] ?? 0 })))
      const { action, record } = block[0] ?? {}
      const isLast = !rest.some((one) => one.action === 'create' && one.record.kind === record?.kind)
      if (action === 'create' && record && isLast) await this.#settleDoubles(record.kind.name)
    }
  }

  /** Notes what is deleted with a record, so that an undo can create it again, then deletes the record. */
  async #delete(change: Change): Promise<void> {
    const { run, snapshot, onOutcome } = this.#sending
    // Send nothing: it was deleted with another record.
    if (!change.record.stored) return onOutcome({ change, result: 'done' })
    const { records, entries, leftOut } = await this.#dependentsOf(change.record)
    const others = records.map((record): Change => ({ action: 'delete', record, fields: [] }))
    const ids = run.intend([...others, change].map((one) => noteOf(snapshot, one)))
    const id = ids.at(-1) ?? 0
    let result: Outcome['result'] = 'refused'
    try {
      for await (const some of entries) run.noteEntries(id, some)
      this.#warnOfLoss(leftOut())
      for (const outcome of await this.#sendBlock([{ change, id }])) result = outcome.result
    } catch (error) {
      if (!mayBeDone(error)) run.withdraw(ids)
      throw error
    }
    for (const other of ids.slice(0, -1)) run.settle(other, result)
    const reason = leftOut()
    if (reason !== undefined && result === 'done') run.settle(id, result, { reason })
    if (result !== 'done') return
    for (const one of [change.record, ...records]) snapshot.forget(one)
  }

  /** Warns, once for each reason, that an undo will not bring all back of what is about to be deleted. */
  #warnOfLoss(reason: string | undefined): void {
    if (reason === undefined || this.#lossesTold.has(reason)) return
    this.#lossesTold.add(reason)
    this.#sending.onWarning(`kpi undo cannot bring all of it back: ${reason}`)
  }

  async #sendBlock(block: readonly Open[]): Promise<readonly Outcome[]> {
    const { run, signal, onOutcome } = this.#sending
    const sent: Outcome[] = []
    const open = [...block]
    let isAlone = false
    try {
      for (let first = open[0]; first; first = open[0]) {
        if (signal.aborted) throw new Aborted('it was interrupted')
        const together: readonly Open[] = isAlone ? [] : this.#togetherOf(open)
        const outcomes = together.length > 1 ? await this.#createTogether(together) : undefined
        isAlone ||= together.length > 1 && !outcomes
        const known = outcomes ?? [await this.#sendOne(first)]
        this.#note(open.splice(0, known.length), known)
        for (const outcome of known) {
          sent.push(outcome)
          await onOutcome(outcome)
        }
      }
      return sent
    } catch (error) {
      // Keep the note of what may be done, and take out those of what was surely not sent.
      run.withdraw(open.slice(mayBeDone(error) ? 1 : 0).map(({ id }) => id))
      throw error
    }
  }

  #note(open: readonly Open[], outcomes: readonly Outcome[]): void {
    const { run } = this.#sending
    const noted = outcomes.map(({ change: { action, record }, result, answer, refusal }, at) => {
      const changedAt = Number(answer?.[action === 'create' ? 'created_at' : 'updated_at'] ?? NaN)
      if (action === 'create' && result === 'refused') this.#refused.add(record)
      const more = {
        ...(refusal && { reason: reasonsOfChange(refusal).join('; ') }),
        ...(Number.isFinite(changedAt) && { changedAt }),
      }
      return [open[at]?.id ?? 0, result, { recordId: record.id, ...more }] as const
    })
    // Write at once what could be mistaken for a record of another machine: an assignment or link is found again exactly.
    const isOwned = ({ answer, change: { action, record } }: Outcome): boolean =>
      answer !== undefined && action === 'create' && record.name !== ''
    if (outcomes.some(isOwned)) run.settleAll(noted)
    else for (const one of noted) run.settle(...one)
  }

  /** Returns the first changes that can be made in one step: new records below one parent. */
  #togetherOf(open: readonly Open[]): readonly Open[] {
    const [first] = open
    if (!first || !this.#access[first.change.record.kind.name].addEach) return []
    const end = open.findIndex(
      ({ change }) =>
        change.action !== 'create' ||
        !isBeside(first.change.record, change.record) ||
        this.#lackedBy(change) !== undefined,
    )
    return end < 0 ? open : open.slice(0, end)
  }

  /** Creates records in one step; undefined if one is refused, which leaves all of them to be sent by themselves. */
  async #createTogether(open: readonly Open[]): Promise<Outcome[] | undefined> {
    const { snapshot, before, run } = this.#sending
    const [first] = open
    const addEach = first && this.#access[first.change.record.kind.name].addEach
    if (!addEach) return undefined
    for (const { change, id } of open) await before?.(change, (some) => run.noteEntries(id, some))
    const outcomes: Outcome[] = []
    try {
      for await (const some of addEach(open.map(({ change }) => sentFields(snapshot, change)))) {
        for (const answer of some) {
          const change = open[outcomes.length]?.change
          if (change) outcomes.push(this.#noteCreated(change, answer))
        }
      }
      return outcomes
    } catch (error) {
      // Keep what was created before the refused part.
      if (isRefused(error)) return outcomes.length > 0 ? outcomes : undefined
      throw error
    }
  }

  #noteCreated(change: Change, answer: AnyRecord): Outcome {
    this.#created.set(change.record, change)
    this.#sending.snapshot.settle(change.record, answer)
    return { change, result: 'done', answer }
  }

  /** Sends one change; a refusal is its outcome. */
  async #sendOne(open: Open): Promise<Outcome> {
    const { before, run } = this.#sending
    const { change, id } = open
    const missing = this.#lackedBy(change)
    if (missing)
      return this.#refusal(change, new KpiError('conflict', `it was not sent, as ${nounOf(missing)} was not made`))
    try {
      await before?.(change, (some) => run.noteEntries(id, some))
      return await this.#put(change, id)
    } catch (error) {
      if (error instanceof KpiError && error.code === 'conflict' && isMet(change, error)) return this.#meet(open, error)
      if (isRefused(error) && !error.mayBeDone) return this.#refusal(change, error)
      throw error instanceof KpiError ? this.#named(change, error) : error
    }
  }

  /** Returns what a change needs and was refused; undefined if there is nothing. */
  #lackedBy(change: Change): AccountRecord | undefined {
    if (this.#refused.size === 0) return undefined
    return neededBy(this.#sending.snapshot, change).find((one) => this.#refused.has(one))
  }

  #refusal(change: Change, error: KpiError): Outcome {
    return { change, result: 'refused', refusal: this.#named(change, error) }
  }

  #named(change: Change, error: KpiError): KpiError {
    const { labelOf = ({ action, record }: Change) => `${action} ${nounOf(record)}` } = this.#sending
    return named(error, labelOf(change))
  }

  async #put(change: Change, id: number): Promise<Outcome> {
    const { account, snapshot, run } = this.#sending
    const { action, record } = change
    const access = this.#access[record.kind.name]
    if (action === 'create') {
      const fields = sentFields(snapshot, change)
      const key = account.client.addStep > 1 || !run.head ? undefined : requestName(run.head, id, fields)
      return this.#noteCreated(change, await access.add(fields, key))
    }
    if (action === 'update') {
      const answer = await access.update(record.stored ?? {}, sentFields(snapshot, change))
      return { change, result: 'done', answer }
    }
    await remove(access, record)
    return { change, result: 'done' }
  }

  /** Looks again at what the service says is there already: another machine has just created or changed it. */
  async #meet({ change, id }: Open, error: KpiError): Promise<Outcome> {
    const { account, snapshot, again, run, signal } = this.#sending
    if (signal.aborted) throw new Aborted('it was interrupted')
    const { record } = change
    const user = record.above['user']?.id
    await lookAgain(account, snapshot, record.kind.name, user === undefined ? [] : [user])
    const next = record.stored && again(record)
    if (!next || next.action === 'create') return this.#refusal(change, error)
    if (next.action === 'refuse')
      return this.#refusal(change, new KpiError('conflict', next.reasons.map(({ message }) => message).join('; ')))
    const [update] = next.changes
    if (update) {
      run.amend(id, noteOf(snapshot, update))
      return { ...(await this.#sendOne({ change: update, id })), change: update }
    }
    return { change, result: next.action === 'skip' ? 'skip' : 'unchanged' }
  }

  /**
   * Looks again after the last record of a kind was created, before others refer to it: where another machine has created
   * one of the same name at the same moment, the older one is used, and what was made beside it is removed.
   */
  async #settleDoubles(kind: KindName): Promise<void> {
    const { account, snapshot, signal, run, onRemoved, onUnsettled, again } = this.#sending
    const made = [...this.#created].filter(([{ kind: of, desired }]) => of.name === kind && !desired?.isNew)
    const [first] = made
    const createdAs = first && createdKind(first[0].kind.of)
    if (createdAs === undefined) return
    onUnsettled?.(made.length)
    const own = made.map(([{ id = 0, name }]) => ({ kind: createdAs, id, name }))
    const known = this.#known.get(kind) ?? new Set()
    const doubles = await removeNewDoubles(clientsOf(account.client, account.classic), createdAs, own, known, signal)
    onUnsettled?.(0)
    if (doubles.length === 0) return
    const removed = doubles.flatMap(({ thing, older }) => {
      const [record, change] = made.find(([one]) => one.id === thing.id) ?? []
      return record && change ? [{ record, change, older, own: thing.id }] : []
    })
    for (const { record, older, own: id } of removed) {
      this.#created.delete(record)
      run.disown(kind, id)
      snapshot.settle(record, { ...record.stored, id: older })
    }
    await lookAgain(account, snapshot, kind)
    const later: Change[] = []
    for (const { record, change, older } of removed) {
      await onRemoved?.(change, older)
      later.push(...(again(record)?.changes ?? []))
    }
    if (later.length > 0) await this.send(later)
  }
}

/**
 * Sends changes in their order, exactly once. A refusal of one does not keep the others from being sent, but those that
 * need it; what concerns all of them is thrown.
 */
export const sendChanges = async (sending: Sending, changes: readonly Change[]): Promise<void> => {
  const { client } = sending.account
  if (!areOutside(client, changes)) return new Sender(sending).send(changes)
  const done: Change[] = []
  const notes = new Map<Change, (entries: readonly NotedEntry[]) => void>()
  const before: BeforeChange = async (change, noteEntries) => {
    notes.set(change, noteEntries)
    await sending.before?.(change, noteEntries)
  }
  const onOutcome = async (outcome: Outcome): Promise<void> => {
    if (outcome.result === 'done') done.push(outcome.change)
    await sending.onOutcome(outcome)
  }
  await new Sender({ ...sending, before, onOutcome }).send(changes)
  const { writeEntryTargets, writtenText } = await import('./entry-targets.ts')
  const note = (change: Change, entries: readonly NotedEntry[]): void => notes.get(change)?.(entries)
  sending.onWarning(writtenText(await writeEntryTargets(client, done, { signal: sending.signal, note })))
}
