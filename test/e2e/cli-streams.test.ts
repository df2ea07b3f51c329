import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest'
import { existsSync } from 'node:fs'
import { startKpi } from '../support/process.ts'
import { some } from '../support/soak/tests.ts'
import { openTerminal, type Terminal } from '../support/terminal.ts'

const FULL = existsSync('/dev/full')

describe('a reader that closes the pipe', () => {
  let terminal: Terminal
  beforeAll(async () => {
    terminal = openTerminal()
    await terminal.type('kpi demo --quiet > demo.txt')
  })
  afterAll(async () => {
    await terminal[Symbol.asyncDispose]()
  })

  /** The demo's entries: 9,791 of them, some 700 KB. */
  const ENTRIES = 'kpi --data-dir .local/share/kpi/demo entries list --from 2020-01-01 --to 2022-12-31'

  test.each(
    some(3, [
      [`${ENTRIES} -o csv`, 1],
      [`${ENTRIES} -o json`, 3],
      [ENTRIES, 5],
      ['kpi --help', 1],
      ['kpi kpis list', 0],
    ]),
  )('ends %s quietly', async (line, lines) => {
    const reader = lines === 0 ? 'true' : `head -${lines}`
    const printed = await terminal.type(`${line} | ${reader}; echo "codes \${PIPESTATUS[*]}"`)
    expect(printed.trimEnd().split('\n')).toHaveLength(lines + 1)
    expect(printed).toMatch(/codes 0 0\n$/)
  })

  test('that is slow gets everything', async () => {
    const printed = await terminal.type(
      `${ENTRIES} -o csv | (read -r first; cat) | wc -l; ${ENTRIES} -o json | tail -1`,
    )
    expect(printed).toBe('9791\n]\n')
  })
})

describe('a reader that has gone before an import ends', () => {
  let terminal: Terminal
  beforeAll(async () => {
    terminal = openTerminal()
    await terminal.type(String.raw`kpi kpis create --name A --frequency D > made.txt
      for month in 01 02 03; do printf "user,kpi,date,actual\n1,1,2026-$month-01,5\n" > $month.csv; done
      printf 'user,kpi,date,actual\n1,1,2026-04-01,5\n1,77,2026-04-02,6\n' > bad.csv
      printf 'user,kpi\n1,1\n1,77\n' > assignments.csv
      exec 3> >(exec true); wait $!`)
  })
  afterAll(async () => {
    await terminal[Symbol.asyncDispose]()
  })

  test('stops nothing and hides nothing', async () => {
    const printed = await terminal.type(
      'kpi entries import 01.csv bad.csv 02.csv 03.csv --create-assignments -o csv >&3; echo "code $?"; kpi entries list --from 2026-01-01 --to 2026-12-31 -o csv | tail -n +2 | wc -l',
    )
    expect(printed).toMatch(/\nkpi: bad\.csv: 1 row was rejected; it is in bad\.rejects\.csv .*\ncode 3\n4\n$/)
  })

  test.each(some(2, ['', '-o csv', '-o json', '--quiet', '--verify']))(
    'has the lines and the exit code be those of one who stays: %s',
    async (flags) => {
      const line = `kpi entries import bad.csv --create-assignments ${flags}`
      const timeless = (text: string): string => text.replaceAll(/ at \d\d:\d\d:\d\d/g, '')
      const told = timeless(await terminal.type(`${line} > kept.txt; echo "code $?"`))
      expect(told).toMatch(/code 3\n$/)
      expect(timeless(await terminal.type(`${line} >&3; echo "code $?"`))).toBe(told)
    },
  )

  test('has an import of assignments end as it would', async () => {
    const typed = async (to: string): Promise<string> =>
      (await terminal.type(`kpi assign import assignments.csv ${to}; echo "code $?"`)).replace(/ at [\d:]+/, ' at …')
    const told = await typed('> kept.txt')
    expect(told).toMatch(/code 3\n$/)
    expect(await typed('>&3')).toBe(told)
  })

  test.each(['entries import bad.csv', 'assign import assignments.csv'])(
    'ends a dry run without a word of it, which is nothing but what it prints: %s',
    async (line) => {
      expect(await terminal.type(`kpi ${line} --dry-run --quiet >&3; echo "code $?"`)).toBe('code 0\n')
    },
  )

  test.each(some(2, ['2>&-', '2>&3', '>&3 2>&3', '>&- 2>&-']))(
    'changes no exit code where errors are told: %s',
    async (to) => {
      const codes = await terminal.type(
        `(kpi entries import bad.csv ${to}); a=$?; (kpi entries import none.csv ${to}); b=$?; (kpi assign import assignments.csv ${to}); c=$?; (kpi entries import bad.csv 01.csv --user ${to}); echo "$a $b $c $?" > codes.txt; cat codes.txt`,
      )
      expect(codes.split('\n').at(-2)).toBe('3 1 3 2')
    },
  )
})

