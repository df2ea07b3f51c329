import { setup, teardown } from './support/run-folder.ts'
import { soakFiles } from './support/soak/files.ts'
import { soakGenerated } from './support/soak/generated.ts'
import { soakHostile } from './support/soak/hostile.ts'
import { soakImports, soakUndos } from './support/soak/imports.ts'
import { soakMutants } from './support/soak/mutants.ts'
import { soakRequests } from './support/soak/requests.ts'
import { soakCombinations, soakHolders, soakKills, soakReports } from './support/soak/tests.ts'

/*
 * Long runs of what the suite has time for only a part of. `npm run soak` does all of it. `npm run soak -- imports 500 7`
 * simulates 500 imports from the seed 7 on, and `undos` such with undos between them; `kills 210` kills 210 imports, `reports 1000` compares the reports of 1,000
 * accounts, `combinations` runs tests with all of their cases, `requests 10000` sends 10,000 requests to the service, and
 * `generated 500` imports 500 generated files, and `hostile` reads all hostile ones until their end, Ctrl-C and a deadline. `mutants 100` plants 100 faults in the sources. `files FOLDER` imports the public files in a folder, only if asked for.
 */

const KINDS: Readonly<Record<string, (count?: number, first?: number) => Promise<number>>> = {
  imports: soakImports,
  undos: soakUndos,
  kills: soakKills,
  reports: soakReports,
  combinations: soakCombinations,
  requests: soakRequests,
  holders: soakHolders,
  generated: soakGenerated,
  hostile: soakHostile,
  mutants: soakMutants,
}

const [kind, ...numbers] = process.argv.slice(2)
if (kind !== undefined && kind !== 'files' && !(kind in KINDS)) {
  throw new Error(`there is no soak of ${kind}; choose one of ${Object.keys(KINDS).join(', ')}, files FOLDER`)
}
const chosen = Object.entries(KINDS).filter(([name]) => kind === undefined || name === kind)
let failed = 0
setup()
try {
  if (kind === 'files') failed += await soakFiles(numbers[0] ?? '.')
  for (const [, soak] of chosen) failed += await soak(...numbers.map(Number))
} finally {
  teardown()
}
process.exitCode = failed > 0 ? 1 : 0
