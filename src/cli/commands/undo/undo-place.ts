import { normalizeUrl } from '../../../client/http/base-url.ts'
import type { Cli } from '../../cli.ts'
import { shellWord } from '../../output/text.ts'
import { type Profile, readProfiles } from '../../target/profiles.ts'

const serviceOfProfile = (profile: Profile): string =>
  profile.kind === 'embedded' ? profile.dataDir : normalizeUrl(new URL(profile.baseUrl))

/** Says with which flag or setting a line is for a service that a receipt names. */
export const wayToService = ({ io }: Cli, service: string): string => {
  for (const [name, profile] of readProfiles(io).byName) {
    if (serviceOfProfile(profile) === service) return `--profile ${shellWord(name)}`
  }
  if (!URL.canParse(service)) return `--data-dir ${shellWord(service)}`
  return `KPI_BASE_URL=${shellWord(service)}, or a profile of it (kpi profiles add)`
}
