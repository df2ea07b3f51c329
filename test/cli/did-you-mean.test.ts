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
  ['kpsi list', 'Did you mean kpi kpis list?'],
  ['kpi list', 'Did you mean kpi kpis list?'],
  ['KPIS list', 'Did you mean kpi kpis list?'],
  ['user list', 'Did you mean kpi users list?'],
  ['entires list', 'Did you mean kpi entries list?'],
  ['entry list', 'Did you mean kpi entries list?'],
  ['category list', 'Did you mean kpi categories list?'],
  ['frequency list', 'Did you mean kpi frequencies list?'],
  ['breakdown-item list', 'Did you mean kpi breakdown-items list?'],
  ['profile list', 'Did you mean kpi profiles list?'],
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
  ['cat list', 'Did you mean kpi categories list?'],
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
  ['people list', 'Did you mean kpi users list?'],
  ['config', 'Did you mean profiles?'],
  ['assignments list', 'Did you mean kpi assign list?'],
  ['entries set', 'Did you mean update or add?'],
  ['kpis set 1', 'Did you mean update?'],
  // The verb first, or what it is about as one thing.
  ['list kpis', 'Did you mean kpi kpis list?'],
  ['list kpi', 'Did you mean kpi kpis list?'],
  ['add user', 'Did you mean kpi users create?'],
  ['create entry', 'Did you mean kpi entries add?'],
  ['delete kpi 3', 'Did you mean kpi kpis delete?'],
  ['ls categories', 'Did you mean kpi categories list?'],
  ['import users x.csv', 'Did you mean kpi users import?'],
  ['create key laptop', 'Did you mean kpi service keys create?'],
  ['--quiet list kpis', 'Did you mean kpi kpis list?'],
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
  ['report --item x', 'Did you mean --group-items?'],
  ['report --month 2026-10', 'Did you mean --from 2026-10?'],
  ['report --month=2026-10', 'Did you mean --from 2026-10?'],
  ['report --month', 'Did you mean --from?'],
  // What the command beside it has.
  [
    'entries update --kpi 1 --user 1',
    'kpi entries add has it: add an entry, or update the one of this user, KPI and date; an empty value clears what is stored',
  ],
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

test('of very many names the first that are not found are named, and the others not looked up', async () => {
  const names = Array.from({ length: 100 }, (_, at) => `No such ${at}`)
  const { code, stderr } = await user.kpi('report', '--from', '2026-01-01', '--kpis', names.join(','))
  expect(code).toBe(2)
  expect(stderr.match(/there is no KPI/g)).toHaveLength(20)
  expect(stderr).toContain('"No such 19"; 80 more names were not looked up')
})
