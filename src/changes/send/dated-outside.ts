import type { Client } from '../../client/client.ts'
import type { Change } from '../records/change.ts'

/** Tells whether changes ask for dated targets that the service cannot hold. */
export const areOutside = (client: Client, changes: readonly Change[]): boolean =>
  !client.datesTargets() &&
  changes.some(({ fields }) => fields.some(({ config, after }) => config.name === 'targets' && after !== null))
