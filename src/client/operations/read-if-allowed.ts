import { KpiError } from '../../domain/errors.ts'
import type { Client } from '../client.ts'

/** Tells whether an error means that the key or the account lacks the right. */
export const isForbidden = (error: unknown): error is KpiError =>
  error instanceof KpiError && error.code === 'forbidden'

/** Returns what `reading` resolves to; undefined if the key may not read it. */
export const readIfAllowed = async <T>(
  { variant }: Pick<Client, 'variant'>,
  reading: Promise<T>,
): Promise<T | undefined> => {
  try {
    return await reading
  } catch (error) {
    if (variant === 'v1' && isForbidden(error)) return undefined
    throw error
  }
}
