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

/** An account under load, and what its clients know of it. */
export type Loaded = { readonly target: Target; readonly ledger: Ledger; readonly days: Iterator<number, number> }

/** Writes to an account in one of three ways: an entry of its own, the entry of all, a batch of both. */
const writeOnce = async (agent: Agent, { target, ledger, days }: Loaded, way: number): Promise<void> => {
  const { userId: user_id, kpiId: kpi_id } = target
  const own = (day: number): object => ({ user_id, kpi_id, entry_date: formatDay(day), actual: day })
  const shared = { user_id, kpi_id, entry_date: formatDay(0), actual: 1, addToActual: true }
  const taken = Array.from({ length: [1, 0, 20][way] ?? 0 }, () => days.next().value)
  const bodies = [...taken.map(own), ...(way === 0 ? [] : [shared])]
  const sent =
    way === 2 ? { path: '/kpientries/list', body: { entries: bodies } } : { path: '/kpientries', body: bodies[0] }
  const outcome = await sendUntilAnswered(agent, target, sent, ledger)
  noteOwn(ledger, taken, outcome)
  if (way > 0) noteAdded(ledger, outcome)
}

/**
 * One client, until it is told to stop: in one account after the other it writes entries that nobody else writes, each
 * with its day's number as its value, and adds one to the entry of day 0, which all clients do.
 */
export const runClient = async (accounts: readonly Loaded[], isOver: () => boolean): Promise<void> => {
  const agent = new Agent({ connections: 1 })
  try {
    for (let round = 0; !isOver(); round += 1) {
      const account = accounts[Math.floor(round / 3) % accounts.length]
      if (account) await writeOnce(agent, account, round % 3)
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
