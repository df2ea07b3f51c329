import { countRounded } from '../codec/json.ts'
import { type Calendar, CIVIL_CALENDAR } from '../domain/period.ts'
import { askedAssignment, assignment } from '../domain/resources/assignment.ts'
import { type BreakdownItem, breakdownItem } from '../domain/resources/breakdowns.ts'
import type { CalculatedKpi } from '../domain/resources/calculated-kpi.ts'
import { category, frequency, icon, unit } from '../domain/resources/catalog.ts'
import { ENTRIES_PAGE } from '../domain/resources/entry.ts'
import { group, groupItem, userGroupItem } from '../domain/resources/groups.ts'
import { askedKpi, categoryKpi, kpi } from '../domain/resources/kpi.ts'
import { REPORT_LIMIT, type ReportDay, reportDay, type ReportRow, reportRow } from '../domain/resources/report-row.ts'
import { user } from '../domain/resources/user.ts'
import type { AnyRecord, Resource } from '../domain/schema.ts'
import type { Variant } from '../domain/variants.ts'
import { requireCapability } from './capabilities.ts'
import type { KeyInfo, AccountIdentity } from './http/credentials.ts'
import {
  ADD_STEP,
  type ResourceClient,
  resourceClient,
  readWholeList,
  readMany,
  type Send,
  type SendTogether,
} from './operations/collection.ts'
import { createEntries, type Entries } from './operations/entries.ts'
import { type BreakdownItemQuery, itemQuery, reportQuery, type ReportRequest } from './operations/queries.ts'
import { requireSoundAnswer } from './operations/report/check-answer.ts'
import {
  createRequestCount,
  type TransportRequest,
  type TransportResponse,
  type Traffic,
  type Transport,
  type Usage,
  type Waiting,
} from './transport.ts'

type FixedCollection<R extends Resource> = Pick<ResourceClient<R>, 'list' | 'get'>

/** Holds at most `reportRows` rows of a report, and the number of all rows, if the service sends it. */
export type ReportAnswer = { readonly rows: readonly ReportRow[]; readonly total: number | undefined }

/** Describes the operations of the service. */
export type Client = {
  /** Names the variant of the interface. Operations that it lacks fail as `unsupported`, before they are sent. */
  readonly variant: Variant
  readonly kpis: ResourceClient<typeof kpi>
  readonly users: ResourceClient<typeof user>
  readonly categories: ResourceClient<typeof category>
  /** Returns the operations on the KPIs of a category. */
  readonly categoryKpis: (categoryId: number) => ResourceClient<typeof kpi>
  readonly groups: ResourceClient<typeof group>
  readonly groupItems: (groupId: number) => ResourceClient<typeof groupItem>
  readonly breakdownItems: Omit<ResourceClient<typeof breakdownItem>, 'list'> & {
    readonly list: (query?: BreakdownItemQuery) => Promise<BreakdownItem[]>
  }
  readonly units: ResourceClient<typeof unit>
  readonly frequencies: FixedCollection<typeof frequency>
  readonly icons: FixedCollection<typeof icon>
  /** Returns the operations on the KPIs of a user; ids are those of the KPIs. */
  readonly assignments: (userId: number) => ResourceClient<typeof assignment>
  /** Returns the operations on the group items of a user; ids are those of the group items. */
  readonly userGroupItems: (userId: number) => Omit<ResourceClient<typeof userGroupItem>, 'update'>
  readonly entries: Entries
  /** Holds how many things `addEach` creates in one request. */
  readonly addStep: number
  readonly report: (request: ReportRequest) => Promise<ReportAnswer>
  /** Returns digests of a report's rows by day; only the bundled service has them. */
  readonly reportDays: (request: ReportRequest) => Promise<ReportDay[]>
  /** Counts the values that were rounded on reading, because the service sent more than four decimals. */
  readonly rounded: () => number
  /** Counts completed requests. */
  readonly requests: () => number
  /** Counts requests refused by the rate limit, and the time waited. */
  readonly traffic: () => Traffic
  /** Returns how much of the service's rate limit is used; undefined if unknown. */
  readonly usage: () => Usage | undefined
  /** Returns what requests are waiting for now; undefined if none waits. */
  readonly waiting: () => Waiting | undefined
  /** Returns until when the run waits for a service that has failed since a moment; undefined where it does not. */
  readonly giveUpAt: (since: number) => number | undefined
  /** Holds a fingerprint of the credentials, which does not reveal them. */
  readonly caller: string
  /** Holds when weeks and years begin, if an answer has told it. */
  readonly calendar: Calendar | undefined
  /** Holds when weeks and years begin for the user, where no answer tells it. */
  readonly usualCalendar: Calendar
  /** Returns the account, as far as it is known. */
  readonly identifyAccount: () => AccountIdentity
  /** Tells whether the answers so far come from the bundled service. */
  readonly isBundled: () => boolean
  /** Tells whether the answers so far come from a service that keeps what runs replace. */
  readonly keepsRuns: () => boolean
  /** Tells whether the answers so far come from a service that has dated targets. */
  readonly datesTargets: () => boolean
  /** Returns when the service answered last, by its own clock, in milliseconds; undefined where it does not say. */
  readonly serviceTime: () => number | undefined
  /** Sets what is called when a change is sent, with the time by the clock of the service as far as it is known. */
  readonly watchChanges: (onSend: (time: number | undefined) => void) => void
  /** Tells whether the service runs in this process, so that a request costs next to nothing. */
  readonly isInProcess: boolean
  /** Returns the calculated KPIs with their formulas; undefined where the service does not show them. */
  readonly formulas: () => Promise<readonly CalculatedKpi[] | undefined>
  /** Bounds the entries on a page of the bundled service. */
  readonly entriesPage: number
  /** Bounds the rows of a report in one answer. */
  readonly reportRows: number
  /** Returns what the last answer said about the key; undefined if there is none. */
  readonly keyInfo: () => KeyInfo | undefined
  readonly close: () => Promise<void>
}

