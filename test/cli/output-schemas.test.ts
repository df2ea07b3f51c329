import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { describe, expect, test } from 'vitest'
import { outputSchemas, printingCommands } from '../../docs/output-schemas.ts'
import { describeProgram } from '../../src/cli/program.ts'
import { emptyPostgresDatabase } from '../support/databases.ts'
import { answered, examplesOf, onFreePorts, openShop, wordsOf } from '../support/example-lines.ts'
import { testIo } from '../support/io.ts'

const program = await describeProgram('', testIo({ home: '/' }).io)
const commands = program.commands
  .flatMap((group) => printingCommands(group, group.name()))
  // It needs a PostgreSQL with Citus; test/cli/distribute.test.ts holds what it prints.
  .filter(({ path }) => path !== 'service distribute')
  .map(({ path, command }) => ({ path, isNamed: command.options.some(({ long }) => long === '--names') }))

const ajv = new Ajv2020({ allowUnionTypes: true, formats: fullFormats })
ajv.addSchema({ $id: 'output', ...(await outputSchemas()) })

/** What is wrong with a value, by the schema of a command; nothing where it is right. */
const faultsOf = (path: string, value: unknown): unknown => {
  const validate = ajv.getSchema(`output#/$defs/${encodeURIComponent(`kpi ${path}`)}`)
  if (!validate) throw new Error(`there is no schema of kpi ${path}`)
  return validate(value) === true ? [] : validate.errors
}

/** Lines about files that are no JSON. */
const OF_FILES = /--layout wide|--manifest|--append-since|--schema/

/** Flags that say how or where to something is printed, which make way for those of the test. */
const OTHERS = new Set(['-o', '--output', '--to-file', '--excel', '--jq'])

const asJson = (words: readonly string[]): string[] => [
  ...words.filter((word, at) => !OTHERS.has(word) && !OTHERS.has(words[at - 1] ?? '')),
  '-o',
  'json',
]

describe.each(commands)('kpi $path -o json', ({ path, isNamed }) => {
  test('prints what its schema says', async () => {
    const lines = (await examplesOf(path)).filter((line) => !OF_FILES.test(line)).slice(0, 3)
    let printed = 0
    for (const line of lines) {
      await using user = await openShop(path)
      const words = asJson(onFreePorts(wordsOf(line).slice(1)))
      const named = isNamed ? [...words, '--names'] : words
      // A copy leads to or from a PostgreSQL.
      await using postgres = path === 'service copy' ? await emptyPostgresDatabase() : undefined
      if (words.includes('sqlite')) await (await postgres?.open())?.close()
      const world = { stdin: 'secret', env: postgres?.env ?? {} }
      const { code, stdout, stderr } = await user.kpiIn(world, ...answered(named))
      // A check that finds something has done its work.
      const isDone = code === 0 || (path === 'check' && code === 10)
      expect({ line, isDone, stderr: isDone ? '' : stderr }).toEqual({ line, isDone: true, stderr: '' })
      if (stdout === '') continue
      expect({ line, faults: faultsOf(path, JSON.parse(stdout)) }).toEqual({ line, faults: [] })
      printed += 1
    }
    expect(printed).toBeGreaterThan(0)
  })
})
