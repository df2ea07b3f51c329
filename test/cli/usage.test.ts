import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeProgram } from '../../src/cli/program.ts'
import { makePair } from '../support/certificates.ts'
import { testIo } from '../support/io.ts'
import { jsonOf, withoutCommand } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

test.each([
  ...['map', 'map-kpi', 'ignore', 'columns', 'by-id', 'by-name', 'percent', 'create-missing'].map(
    (flag) => `entries import x.csv --${flag}`,
  ),
  ...['map', 'ignore', 'by-id', 'by-name'].map((flag) => `users import x.csv --${flag}`),
  ...['map', 'ignore', 'by-id', 'by-name'].map((flag) => `assign import x.csv --${flag}`),
  'service copy --to sqlite --account',
  'service copy --to postgres --discard --account',
])('%s takes no empty list of names', async (line) => {
  writeFileSync(user.folder.in('x.csv'), 'user,kpi,date,actual\n')
  for (const list of ['', ' ,']) {
    const flag = line.split(' ').at(-1)
    const { code, stdout, stderr } = await user.kpi(...line.split(' ').slice(0, -1), `${flag}=${list}`)
    expect([code, stdout, withoutCommand(stderr)]).toEqual([2, '', `kpi: ${flag} is an empty list\n`])
  }
})

describe('wrong usage is exit code 2, nothing on standard output, and one line that helps', () => {
  test.each<[line: string, message: string]>([
    ['xyzzy', "unknown command 'xyzzy'; kpi --help shows what there is\n"],
    ['--colour kpis list', "unknown option '--colour'"],
    ['kpis list extra', 'extra is too much: no flag stands before it'],
    ['kpis get', "missing required argument 'name' (write kpi kpis get <name>, such as kpi kpis get Revenue)"],
    [
      'kpis delete',
      "missing required argument 'names' (write kpi kpis delete <names...>, such as kpi kpis delete Revenue)",
    ],
    ['plan', "missing required argument 'file' (write kpi plan <file>, such as kpi plan kpi.yaml)"],
    ['kpis update', 'say which KPI to change, by id or name'],
    ['kpis update 1', 'nothing to change was given; --help shows the flags'],
    [
      'entries import x.csv --ignore-rows --create-missing',
      '--ignore-rows takes --create-missing for its value, and that is a flag: write the value between them, or --ignore-rows=--create-missing if it is meant',
    ],
    ['entries add --kpi --user 1', '--kpi takes --user for its value, and that is a flag'],
    ['entries list --from --to=today', '--from takes --to=today for its value, and that is a flag'],
    ['--data-dir --names entries list', '--data-dir takes --names for its value'],
    ['kpis create --name --help', '--name takes --help for its value'],
    ['kpis create --name', "option '--name <text>' argument missing"],
    ['kpis list -o', "option '-o, --output <format>' argument missing"],
    ['kpis list -o xml', '--output xml is no output format; there are table, csv, json, ndjson, yaml, markdown'],
    ['kpis list -p nil', 'there is no profile nil; add it with: kpi profiles add'],
    ['kpis list --timeout soon', '--timeout soon is not a time; write 30s, 2m or 500ms'],
    ['kpis list -p a --data-dir b', '--profile and --data-dir each name a service; give only one of them'],
    ['entries add', "required option '--kpi <kpi>' not specified"],
    ['entries add --kpi 1 --actual 1', 'say whose value it is: --user <id|name|email>, or --source <item>'],
    ['entries add --kpi 1 --user 1 --source 2', "option '--source <item>' cannot be used with option '--user <user>'"],
    ['entries list --user 1 --source 2', "option '--source <item>' cannot be used with option '--user <list>'"],
    ['entries import', 'name a file, or - for standard input, or a query with --sql and --from-db'],
    [
      'serve --host 0.0.0.0',
      '0.0.0.0 can be reached from other machines, and plain HTTP is served to this machine only: give --tls-cert and --tls-key, or --behind-proxy if TLS ends at a proxy in front',
    ],
    ['serve --host example.com', 'example.com can be reached from other machines'],
    ['serve --port 65536', '--port 65536 is not a port; there are 0 to 65535'],
    ['serve --port http', '--port http is not a port'],
    ['users create --password hunter2', "unknown option '--password'"],
    [
      'kpis create --target-default ten --sort-order 40000 --is-active yes --unit Dcimal',
      '--unit: there is no unit "Dcimal"; did you mean "Decimal"?; --target-default "ten" must be a number; write it like 1234.5; --sort-order must be a whole number from -32768 to 32767; --is-active must be true or false; a KPI needs --frequency <daily|weekly|monthly|quarterly|yearly>, --name <text>',
    ],
    [
      'kpis create --name= --frequency z',
      '--frequency must be one of daily (D), weekly (W), monthly (M), quarterly (Q), yearly (Y); --name must not be empty',
    ],
  ])('kpi %s', async (line, message) => {
    const ran = await user.kpi(...line.split(' '))
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(withoutCommand(ran.stderr)).toContain(`kpi: ${message}`)
    expect(ran.stderr.trimEnd()).not.toContain('\n')
  })

  test.each(['kpis', 'service', 'service accounts', 'entries'])('kpi %s shows its commands', async (line) => {
    const { code, stdout, stderr } = await user.kpi(...line.split(' '))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`Usage: kpi ${line} [options] [command]`)
    expect(stderr).toMatch(/\nkpi (?:[a-z-]+ )*[a-z-]+: say which command; they are listed above\n$/)
  })
})

