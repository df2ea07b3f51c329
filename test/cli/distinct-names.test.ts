import { beforeEach, describe, expect, test } from 'vitest'
import { waysIn } from '../support/advice.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { type User, users } from '../support/user.ts'
import { oneIn } from '../support/soak/tests.ts'

/** How each kind is created, and how one of it is named in a line. */
const KINDS: readonly (readonly [noun: string, create: readonly string[]])[] = [
  ['kpis', ['--frequency', 'D']],
  ['groups', []],
  ['categories', []],
  ['units', ['--display-format', '#']],
  ['group-items', ['--group', 'Region']],
]

/** Returns the flags that an error advises for a name that is meant. */
const meantIn = ({ stderr }: Ran): readonly string[] =>
  stderr.includes('; --allow-duplicate ')
    ? ['--allow-duplicate']
    : (waysIn(stderr).find(([flag]) => flag === '--by-name') ?? [])

describe.each(users.map((one, row) => [...one, row] as const))('%s, names that tell records apart', (_, open, row) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await user.client.groups.add({ name: 'Region' })
    return () => user[Symbol.asyncDispose]()
  })

  const namesOf = async (noun: string): Promise<string[]> =>
    (jsonOf(await user.kpi(noun, 'list', '-o', 'json')) as { name: string }[]).map(({ name }) => name)
  const create = (noun: string, more: readonly string[], name: string): Promise<Ran> =>
    user.kpi(noun, 'create', ...more, `--name=${name}`)
  const fromJson = (noun: string, json: unknown, ...args: string[]): Promise<Ran> =>
    user.kpiIn({ stdin: JSON.stringify(json) }, noun, 'update', '--from-json', '-', ...args)

  describe.each(KINDS.filter(oneIn(3, row)))('kpi %s', (noun, more) => {
    beforeEach(async () => {
      for (const name of ['One', 'Two', 'Sales']) await create(noun, more, name)
    })

    test.each(['One', 'one', ' ONE\u200b', 'Ｏｎｅ'])(
      'update refuses the name of another, also as %j, unless that is meant',
      async (name) => {
        const line = [noun, 'update', 'Two', `--name=${name}`] as const
        for (const dry of [['--dry-run'], []]) {
          const ran = await user.kpi(...line, ...dry)
          expect([ran.code, ran.stdout]).toEqual([1, ''])
          expect(ran.stderr).toMatch(
            /\n {2}--name: is the name of .* \d+, One already; --allow-duplicate gives it to both/,
          )
        }
        expect(await namesOf(noun)).toEqual(expect.arrayContaining(['One', 'Two']))
        const meant = meantIn(await user.kpi(...line))
        expect((await user.kpi(...line, ...meant)).code).toBe(0)
        expect(await namesOf(noun)).not.toContain('Two')
      },
    )

    test('update leaves a name as it is, in another case, and gives one that a change before has freed', async () => {
      for (const name of ['Two', 'TWO', 'two']) {
        expect((await user.kpi(noun, 'update', 'two', '--name', name)).code).toBe(0)
      }
      const chain = [
        { id: 'One', name: 'Three' },
        { id: 'two', name: 'One' },
      ]
      expect((await fromJson(noun, chain)).code).toBe(0)
      expect(await namesOf(noun)).toEqual(expect.arrayContaining(['Three', 'One']))
    })

    test('update names all of a list that would be two of one name', async () => {
      const list = [
        { id: 'One', name: 'Same' },
        { id: 'Two', name: 'same' },
        { id: 'Sales', name: 'Two' },
      ]
      const ran = await fromJson(noun, list)
      expect([ran.code, ran.stderr]).toEqual([
        1,
        expect.stringMatching(/no\. 2, name: is that of no\. 1, too; --allow-duplicate gives it to both\n$/),
      ])
    })

    test('create and update refuse what looks like another, unless that is meant', async () => {
      const lines = [
        [noun, 'create', ...more, '--name', '\u0405ales'],
        [noun, 'update', 'One', '--name', '\u0405ales'],
      ]
      for (const line of lines) {
        const refused = await user.kpi(...line)
        expect([refused.code, refused.stderr]).toEqual([
          1,
          expect.stringContaining('name: "\u0405ales" looks like "Sales", though its "\u0405" (U+0405, Cyrillic)'),
        ])
        expect((await user.kpi(...line, '--by-name', 'nam')).stderr).toBe(
          `kpi ${noun} ${line[1]}: --by-name nam is not one of name\n`,
        )
      }
      for (const line of lines.toReversed()) {
        const meant = meantIn(await user.kpi(...line))
        expect((await user.kpi(...line, ...meant)).code).toBe(0)
        expect((await user.kpi(noun, 'update', '\u0405ales', `--name=${line[1]}d`)).code).toBe(0)
      }
    })

    test('update may mend a name that looks like itself, and does not judge those that stay', async () => {
      expect((await user.kpi(noun, 'update', 'Sales', '--name', '\u0405ales')).code).toBe(0)
      expect((await user.kpi(noun, 'update', '\u0405ales', '--name', 'Sales')).code).toBe(0)
      await user.kpi(noun, 'update', 'One', '--name', '\u0405ales', '--by-name', 'name')
      const listed = jsonOf(await user.kpi(noun, 'list', '-o', 'json')) as object[]
      expect((await fromJson(noun, listed)).code).toBe(0)
    })

    test('names are one line', async () => {
      const created = await create(noun, more, ' a\n b\t')
      expect(created.code).toBe(0)
      await user.kpi(noun, 'update', 'One', '--name', 'c\r\nd')
      await fromJson(noun, { id: 'Two', name: 'e\u2028f' })
      expect(await namesOf(noun)).toEqual(expect.arrayContaining(['a b', 'c d', 'e f']))
    })
  })

  test('addresses that look like others are refused in both directions, unless they are meant', async () => {
    const person = (email: string): readonly string[] => ['users', 'create', '--first-name', 'A', '--email', email]
    for (const [first, other] of [
      ['ann@х.de', 'ann@x.de'],
      ['bob@x.de', 'bоb@x.de'],
    ] as const) {
      expect((await user.kpi(...person(first))).code).toBe(0)
      const update = ['users', 'update', '1', '--email', other] as const
      for (const line of [person(other), update]) {
        const refused = await user.kpi(...line)
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`email: "${other}" looks like`)])
      }
      const meant = meantIn(await user.kpi(...person(other)))
      expect((await user.kpi(...person(other), ...meant)).code).toBe(0)
    }
  })

  test('items of two groups may have one name', async () => {
    await user.client.groups.add({ name: 'Team' })
    for (const group of ['Region', 'Team']) {
      for (const name of ['North', `South of ${group}`]) {
        expect((await user.kpi('group-items', 'create', '--group', group, '--name', name)).code).toBe(0)
      }
    }
    const ran = await user.kpi('group-items', 'update', 'South of Team', '--name', 'South of Region')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
  })
})
