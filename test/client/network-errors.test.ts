import { expect, test } from 'vitest'
import { networkReason } from '../../src/client/http/network-errors.ts'

test('a proxy that does not answer is told in words', () => {
  const error = Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
  expect(networkReason(error)).toBe('it did not answer in time')
})
