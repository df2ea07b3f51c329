import { type Calendar, CIVIL_CALENDAR } from '../../domain/period.ts'
import type { Client } from '../client.ts'
import { readIfAllowed } from './read-if-allowed.ts'

/**
 * Returns when weeks and years begin, which the bundled service tells with each answer; asks for one if there was none.
 * Takes Monday and January for a service that does not tell.
 */
export const readCalendar = async (client: Client): Promise<Calendar> => {
  if (!client.calendar && client.requests() === 0) await readIfAllowed(client, client.kpis.list())
  return client.calendar ?? CIVIL_CALENDAR
}
