import { parseExactJson } from '../../../src/codec/json-number.ts'
import type { TextRequest } from '../../../src/client/http/network-exchange.ts'
import { type FaultyAccount, keyOf } from './account.ts'
import { type Answer, answerOf, jsonAnswer, refuse, shownEntry, shownKpi, shownUser } from './answers.ts'
import { keepBatch } from './batch.ts'
import { type Fault, judge, type Ledger, type Sent } from './entries.ts'
import type { Kind } from './kinds.ts'

/** Answers a request as a service of a kind does where nothing goes wrong. */
export type Routes = (request: TextRequest) => Answer

const bodyOf = ({ body }: TextRequest): Sent => parseExactJson(body ?? '{}') as Sent

const isFaults = (judged: ReturnType<typeof judge>): judged is readonly Fault[] => Array.isArray(judged)

const wordsOf = (faults: readonly Fault[]): string =>
  faults.map(({ field, message }) => `${field}: ${message}`).join('; ')

const PAGE = 500

/** Answers for the entries of an account. */
const entryRoutes = (kind: Kind, account: FaultyAccount, ledger: Ledger) => {
  const isNewer = kind.variant === 'v1'
  const refuseFaults = (faults: readonly Fault[]): Answer => {
    const told = kind.refusal === 'nobody' ? [] : kind.refusal === 'first' ? faults.slice(0, 1) : faults
    return refuse(kind, isNewer ? 422 : 400, told.length === 0 ? 'the data is not valid' : wordsOf(told), told)
  }
  const put = (id: number, body: Sent): Answer => {
    const stored = ledger.byId(id)
    if (!stored) return refuse(kind, 404, `there is no entry ${id}`)
    const { user: user_id, kpi: kpi_id, date: entry_date } = stored
    const judged = judge(account, { user_id, kpi_id, entry_date, ...body }, stored)
    if (isFaults(judged)) return refuseFaults(judged)
    return jsonAnswer(200, shownEntry(kind, account, ledger.change(id, { ...judged.key, ...judged.held })))
  }
  const post = (body: Sent): Answer => {
    const judged = judge(account, body, undefined)
    const stored = ledger.find(
      keyOf({
        user: Number(body['user_id'] ?? body['source_id']),
        kpi: Number(body['kpi_id']),
        date: String(body['entry_date']),
      }),
    )
    if (stored && kind.post === 'upsert') return jsonAnswerOfPost(put(stored.id, body))
    if (isFaults(judged)) return refuseFaults(judged)
    if (stored && kind.post === 'conflict') return refuse(kind, 409, 'there is an entry for that user, KPI and date')
    const made = ledger.add(judged.key, judged.held)
    return jsonAnswer(201, shownEntry(kind, account, made), { location: `/kpientries/${made.id}` })
  }
  const jsonAnswerOfPost = (answer: Answer): Answer =>
    answer.status === 200 && !isNewer ? { ...answer, status: 201 } : answer
  const list = ({ query }: TextRequest): Answer => {
    const { userid, sourceid, kpiid, dateFrom = '', dateTo = '', page = '1', after } = query
    const owner = userid ?? (isNewer ? sourceid : undefined)
    const found = ledger
      .list()
      .filter(({ id, user, kpi, date }) => {
        if (owner !== undefined && user !== Number(owner)) return false
        if (kind.isBundled && after !== undefined && date === dateFrom && id <= Number(after)) return false
        return (kpiid === undefined || kpi === Number(kpiid)) && date >= dateFrom && date <= dateTo
      })
      .toSorted((left, right) => left.date.localeCompare(right.date) || left.id - right.id)
    const start = (Number(page) - 1) * PAGE
    return jsonAnswer(
      200,
      found.slice(start, start + PAGE).map((one) => shownEntry(kind, account, one)),
    )
  }
  const batch = (request: TextRequest): Answer => {
    if (kind.batch !== 'taken') return refuse(kind, kind.batch, 'there is no such path')
    const entries = bodyOf(request)['entries'] as readonly Sent[]
    if (entries.length === 0) return refuseFaults([{ field: 'entries', message: 'must hold at least one entry' }])
    const outcome = keepBatch(account, ledger, entries, kind.post)
    return 'faults' in outcome ? refuseFaults(outcome.faults) : jsonAnswer(200, outcome.counts)
  }
  return { put, post, list, batch }
}

