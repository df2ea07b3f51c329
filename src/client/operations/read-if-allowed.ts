import { KpiError } from '../../domain/errors.ts'
import type { Client } from '../client.ts'

/** Tells whether an error means that the key or the account lacks the right. */
export const isForbidden = (error: unknown): error is KpiError =>
  error instanceof KpiError && error.code === 'forbidden'

/** Returns what is read; undefined where the key may not read it. A limit may answer 403, too, but is told apart. */
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
