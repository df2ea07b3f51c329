import type { Cli } from '../../cli.ts'
import type { Trace } from '../../output/trace.ts'
import { findPlace } from '../../target/place.ts'
import type { Finding } from './finding.ts'
import { aboutPlace, aboutSecret, findSettings } from './find-settings.ts'

const isSet = ({ from }: Finding): boolean => from !== null && from !== 'default'

/** Tells a trace the service, and each setting that something has set, with its value and what set it; never a secret. */
export const tellSettings = async (cli: Cli, trace: Trace): Promise<void> => {
  const place = findPlace(cli.io, cli.flags)
  const secret = place.kind === 'embedded' ? [] : [aboutSecret(cli, place)]
  for (const one of [...findSettings(cli), ...aboutPlace(cli, place), ...secret]) {
    const source = isSet(one) ? `from ${one.from}` : 'by default'
    if (isSet(one) || one.name === 'service')
      await trace.tell('setting', `${one.name}: ${one.value ?? 'none'}, ${source}`)
  }
}
