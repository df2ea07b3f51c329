import type { Calendar } from '../../domain/period.ts'
import type { Client } from '../client.ts'
import { readIfAllowed } from './read-if-allowed.ts'

/**
 * Returns when weeks and years begin, which the bundled service tells with each answer; asks for one if there was none.
 * Takes the user's setting for a service that does not tell, and Monday and January if there is none.
 */
export const readCalendar = async (client: Client): Promise<Calendar> => {
  if (!client.calendar && client.requests() === 0) await readIfAllowed(client, client.kpis.list())
  return client.calendar ?? client.usualCalendar
}
