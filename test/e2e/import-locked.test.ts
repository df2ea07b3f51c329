import { describe, expect, test } from 'vitest'
import { asThirdParty, heldIn, ID, type Importer, importers, remoteImporter } from '../support/import.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'

const HEADER = 'user,kpi,date,actual,target,notes'
const FILE = [HEADER, 'Bob,Sales,2026-01-01,5,,', 'Bob,Sales,2026-01-02,6,7,fine', 'Ann Lee,Sales,2026-01-01,1,,', '']

/** Imports a file of values, and locks Bob, who has left. */
const leave = async (importer: Importer): Promise<void> => {
  importer.write('data.csv', FILE.join('\n'))
  expect(jsonOf(await importer.kpi('entries', 'import', 'data.csv', '-o', 'json'))).toMatchObject({
    read: 3,
    rejected: 0,
  })
  await importer.client.users.update(ID.bob, { user_status_id: 'L' })
}

const load = (importer: Importer, lines: readonly string[], ...flags: string[]): Promise<Ran> => {
  importer.write('data.csv', lines.join('\n'))
  return importer.kpi('entries', 'import', 'data.csv', '-o', 'json', ...flags)
}

describe.each([...importers, ['a third-party service', () => remoteImporter({ wrap: asThirdParty })] as const])(
  '%s, the values of a user who was locked since',
  (_, open) => {
    test.each([[[]], [['--only-changes']], [['--verify']], [['--dry-run', '--summary-only']]])(
      'are unchanged where a file holds them as they are: %j',
      async (flags) => {
        await using importer = await open()
        await leave(importer)
        const ran = await load(importer, FILE, ...flags)
        expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { read: 3, unchanged: 3, rejected: 0 }])
      },
    )

    test('are rejected where the file differs, with the line that corrects them, and so are new ones', async () => {
      await using importer = await open()
      await leave(importer)
      const lines = FILE.map((line) => line.replace('01-02,6', '01-02,6.5').replace('01-01,1', '01-01,2'))
      const changed = [...lines.slice(0, -1), 'Bob,Sales,2026-01-03,7,,', '']
      const planned = await load(importer, changed, '--dry-run')
      const ran = await load(importer, changed)
      expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { read: 4, unchanged: 1, rejected: 2 }])
      const [, first = '', second = ''] = importer.read('data.rejects.csv').split('\n')
      expect(first).toMatch(
        /user 3 \(Bob\) is locked, and other values are stored: kpi entries update \d+ --actual=6.5 corrects them"$/,
      )
      expect(second).toMatch(/,5,user 3 \(Bob\) is locked$/)
      expect(JSON.parse(planned.stdout)).toMatchObject([
        { line: 4, action: 'update' },
        { line: 2, action: 'unchanged' },
        { line: 3, action: 'reject', reason: expect.stringContaining('--actual=6.5 corrects them') as string },
        { line: 5, action: 'reject', reason: 'user 3 (Bob) is locked' },
      ])
      expect(ran.stderr).toContain('kpi users update 3 --user-status active unlocks Bob')
      const [, line = ''] = /: kpi (entries update .*) corrects them/.exec(first) ?? []
      expect((await importer.kpi(...line.split(' '))).code).toBe(0)
      expect(await heldIn(importer)).toContain('3 1 2026-01-02 6.5 - fine')
      expect(jsonOf(await load(importer, lines))).toMatchObject({ read: 3, unchanged: 3, rejected: 0 })
    })

    test('are left alone or refused as --on-conflict says, and nothing is added to them', async () => {
      await using importer = await open()
      await leave(importer)
      expect(jsonOf(await load(importer, FILE, '--on-conflict', 'skip'))).toMatchObject({ skipped: 3, rejected: 0 })
      const added = await load(importer, FILE, '--on-conflict', 'add')
      expect([added.code, JSON.parse(added.stdout)]).toMatchObject([3, { rejected: 2 }])
      expect(await heldIn(importer)).toContain('3 1 2026-01-01 5 - -')
    })

    test('are unchanged in a wide file, and beside cells that clear', async () => {
      await using importer = await open()
      await leave(importer)
      const wide = ['user,date,Sales', 'Bob,2026-01-01,5', 'Bob,2026-01-02,6', 'Ann Lee,2026-01-01,1', '']
      expect(jsonOf(await load(importer, wide))).toMatchObject({ unchanged: 3, rejected: 0 })
      const cleared = [HEADER, 'Bob,Sales,2026-01-01,5,,', 'Bob,Sales,2026-01-02,6,7,', '']
      const ran = await load(importer, cleared, '--empty', 'clear')
      expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { unchanged: 1, rejected: 1 }])
      expect(importer.read('data.rejects.csv')).toContain('--notes=')
    })
  },
)
