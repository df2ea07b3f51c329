import { outageText } from '../../client/retry.ts'
import type { Usage, Waiting } from '../../client/transport.ts'
import type { Phase, Progress } from '../../load/import.ts'
import type { LogFields } from '../log.ts'
import type { Speed } from './speed.ts'
import { count, timeText } from './spell.ts'

const DOING: Readonly<Record<Phase, string>> = {
  read: 'rows read and checked',
  stored: 'reading what is there',
  send: 'entries sent',
}

const amountOf = ({ phase, done, total }: Progress): string => {
  if (phase === 'stored') return DOING.stored
  if (total === undefined) return `${count(done)} ${DOING[phase]}`
  const share = total > 0 ? ` (${Math.floor((done / total) * 100)} %)` : ''
  return `${count(done)} of ${count(total)} ${DOING[phase]}${share}`
}

const speedText = (perSecond: number): string =>
  perSecond < 2 ? `${count(Math.round(perSecond * 60))} a minute` : `${count(Math.round(perSecond))} a second`

/** Sooner than that a wait is not worth a word. */
const LEAST_WAIT_MS = 1000

/** How long it will take by what is allowed, where each request does as much as those before. */
const leftBy = (
  { done, total }: Progress,
  { perRequest }: Speed,
  { allowed }: Waiting,
  waitMs: number,
): number | undefined => {
  if (total === undefined || perRequest === undefined || !allowed) return undefined
  const requests = Math.ceil((total - done) / perRequest)
  return waitMs + Math.floor(Math.max(0, requests - 1) / allowed.requests) * allowed.windowMs
}

const limitText = ({ reason, allowed }: Waiting): string => {
  if (!allowed) return 'the limit of the service'
  if (reason === 'rate') return `the limit (--rate ${allowed.requests})`
  return `the limit of the service (${count(allowed.requests)} in ${timeText(allowed.windowMs)})`
}

/** What an import waits for, for people; undefined where that is not worth a word. */
export const waitingText = (
  waiting: Waiting,
  now: number,
  step?: Progress,
  speed: Speed = { perSecond: undefined, leftMs: undefined },
): string | undefined => {
  const { reason, until } = waiting
  const waitMs = until - now
  if (reason === 'unreachable' || reason === 'failing') return outageText(reason, waitMs)
  if (waitMs < LEAST_WAIT_MS) return undefined
  const leftMs = step && leftBy(step, speed, waiting, waitMs)
  const left = leftMs === undefined ? '' : `, about ${timeText(leftMs)} left`
  return `waiting ${timeText(waitMs)} for ${limitText(waiting)}${left}`
}

/** How far an import is that waits for something, for people. */
export const heldUpText = (step: Progress, waits: string): string => `${amountOf(step)}, ${waits}`

/** How far an import is, for people. */
export const progressText = (step: Progress, { perSecond, leftMs }: Speed, usage?: Usage): string =>
  [
    amountOf(step),
    ...(perSecond === undefined ? [] : [speedText(perSecond)]),
    ...(usage === undefined ? [] : [`${Math.round((usage.used / usage.limit) * 100)} % of the limit used`]),
    ...(leftMs === undefined || leftMs <= 0 ? [] : [`${timeText(leftMs)} left`]),
  ].join(', ')

/** The same for programs. */
export const progressFields = (
  { phase, done, total }: Progress,
  { perSecond, leftMs }: Speed,
  usage?: Usage,
): LogFields => ({
  phase,
  done,
  total: total ?? null,
  per_second: perSecond ?? null,
  limit_used: usage?.used ?? null,
  limit: usage?.limit ?? null,
  seconds_left: leftMs === undefined ? null : Math.ceil(leftMs / 1000),
})

/** What an import waits for, for programs. */
export const waitingFields = (
  { phase, done, total }: Progress,
  { reason, until }: Waiting,
  now: number,
): LogFields => ({
  phase,
  done,
  total: total ?? null,
  reason,
  seconds: Math.ceil((until - now) / 1000),
})
