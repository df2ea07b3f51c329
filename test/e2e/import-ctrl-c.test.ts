import { spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { heldIn, type Importer, remoteImporter } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'
import { KPI, type Running, startProgram } from '../support/process.ts'

/** `script` of util-linux runs a command at a terminal of its own. */
const HAS_SCRIPT = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false

const CTRL_C = '\u0003'
const ROWS = 12_000
const TEXT = [
  'user,kpi,date,actual',
  ...Array.from({ length: ROWS }, (_, at) => `Ann Lee,Sales,${formatDay(at)},1`),
].join('\n')

/** A service that keeps the first batch until it is let go, and says when it came. */
const withHeldBatch = async (): Promise<{ importer: Importer; came: Promise<void>; letGo: () => void }> => {
  const [arrival, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  const importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (isFirst && request.target.endsWith('/kpientries/list')) {
        isFirst = false
        arrival.resolve()
        await leave.promise
      }
      return handler(request)
    },
  })
  importer.write('data.csv', TEXT)
  return { importer, came: arrival.promise, letGo: () => leave.resolve() }
}

const IMPORT = 'entries import data.csv -o json'

/** Imports at a terminal of its own; the exit code is the last thing that is said. */
const importAtTerminal = ({ folder, world }: Importer): Running => {
  const command = `stty cols 120 rows 24; ${KPI.map((word) => `'${word}'`).join(' ')} ${IMPORT}; echo "code $?"`
  return startProgram(folder, ['script', '-qec', command, '/dev/null'], {
    TERM: 'xterm',
    SHELL: '/bin/bash',
    ...(world.env as Record<string, string>),
  })
}

describe.runIf(HAS_SCRIPT)('Ctrl-C in an import at a terminal', () => {
  test('once stops it after what is in flight, and the same command continues', async () => {
    const { importer, came, letGo } = await withHeldBatch()
    await using _ = importer
    const { child, says } = importAtTerminal(importer)
    await came
    child.stdin.write(CTRL_C)
    await says(/stopping once the requests in flight are answered; press Ctrl-C again to end at once/)
    letGo()
    const [text] = await says(/^[^]*code \d+/)
    child.stdin.end()
    const plain = stripVTControlCharacters(text)
    expect(plain).toMatch(/stopped with \d+ entries left; run the same command to continue/)
    expect(plain).toMatch(/code 6$/)
    const sent = (await heldIn(importer)).length
    expect(sent).toBeLessThan(ROWS)
    const again = jsonOf(await importer.kpi(...IMPORT.split(' '))) as { created: number; left: number }
    expect(again).toMatchObject({ left: 0 })
    expect(await heldIn(importer)).toHaveLength(ROWS)
  })

  test('twice ends it at once', async () => {
    const { importer, came, letGo } = await withHeldBatch()
    await using _ = importer
    const { child, says } = importAtTerminal(importer)
    await came
    child.stdin.write(CTRL_C)
    await says(/press Ctrl-C again to end at once/)
    child.stdin.write(CTRL_C)
    const [text] = await says(/^[^]*code \d+/)
    letGo()
    child.stdin.end()
    expect(stripVTControlCharacters(text)).toMatch(/code 130$/)
  })
})