describe('with --output json an error is one JSON object, and nothing else', () => {
  test.each([
    [['kpis', 'get', '9', '-o', 'json'], {}],
    [['kpis', 'get', '9', '-ojson'], {}],
    [['--output=json', 'kpis', 'get', '9'], {}],
    [['--output', 'csv', 'kpis', 'get', '9', '--output', 'json'], {}],
    [['kpis', 'get', '9'], { KPI_OUTPUT: 'json' }],
  ])('%j', async (line, env) => {
    const { code, stdout, stderr } = await user.kpiIn({ env }, ...line)
    expect([code, stdout]).toEqual([1, ''])
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'not_found', message: 'there is no KPI 9', exit_code: 1, issues: [] },
    })
  })

  test.each([
    [['kpis', 'get', '9', '-o', 'csv'], { KPI_OUTPUT: 'json' }],
    [['kpis', 'get', '9', '-otable'], { KPI_OUTPUT: 'json' }],
  ])('%j says otherwise', async (line, env) => {
    expect((await user.kpiIn({ env }, ...line)).stderr).toBe('kpi: there is no KPI 9\n')
  })

  test.each([
    [['-o', 'json'], 'demo, kpis, users, groups'],
    [['--log-format', 'json'], 'demo, kpis, users, groups'],
    [['service', 'keys', '-o', 'json'], 'create, list, rotate, revoke'],
  ])('%j says which commands there are', async (line, commands) => {
    const { code, stdout, stderr } = await user.kpi(...line)
    expect([code, stdout]).toEqual([2, ''])
    const words = line.filter((word) => /^(?:service|keys)$/.test(word))
    expect(stderr).toContain(`"message":"say which command: ${commands}`)
    expect(stderr).toContain(`; ${['kpi', ...words, '--help'].join(' ')} says what they do`)
    expect(stderr).not.toContain('above')
  })

  test('also where the line cannot be understood', async () => {
    const { stderr } = await user.kpi('kpsi', '-o', 'json')
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage', exit_code: 2 } })
  })
})

describe('help', () => {
  test('shows the commands first, then the flags of every command, then examples', async () => {
    const { stdout } = await user.kpi('--help')
    const order = [
      'Usage: kpi',
      'Start here:',
      'Run a service, and reach others:',
      'Flags of every command:',
      'Start with:',
      'Learn more:',
      'Exit codes:',
    ]
    expect(order.map((heading) => [heading, stdout.split(heading).length])).toEqual(order.map((one) => [one, 2]))
    expect(order.toSorted((left, right) => stdout.indexOf(left) - stdout.indexOf(right))).toEqual(order)
  })
  test('of a group of commands shows them before its flags; of a command with flags, these first', async () => {
    const group = (await user.kpi('kpis', '--help')).stdout
    expect(group.indexOf('Commands:')).toBeLessThan(group.indexOf('Options:'))
    expect(group).not.toContain('help [command...]')
    const command = (await user.kpi('report', '--help')).stdout
    expect(command.indexOf('Options:')).toBeLessThan(command.indexOf('Commands:'))
  })
  test('kpi by itself is an overview on standard output', async () => {
    const { code, stdout, stderr } = await user.kpi()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: kpi \[options\] \[command\]\n/)
    expect(stdout).toContain('\nExit codes: 0 done, 1 refused or failed, 2 wrong usage')
    expect(await user.kpi('--help')).toEqual({ code, stdout, stderr })
    expect(await user.kpi('help')).toEqual({ code, stdout, stderr })
  })

  test.each([
    ['help kpis', 'kpis --help'],
    ['help kpis list', 'kpis list -h'],
    ['help service token create', 'service token create --help'],
  ])('kpi %s is kpi %s', async (line, same) => {
    const ran = await user.kpi(...line.split(' '))
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain(`Usage: kpi ${line.slice('help '.length)} [options]`)
    expect(await user.kpi(...same.split(' '))).toEqual(ran)
  })

  test.each([
    ['help foo', 'kpi'],
    ['help kpis foo', 'kpi kpis'],
    ['help kpis list foo', 'kpi kpis list'],
    ['foo --help', 'kpi'],
    ['kpis foo -h', 'kpi kpis'],
    ['service token foo --help', 'kpi service token'],
  ])('kpi %s is an error, as nothing has that name', async (line, command) => {
    const stderr = `${command}: unknown command 'foo'; ${command} --help shows what there is\n`
    expect(await user.kpi(...line.split(' '))).toEqual({ code: 2, stdout: '', stderr })
  })

  test.each(['help help', 'help kpis ls', 'kpis get 1 --help', 'report --excel de-DE --help', '-o json kpis --help'])(
    'kpi %s is help',
    async (line) => {
      const { code, stdout, stderr } = await user.kpi(...line.split(' '))
      expect([code, stderr, stdout.slice(0, 'Usage: kpi'.length)]).toEqual([0, '', 'Usage: kpi'])
    },
  )

  test.each(['--version', '-V', '-o json --version'])('kpi %s prints the version alone', async (line) => {
    expect(await user.kpi(...line.split(' '))).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' })
  })
})

