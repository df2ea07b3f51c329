import { formatOfName } from '../../../export/report/formats.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { type AccountFlags, EVERYTHING, type Target, withTarget } from './account.ts'
import { dumpSnapshot } from '../../../changes/print/dump.ts'
import { type KindName, sectionOf } from '../../../changes/records/kind-fields.ts'
import { type FileFlags, readyFile, STDOUT, writeOutput } from '../../files/named-output.ts'
import { readSnapshot, shownKinds } from '../../../changes/records/access.ts'
import { labelOf } from '../../../changes/records/snapshot.ts'

/** Lists the sections of a dump; in the newer interface, groups are not shown, and their items are breakdown items. */
const sectionsOf = (target: Target): readonly string[] => {
  const isNewer = target.client.variant === 'v1'
  const fixed = new Set<KindName>(['icon', ...(isNewer ? (['group'] as const) : [])])
  if (!target.operator) fixed.add('calculated_kpi')
  const names = shownKinds(target).filter((name) => !fixed.has(name))
  return names.map((name) => (isNewer && name === 'group_item' ? 'breakdown_items' : sectionOf(name)))
}

/** Refuses a file whose ending is that of another format. */
const requireYaml = (file: string | undefined): void => {
  const { format, ending } = formatOfName(file ?? '')
  if (format !== undefined && format !== 'yaml') throw new UsageError(`a dump is YAML, and ${file} ends in ${ending}`)
}

const HEAD = '# A configuration of kpi: kpi plan shows what would change, kpi apply changes it.\n'

/** Runs `kpi dump`: writes the configuration of an account. */
export const runDump = async (cli: Cli, flags: AccountFlags & FileFlags): Promise<void> => {
  const { output } = cli.flags
  if (output !== undefined && output !== 'yaml') throw new UsageError(`a dump is YAML; leave out -o ${output}`)
  requireYaml(flags.toFile)
  await readyFile(cli, flags)
  const { text, leftOut } = await withTarget(cli, flags, EVERYTHING, cli.io.interruption(), async (target) => {
    const snapshot = await readSnapshot(target, shownKinds(target))
    const calculated = target.operator ? [] : snapshot.ofKind('calculated_kpi').map(labelOf)
    const dumped = dumpSnapshot(snapshot, sectionsOf(target))
    if (calculated.length === 0) return dumped
    const where = 'which only the bundled service on its own machine can say'
    return {
      ...dumped,
      leftOut: [
        ...dumped.leftOut,
        `${countOf(calculated.length, 'calculated KPI')}, ${where}: ${calculated.join(', ')}`,
      ],
    }
  })
  for (const one of leftOut) await cli.log.warn(`left out: ${one}`)
  const { toFile = STDOUT } = flags
  await writeOutput(cli, toFile, HEAD + text)
  if (toFile !== STDOUT) await cli.note(`written to ${toFile}`)
}
