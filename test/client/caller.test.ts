import { expect, test } from 'vitest'
import { rateLimitIdentity } from '../../src/client/http/credentials.ts'

const ANN = { login: 'ann', token: 'secret' }
const counted = (url: string, credentials = ANN): string => rateLimitIdentity(new URL(url), credentials)

test.each([
  'http://localhost:8080/api',
  'http://LOCALHOST:8080/api/',
  'http://127.0.0.1:8080/api',
  'http://127.1:8080/api//',
  'http://[::1]:8080/api',
])('requests are counted together with those to the same service, however it is written: %s', (url) => {
  expect(counted(url)).toBe(counted('http://localhost:8080/api'))
})

test.each([
  ['another port', 'http://localhost:8081/api', ANN],
  ['another address of this machine', 'http://127.0.0.2:8080/api', ANN],
  ['another path', 'http://localhost:8080/v1', ANN],
  ['another host', 'https://kpi.example.com:8080/api', ANN],
  ['another token', 'http://localhost:8080/api', { login: 'ann', token: 'other' }],
])('%s is counted by itself', (_, url, credentials) => {
  expect(counted(url, credentials)).not.toBe(counted('http://localhost:8080/api'))
})
