import { resource, type Stored } from '../schema.ts'

/**
 * Defines the tenant: every other record belongs to exactly one. The operator manages accounts; the interface does not
 * show them.
 */
export const account = resource({
  name: 'account',
  plural: 'accounts',
  title: 'account',
  path: '',
  verbs: [],
  fields: {
    id: { kind: 'integer', about: 'Id of the account', readOnly: true },
    name: {
      kind: 'text',
      about: 'Name of the account, usable as a host label',
      required: true,
      max: 63,
      form: {
        matches: /^(?!\d+$)(?!(?:api|www|localhost|kpi)$)[a-z0-9-]+$/,
        says: 'lower-case letters, digits and hyphens, not digits alone, and none of api, www, localhost, kpi',
      },
    },
    plan: {
      kind: 'choice',
      about: 'Price plan; individual has no API',
      required: true,
      oneOf: ['individual', 'team'],
      usual: 'team',
    },
    api_enabled: { kind: 'boolean', about: 'Whether the API answers over HTTP', readOnly: true },
    week_start: {
      kind: 'choice',
      about: 'First day of the week',
      required: true,
      oneOf: ['monday', 'sunday'],
      usual: 'monday',
    },
    fiscal_year_start: {
      kind: 'int16',
      about: 'Month, 1-12, in which the fiscal year begins',
      required: true,
      least: 1,
      most: 12,
      usual: 1,
    },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
  },
})

export type Account = Stored<typeof account>
