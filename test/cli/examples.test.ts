import { describe, expect, test } from 'vitest'
import { emptyPostgresDatabase } from '../support/databases.ts'
import { answered, COMMANDS, examplesOf, onFreePorts, openShop, wordsOf } from '../support/example-lines.ts'
import { shellIn } from '../support/kpi.ts'

const shell = shellIn({ home: '/nowhere' })

/** How a command ends that asks, where nobody answers. */
const ASKS = { code: 2, stderr: expect.stringContaining('asks at a terminal') as unknown }

/** How a command ends that needs a PostgreSQL, where there is none. */
const NEEDS_POSTGRES = { code: 2, stderr: expect.stringContaining('nothing says where PostgreSQL is') as unknown }

/** How a check ends that finds something. */
const FINDS = { code: 10, stderr: expect.stringMatching(/\d values? missing/) as unknown }

const ENDS: Readonly<Record<string, object>> = { 'entries enter': ASKS, 'service distribute': NEEDS_POSTGRES }

describe.each(COMMANDS)('kpi %s --help', (command) => {
  test('says what it does and ends well', async () => {
    const { code, stdout, stderr } = await shell(...command.split(' '), '--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^Usage: kpi ${command} .*\n\n\\S`))
  })

  test('has examples, and each runs', async () => {
    const examples = await examplesOf(command)
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      const [name, ...words] = wordsOf(example)
      expect(name).toBe('kpi')
      await using user = await openShop(command)
      // A server is asked to stop at once.
      const signal = command === 'serve' ? { signal: AbortSignal.abort() } : {}
      // A copy leads to or from a PostgreSQL.
      await using postgres = command === 'service copy' ? await emptyPostgresDatabase() : undefined
      const world = { stdin: 'secret', env: postgres?.env ?? {}, ...signal }
      if (words.includes('sqlite')) await (await postgres?.open())?.close()
      const { code, stderr } = await user.kpiIn(world, ...answered(onFreePorts(words)))
      const expected = /--only missing/.test(example) ? FINDS : (ENDS[command] ?? { code: 0, stderr: '' })
      expect({ example, code, stderr: code === 0 ? '' : stderr }).toEqual({ example, ...expected })
    }
  })
})
