import type { Cli } from '../../cli.ts'
import type { Trace } from '../../output/trace.ts'
import { describeToken, SECRETS } from '../../target/secrets.ts'
import { findPlace } from '../../target/place.ts'
import { type Finding, fine } from './finding.ts'
import { findLogin, findSettings, placeFrom } from './find-settings.ts'

/** Returns which service a command uses, and where its credentials come from. */
const findTarget = (cli: Cli): Finding[] => {
  const place = findPlace(cli.io, cli.flags)
  const from = placeFrom(cli)
  if (place.kind === 'embedded') return [fine('service', `embedded, in ${place.dataDir}`, from)]
  return [
    fine('service', place.baseUrl, from),
    ...findLogin(cli, place),
    fine(SECRETS[place.kind], 'set', describeToken(cli.io, place)),
  ]
}

const isSet = ({ from }: Pick<Finding, 'from'>): boolean => from !== null && from !== 'default'

/** Tells a trace the service, and each setting that something has set, with its value and what set it; never a secret. */
export const tellSettings = async (cli: Cli, trace: Trace): Promise<void> => {
  for (const { name, value, from } of [...findSettings(cli).filter(isSet), ...findTarget(cli)]) {
    await trace.tell('setting', `${name}: ${value ?? 'none'}, ${isSet({ from }) ? `from ${from}` : 'by default'}`)
  }
}
