import { describe, expect, test } from 'vitest'
import { joinName, nameBeside, namesakeForm, personForm, splitName } from '../../src/domain/person-name.ts'

describe('the name of a person', () => {
  test.each([
    ['Ann Lee', 'Ann', 'Lee'],
    ['Lee, Ann', 'Ann', 'Lee'],
    ['Lee,Ann', 'Ann', 'Lee'],
    ['Lee, Ann Marie', 'Ann Marie', 'Lee'],
    ['van der Berg, Ann', 'Ann', 'van der Berg'],
    ['Ann Marie Lee', 'Ann Marie', 'Lee'],
    ['Dr. Ann Lee', 'Dr. Ann', 'Lee'],
    ['Lee, Dr. Ann', 'Dr. Ann', 'Lee'],
    ['Dr. Lee, Ann', 'Dr. Ann', 'Lee'],
    ['Lee, Ann, Dr.', 'Dr. Ann', 'Lee'],
    ['Prof. Dr. med. Ann Lee', 'Prof. Dr. med. Ann', 'Lee'],
    ['Ann Lee, PhD', 'Ann', 'Lee PhD'],
    ['Dr. Lee', 'Dr. Lee', null],
    ['Ann', 'Ann', null],
    ['Lee,', 'Lee', null],
    ['Dr.', 'Dr.', null],
    ['Mag Lee', 'Mag', 'Lee'],
    ['Lee, Md', 'Md', 'Lee'],
    ['One, Two, Three', 'One, Two,', 'Three'],
  ])('%s is split', (name, first_name, last_name) => {
    expect(splitName(name)).toEqual({ first_name, last_name })
  })

  test.each([
    ['Silke', 'Dr. Roth', 'Dr. Silke', 'Roth'],
    ['Dr. Silke', 'Prof. Roth', 'Prof. Dr. Silke', 'Roth'],
    ['Ann Marie', 'van der Berg', 'Ann Marie', 'van der Berg'],
  ])('%s with the last name %s has its titles before the first', (first, last, first_name, last_name) => {
    expect(joinName(first, last)).toEqual({ first_name, last_name })
  })

  test.each([
    ['Ann', 'Lee', 'Ann', 'Lee'],
    ['Ann Lee', 'Lee', 'Ann', 'Lee'],
    ['LEE, Dr. Ann', 'Lee', 'Dr. Ann', 'Lee'],
    ['Ann van der Berg', 'van der Berg', 'Ann', 'van der Berg'],
    ['Annlee', 'Lee', 'Annlee', 'Lee'],
    ['Lee', 'Lee', 'Lee', null],
  ])('%s beside the last name %s is one name', (text, last, first_name, last_name) => {
    expect(nameBeside(text, last)).toEqual({ first_name, last_name })
  })

  test.each([
    'Ann Dr. Lee',
    'Ann Prof. Dr. Lee',
    'Ann Lee',
    'Lee, Ann',
    'LEE, ann',
    'Dr. Ann Lee',
    'Lee, Prof. Dr. Ann',
    'Lee, Ann, Dr.',
    'Ann Lee, PhD',
  ])('%s is compared as ann lee', (name) => expect(personForm(name)).toBe('ann lee'))

  test.each(['Ann Lee', 'Lee Ann', 'Lee, Ann Marie', 'Ann M. Lee', 'Dr. Ann Marie Lee'])(
    '%s is a namesake of Ann Lee',
    (name) => expect(namesakeForm(name)).toBe('ann lee'),
  )
})
