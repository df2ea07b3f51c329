import { expect, test } from 'vitest'
import { attackOn } from './judge.ts'

test.each([
  [/ +$/gm, 'trims line ends'],
  [/\/+$/, 'trims slashes'],
  [/\{.*?\}/, 'begins anywhere and goes on to an end that never comes'],
  [/^.+\/.+\+json$/, 'has two parts that take the same'],
  [/^\S.*[T ]\s*\d{1,2}:\d{2}/, 'has blanks that are taken by two parts'],
  [/\b(?=[\w-]*\d)[\w-]{16,}\b/g, 'looks ahead without end'],
  [/(?:[^"]|"")*"(?=,|$)/, 'repeats several characters'],
  [/^(?:ab)*(?:ab)*$/, 'repeats several characters in two parts'],
  [/^(?:a|a?)+$/, 'takes exponential time'],
  [/[[a-z]--[b]]/v, 'is beyond the analysis'],
])('%o is refused: it %s', ({ source, flags }) => {
  expect(attackOn(source, flags)).toBeDefined()
})

test.each([/^\s*<\?xml/, /[^\n]{0,3}$/, /\.?0{1,4}$/, /^[^\s@]+@[^\s@]+$/, /[\w-]{16,}/g, /^\s+/])(
  '%o is linear',
  ({ source, flags }) => {
    expect(attackOn(source, flags)).toBeUndefined()
  },
)
