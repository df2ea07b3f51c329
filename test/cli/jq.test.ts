import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
  await fillShop(user)
})
afterAll(() => user[Symbol.asyncDispose]())

describe('--jq', () => {
  test.each<[line: string[], prints: string]>([
    [['kpis', 'list', '--jq', '.[].name'], 'Revenue\nVisits\n'],
    [['kpis', 'get', 'Revenue', '--jq', '.target_default'], '100\n'],
    [['kpis', 'list', '-o', 'ndjson', '--jq', '.id'], '1\n2\n'],
    [['api', 'GET', '/kpis', '--jq', 'map(.id)|add'], '3\n'],
    [['kpis', 'list', '--filter', 'name=None', '--quiet', '--jq', 'length'], '0\n'],
    [['kpis', 'list', '--jq', 'empty'], ''],
  ])('%j prints what the filter makes of the JSON', async (line, prints) => {
    expect(await user.kpi(...line)).toEqual({ code: 0, stdout: prints, stderr: '' })
  })

  test('says in one line that a filter needs too much memory', async () => {
    expect(await user.kpi('kpis', 'list', '--jq', '[range(1e12)]')).toMatchObject({
      code: 1,
      stderr: 'kpi: --jq: the filter needs more memory than there is for it\n',
    })
  })

  test('keeps all digits of a number', async () => {
    const line = ['kpis', 'update', 'Visits', '--target-default', '12345678901234.5678', '--jq', '.target_default']
    expect((await user.kpi(...line)).stdout).toBe('12345678901234.5678\n')
  })

  test('refuses what is no filter before anything is done', async () => {
    const ran = await user.kpi('categories', 'create', '--name', 'New', '--jq', '.name |')
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(/--jq \.name \| is not a filter: syntax error.*[^:]\n$/)
    expect((await user.kpi('categories', 'list', '-o', 'csv')).stdout).not.toContain('New')
  })

  test('ends with exit code 1 where the filter does not fit the data, and says why', async () => {
    const ran = await user.kpi('kpis', 'list', '--jq', '.name')
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toBe('kpi: --jq: Cannot index array with string ("name")\n')
  })

  test('is for JSON only, and a command that fails says so as ever', async () => {
    const csv = await user.kpi('kpis', 'list', '-o', 'csv', '--jq', '.')
    expect([csv.code, csv.stderr]).toEqual([
      2,
      'kpi kpis list: --jq filters JSON: leave out -o csv, or write -o json or -o ndjson\n',
    ])
    const missing = await user.kpi('kpis', 'get', '99', '--jq', '.')
    expect([missing.code, missing.stdout, missing.stderr]).toEqual([1, '', 'kpi: there is no KPI 99\n'])
  })

  test('ends with the deadline where the filter does not end', async () => {
    const alarm = (milliseconds: number): AbortSignal => AbortSignal.timeout(Math.min(milliseconds, 300))
    const ran = await user.kpiIn({ alarm }, 'kpis', 'list', '--jq', 'last(range(1e15))', '--deadline', '1s')
    expect(ran.code).toBe(6)
    expect(ran.stderr).toContain('the deadline (1s) has passed; the filter of --jq had not ended')
  })
})
