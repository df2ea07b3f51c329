import { describe, expect, test } from 'vitest'
import {
  chooseFormat,
  requireJson,
  rejectContentEncoding,
  requireSupportedType,
  requireJsonAccepted,
} from '../../src/server/api/media-type.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe('the format of an answer', () => {
  test.each([
    ['application/json', 'json'],
    ['Application/JSON', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/json;charset="UTF-8"; x=y', 'json'],
    ['text/json', 'json'],
    ['application/merge-patch+json', 'json'],
    ['application/xml', 'xml'],
    ['APPLICATION/XML', 'xml'],
    ['text/xml', 'xml'],
    ['text/xml; charset=utf-8', 'xml'],
    ['application/vnd.kpi+xml', 'xml'],
    // It cannot be written, and is refused in its own format.
    ['application/xml; charset=iso-8859-1', 'xml'],
  ])('is that of Content-Type %j, whatever is accepted', (contentType, format) => {
    for (const accept of [undefined, 'application/json', 'application/xml', 'text/html', '*/*']) {
      expect(chooseFormat({ 'content-type': contentType, accept })).toBe(format)
    }
  })

  test.each([
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['*', 'json'],
    ['application/*', 'json'],
    ['text/*', 'json'],
    ['application/json', 'json'],
    ['text/json', 'json'],
    ['application/problem+json', 'json'],
    ['application/xml', 'xml'],
    ['text/xml', 'xml'],
    ['Application/XML ; q=0.1', 'xml'],
    ['application/xml;profile="a,b;q=0", x/y', 'xml'],
    // Only what is named counts, and JSON where both are named alike.
    ['application/xml, application/json', 'json'],
    ['application/json, application/xml', 'json'],
    ['text/xml, text/json', 'json'],
    ['application/json;q=0.5, application/xml;q=0.5', 'json'],
    ['application/json;q=0.5, application/xml;q=0.6', 'xml'],
    ['application/json;q=0.50, application/xml', 'xml'],
    ['application/xml;q=0.9, application/json', 'json'],
    ['application/xml, */*', 'xml'],
    ['*/*, application/xml', 'xml'],
    ['application/xml;q=0.4, */*;q=0.5', 'xml'],
    ['application/json, */*', 'json'],
    ['application/json;q=0.4, */*;q=0.5', 'json'],
    ['application/json;q=0, */*', 'json'],
    ['application/json;q=0, application/*;q=0.1', 'json'],
    ['application/json;q=0, text/xml;q=0.1', 'xml'],
    ['application/xml;q=0, */*', 'json'],
    ['text/xml;q=0.3, application/xml;q=0.8, application/json;q=0.5', 'xml'],
    // What is written in XML is not XML that anybody can be given.
    ['image/svg+xml', 'json'],
    ['application/atom+xml', 'json'],
    ['application/atom+xml, application/json;q=0.5', 'json'],
    ['application/rss+xml, application/atom+xml;q=0.9, */*;q=0.1', 'json'],
    ['application/soap+xml, text/xml;q=0.1', 'xml'],
    // Browsers.
    [BROWSER, 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['application/xml, text/html;q=0.1', 'json'],
    ['text/xml, Application/XHTML+XML', 'json'],
    ['text/html', 'json'],
    // Neither is allowed.
    ['image/*', 'json'],
    ['application/json;q=0', 'json'],
    ['application/xml;q=0', 'json'],
    ['*/*;q=0', 'json'],
    ['application/json;q=0, application/xml;q=0', 'json'],
    // What is no Accept.
    ['xml', 'json'],
    [',,;;q=', 'json'],
    ['/xml', 'json'],
    ['application/xml;q=much', 'xml'],
    ['application/xml;q=-1', 'json'],
    ['application/json;q=0.9, application/xml;q=7', 'xml'],
    ['__proto__, constructor/xml;q=__proto__', 'json'],
  ])('is, for Accept %j without a Content-Type, %s', (accept, format) => {
    for (const contentType of [undefined, '', ' ', 'text/plain', 'application/x-www-form-urlencoded', 'json']) {
      expect(chooseFormat({ 'content-type': contentType, accept })).toBe(format)
    }
  })

  test('is that of the first 100 ranges of a long Accept', () => {
    const ranges = (count: number): string[] => Array.from({ length: count }, (_, at) => `a/${at}`)
    expect(chooseFormat({ accept: [...ranges(99), 'text/xml', ...ranges(900)].join(',') })).toBe('xml')
    expect(chooseFormat({ accept: [...ranges(100), 'text/xml'].join(',') })).toBe('json')
  })
})

const refusal = (why: string): unknown =>
  expect.objectContaining({ code: 'media_type', message: expect.stringContaining(why) as string })

describe('a Content-Type', () => {
  test.each([
    [undefined],
    [''],
    [' '],
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['application/json;charset="UTF-8"'],
    ['application/json; charset=utf8; x=y'],
    ['text/json'],
    ['application/merge-patch+json'],
    ['application/xml'],
    ['Text/XML;Charset=UTF-8'],
    ['application/soap+xml; action="a"'],
    ['application/json;'],
    ['application/json; charset=us-ascii'],
    ['text/xml;x=y;charset="US-ASCII"'],
    ['application/json; charset=ascii'],
    ['application/xml; charset=ANSI_X3.4-1968'],
    ['application/json; charset="iso_646.irv:1991"'],
    ['application/json; charset=cp367'],
  ])('%j may be that of a body', (header) => {
    expect(() => requireSupportedType(header, true)).not.toThrow()
    expect(() => requireSupportedType(header, false)).not.toThrow()
  })

  test.each([
    ['text/plain'],
    ['text/plain; charset=utf-16'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/jsonp'],
    ['application/xml-dtd'],
    ['text/html'],
    ['json'],
    ['+json'],
    ['text/csv; x=application/json'],
  ])('%j is refused for a body, and means nothing without one', (header) => {
    expect(() => requireSupportedType(header, true)).toThrow(refusal('send application/json or application/xml'))
    expect(() => requireSupportedType(header, false)).not.toThrow()
  })

  test.each([
    ['application/json; charset=iso-8859-1'],
    ['application/json; charset=utf-16'],
    ['application/xml; charset=windows-1252'],
    ['application/json; charset=latin1'],
    ['text/xml;x=y;charset="US-EBCDIC"'],
    ['application/json; charset='],
  ])('%j is refused for its charset', (header) => {
    expect(() => requireSupportedType(header, true)).toThrow(refusal('send UTF-8'))
    expect(() => requireSupportedType(header, false)).toThrow(refusal('send UTF-8'))
  })
})

test('a message repeats no more of a header than is needed to know it again', () => {
  const long = 'x'.repeat(60_000)
  for (const check of [
    () => requireSupportedType(`a/${long}`, true),
    () => requireJson(`a/${long}`, true),
    () => requireJson(`application/json;charset=${long}`, true),
    () => requireJsonAccepted(`a/${long}`),
    () => rejectContentEncoding(long),
  ]) {
    expect(check).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{100,250}$/) as string }))
  }
})

describe('a Content-Encoding', () => {
  test.each([[undefined], [''], ['identity'], [' Identity ']])('%j is no packing', (header) => {
    expect(() => rejectContentEncoding(header)).not.toThrow()
  })

  test.each(['gzip', 'GZIP', 'br', 'deflate, gzip', 'x'])('%j is refused', (header) => {
    expect(() => rejectContentEncoding(header)).toThrow(refusal('send the body as it is'))
  })
})