test('flags of every command stand before or after it', async () => {
  const ids = [{ id: 1 }]
  expect(jsonOf(await user.kpi('-o', 'json', 'users', 'list', '--columns', 'id'))).toEqual(ids)
  expect(jsonOf(await user.kpi('users', '-o', 'json', 'list', '--columns', 'id'))).toEqual(ids)
  expect(jsonOf(await user.kpi('users', 'list', '--columns', 'id', '-o', 'json'))).toEqual(ids)
})

describe('a text that is too long for a path is wrong usage, and is not shown', () => {
  const LONG = ['a'.repeat(300), 'a/'.repeat(2500)]

  test.each([
    ['file', 'entries import'],
    ['--rejects', 'entries import x.csv --rejects'],
    ['--journal', 'entries import x.csv --journal'],
    ['--from-db', 'entries import --sql select --from-db'],
    ['--data-dir', 'kpis list --data-dir'],
    ['--ca-file', 'kpis list --ca-file'],
    ['--to-file', 'kpis list --to-file'],
    ['--from-json', 'kpis create --from-json'],
    ['file', 'plan'],
    ['job', 'run'],
    ['file', 'service backup'],
    ['--access-log', 'serve --port 0 --access-log'],
  ])('%s of kpi %s', async (name, line) => {
    const said = `kpi: ${name} cannot be a path: its name or its path is longer than the system allows; shorten it\n`
    for (const path of LONG) {
      const { code, stdout, stderr } = await user.kpi(...line.split(' '), path)
      expect([code, stdout, withoutCommand(stderr)]).toEqual([2, '', said])
    }
  })

  test.each(['KPI_DATA_DIR', 'KPI_CONFIG_DIR', 'KPI_TOKEN_FILE', 'XDG_STATE_HOME'])('the variable %s', async (name) => {
    for (const path of LONG) {
      const { code, stderr } = await user.kpiIn({ env: { [name]: path } }, 'kpis', 'list')
      expect([code, stderr.slice(0, 60)]).toEqual([
        2,
        expect.stringContaining(`kpi kpis list: ${name} cannot be a path`),
      ])
    }
  })
})

test('a very long text is shown in a message without its middle', async () => {
  const long = 'b'.repeat(900_000)
  for (const flags of [[], ['-o', 'json'], ['--log-format', 'json']]) {
    const { code, stderr } = await user.kpi('kpis', 'get', `a${long}`, ...flags)
    expect([code, stderr.length < 12_000]).toEqual([2, true])
    expect(stderr).toMatch(/there is no KPI \\?"ab+… \(\d+ characters\) …b+\\?"/)
  }
})

