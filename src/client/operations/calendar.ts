import { type Calendar, CIVIL_CALENDAR } from '../../domain/period.ts'
import type { Client } from '../client.ts'
import { isForbidden } from './read-if-allowed.ts'

/**
 * Returns when weeks and years begin; asks the service for a short list if no answer has told it yet. Of a service that
 * does not tell, weeks begin on Monday and years in January.
 */
export const readCalendar = async (client: Pick<Client, 'calendar' | 'frequencies'>): Promise<Calendar> => {
  if (client.calendar) return client.calendar
  try {
    await client.frequencies.list()
  } catch (error) {
    // A key that may not read the list is told, too.
    if (!isForbidden(error)) throw error
  }
  return client.calendar ?? CIVIL_CALENDAR
}