describe('a stream that cannot be written', () => {
  let terminal: Terminal
  beforeEach(async () => {
    terminal = openTerminal()
    const kpis = JSON.stringify(['A', 'B', 'C'].map((name) => ({ name, frequency_id: 'D' })))
    await terminal.type(`echo '${kpis}' | kpi kpis create --from-json - > made.txt`)
  })
  afterEach(async () => {
    await terminal[Symbol.asyncDispose]()
  })

  test.runIf(FULL).each(some(2, ['kpi kpis list', 'kpi kpis list -o csv', 'kpi --help', 'kpi --version']))(
    'as the disk is full fails %s',
    async (line) => {
      const said = 'kpi: cannot write the output: the disk is full\n1\n'
      expect(await terminal.type(`${line} > /dev/full; echo $?`)).toBe(said)
    },
  )

  test.each([...(FULL ? ['2> /dev/full'] : []), '2>&-', '2> >(true)'])(
    'is no reason to stop half-way where it is for notes only: %s',
    async (redirection) => {
      await terminal.type(`kpi kpis delete A B C --yes ${redirection}; echo $? > code.txt`)
      expect(await terminal.type('cat code.txt; kpi kpis list --columns name')).toBe('0\nname\nno KPIs\n')
    },
  )

  test('is no reason for a crash where it is closed', async () => {
    expect(await terminal.type('kpi kpis list >&-; echo $?')).toBe('0\n')
    expect(await terminal.type('kpi kpis get 99 2>&-; echo $?')).toBe('1\n')
  })
})

describe('standard input', () => {
  let terminal: Terminal
  beforeAll(() => {
    terminal = openTerminal()
  })
  afterAll(async () => {
    await terminal[Symbol.asyncDispose]()
  })

  test('that is no terminal is never asked, and not read either', async () => {
    await terminal.type('kpi units create --name Spare')
    const { ended } = startKpi(terminal.folder, ['units', 'delete', 'Spare'])
    expect(await ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('needs --yes') as unknown,
    })
    const list = startKpi(terminal.folder, ['kpis', 'list'])
    expect(await list.ended).toMatchObject({ code: 0 })
  })

  test('is read to its end where a file is expected', async () => {
    const line = `printf '[{"name":"One"},{"name":"Two"}]' | kpi categories create --from-json - -o json | kpi categories update --from-json - -o csv`
    expect(
      (await terminal.type(line))
        .split('\n')
        .slice(1)
        .map((row) => row.split(',')[1]),
    ).toEqual(['One', 'Two', undefined])
  })

  test('that is closed is empty', async () => {
    const printed = await terminal.type('kpi categories create --from-json - <&-; echo $?')
    expect(printed).toMatch(/^kpi categories create: standard input is not JSON: it ends too early\n2\n$/)
  })
})

describe('a file that can be read only once', () => {
  const IMPORT = 'kpi entries import'
  const FLAGS = '--user admin@localhost --kpi A --create-assignments -o csv'
  const ROWS = String.raw`printf 'date,actual\n2026-01-01,5\n2026-02-30,6\n'`

  test.each(
    some(2, [
      ['a named pipe', `mkfifo pipe; ${ROWS} > pipe & ${IMPORT} pipe ${FLAGS}`],
      ['a command', `${IMPORT} <(${ROWS}) ${FLAGS}`],
      ['standard input by its path', `${ROWS} | ${IMPORT} /dev/stdin ${FLAGS}`],
      ['standard input', `${ROWS} | ${IMPORT} - ${FLAGS}`],
    ]),
  )('is imported: %s', async (_, line) => {
    await using terminal = openTerminal()
    await terminal.type('kpi kpis create --name A --frequency D')
    const printed = await terminal.type(`{ ${line}; } 2> errors.txt; echo "code $?"; cat errors.txt stdin.rejects.csv`)
    expect(printed).toMatch(/^2,1,0,0,0,0,1,0,0,1,0,0,\d+,0,0,[\d.]+,,\S+\ncode 3$/m)
    expect(printed).toContain('it is in stdin.rejects.csv')
    expect(printed).toContain('2026-02-30,6,3,')
  })
})

describe('rejects', () => {
  test.each(
    some(1, ['- --rejects new.csv < new.csv', '/dev/stdin --rejects new.csv < new.csv', 'link.csv --rejects new.csv']),
  )('never go into the file that is read: %s', async (line) => {
    await using terminal = openTerminal()
    const setUp = String.raw`printf 'user,kpi,date,actual\nx,y,2026-01-01,5\n' > new.csv; ln -s new.csv link.csv`
    await terminal.type(setUp)
    const printed = await terminal.type(`kpi entries import ${line}; echo "code $?"; cat new.csv`)
    expect(printed).toBe(
      'kpi entries import: --rejects new.csv is the file that is imported; name another\ncode 2\nuser,kpi,date,actual\nx,y,2026-01-01,5\n',
    )
  })
})