test('so does every flag with a value', async () => {
  const program = await describeProgram('', testIo({ home: '/' }).io)
  writeFileSync(user.folder.in('ca.pem'), (await makePair()).cert)
  const given = {
    '--output': 'csv',
    '--jq': '.',
    '--timeout': '30s',
    '--deadline': '1h',
    '--lock': 'nightly',
    '--ca-file': 'ca.pem',
    '--time-zone': 'Asia/Tokyo',
    '--log-format': 'text',
  }
  const withValue = program.options.filter(({ required }) => required).map(({ long = '' }) => long)
  expect(withValue).toEqual(['--profile', '--data-dir', ...Object.keys(given)])
  for (const [flag, value] of Object.entries(given)) {
    const before = await user.kpi(flag, value, 'kpis', 'list')
    expect(before).toEqual(await user.kpi('kpis', 'list', flag, value))
    expect(before.code).toBe(0)
  }
})

describe('words of other programs mean ours', () => {
  test.each([
    ['kpis ls', 'kpis list'],
    ['kpis ls --columns id', 'kpis list --columns id'],
    ['-o csv users ls', '-o csv users list'],
    ['units show Number', 'units get Number'],
    ['units edit Number', 'units update Number'],
    ['units rm Number', 'units delete Number'],
    ['profiles rm nil', 'profiles remove nil'],
    ['profiles delete nil', 'profiles remove nil'],
    ['profiles create --name x', 'profiles add --name x'],
    ['units remove Number', 'units delete Number'],
    ['units set Number', 'units update Number'],
    ['units add', 'units create'],
    ['units new', 'units create'],
    ['entries new --entry-date 2026-01-01', 'entries add --date 2026-01-01'],
    ['profiles get nil', 'profiles show nil'],
    ['service keys ls', 'service keys list'],
    ['service settings update --week-start monday', 'service settings set --week-start monday'],
    ['entries ls --users admin@localhost --kpis 1', 'entries list --user admin@localhost --kpi 1'],
    ['assign ls --user=admin@localhost', 'assign list --users=admin@localhost'],
    ['report --kpi Nil', 'report --kpis Nil'],
    ['kpis ls --help', 'kpis list --help'],
  ])('kpi %s is kpi %s', async (line, same) => {
    expect(await user.kpi(...line.split(' '))).toEqual(await user.kpi(...same.split(' ')))
  })

  test.each([
    ['entries add --kpi 1 --users A,B --actual 1', '--users: there is no user "A,B"'],
    ['entries add --kpis=1,2 --user 1 --actual 1', '--kpis: there is no KPI "1,2"'],
    [
      'entries add --kpi 1 --users 1 --source 2',
      "option '--source <item>' cannot be used with option '--users <user>'",
    ],
    ['entries list --users B', '--users: there is no user "B"'],
    ['entries list --user B', '--user: there is no user "B"'],
    ['assign list --user', "option '--user <list>' argument missing"],
  ])('kpi %s is refused with the flag as it was typed', async (line, message) => {
    expect(withoutCommand((await user.kpi(...line.split(' '))).stderr)).toBe(`kpi: ${message}\n`)
  })

  test('but values stay as they are', async () => {
    expect((await user.kpi('kpis', '-p', 'ls', 'list')).stderr).toContain('there is no profile ls')
    expect((await user.kpi('kpis', 'get', 'ls')).stderr).toContain('there is no KPI "ls"')
  })

  test('and help does not show them', async () => {
    expect((await user.kpi('kpis', '--help')).stdout).not.toMatch(/^ *(?:ls|rm|edit|show)\b/m)
  })
})

test.each([
  ['--frequency', 'monthly', 'frequency_id', 'M'],
  ['--frequency', 'Weekly', 'frequency_id', 'W'],
  ['--value-direction', 'down', 'value_direction', 'D'],
])('%s %s is typed as a word', async (flag, word, field, letter) => {
  const needed = flag === '--frequency' ? [] : ['--frequency', 'D']
  const ran = await user.kpi('kpis', 'create', '--name', `By ${word}`, ...needed, flag, word, '-o', 'json')
  expect(jsonOf(ran)).toMatchObject({ [field]: letter })
  const found = jsonOf(await user.kpi('kpis', 'list', '--filter', `${field}=${word}`, '-o', 'json'))
  expect(found).toContainEqual(jsonOf(ran))
})

test('a user is locked in words', async () => {
  await user.kpi('users', 'create', '--first-name', 'Eve', '--email', 'eve@example.com', '-o', 'json')
  const locked = jsonOf(await user.kpi('users', 'update', 'Eve', '--user-status', 'locked', '-o', 'json'))
  expect(locked).toMatchObject({ user_status_id: 'L' })
  await user.kpi('users', 'delete', 'Eve', '--yes')
})

test('a choice may be typed in any case', async () => {
  const ran = await user.kpi('kpis', 'create', '--name', 'Any case', '--frequency', 'w', '--aggregate-function', 'avg')
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^frequency_id +W$/m) as string })
})
