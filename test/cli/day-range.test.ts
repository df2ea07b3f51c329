import { describe, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, fillShop } from '../support/user.ts'

/** Lists commands of a range of days; today is Saturday, 2026-11-21. */
const READING = ['entries list', 'entries export', 'report -o csv', 'report -o table', 'report export']
const DELETING = 'entries delete --yes'
const CHECKING = 'check'
const ALL = [...READING, DELETING, CHECKING]

/** Runs a command with the words for its days; returns its exit code and its notes. */
const rangeNoted = async (command: string, ...days: string[]): Promise<{ code: number; stderr: string }> => {
  await using user = await embeddedUser()
  const { code, stderr } = await user.kpi(...command.split(' '), ...days)
  return { code, stderr }
}

/** Returns the notes of which days were meant, for each of some commands with the same words. */
const notedBy = async (commands: readonly string[], ...days: string[]): Promise<Record<string, string[]>> => {
  const notes: Record<string, string[]> = {}
  for (const command of commands) {
    const { stderr } = await rangeNoted(command, ...days)
    notes[command] = stderr.split('\n').filter((line) => line.endsWith(' in UTC'))
  }
  return notes
}

const eachOf = (commands: readonly string[], ...notes: string[]): Record<string, string[]> =>
  Object.fromEntries(commands.map((command) => [command, notes]))

describe('one rule for all commands', () => {
  test.each([
    [['--from', 'last-month'], '2026-10-01 to 2026-10-31'],
    [['--from', 'LAST_MONTH'], '2026-10-01 to 2026-10-31'],
    [['--from', '2026-W07'], '2026-02-09 to 2026-02-15'],
    [['--from', '2026-Q3'], '2026-07-01 to 2026-09-30'],
    [['--from', '2025'], '2025-01-01 to 2025-12-31'],
    [['--from', '2026-12'], '2026-12-01 to 2026-12-31'],
    [['--from', '2026-09', '--to', 'last-month'], '2026-09-01 to 2026-10-31'],
    [['--from', '-7d', '--to', 'yesterday'], '2026-11-14 to 2026-11-20'],
    [['--from', 'yesterday', '--to', 'yesterday'], '2026-11-20'],
    [['--from', 'this-month', '--to', 'this-month'], '2026-11-01 to 2026-11-30'],
  ])('%j', async (words, days) => {
    expect(await notedBy(ALL, ...words)).toEqual(eachOf(ALL, `${words.join(' ')} is ${days} in UTC`))
  })

  test.each([
    ['this-month', '2026-11-01'],
    ['2026', '2026-01-01'],
    ['ytd', '2026-01-01'],
  ])('%s alone ends today while it lasts, and for a check with the day that is over', async (word, first) => {
    const all = await notedBy(ALL, '--from', word)
    expect(all).toEqual({
      ...eachOf([...READING, DELETING], `--from ${word} is ${first} to 2026-11-21 in UTC`),
      ...eachOf([CHECKING], `--from ${word} is ${first} to 2026-11-20 in UTC`),
    })
  })

  test.each([
    ['-7d', ['--from -7d is 2026-11-14 to 2026-11-21 in UTC']],
    ['yesterday', ['--from yesterday is 2026-11-20 to 2026-11-21 in UTC']],
    ['2026-11-20', []],
  ])('%s alone is a first day, and refused where days are deleted', async (word, notes) => {
    expect(await notedBy(READING, '--from', word)).toEqual(eachOf(READING, ...notes))
    expect(await rangeNoted(DELETING, '--from', word)).toEqual({
      code: 2,
      stderr: `kpi entries delete: --from ${word} does not say the last day; add --to ${word} for that day alone, or --to today\n`,
    })
  })

  test('dates, usual days and --quiet need no note', async () => {
    expect(await notedBy(ALL, '--from', '2026-10-01', '--to', '2026-10-31')).toEqual(eachOf(ALL))
    expect(await notedBy(ALL, '--from', 'last-month', '--quiet')).toEqual(eachOf(ALL))
    expect(await notedBy([...READING, CHECKING])).toEqual(eachOf([...READING, CHECKING]))
  })

  test('the note names the zone whose days they are', async () => {
    const { stderr } = await rangeNoted('entries list', '--from', 'today', '--time-zone', 'Pacific/Kiritimati')
    expect(stderr).toContain('--from today is 2026-11-22 in Pacific/Kiritimati\n')
  })

  test.each([
    [['--to', '2026-10-01'], '--from -30d is after --to 2026-10-01; give --from, too'],
    [['--from', '2027-01-01'], '--from 2027-01-01 is after --to today; give --to, too'],
    [['--from', 'today', '--to', 'yesterday'], '--from today is after --to yesterday\n'],
  ])('%j has no days', async (days, message) => {
    const { code, stderr } = await rangeNoted('entries list', ...days)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

test('a period alone deletes its own entries only', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const whose = ['--user', 'ann@example.com', '--kpi', 'Revenue']
  for (const date of ['2026-09-30', '2026-10-01', '2026-10-31', '2026-11-01']) {
    await user.kpi('entries', 'add', ...whose, '--date', date, '--actual', '1')
  }
  const listed = async (from: string): Promise<unknown> =>
    jsonOf(await user.kpi('entries', 'list', '--from', from, '-o', 'json', '--jq', '[.[].entry_date]'))
  expect(await listed('last-month')).toEqual(['2026-10-01', '2026-10-31'])
  expect((await user.kpi('entries', 'delete', '--from', 'last-month', '--yes')).stderr).toBe(
    '--from last-month is 2026-10-01 to 2026-10-31 in UTC\ndelete 2 entries of 2026-10-01 to 2026-10-31 (Revenue, sum 2)\ndeleted 2 entries\n',
  )
  expect(await listed('2026-09-01')).toEqual(['2026-09-30', '2026-11-01', '2026-11-19', '2026-11-20', '2026-11-21'])
})
