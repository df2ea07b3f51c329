import { UsageError } from './exit.ts'

/** Reads `--rate`: the most requests in a minute. */
export const readRate = (value: unknown): number | undefined => {
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value.trim() : ''
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new UsageError(`--rate ${text} is not a number of requests a minute; write 60`)
}