/** The processed report, whose periods are all days. */
const reportRoute = (account: FaultyAccount, ledger: Ledger, { query }: TextRequest): Answer => {
  const { dateFrom = '', dateTo = '', kpiIds, userIds } = query
  const [kpis, users] = [kpiIds, userIds].map((ids) => ids?.split(',').map(Number))
  const kpiOf = new Map(account.kpis.map((one) => [one.id, one]))
  const rows = ledger
    .list()
    .filter(({ date, kpi, user }) => {
      if (date < dateFrom || date > dateTo) return false
      return (kpis?.includes(kpi) ?? true) && (users?.includes(user) ?? true)
    })
    .toSorted((left, right) => left.date.localeCompare(right.date) || left.kpi - right.kpi || left.user - right.user)
    .map(({ user, kpi, date, actual, target, notes }) => ({
      kpiId: kpi,
      kpiName: kpiOf.get(kpi)?.name,
      itemId: user,
      itemName: account.users.find(({ id }) => id === user)?.name,
      periodId: 'D',
      direction: 'U',
      hasTarget: kpiOf.get(kpi)?.target === null ? 0 : 1,
      entryDate: date,
      actual: actual === null ? null : Number(actual) / 10_000,
      target: kpiOf.get(kpi)?.target === null ? null : Number(target ?? kpiOf.get(kpi)?.target) / 10_000,
      notes,
    }))
  return jsonAnswer(200, rows, { 'x-total-count': String(rows.length) })
}

/** The answers of a service of a kind. */
export const createRoutes = (kind: Kind, account: FaultyAccount, ledger: Ledger): Routes => {
  const entries = entryRoutes(kind, account, ledger)
  const get = (path: string, request: TextRequest): Answer | undefined => {
    const [, user] = /^\/users\/(\d+)\/kpis$/.exec(path) ?? []
    if (path === '/kpis') return jsonAnswer(200, account.kpis.map(shownKpi))
    if (path === '/users') return jsonAnswer(200, account.users.map(shownUser))
    if (path === '/breakdownitems') return jsonAnswer(200, [])
    if (path === '/kpientries') return entries.list(request)
    if (path === '/reports/AllDataEntries') return reportRoute(account, ledger, request)
    if (user === undefined || kind.variant === 'v1') return undefined
    const kpis = account.users.find(({ id }) => id === Number(user))?.kpis ?? []
    return jsonAnswer(
      200,
      kpis.map((id) => ({ id, user_id: Number(user), user_target: null, sort_order: id })),
    )
  }
  const entry = (path: string, request: TextRequest): Answer | undefined => {
    const id = Number(/^\/kpientries\/(\d+)$/.exec(path)?.[1] ?? NaN)
    const stored = ledger.byId(id)
    if (Number.isNaN(id)) return undefined
    if (request.method === 'PUT') return entries.put(id, bodyOf(request))
    if (!stored) return refuse(kind, 404, `there is no entry ${id}`)
    if (request.method === 'GET') return jsonAnswer(200, shownEntry(kind, account, stored))
    ledger.remove(id)
    return answerOf(200, '')
  }
  return (request) => {
    const path = request.path.replace(/^\/(api|v1)/, '')
    if (request.method === 'GET' && !kind.reads) return refuse(kind, 403, 'the key does not have that scope')
    if (request.method === 'POST' && path === '/kpientries') return entries.post(bodyOf(request))
    if (request.method === 'POST' && path === '/kpientries/list') return entries.batch(request)
    const found = request.method === 'GET' ? get(path, request) : undefined
    return found ?? entry(path, request) ?? refuse(kind, 404, 'there is no such path')
  }
}
