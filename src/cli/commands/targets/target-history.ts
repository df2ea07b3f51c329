import { type Change, type FieldChange, isAccountRecord, type Value } from '../../../changes/records/change.ts'
import { type AccountRecord, nounOf } from '../../../changes/records/snapshot.ts'
import type { Client } from '../../../client/client.ts'
import { FIRST_ENTRY_DAY, formatDay, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import { type Decimal, formatDecimal } from '../../../domain/decimal.ts'
import { type DatedTarget, datedTargetOn, datedTargetsIn } from '../../../domain/targets/dated-targets.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { Entry } from '../../../domain/resources/entry.ts'
import { entriesFollowing, isClearing, keepTargets, type TargetChange } from './keep-targets.ts'
import type { Cli } from '../../cli.ts'
import { countOf, shellWord } from '../../output/text.ts'
import type { TargetFlags } from './target-flags.ts'

/** Bounds how many entries are read of a service over the network only to count them. */
const MOST_COUNTED = 10_000
/** Bounds of how many bases it is said one by one that they do not count today. */
const MOST_COVERED = 5

const FROM_INSTEAD = 'here --from DAY gives a target a first day, and writes nothing onto entries'

/** Bounds for how many changes the entries are counted over the network: each takes a request or more. */
const MOST_CHANGES = 50

/** Says how past reports become what they were; `old` is the one target that they showed, if there is only one. */
export type WayBack = (old: string | undefined) => string

/** Describes entries that follow changes: how many there are, and whether there are more. */
type Following = { count: number; isMore: boolean }

const isAny = ({ count, isMore }: Following): boolean => count > 0 || isMore

const pronounOf = ({ count, isMore }: Following): string => (count === 1 && !isMore ? 'it' : 'them')

const targetText = (target: bigint | null): string => (target === null ? 'no target' : formatDecimal(target))

/** Returns the one change that several come to; undefined if they differ. */
const commonChange = ([first, ...others]: readonly TargetChange[]): TargetChange | undefined =>
  first && others.every(({ from, to }) => from === first.from && to === first.to) ? first : undefined

/** Returns what past reports show: `100 instead of 90`, or that there are several targets. */
const changeText = (changes: readonly TargetChange[]): string => {
  const common = commonChange(changes)
  return common ? `${targetText(common.to)} instead of ${targetText(common.from)}` : 'the new targets'
}

const entriesText = ({ count, isMore }: Following, loses: boolean): string => {
  if (count === 0)
    return loses ? 'stored entries may lose their target' : 'there may be stored entries without a target of their own'
  const most = isMore ? 'at least ' : ''
  return loses
    ? `${most}${countOf(count, 'stored entry loses its target, also one of its own', 'stored entries lose their targets, also those of their own')}`
    : `${most}${countOf(count, 'stored entry has', 'stored entries have')} no target of ${count === 1 ? 'its' : 'their'} own`
}

/**
 * Returns how past reports become what they were. Repeating the command under `--keep-history` would write the new target
 * onto them, so the old one is to be set first.
 */
const wayBack = (changes: readonly TargetChange[], own: WayBack | undefined): string => {
  const common = commonChange(changes)
  if (changes.some(({ from }) => from === null)) return 'an entry cannot say that it has no target'
  if (changes.some(isClearing))
    return common
      ? `to get them back, set --target-default ${targetText(common.from)} again`
      : 'to get them back, set the old defaults again'
  if (own) return own(common && targetText(common.from))
  const flag = changes.some(({ user }) => user === undefined) ? '--target-default' : '--target'
  return common
    ? `to keep past reports at ${targetText(common.from)}, set ${flag} ${targetText(common.from)} again, then change it with --keep-history`
    : 'to keep past reports as they were, set the old targets again, then change them with --keep-history'
}

/** Returns what changes would do to the past. */
const foreseenText = (changes: readonly TargetChange[], seen: Following, keeps: boolean): string => {
  const loses = changes.some(isClearing)
  const entries = entriesText(seen, loses)
  if (loses) return entries
  const shown = `past reports would show ${changeText(changes)} for ${pronounOf(seen)}`
  if (changes.some(({ from }) => from === null))
    return `up to ${entries}: ${shown}; an entry cannot say that it has no target`
  return keeps
    ? `${entries}: --keep-history would first write the old target onto ${pronounOf(seen)}`
    : `${entries}: ${shown}; with --keep-history ${pronounOf(seen) === 'it' ? 'it keeps' : 'they keep'} the old target`
}

/** Returns the question whether to make changes that past reports follow, and how to keep these. */
const questionText = (changes: readonly TargetChange[], seen: Following): string => {
  const change = changes.length === 1 ? 'Change it' : 'Change them'
  if (changes.some(isClearing)) return `${entriesText(seen, true)}. ${change}`
  const isUnkeepable = changes.some(({ from }) => from === null)
  const most = seen.isMore ? 'at least ' : isUnkeepable ? 'up to ' : ''
  const entries = countOf(seen.count, 'stored entry follows', 'stored entries follow')
  const follow = seen.count === 0 ? 'stored entries may follow' : `${most}${entries}`
  const way = isUnkeepable ? 'an entry cannot say that it had none' : `--keep-history keeps ${pronounOf(seen)}`
  return `${follow} the new ${changes.length === 1 ? 'target' : 'targets'} in past reports; ${way}. ${change}`
}

/** Refuses to keep what cannot be kept: without a default, a KPI shows no target of any entry. */
const rejectClearing = (change: TargetChange): void => {
  if (!isClearing(change)) return
  throw new KpiError(
    'invalid',
    `--keep-history cannot keep past reports of KPI ${change.kpi}: a KPI without a default target shows no target at all, also not those of its entries; nothing was written; keep the default, or leave out --keep-history to lose the targets`,
  )
}

/** Returns the dated targets of a record as they are stored. */
const datedOf = ({ stored }: AccountRecord): string | null => {
  const targets = stored?.['targets']
  return typeof targets === 'string' ? targets : null
}

/** Refuses to write one target onto entries of which some have dated ones. */
const rejectDated = (record: AccountRecord): void => {
  if (datedOf(record) === null) return
  throw new KpiError(
    'invalid',
    `--keep-history writes one target onto all entries, and ${nounOf(record)} has targets that begin on days; nothing was written; --from DAY gives the new target a first day, and past reports stay as they are`,
  )
}

/** Describes a base that was set while a dated target counts, which goes on. */
type Covered = { readonly record: AccountRecord; readonly dated: DatedTarget; readonly to: Decimal }

/** Says that a base does not count today, and how to change the target that does. */
const coveredText = ({ record, dated, to }: Covered): string => {
  const { above, kind } = record
  const [target, from] = [formatDecimal(to), formatDay(dated.from)]
  const [user, kpi] = [above['user'], above['kpi']]
  const line =
    kind.name === 'kpi'
      ? `kpi kpis update ${shellWord(record.name)} --target-default ${target} --from ${from}`
      : `kpi assign update --kpis ${shellWord(namedOf(kpi))} --users ${shellWord(namedOf(user))} --target ${target} --from ${from}`
  return `${nounOf(record)} has ${formatDecimal(dated.target)} from ${from} on, so that ${target} counts only before; to change that: ${line}`
}

const namedOf = (record: AccountRecord | undefined): string => String(record?.stored?.['name'] || record?.id || '')

const asDecimal = (value: Value | undefined): Decimal | null => (typeof value === 'bigint' ? value : null)

/** Returns the id that a field refers to; undefined if it is not known. */
const idOf = (field: FieldChange | undefined): number | undefined =>
  isAccountRecord(field?.after) ? field.after.id : undefined

/** Returns the user and the KPI of an assignment that is created, changed or removed. */
const pairOf = ({
  record: { stored },
  fields,
}: Change): readonly [user: number | undefined, kpi: number | undefined] => {
  if (stored) return [Number(stored['user_id']), Number(stored['id'])]
  const refers = (name: string): number | undefined => idOf(fields.find(({ config }) => config.as === name))
  return [refers('user_id'), refers('id')]
}

/** Returns the change of the target of a record. */
const targetField = ({ fields }: Change): FieldChange | undefined =>
  fields.find(({ config }) => config.as === 'target_default' || config.as === 'user_target')

/** Tells whether a change takes an assignment away by itself, and not with the KPI or the user that it is of. */
const isRemoved = ({ action, record }: Change): boolean =>
  action === 'delete' && record.kind.name === 'assignment' && record.desired?.isAbsent === true

/** Looks after the past when planned changes change targets: keeps it, or says what becomes of it. */
export class TargetHistory {
  readonly #cli: Cli
  readonly #client: Client
  /** Tells that today's targets are written onto stored entries first. */
  readonly #keeps: boolean
  /** Tells that nobody is asked whether past reports may follow. */
  readonly #isConfirmed: boolean
  readonly #signal: AbortSignal
  /** Holds the default targets of KPIs, and whether KPIs have any entries: each is read once. */
  readonly #defaults = new Map<number, Promise<Decimal | null>>()
  readonly #hasEntries = new Map<number, Promise<boolean>>()
  readonly #made: TargetChange[] = []
  readonly #seen: Following = { count: 0, isMore: false }
  /** Holds the changes from no default, whose entries can be told apart afterwards. */
  readonly #hidden: TargetChange[] = []
  /** Holds what `read` has found, and the changes of which it could not find out. */
  readonly #ahead: (TargetChange | Change)[] = []
  readonly #covered: Covered[] = []
  #kept = 0
  #isTold = false

  constructor(cli: Cli, client: Client, { keepHistory, yes }: TargetFlags, signal: AbortSignal) {
    this.#cli = cli
    this.#client = client
    this.#keeps = keepHistory === true
    this.#isConfirmed = yes === true
    this.#signal = signal
  }

  #defaultOf(kpi: number): Promise<Decimal | null> {
    const known = this.#defaults.get(kpi) ?? this.#client.kpis.get(kpi).then(({ target_default }) => target_default)
    this.#defaults.set(kpi, known)
    return known
  }

  /** Returns the change of the target that counts for a user; null stands for none of their own. */
  async #changeOfUser(user: number, kpi: number, from: Decimal | null, to: Decimal | null): Promise<TargetChange> {
    const usual = await this.#defaultOf(kpi)
    return { user, kpi, from: from ?? usual, to: to ?? usual }
  }

  /** Returns the change of a target that past reports show; undefined if a change is none. */
  async #targetChange(change: Change): Promise<TargetChange | undefined> {
    const { action, record } = change
    const [user, kpi] = pairOf(change)
    if (isRemoved(change) && user !== undefined && kpi !== undefined)
      return this.#changeOfUser(user, kpi, asDecimal(record.stored?.['user_target']), null)
    const field = targetField(change)
    if (!field || action === 'delete') return undefined
    const [from, to] = [asDecimal(field.before), asDecimal(field.after)]
    if (this.#keeps) for (const one of [record, record.above['kpi']]) if (one) rejectDated(one)
    const [first] = datedTargetsIn(datedOf(record))
    const until = first?.from
    if (record.kind.name !== 'kpi')
      return user === undefined || kpi === undefined
        ? undefined
        : { ...(await this.#changeOfUser(user, kpi, from, to)), until }
    if (action !== 'update') return undefined
    const id = Number(record.stored?.['id'])
    return { kpi: id, from: record.isUnread ? (await this.#client.kpis.get(id)).target_default : from, to, until }
  }

  /** Returns what really changes of a target; refuses what is to be kept and cannot be. */
  async #differing(one: TargetChange | Change): Promise<TargetChange | undefined> {
    const change = 'record' in one ? await this.#targetChange(one) : one
    if (!change || change.from === change.to) return undefined
    if (this.#keeps) rejectClearing(change)
    return change
  }

  async #count(change: TargetChange, following: Following): Promise<void> {
    let count = 0
    for await (const page of entriesFollowing(this.#client, change)) {
      count += page.length
      if (this.#client.isBundled() || count < MOST_COUNTED) continue
      following.isMore = true
      break
    }
    following.count += count
  }

  /** Tells whether a KPI has any entries. */
  #isUsed(kpi: number): Promise<boolean> {
    const ask = async (): Promise<boolean> => {
      const range = { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY }
      const { entries } = await this.#client.entries.page({ ...range, kpiId: kpi, page: 1 })
      return entries.length > 0
    }
    const answer = this.#hasEntries.get(kpi) ?? ask()
    this.#hasEntries.set(kpi, answer)
    return answer
  }

  /** Counts the entries that follow a change, which is one of so many, unless that would take too many requests. */
  async #countFew(change: TargetChange, number: number, following: Following): Promise<void> {
    const { isInProcess } = this.#client
    if (!isInProcess && change.user !== undefined && !(await this.#isUsed(change.kpi))) return
    if (!isInProcess && number > MOST_CHANGES) following.isMore = true
    else await this.#count(change, following)
  }

  async #tolerantly(following: Following, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      // Counting is a courtesy: a target may be changed by those who may not read entries.
      if (this.#keeps || !(error instanceof KpiError)) throw error
      if (error.code !== 'not_found') following.isMore = true
    }
  }

  /** Counts what follows changes of which none is sent yet. */
  async #survey(
    changes: readonly (TargetChange | Change)[],
  ): Promise<{ readonly planned: readonly TargetChange[]; readonly following: Following }> {
    const planned: TargetChange[] = []
    const following: Following = { count: 0, isMore: false }
    for (const one of changes)
      await this.#tolerantly(following, async () => {
        const change = await this.#differing(one)
        if (change) await this.#countFew(change, planned.push(change), following)
      })
    this.#isTold = true
    return { planned, following }
  }

  /** Refuses changes whose past cannot be kept though it is to be; to be awaited before anything is sent. */
  async requireKeepable(changes: readonly Change[]): Promise<void> {
    if (this.#keeps) for (const change of changes) await this.#differing(change)
  }

  /** Reads which targets changes change, for `foresee`, so that the changes need not be kept. */
  async read(changes: readonly Change[]): Promise<void> {
    for (const change of changes)
      this.#ahead.push(...[(await this.#targetChange(change).catch(() => change)) ?? []].flat())
  }

  /** Says what changes would do to the past, before one of them is sent; also those that were read. */
  async foresee(changes: readonly Change[] = []): Promise<void> {
    const { planned, following } = await this.#survey([...this.#ahead, ...changes])
    if (isAny(following)) await this.#cli.log.note(foreseenText(planned, following, this.#keeps))
  }

  /** Asks at a terminal whether to make changes that past reports follow; to be awaited before anything is sent. */
  async confirm(changes: () => readonly Change[] | Promise<readonly Change[]>): Promise<void> {
    if (this.#keeps || this.#isConfirmed || !this.#cli.canAsk) return
    const { planned, following } = await this.#survey(await changes())
    if (!isAny(following)) return
    const { askForYes } = await import('../../args/prompt.ts')
    await askForYes(this.#cli, questionText(planned, following))
  }

  /** Keeps or counts the entries that follow a change, if it changes a target; to be awaited before it is sent. */
  async before(one: Change, onKeep: (entries: readonly Entry[]) => void): Promise<void> {
    this.#noteCovered(one)
    if (!this.#keeps && this.#isTold) return
    await this.#tolerantly(this.#seen, async () => {
      const change = await this.#differing(one)
      if (!change) return
      const { user, kpi, from } = change
      const isOfDefault = user === undefined
      if (isOfDefault) this.#defaults.delete(kpi)
      const number = this.#made.push(change)
      if (isOfDefault && from === null) this.#hidden.push(change)
      else if (this.#keeps && from !== null) this.#kept += await keepTargets(this.#client, change, this.#signal, onKeep)
      else await this.#countFew(change, number, this.#seen)
    })
  }

  /** Notes a base that is set while a dated target counts today. */
  #noteCovered(change: Change): void {
    const { action, record } = change
    const [to, dated] = [targetField(change)?.after, datedTargetOn(datedOf(record), this.#cli.today().day)]
    const isSaid = change.fields.some(({ config }) => config.name === 'targets')
    if (action === 'update' && dated && typeof to === 'bigint' && !isSaid) this.#covered.push({ record, dated, to })
  }

  /** Says which bases do not count today, as dated targets do. */
  async #tellCovered(): Promise<void> {
    const all = this.#covered.splice(0)
    for (const one of all.slice(0, MOST_COVERED)) await this.#cli.log.note(coveredText(one))
    if (all.length > MOST_COVERED)
      await this.#cli.log.note(`and ${all.length - MOST_COVERED} more have a target from a day on`)
  }

  /** Counts the entries of changes from no default, where these were made. */
  async #countHidden(): Promise<void> {
    for (const change of this.#hidden.splice(0))
      if ((await this.#client.kpis.get(change.kpi)).target_default === change.to) await this.#count(change, this.#seen)
  }

  /** Says at the end what was kept, or what past reports show now, and the way back, which is the usual one by default. */
  async tell(own?: WayBack): Promise<void> {
    await this.#tellCovered()
    // Who was asked has read what past reports show.
    if (this.#isTold && !this.#keeps) return
    await this.#tolerantly(this.#seen, () => this.#countHidden())
    const { note, log } = this.#cli
    const [kept, seen] = [this.#kept, this.#seen]
    if (kept > 0) await note(`${countOf(kept, 'stored entry', 'stored entries')} got the target that counted until now`)
    if (kept > 0 && this.#client.datesTargets()) await note(FROM_INSTEAD)
    if (!isAny(seen)) return
    const unkept = this.#keeps ? this.#made.filter(({ from }) => from === null) : this.#made
    const loses = unkept.some(isClearing)
    const shown = loses ? '' : `: past reports show ${changeText(unkept)} for ${pronounOf(seen)}`
    await log.note(`${entriesText(seen, loses)}${shown}; ${wayBack(unkept, own)}`)
  }
}
