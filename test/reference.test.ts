import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manPages } from '../docs/man-pages.ts'
import { expect, test } from 'vitest'
import {
  jobSchemaText,
  manifestText,
  reference,
  schemasText,
  SETTING_PAGES,
  settingsPage,
  settingsSchemaText,
} from '../docs/generate.ts'
import { ROOT } from './support/documents.ts'

test('the reference is what the code says; `npm run docs` writes it anew', async () => {
  expect(readFileSync(join(ROOT, 'docs', 'reference.md'), 'utf8')).toBe(await reference())
})

test('the schemas of outputs are what the code says; `npm run docs` writes them anew', async () => {
  expect(readFileSync(join(ROOT, 'docs', 'output-schemas.json'), 'utf8')).toBe(await schemasText())
})

test('the schema of jobs is what the code says; `npm run docs` writes it anew', async () => {
  expect(readFileSync(join(ROOT, 'docs', 'job-schema.json'), 'utf8')).toBe(await jobSchemaText())
})

test('the schema of the project file is what the code says; `npm run docs` writes it anew', () => {
  expect(readFileSync(join(ROOT, 'docs', 'settings-schema.json'), 'utf8')).toBe(settingsSchemaText())
})

test.each(SETTING_PAGES)(
  'the table of settings in %s is what the code says; `npm run docs` writes it anew',
  async (page) => {
    expect(readFileSync(join(ROOT, page), 'utf8')).toBe(await settingsPage(page))
  },
)

test('the manual pages are what the code says; `npm run docs` writes them anew', async () => {
  const pages = await manPages()
  expect(readdirSync(join(ROOT, 'man')).toSorted()).toEqual([...pages.keys()].toSorted())
  for (const [name, text] of pages) expect(readFileSync(join(ROOT, 'man', name), 'utf8')).toBe(text)
})

test('the manifest names the manual pages; `npm run docs` writes it anew', async () => {
  expect(readFileSync(join(ROOT, 'package.json'), 'utf8')).toBe(await manifestText())
})
