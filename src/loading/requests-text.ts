import type { Client } from '../client/client.ts'
import type { Usage } from '../client/transport.ts'
import { countedText } from '../domain/count-text.ts'

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
  const many = countedText(requests, 'request')
  if (allowed === undefined) return many
  const minutes =
    requests <= allowed ? 'less than a minute' : `about ${countedText(Math.ceil(requests / allowed), 'minute')}`
  return `${many}, ${minutes} at ${countedText(allowed, 'request')} a minute`
}
