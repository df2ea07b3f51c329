import { normalizeUrl, withoutFinalSlashes } from '../../../client/http/base-url.ts'
import type { Cli } from '../../cli.ts'
import { shellWord } from '../../output/text.ts'
import { type Profile, readProfiles } from '../../target/profiles.ts'
import { findPlace } from '../../target/settings.ts'

/** Matches loopback addresses that programs use for services of their own, as `127.0.0.2` beside `127.0.0.1`. */
const OWN_LOOPBACK = /^127\.(?!0\.0\.1$)/

/** Names a remote service: `localhost`, `127.0.0.1` and `[::1]` are one machine, further loopback addresses are others. */
const remoteName = (baseUrl: string): string => {
  const url = new URL(baseUrl)
  return OWN_LOOPBACK.test(url.hostname) ? withoutFinalSlashes(url.href) : normalizeUrl(url)
}

/** Names the service of a line in receipts: by its base URL, or its store. */
export const receiptServiceOf = ({ io, flags }: Cli): string => {
  const place = findPlace(io, flags)
  return place.kind === 'embedded' ? place.dataDir : remoteName(place.baseUrl)
}

const serviceOfProfile = (profile: Profile): string =>
  profile.kind === 'embedded' ? profile.dataDir : remoteName(profile.baseUrl)

/** Says with which flag or setting a line is for a service that a receipt names. */
export const wayToService = ({ io }: Cli, service: string): string => {
  for (const [name, profile] of readProfiles(io).byName) {
    if (serviceOfProfile(profile) === service) return `--profile ${shellWord(name)}`
  }
  if (!URL.canParse(service)) return `--data-dir ${shellWord(service)}`
  return `KPI_BASE_URL=${shellWord(service)}, or a profile of it (kpi profiles add)`
}
