import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { describe, expect, test } from 'vitest'
import { isFirst, markFirst } from '../../src/cli/args/first-flags.ts'
import { describeProgram } from '../../src/cli/program.ts'
import { testIo } from '../support/io.ts'
import { shellIn } from '../support/kpi.ts'

const SCREEN_LINES = 40

const shell = shellIn({ home: '/nowhere' })

const below = (command: CommandUnknownOpts, path: readonly string[]): (readonly [string, CommandUnknownOpts])[] =>
  command.commands.flatMap((one) => {
    const own = [...path, one.name()]
    return [[own.join(' '), one] as const, ...below(one, own)]
  })

const program = await describeProgram('', testIo({ home: '/' }).io)
const commands = below(program, [])

const help = async (line: string, ...flags: string[]): Promise<string> => {
  const { code, stdout, stderr } = await shell(...line.split(' '), ...flags)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

/** The flags that help lists, each on a line of its own. */
const flagsIn = (text: string): string[] =>
  [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = '']) => flag)

const flagsOf = ({ options }: CommandUnknownOpts): string[] =>
  options.flatMap((one) => (one.hidden ? [] : [one.long ?? ''])).toSorted()

const firstOf = ({ options }: CommandUnknownOpts): string[] =>
  options.flatMap((one) => (isFirst(one) ? [one.long ?? ''] : [])).toSorted()

const [long, short] = [true, false].map((isLong) => commands.filter(([, one]) => one.options.some(isFirst) === isLong))

describe.each(commands)('kpi %s --help', (path, command) => {
  test('fits a screen, and all flags are in the help of --all', async () => {
    expect((await help(path, '--help')).split('\n').length - 1).toBeLessThanOrEqual(SCREEN_LINES)
    const whole = flagsIn(await help(path, '--help', '--all'))
    expect(whole.filter((flag) => flag !== '--help').toSorted()).toEqual(flagsOf(command))
  })
})

describe.each(long ?? [])('kpi %s --help, of more flags', (path, command) => {
  test('shows the first ones, and leads to all', async () => {
    const [text, whole] = [await help(path, '--help'), await help(path, '--help', '--all')]
    expect(flagsIn(text).toSorted()).toEqual(firstOf(command))
    expect(text).toMatch(new RegExp(`\n\\d+ more flags, and all there is to know: kpi ${path} --help --all\n$`))
    expect(text).toContain(`\nExamples:\n  kpi ${path} `)
    expect(await help(`help ${path}`, '--all')).toBe(whole)
    expect(await help(path, '-h', '--all')).toBe(whole)
  })
})

test.each(short ?? [])('kpi %s --help is all there is', async (path) => {
  expect(await help(path, '--help', '--all')).toBe(await help(path, '--help'))
})

test('a command of many flags has some that people use first', () => {
  const [, command] = long?.find(([path]) => path === 'entries import') ?? []
  expect(firstOf(command ?? program)).toHaveLength(10)
})

test('a mark at a flag that a command has not is a fault of the program', () => {
  const [, command] = commands.find(([path]) => path === 'entries import') ?? []
  expect(() => command && markFirst(command, ['--nothing'])).toThrow('import has no flag --nothing to show first')
})
