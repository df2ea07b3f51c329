import { DID_YOU_MEAN, unknownName } from '../../../client/directory.ts'
import { category, unit } from '../../../domain/resources/catalog.ts'
import { group } from '../../../domain/resources/groups.ts'
import type { Resource } from '../../../domain/schema.ts'
import { checkDefinitions, type CheckedDefinitions, tellPlanned } from '../../../import/definitions/check.ts'
import type { CountedReasons } from '../../../import/rejects/reason-counts.ts'
import type { Cli } from '../../cli.ts'
import { runRowsImport } from '../changes/import-rows.ts'
import { withClassic } from '../../target/service-of.ts'
import { commandName } from '../verbs/samples.ts'
import type { DefinitionFlags } from './command.ts'
import { parseDefinitionFlags } from './options.ts'
import { countWords, definitionDryRunRow, definitionSummary, dryRunRecord, dryRunSentence, wordsOf } from './print.ts'

/** Lists what definitions name that has a command of its own. */
const NAMED = [
  [category, 'categories'],
  [unit, 'units'],
  [group, 'groups'],
] as const

/** Says how to create what rows name and the service does not have. */
const adviceOn = ({ shown }: CountedReasons): string[] =>
  NAMED.filter(([{ title }]) =>
    shown.some(({ reason }) => reason.includes(unknownName(title)) && !reason.includes(DID_YOU_MEAN)),
  ).map(([, noun]) => `kpi ${noun} list shows the ${noun} that are there; kpi ${noun} import FILE creates more`)

/** Runs `import`: reads, checks and sends a file of definitions, or only says what that would do. */
export const runDefinitionImport = (
  cli: Cli,
  of: Resource,
  file: string,
  flags: DefinitionFlags,
): Promise<number | void> => {
  const { kind, options, parsed } = parseDefinitionFlags(cli, of, file, flags)
  return runRowsImport<CheckedDefinitions>(cli, file, {
    command: `${commandName(of)} import`,
    needs: [
      { of, verb: 'add' },
      { of, verb: 'update' },
    ],
    words: wordsOf(of),
    parsed,
    flags,
    options,
    hasOwnFlags: options.map.size + options.constants.size > 0 || options.onlyExisting === true,
    withAccount: (client, work) =>
      of.newer ? withClassic(cli, client, (classic) => work({ client, classic })) : work({ client }),
    read: (reading) => checkDefinitions({ ...reading, kind, options }),
    tellPlan: (reading, { snapshot }, plan, isContinued) =>
      tellPlanned({ ...reading, kind, snapshot }, plan, isContinued),
    printed: {
      summary: definitionSummary,
      countsOf: (counts) => counts,
      words: countWords(of),
      dryRunRow: definitionDryRunRow,
      recordOf: (checked, row) => dryRunRecord(kind, checked, row),
      sentence: (counts, more) => dryRunSentence(of, counts, more),
      adviceOn,
    },
  })
}
