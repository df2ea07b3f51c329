import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { listen } from '../../src/server/http/listener.ts'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { SCOPES } from '../../src/domain/scopes.ts'
import { ROOT } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { type Ended, launch } from '../support/process.ts'
import { makeKey, startService, wayTo } from '../support/service.ts'
import { some } from '../support/soak/tests.ts'

const read = (path: string): string => readFileSync(join(ROOT, 'examples', path), 'utf8')

/** Returns the scopes that the README of an example names in the sentence on its key. */
const scopesIn = (readme: string): string[] => {
  const [sentence = ''] = /(?:The|A) key[^.]*scope[^.]*\./.exec(readme.replaceAll('\n', ' ')) ?? []
  return SCOPES.filter((scope) => sentence.includes(`\`${scope}\``))
}

/** Describes a unit of an example: the base URL that it names, and the command line that it runs. */
type Unit = { readonly baseUrl: string; readonly line: string }

const unitOf = (text: string, line: RegExp): Unit => ({
  baseUrl: /KPI_BASE_URL[=:] ?(\S+)/.exec(text)?.[1] ?? '',
  line: line.exec(text)?.[1] ?? '',
})

const crontab = (example: string): Unit => unitOf(read(`${example}/crontab`), /^\d+ \d+ \S+ \S+ \S+ (.*)$/m)

const workflow = (): Unit => {
  type Workflow = { jobs: { load: { env: { KPI_BASE_URL: string }; steps: { run?: string }[] } } }
  const { load } = (parse(read('nightly/workflow.yml')) as Workflow).jobs
  return { baseUrl: load.env.KPI_BASE_URL, line: load.steps.find(({ run }) => run?.startsWith('kpi '))?.run ?? '' }
}

/**
 * Runs a line as its unit does, and with more words before, at a service with a key of the scopes that its example names.
 */
const runUnit = async (example: string, { baseUrl, line }: Unit, ...ends: string[]): Promise<Ended[]> => {
  await using service = await startService()
  const server = await listen(service.handler, '127.0.0.1', 0)
  using home = temporaryFolder()
  {
    await using way = await wayTo(service)
    for (const name of ['Visits', 'Sales']) await way.client.kpis.add(kpiNamed(name, { target_default: 100_0000n }))
    const { id } = await way.client.users.add(userNamed('Ann', { last_name: 'Lee' }))
    for (const kpi of [1, 2]) await way.client.assignments(id).add({ id: kpi, sort_order: kpi })
  }
  const scopes = scopesIn(read(`${example}/README.md`)).join(',')
  const account = await ensureDefaultAccount(service.db, NOW / 1000)
  writeFileSync(home.in('key'), await makeKey(service.db, account, { scopes }), { mode: 0o600 })
  cpSync(join(ROOT, 'examples', example), home.in('srv'), { recursive: true })
  mkdirSync(home.in('bin'))
  symlinkSync(join(ROOT, 'bin/kpi.js'), home.in('bin/kpi'))
  const env = {
    KPI_BASE_URL: server.url + new URL(baseUrl).pathname,
    KPI_TOKEN_FILE: home.in('key'),
    PATH: `${home.in('bin')}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  }
  const typed = line.replaceAll(/\/srv\/\w+\//g, `${home.in('srv')}/`).replace(' > /dev/null', '')
  const runs: Ended[] = []
  for (const end of ends) runs.push(await launch(home, ['sh', '-c', `cd srv; ${typed} ${end}`], env).ended)
  await server.close()
  return runs
}

type Row = { readonly outcome: string; readonly exit_code: number | null }

const outcomes = (ran: Ended | undefined): (string | number | null)[][] =>
  (JSON.parse(ran?.stdout ?? '') as Row[]).map(({ outcome, exit_code }) => [outcome, exit_code])

describe('the nightly example, with a key of the scopes that it names', () => {
  const UNITS = [
    ['crontab', crontab('nightly')],
    ['kpi-nightly.service', unitOf(read('nightly/kpi-nightly.service'), /^ExecStart=(.*)$/m)],
    ['workflow.yml', workflow()],
  ] as const
  test.each(some(1, UNITS))('does at a service of that variant what its dry run says: %s', async (_name, unit) => {
    expect(new URL(unit.baseUrl).pathname).toBe('/v1')
    const [dry, ran] = await runUnit('nightly', unit, '--dry-run -o json', '-o json')
    expect(dry?.code).toBe(3)
    expect(outcomes(dry).filter(([outcome]) => outcome !== 'planned')).toEqual([['found', 3]])
    expect(ran?.code).toBe(3)
    expect(outcomes(ran)).toEqual([
      ['found', 3],
      ['done', 0],
      ['done', 0],
      ['found', 10],
    ])
  })
})

test('the monthly example writes its files at a service of the variant that it names, with a key that reads reports', async () => {
  const [ran] = await runUnit('monthly-report', crontab('monthly-report'), '')
  expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '' })
})
