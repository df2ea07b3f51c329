import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../support/documents.ts'
import { HOSTILE_NAMES } from '../support/hostile-names.ts'
import { kpiNamed } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
  await fillShop(user)
})
afterEach(() => user[Symbol.asyncDispose]())

const completed = async (...words: string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await user.kpi('__complete', '=zsh', ...words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] ?? '')
}

describe('a line is completed', () => {
  test.each([
    [['=kp'], ['kpis']],
    [['kpis', '=de'], ['delete']],
    [['service', '=k'], ['keys']],
    [
      ['service', 'keys', '=r'],
      ['rotate', 'revoke'],
    ],
    [['kpis', 'list', '=--co'], ['--columns']],
    [['-o', 'json', 'kpis', 'list', '=--col'], ['--columns']],
    [['kpis', 'create', '--frequency', '=w'], ['weekly']],
    [
      ['entries', 'export', '--layout', '='],
      ['long', 'wide'],
    ],
    [['-o', '=y'], ['yaml']],
    [['completion', '=f'], ['fish']],
    [['entries', 'import', '='], [':files']],
    [['run', '='], [':files']],
    [['report', 'export', '--to-file', '=x'], [':files']],
    [['kpis', 'list', '--limit', '='], []],
    [['nothing', '='], []],
    [
      ['--log-format', '='],
      ['text', 'json'],
    ],
    [['--log-format=text', 'kpis', 'list', '=--colu'], ['--columns']],
    [['=--output=j'], ['--output=json']],
    [
      ['kpis', 'list', '=--log-format='],
      ['--log-format=text', '--log-format=json'],
    ],
    [['kpis', 'create', '=--frequency=w'], ['--frequency=weekly']],
    [['report', 'export', '=--to-file=x'], [':files']],
    [['help', '=kp'], ['kpis']],
    [['help', 'kpis', '=de'], ['delete']],
    [['help', 'kpis', 'get', '='], []],
    [['help', 'completion', '='], []],
  ])('after %j by %j', async (words, expected) => {
    expect(await completed(...words)).toEqual(expected)
  })

  test('by flags, where nothing but a dash is typed', async () => {
    await user.kpi('kpis', 'list')
    const found = await completed('kpis', 'get', '=-')
    expect(found).toContain('--output')
    expect(found.filter((one) => !one.startsWith('--'))).toEqual([])
  })

  test('by the elements that a list lacks, quoted where they have commas', async () => {
    await user.kpi('kpis', 'create', '--name', 'Cost, net', '--frequency', 'D')
    await user.kpi('kpis', 'list')
    expect(await completed('report', '--kpis', '=Visits,')).toEqual(['Visits,Revenue', 'Visits,"Cost, net"'])
    expect(await completed('report', '=--kpis=Visits,r')).toEqual(['--kpis=Visits,Revenue'])
  })

  test.each(['\t', '\n', '\u202e'])('but not by a name with %j, which no shell can take', async (sign) => {
    await user.kpi('kpis', 'create', '--name', 'Net sales', '--frequency', 'D')
    await user.kpi('kpis', 'list')
    const names = user.folder.in('.cache/kpi/names')
    for (const file of readdirSync(names)) {
      const kept = readFileSync(join(names, file), 'utf8')
      writeFileSync(
        join(names, file),
        kept.replace('Net sales', () => JSON.stringify(`Net${sign}sales`).slice(1, -1)),
      )
    }
    expect(await completed('kpis', 'get', '=')).toEqual(['Revenue', 'Visits'])
  })

  test('by the receipts of imports', async () => {
    expect(await completed('entries', 'undo', '=')).toEqual([])
    writeFileSync(user.folder.in('data.csv'), 'user,kpi,date,actual\nann@example.com,Revenue,2026-03-01,1\n')
    const { receipt } = jsonOf(await user.kpi('entries', 'import', 'data.csv', '-o', 'json')) as { receipt: string }
    expect(await completed('entries', 'undo', '=')).toEqual([receipt])
  })

  test('by names that earlier commands have read, and never asks for them', async () => {
    expect(await completed('kpis', 'get', '=')).toEqual([])
    await user.kpi('kpis', 'list')
    await user.kpi('assign', 'list')
    expect(await completed('kpis', 'get', '=')).toEqual(['Revenue', 'Visits'])
    expect(await completed('kpis', 'update', 'Revenue', '=v')).toEqual(['Visits'])
    expect(await completed('report', '--kpis', '=Visits,r')).toEqual(['Visits,Revenue'])
    expect(await completed('entries', 'add', '--user', '=ann')).toEqual(['ann@example.com'])
    expect(await completed('report', '--user', '=An')).toEqual(['ann@example.com'])
    expect(await completed('report', '--kpi', '=Visits,r')).toEqual(['Visits,Revenue'])
    expect(await completed('report', '=--kpi=r')).toEqual(['--kpi=Revenue'])
    expect(await completed('entries', 'ls', '--kpis', '=R')).toEqual(['Revenue'])
    expect(await completed('kpis', 'edit', '=R')).toEqual(['Revenue'])
    expect(await completed('--data-dir', 'elsewhere', 'kpis', 'get', '=')).toEqual([])
    await user.kpi(
      'profiles',
      'add',
      'acme',
      '--base-url',
      'http://127.0.0.1:9/v1',
      '--token-command',
      'false',
      '--no-check',
    )
    expect(await completed('--profile', '=')).toEqual(['acme'])
    expect(await completed('--profile', 'acme', 'kpis', 'get', '=')).toEqual([])
    await user.kpi('kpis', 'delete', 'Visits', '--yes')
    await user.kpi('kpis', 'list')
    expect(await completed('kpis', 'get', '=')).toEqual(['Revenue'])
  })

  test('and the names are kept where only their owner can read them', async () => {
    await user.kpi('kpis', 'list')
    const folder = user.folder.in('.cache/kpi/names')
    const [file = ''] = readdirSync(folder)
    expect([statSync(folder).mode & 0o777, statSync(join(folder, file)).mode & 0o777]).toEqual([0o700, 0o600])
  })
})

