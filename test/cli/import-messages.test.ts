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
