import { randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'
import { formatDay } from '../../src/domain/day.ts'

/** How to reach an account of a service: any of the instances, the first that lives. */
export type Target = {
  /** Base URLs of the instances that run now. */
  readonly urls: () => readonly string[]
  readonly authorization: string
  readonly userId: number
  readonly kpiId: number
}

/** What became of a write: stored for sure, refused for sure, or nobody knows. */
type Outcome = 'stored' | 'refused' | 'unknown'

/** What clients know of an account's entries. Values are counted in whole units. */
export type Ledger = {
  /** The value that each day's own entry must hold, by day; and of days whose write nobody knows the outcome of. */
  readonly stored: Map<number, number>
  readonly unknown: Set<number>
  /** How much must have been added to the entry of day 0, at least and at most. */
  added: { least: number; most: number }
  /** Answers that count against the limit, and those that the limit refused. */
  accepted: number
  limited: number
  /** Answers that no client should ever get. */
  readonly wrong: string[]
}

export const createLedger = (): Ledger => ({
  stored: new Map(),
  unknown: new Set(),
  added: { least: 0, most: 0 },
  accepted: 0,
  limited: 0,
  wrong: [],
})

const TRIES = 30
const PAUSE_MS = 100

type Sent = { readonly path: string; readonly body: unknown }

/** Sends a request until there is an answer to it: what was lost is sent again, to any instance, as the same request. */
const sendUntilAnswered = async (
  agent: Agent,
  { urls, authorization }: Target,
  { path, body }: Sent,
  ledger: Ledger,
): Promise<Outcome> => {
  const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  let wasLost = false
  for (let tries = 0; tries < TRIES; tries += 1) {
    const all = urls()
    const url = all[Math.floor(Math.random() * all.length)]
    try {
      const answer = await request(`${url}${path}`, {
        dispatcher: agent,
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      const text = await answer.body.text()
      if (answer.statusCode === 403 && answer.headers['retry-after'] !== undefined) {
        ledger.limited += 1
        return wasLost ? 'unknown' : 'refused'
      }
      if (answer.statusCode !== 503) ledger.accepted += 1
      if (answer.statusCode < 300) return 'stored'
      if (answer.statusCode !== 409 && answer.statusCode !== 503) ledger.wrong.push(`${answer.statusCode} ${text}`)
    } catch {
      wasLost = true
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return 'unknown'
}

const noteAdded = (ledger: Ledger, outcome: Outcome): void => {
  if (outcome === 'stored') ledger.added.least += 1
  if (outcome !== 'refused') ledger.added.most += 1
}

const noteOwn = (ledger: Ledger, days: readonly number[], outcome: Outcome): void => {
  for (const day of days) {
    if (outcome === 'stored') ledger.stored.set(day, day)
    if (outcome === 'unknown') ledger.unknown.add(day)
  }
}

/**
 * One client: it writes entries of its own, one by one and in batches, each of a day that nobody else writes and with
 * the day's number as its value, and adds one to the entry of day 0, which all clients do; until it is told to stop.
 */
export const runClient = async (
  target: Target,
  ledger: Ledger,
  days: Iterator<number, number>,
  isOver: () => boolean,
): Promise<void> => {
  const agent = new Agent({ connections: 1 })
  const { userId: user_id, kpiId: kpi_id } = target
  const own = (day: number): object => ({ user_id, kpi_id, entry_date: formatDay(day), actual: day })
  const shared = { user_id, kpi_id, entry_date: formatDay(0), actual: 1, addToActual: true }
  const take = (count: number): number[] => Array.from({ length: count }, () => days.next().value)
  try {
    for (let round = 0; !isOver(); round += 1) {
      if (round % 3 === 0) {
        const taken = take(1)
        const body = own(taken[0] ?? NaN)
        noteOwn(ledger, taken, await sendUntilAnswered(agent, target, { path: '/kpientries', body }, ledger))
      } else if (round % 3 === 1) {
        noteAdded(ledger, await sendUntilAnswered(agent, target, { path: '/kpientries', body: shared }, ledger))
      } else {
        const taken = take(20)
        const body = { entries: [...taken.map(own), shared] }
        const outcome = await sendUntilAnswered(agent, target, { path: '/kpientries/list', body }, ledger)
        noteOwn(ledger, taken, outcome)
        noteAdded(ledger, outcome)
      }
    }
  } finally {
    await agent.close()
  }
}

/** Days from 1 on, each given once, whoever asks. */
export const daysFromOne = (): Iterator<number, number> => {
  let last = 0
  return { next: () => ({ value: (last += 1), done: false }) }
}