describe('the script for bash', () => {
  /** Divides a line as bash does: also at = and :, and before @; not within quotes. */
  const wordsOf = (line: string): string[] => {
    const words = line.match(/["'].*|(?:\\.|[^\s=:@])+|[=:@]/g) ?? []
    return /\s$/.test(line) ? [...words, ''] : words
  }

  const inBash = async (line: string): Promise<string[]> => {
    const { stdout: script } = await user.kpi('completion', 'bash')
    const kpi = `kpi() { '${process.execPath}' '${join(ROOT, 'bin', 'kpi.js')}' "$@"; }`
    const words = wordsOf(line)
    // Readline replaces what is behind an open quote, = or :, and also the @ before it.
    const replaced = (words.at(-2) === '@' ? '@' : '') + (words.at(-1) ?? '').replace(/^["'=:]/, '')
    const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`
    const asks = [
      `COMP_LINE=${quoted(line)} COMP_POINT=${line.length}`,
      `_kpi_complete kpi ${quoted(replaced)}; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]
    const env = { HOME: user.folder.path, PATH: process.env['PATH'] }
    const ran = spawnSync('bash', ['--norc', '-c', [kpi, script, ...asks].join('\n')], { env, cwd: user.folder.path })
    expect(ran.stderr.toString()).toBe('')
    return ran.stdout
      .toString()
      .split('\n')
      .filter((one) => one !== '')
  }

  test('completes what is behind an equals sign, a colon, a comma or an @', async () => {
    await user.kpi('kpis', 'update', 'Visits', '--name', 'Ratio: a=b')
    await user.kpi('kpis', 'list')
    await user.kpi('assign', 'list')
    expect(await inBash('kpi kpis list --output=')).toEqual(['table', 'csv', 'json', 'ndjson', 'yaml', 'markdown'])
    expect(await inBash('kpi kpis list --output=j')).toEqual(['json'])
    expect(await inBash('kpi entries import --rejects=.loc')).toEqual(['.local'])
    expect(await inBash('kpi kpis get Ratio:')).toEqual(['\\ a=b'])
    expect(await inBash('kpi report --kpis Revenue,')).toEqual(['Revenue,Ratio:\\ a=b'])
    expect(await inBash('kpi report --kpis=Revenue,Ra')).toEqual(['Revenue,Ratio:\\ a=b'])
    expect(await inBash('kpi entries add --user ann@ex')).toEqual(['@example.com'])
    expect(await inBash('kpi help kp')).toEqual(['kpis'])
  })

  test('completes commands, flags, names with blanks, and files', async () => {
    await user.kpi('kpis', 'update', 'Visits', '--name', "Net sales of Ann's")
    await user.kpi('kpis', 'list')
    expect(await inBash('kpi kpis l')).toEqual(['list'])
    expect(await inBash('kpi kpis get net')).toEqual(["Net\\ sales\\ of\\ Ann\\'s"])
    expect(await inBash('kpi kpis get "Net')).toEqual(["Net sales of Ann's"])
    expect(await inBash('kpi entries import .loc')).toEqual(['.local'])
    writeFileSync(user.folder.in('--data-dir=x.csv'), '')
    expect(await inBash('kpi entries import ')).toContain('./--data-dir=x.csv')
  })
})

describe('the script for PowerShell, which cannot be run here, inserts', () => {
  /** Reads a word as PowerShell does, to which every single quote is the same; undefined if it is more than a text. */
  const readByPowershell = (word: string): string | undefined => {
    const inQuotes = /^['‘’‚‛]((?:[^'‘’‚‛]|['‘’‚‛]{2})*)['‘’‚‛]$/u.exec(word)?.[1]
    if (inQuotes !== undefined) return inQuotes.replaceAll(/(['‘’‚‛])['‘’‚‛]/gu, '$1')
    return /[\s"“”„`$&|;<>(){}#'‘’‚‛]|^[@,]/u.test(word) ? undefined : word
  }

  test('names as words that are nothing but text, whatever is typed', async () => {
    for (const name of HOSTILE_NAMES) await user.client.kpis.add(kpiNamed(name))
    await user.kpi('kpis', 'list')
    for (const name of HOSTILE_NAMES) {
      const begun = /^q\d+z/.exec(name)?.[0] ?? ''
      for (const quote of ['', '"', "'", '“', '‘', '„', '‚']) {
        const { stdout } = await user.kpi('__complete', '=powershell', 'kpis', 'get', `=${quote}${begun}`)
        // Older ones do not hand on a double quote.
        expect([name, quote, stdout.split('\t').slice(0, 1).map(readByPowershell)]).toEqual([
          name,
          quote,
          name.includes('"') ? [''] : [name],
        ])
      }
    }
  })

  test.each(['"q0$(', 'q0`n', '"q0`$'])('nothing where %s is to be evaluated', async (typed) => {
    await user.kpi('kpis', 'list')
    expect(await user.kpi('__complete', '=powershell', 'kpis', 'get', `=${typed}`)).toMatchObject({ stdout: '' })
  })
})

test('an older script, which inserts what may be run, gets nothing', async () => {
  await user.kpi('kpis', 'list')
  expect(await user.kpi('__complete', 'kpis', 'get', '=')).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('no name that kpi would take for a flag is completed', async () => {
  await user.client.kpis.add(kpiNamed('--data-dir=x'))
  await user.kpi('kpis', 'list')
  expect(await completed('kpis', 'get', '=')).toEqual(['Revenue', 'Visits'])
  expect(await completed('report', '--kpis', '=')).toEqual(['Revenue', 'Visits'])
})

test.runIf(process.platform === 'linux')('a folder where no cache can be made does not stop a command', async () => {
  // Nothing can be made in /proc, and Node.js would try for ever.
  const listed = await user.kpiIn({ env: { XDG_CACHE_HOME: '/proc' } }, 'kpis', 'list', '-o', 'json')
  expect(jsonOf(listed)).toHaveLength(2)
})

test('the lines of the help that load a script for fish make its folder first', async () => {
  const { stdout } = await user.kpi('completion', '--help')
  expect(stdout).toMatch(/fish +mkdir -p ~\/\.config\/fish\/completions\n +kpi completion fish > /)
})

test.each(['zsh', 'fish', 'powershell'])('there is a script for %s, which asks the same command', async (shell) => {
  const { code, stdout } = await user.kpi('completion', shell)
  expect([code, stdout.includes('kpi __complete')]).toEqual([0, true])
})

test('help is there for programs, too, with every flag, choice and example', async () => {
  const all = jsonOf(await user.kpi('help', '--json')) as { commands: { command: string }[]; flags: unknown[] }
  expect(all.commands.map(({ command }) => command)).toContain('kpi kpis')
  expect(all.flags).toContainEqual({
    flags: '--jq <filter>',
    about: 'print what this filter of the language of jq makes of the JSON',
    value: 'required',
    is_required: false,
  })
  const one = jsonOf(await user.kpi('help', 'entries', 'export', '--json')) as Record<string, unknown[]>
  expect(one['flags']).toContainEqual(
    expect.objectContaining({ flags: '--layout <layout>', choices: ['long', 'wide'], default: 'long' }),
  )
  expect(one['examples']).toContain('kpi entries export --from 2026-01-01 --to-file entries.csv.gz')
  const none = await user.kpi('help', 'nothing', '--json')
  expect([none.code, none.stdout]).toEqual([2, ''])
})
