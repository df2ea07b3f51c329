import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsonOf, withoutCommand } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

const THERE_IS = '--help shows what there is'
const NO_FLAG = 'is too much: no flag stands before it'

test.each<[line: string, message: string]>([
  // Slips: a letter too few, too many, another, two swapped.
  ['kpsi list', `unknown command 'kpsi' (Did you mean kpis?); kpi ${THERE_IS}`],
  ['user list', `unknown command 'user' (Did you mean users?); kpi ${THERE_IS}`],
  ['entires list', `unknown command 'entires' (Did you mean entries?); kpi ${THERE_IS}`],
  ['category list', `unknown command 'category' (Did you mean categories?); kpi ${THERE_IS}`],
  ['kpis delte 1', `unknown command 'delte' (Did you mean delete?); kpi kpis ${THERE_IS}`],
  ['service key list', `unknown command 'key' (Did you mean keys?); kpi service ${THERE_IS}`],
  ['--quiet kpis lst', `unknown command 'lst' (Did you mean list?); kpi kpis ${THERE_IS}`],
  ['help kpsi', `unknown command 'kpsi' (Did you mean kpis?); kpi ${THERE_IS}`],
  ['help kpis lst', `unknown command 'lst' (Did you mean list?); kpi kpis ${THERE_IS}`],
  ['kpis list --colums id', `unknown option '--colums' (Did you mean --columns?); kpi kpis list ${THERE_IS}`],
  ['report --form 2026-01-01', `unknown option '--form' (Did you mean --from?); kpi report ${THERE_IS}`],
  ['report --timezone UTC', `unknown option '--timezone' (Did you mean --time-zone?); kpi report ${THERE_IS}`],
  // Help topics are shown by a word in place of a command.
  ['help exit-code', `unknown command 'exit-code' (Did you mean kpi help exit-codes?); kpi ${THERE_IS}`],
  ['formts', `unknown command 'formts' (Did you mean kpi help formats?); kpi ${THERE_IS}`],
  ['help kpis exit-code', `unknown command 'exit-code'; kpi kpis ${THERE_IS}`],
  // Nothing is near, and nothing is guessed.
  ['xyzzy', `unknown command 'xyzzy'; kpi ${THERE_IS}`],
  ['kpis xyzzy', `unknown command 'xyzzy'; kpi kpis ${THERE_IS}`],
  ['kpis constructor', `unknown command 'constructor'; kpi kpis ${THERE_IS}`],
  ['help foo', `unknown command 'foo'; kpi ${THERE_IS}`],
  ['help kpis foo', `unknown command 'foo'; kpi kpis ${THERE_IS}`],
  ['users create --password hunter2', `unknown option '--password'; kpi users create ${THERE_IS}`],
  ['kpis list -x', `unknown option '-x'; kpi kpis list ${THERE_IS}`],
  ['import x.csv', `unknown command 'import'; kpi ${THERE_IS}`],
  ['kpis list --format json', `unknown option '--format'; kpi kpis list ${THERE_IS}`],
  // The help is of the command that has refused the word, whatever stands behind it.
  ['assign group-item list', `unknown command 'group-item' (Did you mean group-items?); kpi assign ${THERE_IS}`],
  ['kpis lst --sort list', `unknown command 'lst' (Did you mean list?); kpi kpis ${THERE_IS}`],
  ['report --group-by kpi --users export --foo', `unknown option '--foo'; kpi report ${THERE_IS}`],
  // A value that belongs nowhere is not shown.
  ['kpis list --quiet=yes', "option '--quiet' takes no value"],
  ['KPI_TOKEN=hunter2 kpis list', `unknown command 'KPI_TOKEN=…'; kpi ${THERE_IS}`],
  ['kpis list --token=hunter2', `unknown option '--token=…'; kpi kpis list ${THERE_IS}`],
  // A word too many, or too few.
  ['kpis create --name Net promoter', `promoter ${NO_FLAG} (Did you mean --name 'Net promoter'?)`],
  ['kpis create --name=Net promoter', `promoter ${NO_FLAG} (Did you mean --name 'Net promoter'?)`],
  ['entries list --kpi Sales Ann', `Ann ${NO_FLAG} (Did you mean --kpi 'Sales Ann'?)`],
  ['entries list --to yesterday --from last month', `month ${NO_FLAG} (Did you mean --from 'last month'?)`],
  [
    'entries list --from -30d Sales',
    `Sales ${NO_FLAG} (an example: kpi entries list --user "Ann Lee" --from this-month)`,
  ],
  ['kpis get Net promoter', "promoter is too much: it takes 1 word (Did you mean 'Net promoter'?)"],
  ['categories create Service', `Service ${NO_FLAG} (an example: kpi categories create --name Sales)`],
  ['report 2026-10', `2026-10 ${NO_FLAG} (an example: kpi report --from this-year)`],
  ['kpis get', "missing required argument 'name' (write kpi kpis get <name>, such as kpi kpis get Revenue)"],
])('kpi %s', async (line, message) => {
  const { code, stdout, stderr } = await user.kpi(...line.split(' '))
  expect([code, stdout, withoutCommand(stderr)]).toEqual([2, '', `kpi: ${message}\n`])
  // It begins with the command whose help it names.
  const [, command = 'kpi'] = /; (kpi[a-z -]*) --help shows what there is$/.exec(message) ?? []
  expect(stderr.startsWith(command)).toBe(true)
})

test('whatever word is mistyped, the step that is named shows what there is', async () => {
  const { commands } = jsonOf(await user.kpi('help', '--json')) as { commands: { command: string }[] }
  const paths = commands.map(({ command }) => command.split(' ').slice(1))
  const groups = new Set(paths.map((path) => path.slice(0, -1).join(' ')))
  for (const path of paths) {
    const name = path.at(-1) ?? ''
    const above = path.slice(0, -1)
    const { code, stderr } = await user.kpi(...above, `${name}${name.at(-1)}`)
    const [, suggested, step] =
      /^kpi: unknown command '\S+'(?: \(Did you mean ([^)]*)\?\))?; kpi (.*--help) /.exec(withoutCommand(stderr)) ?? []
    expect([path.join(' '), code, step]).toEqual([path.join(' '), 2, [...above, '--help'].join(' ')])
    expect(suggested).toContain(name)
  }
  for (const group of groups) {
    const { code, stdout } = await user.kpi(...group.split(' ').filter(Boolean), '--help')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: kpi')])
  }
})

test('of very many names the first that are not found are named, and the others not looked up', async () => {
  const names = Array.from({ length: 100 }, (_, at) => `No such ${at}`)
  const { code, stderr } = await user.kpi('report', '--from', '2026-01-01', '--kpis', names.join(','))
  expect(code).toBe(2)
  expect(stderr.match(/there is no KPI/g)).toHaveLength(20)
  expect(stderr).toContain('"No such 19"; 80 more names were not looked up')
})
