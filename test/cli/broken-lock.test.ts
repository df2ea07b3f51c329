import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { shellIn } from '../support/kpi.ts'

const FOLDER = join('.local', 'state', 'kpi', 'locks')

test.each<[what: string, make: (path: string) => void, why: string]>([
  ['a folder is in the place of', (path) => mkdirSync(path), 'cannot be opened for writing'],
  ['something else is in', (path) => writeFileSync(path, 'no lock '.repeat(1000)), 'is no lock'],
])('where %s the file of a lock, that is said, and what to do', async (_, make, why) => {
  using home = temporaryFolder()
  mkdirSync(home.in(FOLDER), { recursive: true, mode: 0o700 })
  const path = home.in(join(FOLDER, 'nightly.lock'))
  make(path)
  const ran = await shellIn({ home: home.path })('kpis', 'list', '--lock', 'nightly')
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toContain(`kpi: cannot take the lock nightly: ${path} ${why}`)
  expect(ran.stderr).toMatch(/; (give yourself the rights to it|delete it)/)
})
