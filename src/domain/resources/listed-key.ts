import { KEY_STATES } from '../key-state.ts'
import { resource, type Stored } from '../schema.ts'
import { key } from './key.ts'

/** A key as its operator sees it in lists: how it stands, and whose it is by name. */
export const listedKey = resource({
  name: 'key',
  plural: 'keys',
  title: 'key',
  path: '',
  verbs: [],
  brief: ['id', 'name', 'status', 'owner', 'scopes', 'expires_at', 'last_used_at'],
  fields: {
    ...key.fields,
    owner: { kind: 'text', about: 'Name of the owner', readOnly: true },
    status: { kind: 'choice', about: 'How it stands', readOnly: true, oneOf: KEY_STATES },
  },
})

export type ListedKey = Stored<typeof listedKey>
