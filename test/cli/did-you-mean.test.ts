import { afterAll, beforeAll, expect, test } from 'vitest'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

const about = 'kpis, users, groups, group-items, breakdown-items, assign, entries, categories, units'

test.each<[line: string, hint: string | undefined]>([
  // Slips: a letter too few, too many, another, two swapped.
  ['kpsi list', 'Did you mean kpis?'],
  ['kpi list', 'Did you mean kpis?'],
  ['KPIS list', 'Did you mean kpis?'],
  ['user list', 'Did you mean users?'],
  ['entires list', 'Did you mean entries?'],
  ['entry list', 'Did you mean entries?'],
  ['category list', 'Did you mean categories?'],
  ['frequency list', 'Did you mean frequencies?'],
  ['breakdown-item list', 'Did you mean breakdown-items?'],
  ['profile list', 'Did you mean profiles?'],
  ['reprot', 'Did you mean report?'],
  ['serv', 'Did you mean serve?'],
  ['doktor', 'Did you mean doctor?'],
  ['kpis lst', 'Did you mean list?'],
  ['kpis delte 1', 'Did you mean delete?'],
  ['kpis updaet 1', 'Did you mean update?'],
  ['service key list', 'Did you mean keys?'],
  ['help kpsi', 'Did you mean kpis?'],
  ['help kpis lst', 'Did you mean list?'],
  // Beginnings.
  ['cat list', 'Did you mean categories?'],
  ['entries exp', 'Did you mean export?'],
  ['kpis up 1', 'Did you mean update?'],
  // What others call so.
  ['kpis remove 1', 'Did you mean delete?'],
  ['kpis new', 'Did you mean create?'],
  ['kpis add', 'Did you mean create?'],
  ['kpis view 1', 'Did you mean get?'],
  ['entries create', 'Did you mean add?'],
  ['entries load x.csv', 'Did you mean import?'],
  ['profiles delete x', 'Did you mean remove?'],
  ['service keys delete 1', 'Did you mean revoke?'],
  ['people list', 'Did you mean users?'],
  ['config', 'Did you mean profiles?'],
  ['assignments list', 'Did you mean assign?'],
  // What ends in the word.
  ['rotate 1', 'Did you mean kpi service keys rotate?'],
  ['rotat 1', 'Did you mean kpi service keys rotate?'],
  ['import x.csv', `write before it what it is about: ${about}`],
  ['imort x.csv', `Did you mean import, as in kpi entries import? Write before it what it is about: ${about}`],
  ['upload x.csv', `Did you mean import, as in kpi entries import? Write before it what it is about: ${about}`],
  // Flags.
  ['kpis list --colums id', 'Did you mean --columns?'],
  ['kpis list --collumns id', 'Did you mean --columns?'],
  ['kpis list --column id', 'Did you mean --columns?'],
  ['kpis list --limti 1', 'Did you mean --limit?'],
  ['kpis update 1 --target 5', 'Did you mean --target-default?'],
  ['report --form 2026-01-01', 'Did you mean --from?'],
  ['report --since 2026-01-01', 'Did you mean --from?'],
  ['report --until today', 'Did you mean --to?'],
  ['report --timezone UTC', 'Did you mean --time-zone?'],
  ['kpis list --json', 'Did you mean -o json?'],
  ['kpis list --format json', 'Did you mean --output?'],
  ['kpis list --order name', 'Did you mean --sort?'],
  // Nothing is near, and nothing is guessed.
  ['xyzzy', undefined],
  ['init', undefined],
  ['migrate', undefined],
  ['help foo', undefined],
  ['help kpis foo', undefined],
  ['kpis xyzzy', undefined],
  ['kpis constructor', undefined],
  ['units import-all', undefined],
  ['completion bash --to-file x', undefined],
  ['users create --role Admin', undefined],
  ['users create --password hunter2', undefined],
  ['kpis list --xyzzy', undefined],
  ['kpis list -x', undefined],
])('kpi %s', async (line, hint) => {
  const ran = await user.kpi(...line.split(' '))
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(/^kpi: unknown (?:command|option) '[^']+'(?: \((.*)\))?\n$/.exec(ran.stderr)?.[1]).toBe(hint)
  expect(ran.stderr).toMatch(/^kpi: unknown /)
})
