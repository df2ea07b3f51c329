import { KEY_STATES } from '../key-state.ts'
import { type Draft, printable, resource, type Stored } from '../schema.ts'
import { type Scope, SCOPES } from '../scopes.ts'

/** Sets how many characters of a key are stored to recognize it: far too few to guess the rest. */
export const BEGINNING = 'kpi_key_'.length + 8
const ANY_SCOPE = `(?:${SCOPES.join('|')})`

/**
 * Defines a key of the newer variant: an account has many, each with an owner and scopes. The operator manages them.
 */
export const key = resource({
  name: 'key',
  plural: 'keys',
  title: 'key',
  path: '',
  verbs: [],
  brief: ['id', 'name', 'begins', 'user_id', 'scopes', 'expires_at', 'last_used_at', 'revoked_at'],
  fields: {
    id: { kind: 'integer', about: 'Id of the key', readOnly: true },
    name: { kind: 'text', about: 'What it is for', required: true, max: 50 },
    begins: {
      kind: 'text',
      about: 'How the key begins, to know it again',
      readOnly: true,
      form: { matches: /^kpi_key_[0-9A-Za-z]{8}$/, says: `the first ${BEGINNING} characters of a key` },
    },
    user_id: { kind: 'integer', about: 'Owner, in whose name it acts', required: true, refers: 'user' },
    scopes: {
      kind: 'text',
      about: `What it may do, with commas between: ${SCOPES.join(', ')}`,
      required: true,
      form: {
        matches: new RegExp(`^${ANY_SCOPE}(?:,${ANY_SCOPE})*$`),
        says: `scopes with commas between: ${SCOPES.join(', ')}`,
      },
    },
    expires_at: { kind: 'datetime', about: 'When it ends; never where it is blank', nullable: true },
    last_used_at: { kind: 'datetime', about: 'When it was last used, to a minute', readOnly: true, nullable: true },
    revoked_at: { kind: 'datetime', about: 'When it was revoked', readOnly: true, nullable: true },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
  },
})

export type Key = Stored<typeof key>
export type KeyDraft = Draft<typeof key>

/** Returns the scopes of a key. */
export const scopesOf = ({ scopes }: Pick<Key, 'scopes'>): ReadonlySet<Scope> =>
  new Set(SCOPES.filter((scope) => scopes.split(',').includes(scope)))

/** Defines a key in the operator's lists, with its status and the name of its owner. */
export const listedKey = printable(
  'key',
  'key',
  {
    ...key.fields,
    owner: { kind: 'text', about: 'Name of the owner', readOnly: true },
    status: { kind: 'choice', about: 'How it stands', readOnly: true, oneOf: KEY_STATES },
  },
  ['id', 'name', 'status', 'owner', 'scopes', 'expires_at', 'last_used_at'],
)

export type ListedKey = Stored<typeof listedKey>
