import { describe, expect, test } from 'vitest'
import { parseContent, parseError, parseRetryAfter, type TextAnswer } from '../../src/client/http/response.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

const answer = (status: number, body = '', headers: Readonly<Record<string, string>> = {}): TextAnswer => ({
  status,
  header: (name) => headers[name],
  body,
})

describe('a refusal', () => {
  test.each([
    [400, {}, 'malformed'],
    [401, {}, 'unauthorized'],
    [403, {}, 'forbidden'],
    [403, { 'retry-after': '30' }, 'rate_limited'],
    [403, { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 'rate_limited'],
    [404, {}, 'not_found'],
    [405, {}, 'method_not_allowed'],
    [409, {}, 'conflict'],
    [413, {}, 'too_large'],
    [414, {}, 'too_long'],
    [415, {}, 'media_type'],
    [422, {}, 'invalid'],
    [429, {}, 'rate_limited'],
    [429, { 'retry-after': '1' }, 'rate_limited'],
    [500, {}, 'internal'],
    [502, {}, 'unavailable'],
    [503, { 'retry-after': '5' }, 'unavailable'],
    [504, {}, 'unavailable'],
    [599, {}, 'unavailable'],
  ])('with status %i and %j is told apart as %s', (status, headers, code) => {
    expect(parseError(answer(status, '', headers), NOW)).toMatchObject({
      code,
      message: expect.stringContaining(`the service answered with status ${status}`) as string,
    })
  })

  test.each([
    [500, '{"message":"down"}', {}, 'https://acme.example.com answered with status 500: down; try again later'],
    [502, '<html>', {}, 'https://acme.example.com answered with status 502; try again later'],
    [503, '{"detail":"down."}', { 'retry-after': '30' }, 'status 503: down; try again in 30 s'],
    [503, '', { 'retry-after': '3600' }, 'https://acme.example.com answered with status 503; try again in 60 min'],
    [503, '', { 'retry-after': '86400' }, 'status 503; try again in 24 h'],
    [503, '{"message":"it stops; try again"}', { 'retry-after': '1' }, 'status 503: it stops; try again'],
    [501, '{"message":"not here"}', {}, 'https://acme.example.com answered with status 501: not here'],
    [404, '', {}, 'https://acme.example.com answered with status 404'],
  ])('with status %i names the service, and says what to do: %s %j', (status, body, headers, message) => {
    const error = parseError(answer(status, body, headers), NOW, 'https://acme.example.com')
    expect(error.message.slice(-message.length)).toBe(message)
  })

  test.each([
    ['its own words', '{"message":"no such thing"}', 'no such thing'],
    ['a page', '<html><body>Bad Gateway</body></html>', 'the service answered with status 404'],
    ['half of its words', '{"message":"no su', 'the service answered with status 404'],
    ['a message that is no text', '{"message":{"en":"no"}}', 'the service answered with status 404'],
    ['a blank message', '{"message":""}', 'the service answered with status 404'],
    ['a list', '[{"message":"no"}]', 'the service answered with status 404'],
    ['a text', '"no"', 'the service answered with status 404'],
    ['null', 'null', 'the service answered with status 404'],
  ])('that brings %s says so', (_, body, message) => {
    expect(parseError(answer(404, body), NOW)).toMatchObject({ code: 'not_found', message, issues: [] })
  })

  test('names the fields that it names, and is no worse for what it does not', () => {
    const errors = [
      { index: 3, field: 'name', message: 'is required' },
      { field: 'email', message: 'is taken', more: true },
      { message: 'something' },
      { field: 'silent' },
      null,
      'text',
    ]
    expect(parseError(answer(400, JSON.stringify({ message: 'm', errors })), NOW)).toMatchObject({
      code: 'invalid',
      message: 'm',
      issues: [
        { index: 3, field: 'name', message: 'is required' },
        { field: 'email', message: 'is taken' },
        { field: '', message: 'something' },
      ],
    })
  })

  test.each([301, 302, 307, 308])('that is a redirect (%i) says where to', (status) => {
    const { message } = parseError(answer(status, '', { location: 'https://acme.example.com/login' }), NOW)
    expect(message).toContain('https://acme.example.com/login')
    expect(message).toContain('base URL')
  })
})

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['30', 30],
    [' 30 ', 30],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30],
    ['Sat, 21 Nov 2026 11:59:00 GMT', 0],
    [' Sat, 21 Nov 2026 12:00:30 GMT ', 30],
    ['sat, 21 nov 2026 12:00:30 gmt', 30],
    ['2026-11-21T12:00:30Z', undefined],
    ['30 s', undefined],
    ['+30', undefined],
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
  ])('of %j is %j seconds', (text, seconds) => {
    expect(parseRetryAfter(text, NOW)).toBe(seconds)
  })

  test('is rounded up, so that nobody comes too early', () => {
    expect(parseRetryAfter('Sat, 21 Nov 2026 12:00:30 GMT', NOW + 1)).toBe(30)
    expect(parseError(answer(503, '', { 'retry-after': '7' }), NOW)).toMatchObject({ retryAfter: 7 })
  })
})

describe('an answer', () => {
  test.each([
    ['[]', []],
    ['{"a":[1,null,true]}', { a: [1, null, true] }],
    ['null', null],
    ['', undefined],
  ])('of %j is read', (body, expected) => {
    expect(parseContent(answer(200, body))).toEqual(expected)
  })

  test('keeps all digits of a number', () => {
    const body = '[12345678901234.5678,0.1,1e2]'
    expect(JSON.stringify(parseContent(answer(200, body)))).toBe('[12345678901234.5678,0.1,100]')
  })

  test.each(['<!doctype html><title>Log in</title>', '[{"id":1},', 'OK', ' '])(
    'of %j is no answer of the service, and the base URL may be wrong',
    (body) => {
      const headers = { 'content-type': 'text/html' }
      const thrown = { code: 'unavailable', message: expect.stringMatching(/text\/html.*base URL/) as string }
      expect(() => parseContent(answer(200, body, headers))).toThrow(expect.objectContaining(thrown))
    },
  )
})
