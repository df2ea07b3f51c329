import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Ran } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(() => user[Symbol.asyncDispose]())

/** Imports a file into a new account, as a newcomer does it. */
const importText = (text: string, ...args: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('data.csv'), text)
  return user.kpi('entries', 'import', 'data.csv', '--create-missing', '-o', 'csv', ...args)
}

/** How many rows were read, and how many entries created. */
const readAndCreated = ({ stdout }: Ran): number[] => (stdout.split('\n')[1] ?? '').split(',').slice(0, 2).map(Number)

describe('rows that are left out', () => {
  const FILE = 'Region,Date,Sales\nNorth,2026-01-01,4\nSouth,2026-01-02,5\nNorth,2026-01-03,6\n,,4\n'

  test('are told where they look like data', async () => {
    const ran = await importText(FILE, '--ignore-rows', '4')
    expect(readAndCreated(ran)).toEqual([2, 2])
    expect(ran.stderr).toContain(
      '--ignore-rows leaves out 1 row with a date and a number: line 2 (North, 2026-01-01, 4)\n',
    )
  })

  test('are no good rows where the suggestion for a footer is followed', async () => {
    const ran = await importText(FILE)
    expect(readAndCreated(ran)).toEqual([4, 3])
    expect(ran.stderr).toContain(
      'line 5 looks like a footer ("4"): delete it in the file, as --ignore-rows 4 leaves out line 2, too\n',
    )
  })
})

describe('a file that does not say whose its values are', () => {
  const WIDE = 'Week,North,South\n2026-01-05,1,2\n2026-01-12,3,4\n2026-01-19,5,6\n'
  const ONE_ITEM =
    '--source NAME puts all rows under one breakdown item, which is created, --map source=COLUMN takes them from a column'
  const OR_ITEMS = '; if "North", "South" are the items, --kpi NAME says what is measured'

  test.each<[flags: string[], says: string]>([
    [
      [],
      `no column says whose the values are: ${ONE_ITEM}${OR_ITEMS}; a new user needs an e-mail address: --user ann@example.com, or --map user=COLUMN`,
    ],
    [['--as', 'items'], `--as items does not say where their names are: ${ONE_ITEM}${OR_ITEMS}`],
    [
      ['--as', 'users'],
      'no column is the user: --user ann@example.com puts all rows under one user, who is created, --map user=COLUMN takes them from a column; if "North", "South" are the users, --kpi NAME says what is measured',
    ],
  ])('with %j says that any new name will do', async (flags, says) => {
    const ran = await importText(WIDE, ...flags)
    expect([ran.code, ran.stderr]).toEqual([1, `kpi: the header does not say what each column is\n  user: ${says}\n`])
  })

  test.each<[flags: string[], created: number]>([
    [['--source', 'Here'], 6],
    [['--kpi', 'Stock'], 6],
    [['--user', 'ann@example.com'], 6],
  ])('is imported with what that says: %j', async (flags, created) => {
    expect(readAndCreated(await importText(WIDE, ...flags))).toEqual([3, created])
  })

  test('says how to name what is measured', async () => {
    const ran = await importText('Week,value\n2026-01-05,1\n2026-01-12,3\n')
    expect(ran.stderr).toContain(
      '  kpi: no column is the kpi: --kpi NAME says what is measured, and is created, --map kpi=COLUMN takes names from a column\n',
    )
  })
})
