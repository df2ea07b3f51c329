import { setup, teardown } from './support/run-folder.ts'
import { soakImports } from './support/soak/imports.ts'
import { soakRequests } from './support/soak/requests.ts'

/*
 * What the suite tries some of, for long: `npm run soak` for all of it, or `npm run soak -- imports 500 7` for 500 imports
 * from the seed 7 on, and `npm run soak -- requests 10000` for so many requests to the service.
 */

const KINDS: Readonly<Record<string, (count?: number, first?: number) => Promise<number>>> = {
  imports: soakImports,
  requests: soakRequests,
}

const [kind, ...numbers] = process.argv.slice(2)
if (kind !== undefined && !(kind in KINDS)) {
  throw new Error(`there is no soak of ${kind}; choose one of ${Object.keys(KINDS).join(', ')}`)
}
const chosen = Object.entries(KINDS).filter(([name]) => kind === undefined || name === kind)
let failed = 0
setup()
try {
  for (const [, soak] of chosen) failed += await soak(...numbers.map(Number))
} finally {
  teardown()
}
process.exitCode = failed > 0 ? 1 : 0
