import { join, relative, resolve } from 'node:path'
import { kpi } from '../../domain/resources/kpi.ts'
import { addExamples } from '../args/examples.ts'
import type { Cli, Register } from '../cli.ts'
import { EXIT, UsageError } from '../exit.ts'
import { packageFolder } from '../files/package-folder.ts'
import { shellWord } from '../output/text.ts'
import { dataFolder } from '../target/folders.ts'
import { withClientAt } from '../target/session.ts'
import { findReach } from '../target/network.ts'
import { behaviorFlags } from '../target/settings.ts'

const SAMPLE = join('examples', 'load-entries')

/** Returns the commands that create the sample account, as anybody could type them. */
const setUp = (folder: string): string[][] => [
  ['kpis', 'create', '--from-json', join(folder, 'kpis.json')],
  ['users', 'create', '--from-json', join(folder, 'users.json')],
]

/** Names a KPI that every sample account has. */
const SAMPLE_KPI = 'Confirmed'

const loadAndReport = (folder: string): string[][] => [
  ['entries', 'import', join(folder, 'worldwide-aggregate.csv'), '--user', 'World', '--create-assignments'],
  ['entries', 'import', join(folder, 'key-countries-pivoted.csv'), '--kpi', SAMPLE_KPI, '--create-assignments'],
  ['report', '--from', '2022-03-01', '--to', '2022-04-16'],
]

/** Tells whether nothing is there yet; refuses a folder that holds anything but the sample. */
const isEmpty = (cli: Cli, dataDir: string): Promise<boolean> =>
  withClientAt(
    cli.io,
    { kind: 'embedded', dataDir },
    findReach(cli.io, cli.flags),
    { of: kpi, verb: 'list' },
    async (client) => {
      const kpis = await client.kpis.list()
      if (kpis.length > 0 && !kpis.some(({ name }) => name === SAMPLE_KPI))
        throw new UsageError(`${dataDir} holds other KPIs; choose an empty folder for the sample with --data-dir`)
      return kpis.length === 0
    },
  )

/** Returns the shortest way to type a path in the working directory. */
const shortest = (cwd: string, path: string): string => {
  const below = relative(cwd, path)
  return below.startsWith('..') ? path : below
}

/**
 * Registers `kpi demo`: imports real data into an embedded service of its own and shows a report, by the commands that
 * it prints.
 */
export const demo: Register = (group, act) => {
  addExamples(group, 'demo', 'demo --data-dir ./demo')
  act(group, async (cli) => {
    const dataDir = resolve(cli.io.cwd, cli.flags.dataDir ?? join(dataFolder(cli.io), 'demo'))
    const folder = shortest(cli.io.cwd, join(packageFolder(SAMPLE), SAMPLE))
    const lines = [...((await isEmpty(cli, dataDir)) ? setUp(folder) : []), ...loadAndReport(folder)]
    // Show the commands as they are typed if the package is not installed.
    const command = cli.io.env['npm_command'] === 'exec' ? 'npx kpi' : 'kpi'
    for (const words of lines) {
      const line = [...words, '--data-dir', dataDir, ...behaviorFlags(cli.flags)]
      await cli.note(['', `$ ${command} ${line.map(shellWord).join(' ')}`])
      const code = await cli.run(line)
      if (code !== EXIT.done) return code
    }
    const here = `  ${command} --data-dir ${shellWord(dataDir)}`
    await cli.note([
      '',
      `The sample account is in ${dataDir}. Go on with:`,
      `${here} kpis list`,
      `${here} report --kpis Confirmed --from 2020-03-01 --to 2020-06-30`,
    ])
    return EXIT.done
  })
}
