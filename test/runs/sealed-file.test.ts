import { existsSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { KpiError } from '../../src/domain/errors.ts'
import {
  type FileFormat,
  findSealedFile,
  headIn,
  openSealedFile,
  RunFileFault,
  type SealedFile,
  writeHead,
} from '../../src/runs/file/sealed-file.ts'
import { temporaryFolder } from '../support/folder.ts'

const RECORD: FileFormat = {
  version: 3,
  schema: 'create table steps (id integer primary key, told text, proof blob)',
  tables: { steps: ['id', 'told', 'proof'] },
  bytes: new Set(['proof']),
  noun: 'record',
  whenBusy: 'another process takes the steps; wait for it',
  whenDamaged: 'delete it to forget the steps',
}
const HEAD = { run: 'one', began: 5 }

const take = (file: SealedFile, id: number, told: string): void =>
  file.write(
    true,
    () => void file.database.prepare('insert into steps values (?, ?, ?)').run(id, told, Buffer.of(0xff, id)),
  )

/** Makes a record of two steps, as a run leaves it. */
const leave = (path: string): void => {
  const file = openSealedFile(path, RECORD, HEAD)
  take(file, 1, 'a')
  take(file, 2, 'b')
  file.close()
}

const spoil = (path: string, sql: string): void => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

const refusalOf = (open: () => SealedFile): string => {
  try {
    open().close()
  } catch (error) {
    if (error instanceof KpiError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'none'
}

test('keeps its first head, until that is replaced, and its rows; for its owner alone', () => {
  using folder = temporaryFolder()
  const path = folder.in('new/a.record')
  leave(path)
  expect([statSync(path).mode & 0o777, statSync(folder.in('new')).mode & 0o777]).toEqual([0o600, 0o700])
  const file = openSealedFile(path, RECORD, { run: 'two' })
  expect(headIn(file)).toEqual(HEAD)
  file.write(false, () => writeHead(file, { ...HEAD, ended: 6 }))
  file.close()
  const found = findSealedFile(path, RECORD)
  expect(headIn(found)).toEqual({ ...HEAD, ended: 6 })
  expect(found.database.prepare('select id, told from steps').all()).toMatchObject([{ told: 'a' }, { told: 'b' }])
  found.remove()
  expect(readdirSync(folder.in('new'))).toEqual([])
})

test('takes all of a write or nothing', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.record')
  leave(path)
  const file = openSealedFile(path, RECORD, HEAD)
  const twice = (): void =>
    file.write(true, () =>
      file.database.exec("insert into steps values (3, 'c', null); insert into steps values (1, 'a', null)"),
    )
  expect(twice).toThrow(RunFileFault)
  expect(twice).toThrow(`cannot write the record ${path}: `)
  take(file, 3, 'c')
  file.close()
  expect(refusalOf(() => findSealedFile(path, RECORD))).toBe('none')
})

test('is held by one at a time', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.record')
  const file = openSealedFile(path, RECORD, HEAD)
  expect(refusalOf(() => findSealedFile(path, RECORD))).toBe('locked: another process takes the steps; wait for it')
  file.close()
  expect(refusalOf(() => findSealedFile(path, RECORD))).toBe('none')
})

test.each([
  ['a text', "drop trigger steps_update; update steps set told = 'c' where id = 1"],
  ['bytes', "drop trigger steps_update; update steps set proof = x'ff09' where id = 1"],
  ['the head', `drop trigger meta_update; update meta set value = '{"run":"two"}'`],
  ['a row that is gone', 'drop trigger steps_delete; delete from steps where id = 1'],
  ['a row that is new', "drop trigger steps_insert; insert into steps values (3, 'c', null)"],
  ['no head', 'drop trigger meta_delete; delete from meta'],
])('that another hand changed is refused: %s', (_, sql) => {
  using folder = temporaryFolder()
  const path = folder.in('a.record')
  leave(path)
  spoil(path, sql)
  const refusal = `unusable: the record ${path} is damaged; delete it to forget the steps`
  expect(refusalOf(() => openSealedFile(path, RECORD, HEAD))).toBe(refusal)
  expect(refusalOf(() => findSealedFile(path, RECORD))).toBe(refusal)
})

test('names the file where it is none, or has lost what it held, or one of another version', () => {
  using folder = temporaryFolder()
  const [torn, newer, path] = [folder.in('torn.record'), folder.in('newer.record'), folder.in('a.record')]
  const open = (at: string) => () => openSealedFile(at, RECORD, HEAD)
  writeFileSync(torn, 'no database, and long enough to be looked at '.repeat(100))
  expect(refusalOf(open(torn))).toBe(`unusable: the record ${torn} is damaged; delete it to forget the steps`)
  spoil(newer, 'pragma user_version = 9')
  expect(refusalOf(open(newer))).toContain(`the record ${newer} is of another version of kpi (9); delete it`)
  leave(path)
  truncateSync(path)
  expect(refusalOf(open(path))).toContain(`the record ${path} is damaged; delete it`)
  rmSync(path)
  expect(refusalOf(open(path))).toBe('none')
})

test('is made anew where that was cut off before it was whole, and not by whoever only looks', () => {
  using folder = temporaryFolder()
  const path = folder.in('a.record')
  expect(refusalOf(() => findSealedFile(path, RECORD))).toContain(`the record ${path} is not there; delete it`)
  expect(readdirSync(folder.path)).toEqual([])
  // What a process leaves that is killed at that moment.
  for (const name of [path, `${path}-new`]) writeFileSync(name, '')
  const file = openSealedFile(path, RECORD, HEAD)
  expect(existsSync(`${path}-new`)).toBe(false)
  file.remove()
  expect(readdirSync(folder.path)).toEqual([])
})

test.each(['a.record', 'a.record-new', 'a.record-journal'])('is not written through a link: %s', (name) => {
  using folder = temporaryFolder()
  const [path, other] = [folder.in('a.record'), folder.in('other')]
  symlinkSync(other, folder.in(name))
  expect(refusalOf(() => openSealedFile(path, RECORD, HEAD))).toMatch(
    /^unusable: cannot write the record .*a\.record: /,
  )
  expect(existsSync(other)).toBe(false)
})

test('is in memory where it has no path', () => {
  const file = openSealedFile(undefined, RECORD, HEAD)
  take(file, 1, 'a')
  expect(headIn(file)).toEqual(HEAD)
  expect(() => take(file, 1, 'a')).toThrow('cannot write the record in memory: ')
  file.remove()
})
