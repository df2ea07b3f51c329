import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { expect, test } from 'vitest'
import { errorOf } from '../support/kpi.ts'
import { describeProgram } from '../../src/cli/program.ts'
import { testIo } from '../support/io.ts'
import { embeddedUser } from '../support/user.ts'

/** Matches the arguments of commands that read a file. */
const FILE = /^(?:file|job)$/

const linesBelow = (command: CommandUnknownOpts, words: readonly string[]): string[][] => {
  const isRead = command.registeredArguments.some(
    (one) => FILE.test(one.name()) && !one.description.includes('to write'),
  )
  const takesJson = command.options.some(({ long }) => long === '--from-json')
  return [
    ...(isRead ? [[...words, 'gone.csv']] : []),
    ...(takesJson ? [[...words, '--from-json', 'gone.csv']] : []),
    ...command.commands.flatMap((one) => linesBelow(one, [...words, one.name()])),
  ]
}
const LINES = linesBelow(await describeProgram('', testIo({ home: '/' }).io), [])

test('many commands read a file', () => {
  expect(LINES.length).toBeGreaterThan(20)
})

test.each(LINES.map((words) => [words.join(' '), words] as const))(
  'kpi %s says that the file is not there',
  async (_, words) => {
    await using user = await embeddedUser()
    const ran = await user.kpi(...words, '-o', 'json')
    expect([ran.code, errorOf(ran).message]).toEqual([
      1,
      expect.stringMatching(/gone\.csv: there is no such file$|^there is no file .*gone\.csv$/),
    ])
  },
)
