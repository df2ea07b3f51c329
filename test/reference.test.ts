import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reference, schemasText } from '../docs/generate.ts'
import { ROOT } from './support/documents.ts'

test('the reference is what the code says; `npm run docs` writes it anew', async () => {
  expect(readFileSync(join(ROOT, 'docs', 'reference.md'), 'utf8')).toBe(await reference())
})

test('the schemas of outputs are what the code says; `npm run docs` writes them anew', async () => {
  expect(readFileSync(join(ROOT, 'docs', 'output-schemas.json'), 'utf8')).toBe(await schemasText())
})
