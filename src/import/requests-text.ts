import type { Client } from '../client/client.ts'
import type { Usage } from '../client/transport.ts'
import { countText } from '../domain/count-text.ts'

/** Returns a number of things: `1,200 requests`. */
export const counted = (count: number, one: string): string => `${countText(count)} ${one}${count === 1 ? '' : 's'}`

/** Returns how many requests are allowed in a minute; undefined if no limit is known. */
export const allowedPerMinute = (usage: Usage | undefined, rate?: number): number | undefined => {
  const limits = [
    ...(usage ? [Math.floor((usage.limit * 60_000) / usage.windowMs)] : []),
    ...(rate === undefined ? [] : [rate]),
  ]
  return limits.length > 0 ? Math.max(1, Math.min(...limits)) : undefined
}

/** Returns what requests cost, as people say it: `412 requests, about 3 minutes at 200 requests a minute`. */
export const requestsText = (requests: number, { usage }: Pick<Client, 'usage'>, rate?: number): string => {
  const allowed = allowedPerMinute(usage(), rate)
  const many = counted(requests, 'request')
  if (allowed === undefined) return many
  const minutes =
    requests <= allowed ? 'less than a minute' : `about ${counted(Math.ceil(requests / allowed), 'minute')}`
  return `${many}, ${minutes} at ${counted(allowed, 'request')} a minute`
}
