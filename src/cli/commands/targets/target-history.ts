import { type Change, type FieldChange, isAccountRecord, type Value } from '../../../changes/records/change.ts'
import { type AccountRecord, nounOf } from '../../../changes/records/snapshot.ts'
import type { Client } from '../../../client/client.ts'
import { FIRST_ENTRY_DAY, formatDay, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import { type Decimal, formatDecimal } from '../../../domain/decimal.ts'
import { type DatedTarget, datedTargetOn, timelineOf } from '../../../domain/targets/dated-targets.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { Entry } from '../../../domain/resources/entry.ts'
import { type Kpi, kpi } from '../../../domain/resources/kpi.ts'
import { asRecord } from '../../../domain/schema.ts'
import {
  entriesFollowing,
  isClearing,
  isNoChange,
  isRevealing,
  isSameTimeline,
  keepTargets,
  type ShownChange,
  type TargetChange,
  undatedChange,
} from './keep-targets.ts'
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

/** Describes entries that follow changes: how many there are, whether there are more, and what reports show of them. */
type Following = {
  count: number
  isMore: boolean
  changes: number
  /** Tells that a KPI loses its default. */
  loses: boolean
  /** Tells that a default is among what changes. */
  isOfDefault: boolean
  /** Tells that a target begins on a day, so that no single one brings back the past. */
  isDated: boolean
  /** Tells that not all of what reports show is known. */
  isVaried: boolean
  /** Holds what reports show before and after, each once, by its text. */
  readonly shown: Map<string, ShownChange>
}

const noneFollowing = (): Following => ({
  count: 0,
  isMore: false,
  changes: 0,
  loses: false,
  isOfDefault: false,
  isDated: false,
  isVaried: false,
  shown: new Map(),
})

const isAny = ({ count, isMore }: Following): boolean => count > 0 || isMore

const pronounOf = ({ count, isMore }: Following): string => (count === 1 && !isMore ? 'it' : 'them')

const targetText = (target: bigint | null): string => (target === null ? 'no target' : formatDecimal(target))

const noteShown = ({ shown }: Following, { from, to }: ShownChange): void =>
  void shown.set(`${from} ${to}`, { from, to })

/** Notes a change whose entries follow; its dated targets are known by the entries alone. */
const noteChange = (following: Following, change: TargetChange): void => {
  const undated = undatedChange(change)
  following.changes += 1
  following.loses ||= isClearing(change)
  following.isOfDefault ||= change.user === undefined
  following.isDated ||= undated === undefined
  if (undated) noteShown(following, undated)
}

/** Returns the one change that all entries show; undefined if they differ. */
const commonChange = ({ shown, isVaried }: Following): ShownChange | undefined =>
  shown.size === 1 && !isVaried ? [...shown.values()][0] : undefined

/** Tells whether some entries show no target before. */
const isFromNone = ({ shown }: Following): boolean => [...shown.values()].some(({ from }) => from === null)

/** Returns what past reports show: `100 instead of 90`, or that there are several targets. */
const changeText = (following: Following): string => {
  const common = commonChange(following)
  return common ? `${targetText(common.to)} instead of ${targetText(common.from)}` : 'the new targets'
}

const entriesText = ({ count, isMore, loses }: Following): string => {
  if (count === 0)
    return loses ? 'stored entries may lose their target' : 'there may be stored entries without a target of their own'
  const most = isMore ? 'at least ' : ''
  return loses
    ? `${most}${countOf(count, 'stored entry loses its target, also one of its own', 'stored entries lose their targets, also those of their own')}`
    : `${most}${countOf(count, 'stored entry has', 'stored entries have')} no target of ${count === 1 ? 'its' : 'their'} own`
}

/**
 * Returns how past reports become what they were. Repeating the command under `--keep-history` would write the new target
 * onto them, so the old one is to be set first; where targets begin on days, only an undo does that.
 */
const wayBack = (seen: Following, keeps: boolean, own: WayBack | undefined): string => {
  const common = commonChange(seen)
  const old = common && targetText(common.from)
  if (isFromNone(seen) && (keeps || common || !seen.isDated)) return 'an entry cannot say that it has no target'
  if (seen.loses) {
    if (seen.isDated) return 'to get them back, take it back with kpi undo'
    return old === undefined
      ? 'to get them back, set the old defaults again'
      : `to get them back, set --target-default ${old} again`
  }
  if (own) return own(old)
  const past = `to keep past reports ${old === undefined ? 'as they were' : `at ${old}`}`
  if (seen.isDated) return `${past}, take it back with kpi undo, then change it with --keep-history`
  const flag = seen.isOfDefault ? '--target-default' : '--target'
  return old === undefined
    ? `${past}, set the old targets again, then change them with --keep-history`
    : `${past}, set ${flag} ${old} again, then change it with --keep-history`
}

/** Returns what changes would do to the past. */
const foreseenText = (seen: Following, keeps: boolean): string => {
  const entries = entriesText(seen)
  if (seen.loses) return entries
  const shown = `past reports would show ${changeText(seen)} for ${pronounOf(seen)}`
  if (isFromNone(seen)) return `up to ${entries}: ${shown}; an entry cannot say that it has no target`
  return keeps
    ? `${entries}: --keep-history would first write the old target onto ${pronounOf(seen)}`
    : `${entries}: ${shown}; with --keep-history ${pronounOf(seen) === 'it' ? 'it keeps' : 'they keep'} the old target`
}

/** Returns the question whether to make changes that past reports follow, and how to keep these. */
const questionText = (seen: Following): string => {
  const isOne = seen.changes === 1
  const change = isOne ? 'Change it' : 'Change them'
  if (seen.loses) return `${entriesText(seen)}. ${change}`
  const isUnkeepable = isFromNone(seen)
  const most = seen.isMore ? 'at least ' : isUnkeepable ? 'up to ' : ''
  const entries = countOf(seen.count, 'stored entry follows', 'stored entries follow')
  const follow = seen.count === 0 ? 'stored entries may follow' : `${most}${entries}`
  const way = isUnkeepable ? 'an entry cannot say that it had none' : `--keep-history keeps ${pronounOf(seen)}`
  return `${follow} the new ${isOne ? 'target' : 'targets'} in past reports; ${way}. ${change}`
}

/** Refuses to keep what cannot be kept: without a default, a KPI shows no target of any entry. */
const rejectClearing = (change: TargetChange): void => {
  if (!isClearing(change)) return
  throw new KpiError(
    'invalid',
    `--keep-history cannot keep past reports of KPI ${change.kpi}: a KPI without a default target shows no target at all, also not those of its entries; nothing was written; keep the default, or leave out --keep-history to lose the targets`,
  )
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Returns the dated targets of a record as they are stored. */
const datedOf = ({ stored }: AccountRecord): string | null => textOf(stored?.['targets'])

/** Describes a base that was set while a dated target counts, which goes on. */
type Covered = { readonly record: AccountRecord; readonly dated: DatedTarget; readonly to: Decimal }

/** Says that a base does not count today, and how to change the target that does. */
const coveredText = ({ record, dated, to }: Covered): string => {
  const { above, kind } = record
  const [target, from] = [formatDecimal(to), formatDay(dated.from)]
  const [user, kpi] = [above['user'], above['kpi']]
  const line =
    kind.name === 'kpi'
      ? `kpi kpis update ${shellWord(namedOf(record))} --target-default ${target} --from ${from}`
      : `kpi assign update --kpis ${shellWord(namedOf(kpi))} --users ${shellWord(namedOf(user))} --target ${target} --from ${from}`
  return `${nounOf(record)} has ${formatDecimal(dated.target)} from ${from} on, so that ${target} counts only before; to change that: ${line}`
}

/** Returns what names a record in a list of a flag: names of people are shared, those of KPIs may hold a comma or be numbers. */
const namedOf = (record: AccountRecord | undefined): string => {
  const { stored, id } = record ?? {}
  const [email, name] = [textOf(stored?.['email']), textOf(stored?.['name']) ?? '']
  const isPlain = record?.kind.name === 'kpi' && /^[^\d,#'"][^,"]*$/.test(name)
  return email ?? (isPlain ? name : String(id ?? name))
}

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

/** Returns the change of the dated targets of a record. */
const datedField = ({ fields }: Change): FieldChange | undefined => fields.find(({ config }) => config.as === 'targets')

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
  /** Holds KPIs, and whether they have any entries: each is read once. */
  readonly #kpis = new Map<number, Promise<Kpi>>()
  readonly #hasEntries = new Map<number, Promise<boolean>>()
  readonly #seen = noneFollowing()
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

  #kpi(id: number): Promise<Kpi> {
    const known = this.#kpis.get(id) ?? this.#client.kpis.get(id)
    this.#kpis.set(id, known)
    return known
  }

  /** Returns the change of the target that counts for a user, whose own may be none. */
  async #changeOfUser(
    user: number,
    kpi: number,
    change: Pick<TargetChange, 'from' | 'to' | 'last'>,
  ): Promise<TargetChange> {
    const record = await this.#kpi(kpi)
    return { ...change, user, kpi, frequency: record.frequency_id, usual: timelineOf(record, record.target_default) }
  }

  /** Returns the change of a target that reports show; undefined if a change is none. */
  async #targetChange(change: Change): Promise<TargetChange | undefined> {
    const { action, record } = change
    const [user, of] = pairOf(change)
    if (isRemoved(change) && user !== undefined && of !== undefined) {
      const from = { base: asDecimal(record.stored?.['user_target']), targets: datedOf(record) }
      return this.#changeOfUser(user, of, { from, to: { base: null } })
    }
    // Elsewhere dated targets are written onto entries.
    const dated = this.#client.datesTargets() ? datedField(change) : undefined
    const field = targetField(change)
    if ((!field && !dated) || action === 'delete') return undefined
    const isOfKpi = record.kind.name === 'kpi'
    const unread = isOfKpi && record.isUnread ? await this.#client.kpis.get(Number(record.id)) : undefined
    const before = record.stored?.[isOfKpi ? 'target_default' : 'user_target']
    const from = unread
      ? timelineOf(unread, unread.target_default)
      : { base: asDecimal(field ? field.before : before), targets: datedOf(record) }
    const to = {
      base: field ? asDecimal(field.after) : from.base,
      targets: dated ? textOf(dated.after) : unread && field?.after === null ? null : from.targets,
    }
    // Write all days only for a base; a target that begins on a day leaves days to come as they are.
    const last = field ? undefined : this.#cli.today().day
    if (!isOfKpi)
      return user === undefined || of === undefined ? undefined : this.#changeOfUser(user, of, { from, to, last })
    if (action !== 'update') return undefined
    const id = Number(record.stored?.['id'])
    const frequency = (unread ?? asRecord(kpi, record.stored ?? {})).frequency_id
    return { kpi: id, frequency, from, to, last }
  }

  /** Returns what really changes of a target; refuses what is to be kept and cannot be. */
  async #differing(one: TargetChange | Change): Promise<TargetChange | undefined> {
    const change = 'record' in one ? await this.#targetChange(one) : one
    if (!change || isNoChange(change)) return undefined
    if (this.#keeps) rejectClearing(change)
    return change
  }

  async #count(change: TargetChange, following: Following): Promise<void> {
    let count = 0
    for await (const page of entriesFollowing(this.#client, change)) {
      count += page.length
      for (const one of page) noteShown(following, one)
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

  /** Counts the entries that follow a change, unless that would take too many requests beside those of the changes before. */
  async #countFew(change: TargetChange, following: Following): Promise<void> {
    noteChange(following, change)
    const { isInProcess } = this.#client
    if (!isInProcess && change.user !== undefined && !(await this.#isUsed(change.kpi))) return
    if (isInProcess || following.changes <= MOST_CHANGES) return this.#count(change, following)
    following.isMore = true
    following.isVaried ||= undatedChange(change) === undefined
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
  async #survey(changes: readonly (TargetChange | Change)[]): Promise<Following> {
    const following = noneFollowing()
    for (const one of changes)
      await this.#tolerantly(following, async () => {
        const change = await this.#differing(one)
        if (change) await this.#countFew(change, following)
      })
    this.#isTold = true
    return following
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
    const following = await this.#survey([...this.#ahead, ...changes])
    if (isAny(following)) await this.#cli.log.note(foreseenText(following, this.#keeps))
  }

  /** Asks at a terminal whether to make changes that past reports follow; to be awaited before anything is sent. */
  async confirm(changes: () => readonly Change[] | Promise<readonly Change[]>): Promise<void> {
    if (this.#keeps || this.#isConfirmed || !this.#cli.canAsk) return
    const following = await this.#survey(await changes())
    if (!isAny(following)) return
    const { askForYes } = await import('../../args/prompt.ts')
    await askForYes(this.#cli, questionText(following))
  }

  /** Keeps or counts the entries that follow a change, if it changes a target; to be awaited before it is sent. */
  async before(one: Change, onKeep: (entries: readonly Entry[]) => void): Promise<void> {
    this.#noteCovered(one)
    if (!this.#keeps && this.#isTold) return
    await this.#tolerantly(this.#seen, async () => {
      const change = await this.#differing(one)
      if (!change) return
      if (change.user === undefined) this.#kpis.delete(change.kpi)
      if (isRevealing(change)) this.#hidden.push(change)
      else if (this.#keeps && undatedChange(change)?.from !== null) await this.#keep(change, onKeep)
      else await this.#countFew(change, this.#seen)
    })
  }

  /** Writes the targets of their days onto the entries that follow a change. */
  async #keep(change: TargetChange, onKeep: (entries: readonly Entry[]) => void): Promise<void> {
    const onUnkept = (one: ShownChange): void => {
      this.#seen.count += 1
      noteShown(this.#seen, one)
    }
    this.#kept += await keepTargets(this.#client, change, this.#signal, { onKeep, onUnkept })
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
    for (const change of this.#hidden.splice(0)) {
      const now = await this.#client.kpis.get(change.kpi)
      if (!isSameTimeline(timelineOf(now, now.target_default), change.to)) continue
      noteChange(this.#seen, change)
      await this.#count(change, this.#seen)
    }
  }

  /** Says at the end what was kept, or what past reports show now, and the way back, which is the usual one by default; `instead` names what needs no entries. */
  async tell(own?: WayBack, instead = own ? undefined : FROM_INSTEAD): Promise<void> {
    await this.#tellCovered()
    // Who was asked has read what past reports show.
    if (this.#isTold && !this.#keeps) return
    await this.#tolerantly(this.#seen, () => this.#countHidden())
    const { note, log } = this.#cli
    const [kept, seen] = [this.#kept, this.#seen]
    if (kept > 0) await note(`${countOf(kept, 'stored entry', 'stored entries')} got the target that counted until now`)
    if (kept > 0 && instead !== undefined && this.#client.datesTargets()) await note(instead)
    if (!isAny(seen)) return
    const shown = seen.loses ? '' : `: past reports show ${changeText(seen)} for ${pronounOf(seen)}`
    await log.note(`${entriesText(seen)}${shown}; ${wayBack(seen, this.#keeps, own)}`)
  }
}
