import { countText } from '../../domain/count-text.ts'
import { outageText } from '../../client/retry.ts'
import type { Usage, Waiting } from '../../client/transport.ts'
import type { Phase, Progress } from '../../loading/prepare/import-types.ts'
import type { LogFields } from './log.ts'

/** Describes the speed, as far as it can be measured. */
export type Speed = {
  /** Counts rows or entries a second. */
  readonly perSecond: number | undefined
  /** Holds the milliseconds left at that speed. */
  readonly leftMs: number | undefined
  /** Holds the average number of rows per request. */
  readonly perRequest?: number | undefined
}

/** Sets the shortest time over which a speed is measured. */
const LEAST_MS = 1000

/** Rounds a speed, with hundredths where it is slow. */
const rounded = (value: number): number => (value < 10 ? Math.round(value * 100) / 100 : Math.round(value))

/** Measures how fast each phase of the work on a file goes, from what was done when it began, as a run may continue another. */
export const createSpeedometer = (requests: () => number = () => 0): ((step: Progress, now: number) => Speed) => {
  let from: (Progress & { readonly at: number; readonly requests: number }) | undefined
  return (step, now) => {
    if (!from || from.phase !== step.phase || from.total !== step.total)
      from = { ...step, at: now, requests: requests() }
    const [done, time] = [step.done - from.done, now - from.at]
    const sent = requests() - from.requests
    const perRequest = done > 0 && sent > 0 ? { perRequest: done / sent } : {}
    if (done <= 0 || time < LEAST_MS) return { perSecond: undefined, leftMs: undefined, ...perRequest }
    const leftMs = step.total === undefined ? undefined : ((step.total - step.done) * time) / done
    return { perSecond: rounded((done * 1000) / time), leftMs, ...perRequest }
  }
}

/** Returns a time as people read it: `45 s`, `12 min`, `1 h 05 min`. */
export const timeText = (milliseconds: number): string => {
  const seconds = Math.ceil(milliseconds / 1000)
  if (seconds < 100) return `${Math.max(1, seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

const DOING: Readonly<Record<Phase, string>> = {
  read: 'rows read and checked',
  assigned: 'users looked up for their assignments',
  stored: 'reading existing entries',
  assign: 'assignments created',
  send: 'entries sent',
  rows: 'rows sent',
  copy: 'rows copied',
  compare: 'rows compared',
}

const amountOf = ({ phase, done, total }: Progress): string => {
  if (phase === 'stored') return DOING.stored
  if (total === undefined) return `${countText(done)} ${DOING[phase]}`
  const share = total > 0 ? ` (${Math.floor((done / total) * 100)} %)` : ''
  return `${countText(done)} of ${countText(total)} ${DOING[phase]}${share}`
}

const speedText = (perSecond: number): string =>
  perSecond < 2 ? `${countText(Math.round(perSecond * 60))} a minute` : `${countText(Math.round(perSecond))} a second`

/** Sets the shortest wait that is worth a message. */
const LEAST_WAIT_MS = 1000

/** Returns how long the rest takes under the limit, where each request does as much as those before. */
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
  return `the limit of the service (${countText(allowed.requests)} in ${timeText(allowed.windowMs)})`
}

/** Returns what an import waits for; undefined where that is not worth a message. */
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

/** Returns the progress of an import that waits for something. */
export const waitingProgressText = (step: Progress, waits: string): string => `${amountOf(step)}, ${waits}`

/** Returns the progress of an import. */
export const progressText = (step: Progress, { perSecond, leftMs }: Speed, usage?: Usage): string =>
  [
    amountOf(step),
    ...(perSecond === undefined ? [] : [speedText(perSecond)]),
    ...(usage === undefined ? [] : [`${Math.round((usage.used / usage.limit) * 100)} % of the limit used`]),
    ...(leftMs === undefined || leftMs <= 0 ? [] : [`${timeText(leftMs)} left`]),
  ].join(', ')

/** Returns the progress for programs. */
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

/** Returns what an import waits for, for programs. */
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
