import { CONNECTION_LIMIT } from '../domain/limits.ts'

/** What a server grants those who connect to it. Times are in milliseconds. */
export type Limits = {
  /** For the head of a request. */
  readonly headMs: number
  /** For a whole request, its body included. */
  readonly requestMs: number
  /** For the next request on a connection. Longer than proxies keep theirs, so that it is they who close. */
  readonly idleMs: number
  /** For an answer during which nothing of it is taken. */
  readonly answerMs: number
  /** For reading on after a request that could not be read was refused, so that its sender gets to see why. */
  readonly lingerMs: number
  /** How often heads and requests are looked at. */
  readonly checkMs: number
  /** When the server closes: for the rest of a request, and for an answer to be taken. */
  readonly patienceMs: number
  /** Connections at a time; those beyond are closed at once. */
  readonly connections: number
}

/** What `kpi serve` grants. */
export const LIMITS: Limits = {
  headMs: 10_000,
  requestMs: 60_000,
  idleMs: 65_000,
  answerMs: 30_000,
  lingerMs: 2000,
  checkMs: 1000,
  patienceMs: 5000,
  connections: CONNECTION_LIMIT,
}
