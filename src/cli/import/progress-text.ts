import type { Usage } from '../../client/transport.ts'
import type { Phase, Progress } from '../../load/prepare.ts'
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

/** How far an import is, for people. */
export const progressText = (step: Progress, { perSecond, leftMs }: Speed, usage?: Usage): string =>
  [
    amountOf(step),
    ...(perSecond === undefined ? [] : [`${count(perSecond)} a second`]),
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
