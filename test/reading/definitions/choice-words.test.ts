import { describe, expect, test } from 'vitest'
import { kpi } from '../../../src/domain/resources/kpi.ts'
import { user } from '../../../src/domain/resources/user.ts'
import type { Field } from '../../../src/domain/schema.ts'
import { choiceNearest, choiceWords, meantChoice } from '../../../src/reading/definitions/choice-words.ts'

const fields: Readonly<Record<string, Field>> = { ...kpi.fields, ...user.fields }

test.each<[field: string, text: string, choice: string | undefined]>([
  ['frequency_id', 'täglich', 'D'],
  ['frequency_id', 'Wöchentlich', 'W'],
  ['frequency_id', 'woechentlich', 'W'],
  ['frequency_id', 'MONATLICH', 'M'],
  ['frequency_id', 'vierteljährlich', 'Q'],
  ['frequency_id', 'quartalsweise', 'Q'],
  ['frequency_id', 'jährlich', 'Y'],
  ['frequency_id', 'mensuelle', 'M'],
  ['frequency_id', 'trimestral', 'Q'],
  ['frequency_id', 'settimanale', 'W'],
  ['frequency_id', 'diário', 'D'],
  ['frequency_id', 'jaarlijks', 'Y'],
  ['frequency_id', 'veckovis', 'W'],
  ['frequency_id', 'miesięcznie', 'M'],
  ['frequency_id', 'hourly', undefined],
  ['value_direction', 'hoch', 'U'],
  ['value_direction', 'steigend', 'U'],
  ['value_direction', 'niedrig', 'D'],
  ['value_direction', 'sinkend', 'D'],
  ['value_direction', 'keine', 'N'],
  ['value_direction', 'w  górę', 'U'],
  ['aggregate_function', 'Mittelwert', 'AVG'],
  ['aggregate_function', 'Summe', 'SUM'],
  ['user_status_id', 'gesperrt', 'L'],
  ['user_status_id', 'aktiv', 'A'],
  ['user_type', 'Benutzer', 'User'],
  ['user_type', 'Administratör', 'Admin'],
  ['name', 'täglich', undefined],
])('%s "%s" means %s', (name, text, choice) => {
  expect(meantChoice(name, text)).toBe(choice)
})

describe('each word', () => {
  const words = choiceWords.flatMap(({ field, choice, words: list }) => list.map((word) => ({ field, choice, word })))

  test('stands for a choice that its field has', () => {
    const others = words.filter(({ field, choice }) => !fields[field]?.oneOf?.includes(choice))
    expect(others).toEqual([])
  })

  test('stands for one choice alone', () => {
    expect(words.filter(({ field, word, choice }) => meantChoice(field, word) !== choice)).toEqual([])
  })
})

test.each<[field: string, text: string, near: string | undefined]>([
  ['user_type', 'Admn', 'Admin'],
  ['frequency_id', 'montly', 'monthly'],
  ['frequency_id', 'monatlch', 'monatlich'],
  ['value_direction', 'steigent', 'steigend'],
  ['frequency_id', 'hourly', undefined],
  ['user_type', 'x', undefined],
])('%s "%s" is near to %s', (name, text, near) => {
  expect(choiceNearest(name, fields[name] ?? {}, text)).toBe(near)
})
