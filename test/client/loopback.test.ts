import { expect, test } from 'vitest'
import { isLoopback } from '../../src/client/http/base-url.ts'

test.each([
  'http://localhost',
  'http://LOCALHOST:8321',
  'http://127.0.0.1:1',
  'http://127.1',
  'http://127.8.9.10',
  'http://2130706433',
  'http://[::1]:8321',
  'http://[0:0:0:0:0:0:0:1]',
  'http://example.com@localhost',
])('%s is this machine', (url) => {
  expect(isLoopback(new URL(url))).toBe(true)
})

test.each([
  'http://example.com',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
  'http://127.0.0.1@example.com',
  'http://localhost@example.com',
  'http://mylocalhost',
  'http://0.0.0.0',
  'http://10.0.0.1',
  'http://128.0.0.1',
  'http://[::]',
  'http://[::2]',
  'http://[fe80::1]',
])('%s is not', (url) => {
  expect(isLoopback(new URL(url))).toBe(false)
})