/** Counts the values of an answer that are rounded on reading. */
const roundedIn = (of: Resource, { content }: TransportResponse): number =>
  'json' in content ? [content.json].flat().reduce<number>((sum, one) => sum + countRounded(of, one), 0) : 0

const NO_TRAFFIC: Traffic = { refused: 0, waitedMs: 0 }

/** Returns the path of a resource below another one. */
const below = ({ path }: Resource, parent: number): string => path.replace(/\{\w+\}/, String(parent))

/** Gets what is listed, for those who keep it. */
type OnList = (of: Resource, records: readonly AnyRecord[]) => void

/** Creates a client over any transport, for a variant of the interface; `onList` gets what is listed. */
export const createClient = (
  transport: Transport,
  variant: Variant = 'classic',
  onList: OnList = () => undefined,
): Client => {
  let rounded = 0
  const count = createRequestCount()
  let onChange: TransportRequest['onSend']
  const send: Send = async (of, verb, sending) => {
    requireCapability(variant, { of, verb })
    const watching = onChange && sending.method !== 'GET' && { onSend: onChange }
    const received = await count.during(() => transport.send({ ...sending, ...watching }))
    if (verb === 'list' || verb === 'get') rounded += roundedIn(of, received)
    return received
  }
  const { sendTogether } = transport
  const together: SendTogether | undefined =
    sendTogether &&
    (async (of, verb, sendings) => {
      requireCapability(variant, { of, verb })
      return count.during(() => sendTogether(sendings))
    })
  const { isBundled, newKey, datesTargets } = transport
  const options = { send, together, isBundled, newKey, datesTargets, listed: new Map<string, Set<unknown>>() }
  const at = <R extends Resource>(of: R, path: string, asked?: R): ResourceClient<R> =>
    resourceClient(of, path, { ...options, onList }, asked)
  return {
    variant,
    kpis: at(kpi, kpi.path, askedKpi),
    users: at(user, user.path),
    categories: at(category, category.path),
    categoryKpis: (categoryId) => resourceClient(kpi, below(categoryKpi, categoryId), options, askedKpi),
    groups: at(group, group.path),
    groupItems: (groupId) => at(groupItem, below(groupItem, groupId)),
    breakdownItems: {
      ...at(breakdownItem, breakdownItem.path),
      list: async (query = {}) => {
        const items = await readWholeList(breakdownItem, breakdownItem.path, send, itemQuery(query))
        onList(breakdownItem, items)
        return items
      },
    },
    units: at(unit, unit.path),
    frequencies: at(frequency, frequency.path),
    icons: at(icon, icon.path),
    assignments: (userId) => at(assignment, below(assignment, userId), askedAssignment),
    userGroupItems: (userId) => at(userGroupItem, below(userGroupItem, userId)),
    addStep: together ? ADD_STEP : 1,
    entries: createEntries(variant, options),
    report: async (request) => {
      const { path } = reportRow
      const received = await send(reportRow, 'list', { method: 'GET', path, query: reportQuery(request) })
      const rows = readMany(reportRow, received)
      // Records come from the service in this process, which is tested to answer as asked.
      if ('json' in received.content) requireSoundAnswer(rows, received, request)
      return { rows, total: received.total }
    },
    reportDays: async (request) => {
      const { path } = reportDay
      return readMany(reportDay, await send(reportDay, 'list', { method: 'GET', path, query: reportQuery(request) }))
    },
    rounded: () => rounded,
    requests: () => transport.requests?.() ?? count.total(),
    traffic: () => transport.traffic?.() ?? NO_TRAFFIC,
    usage: () => transport.usage?.(),
    waiting: () => transport.waiting?.(),
    giveUpAt: (since) => transport.giveUpAt?.(since),
    caller: transport.caller,
    usualCalendar: transport.usualCalendar ?? CIVIL_CALENDAR,
    get calendar() {
      return transport.calendar?.()
    },
    identifyAccount: transport.identifyAccount,
    isBundled,
    datesTargets: () => datesTargets?.() === true,
    keepsRuns: () => transport.keepsRuns?.() === true,
    serviceTime: () => transport.serviceTime?.(),
    watchChanges: (onSend) => void (onChange = onSend),
    isInProcess: transport.isInProcess === true,
    formulas: async () => transport.formulas?.(),
    entriesPage: transport.entriesPage ?? ENTRIES_PAGE,
    reportRows: transport.reportRows ?? REPORT_LIMIT,
    keyInfo: () => transport.keyInfo?.(),
    close: transport.close,
  }
}
