import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import config from '../rolldown.config.ts'

test('the bundle is made without warnings', { timeout: 60_000 }, async () => {
  const { output, ...input } = config
  const logs: string[] = []
  const onLog = (level: string, { message }: { readonly message: string }) => logs.push(`${level}: ${message}`)
  // What the plugins and the compression do takes most of the time, and warns of nothing.
  await using bundle = await rolldown({ ...input, plugins: [], onLog })
  await bundle.generate({ ...[output].flat()[0], minify: false })
  expect(logs).toEqual([])
})

test('a build leaves no part of an earlier one, which would be packed', () => {
  expect([config.output].flat().map((output) => output?.cleanDir)).toEqual([true])
})
