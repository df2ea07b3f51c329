import { expect, test } from 'vitest'
import { hideFields, hideHeaders } from '../../src/cli/output/hide-credentials.ts'

const NAMES = ['password', 'passphrase', 'secret', 'token', 'credential', 'credentials', 'cookie', 'api-key', 'api_key']
const MORE = ['private-key', 'private_key', 'signature', 'session', 'authorization']

test.each([...NAMES, ...MORE])('a value named %s is hidden in headers, in JSON and in a query', (name) => {
  expect(hideHeaders({ [`x-${name}`]: 'canary' }, hideFields)).toEqual({ [`x-${name}`]: '…' })
  expect(hideFields(`{"${name}":"canary"}`)).toBe(`{"${name}":"…"}`)
  expect(hideFields(`/kpis?${name}=canary&page=1`)).toBe(`/kpis?${name}=…&page=1`)
})

test('other headers are shown, without what is a credential in them', () => {
  const headers = { 'content-type': 'text/csv', location: 'https://ann:canary@example.test/x?token=canary' }
  expect(hideHeaders(headers, hideFields)).toEqual({
    'content-type': 'text/csv',
    location: 'https://…@example.test/x?token=…',
  })
})
