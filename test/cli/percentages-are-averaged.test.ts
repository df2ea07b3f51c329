import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, newerUser, remoteUser, type User } from '../support/user.ts'

const BECAUSE = 'aggregate_function of 1 KPI is AVG: its unit is a percentage'

/** Ways to create a KPI in a unit, and whether they say why it is averaged. */
const WAYS: [string, (user: User, unit: string) => string[]][] = [
  ['create', (_, unit) => ['kpis', 'create', '--name', 'Share', '--frequency', 'D', '--unit', unit]],
  [
    'create --from-json',
    ({ folder }, unit) => {
      writeFileSync(folder.in('kpi.json'), JSON.stringify([{ name: 'Share', frequency_id: 'D', unit }]))
      return ['kpis', 'create', '--from-json', 'kpi.json']
    },
  ],
  [
    'import',
    ({ folder }, unit) => {
      writeFileSync(folder.in('kpis.csv'), `name,unit,frequency\nShare,${unit},D\n`)
      return ['kpis', 'import', 'kpis.csv']
    },
  ],
  [
    'apply',
    ({ folder }, unit) => {
      writeFileSync(folder.in('kpis.yaml'), `kpis: [{ name: Share, unit: ${unit}, frequency: D }]`)
      return ['apply', 'kpis.yaml']
    },
  ],
]

const SERVICES = { embedded: embeddedUser, classic: remoteUser, newer: newerUser }

for (const [service, open] of Object.entries(SERVICES)) {
  for (const [way, line] of WAYS) {
    test.each([
      ['Percent', 'AVG'],
      ['Number', 'SUM'],
    ])(`${way} on the ${service} service: a KPI in %s is %s unless it is said otherwise`, async (unit, aggregate) => {
      await using user = await open()
      const { code, stderr } = await user.kpi(...line(user, unit))
      expect({ code, isSaid: stderr.includes(BECAUSE) }).toEqual({
        code: 0,
        isSaid: aggregate === 'AVG' && way !== 'apply',
      })
      expect(jsonOf(await user.kpi('kpis', 'get', 'Share', '-o', 'json'))).toMatchObject({
        aggregate_function: aggregate,
      })
    })
  }
}

test('what is said of the function counts, and nothing is noted', async () => {
  await using user = await embeddedUser()
  const line = [
    'kpis',
    'create',
    '--name',
    'Share',
    '--frequency',
    'D',
    '--unit',
    'Percent',
    '--aggregate-function',
    'total',
  ]
  const made = await user.kpi(...line, '-o', 'json')
  expect(jsonOf(made)).toMatchObject({ aggregate_function: 'SUM' })
  expect(made.stderr).not.toContain(BECAUSE)
})
