import { KpiError } from '../../domain/errors.ts'
import type { Client } from '../client.ts'

/** Whether an error says that the key, or the account, may not. */
export const isForbidden = (error: unknown): error is KpiError =>
  error instanceof KpiError && error.code === 'forbidden'

/** What is read, or undefined where the key may not read it. A limit, too, may answer 403, but is told apart. */
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
