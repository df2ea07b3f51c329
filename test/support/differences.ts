import { expect } from 'vitest'
import type { Variant } from '../../src/domain/variants.ts'
import * as clients from './client-questions.ts'
import type { ClientQuestion } from './client-questions.ts'
import * as rows from './suite/newer-row.ts'
import type { Newer } from './suite/newer-row.ts'

/** What a client of either variant is told. */
type ClientAnswers = { readonly ask: ClientQuestion; readonly told: Readonly<Record<Variant, unknown>> }

/** A difference between the two variants of the interface that is meant. */
export type Difference = {
  readonly name: string
  /** In which words it is laid down. */
  readonly says: string
  /** How it changes a row of the suite, which is written as the classic interface has it. */
  readonly row?: Newer
  /** What clients see of it. */
  readonly client?: ClientAnswers
}

const NONE: readonly string[] = []
const operations = (of: string): string[] => ['list', 'get', 'add', 'update', 'remove'].map((verb) => `${verb} ${of}`)
const linkings = ['list', 'get', 'add', 'remove'].map((verb) => `${verb} group items of a user`)

/** All that differs between the variants, in the order in which a request comes upon it. Everything else is the same. */
export const differences: readonly Difference[] = [
  {
    name: 'the account is not named by the host',
    says: 'C: the token names it; when the Host names another account, 401. N: the key names it.',
    row: rows.onAnyHost,
  },
  {
    name: 'keys instead of login names and the token',
    says: 'Basic, login name and token / Bearer key, scoped, optionally expiring. 401, WWW-Authenticate: Bearer.',
    row: rows.withKey,
  },
  {
    name: '429 instead of 403 for a limit',
    says: '403 on excess / 429 with Retry-After',
    row: rows.withLimitOfItsOwn,
  },
  {
    name: 'no groups, no items and no KPIs of users',
    says: 'Not present: /v1/groups, the group item paths under groups and users, and /v1/users/{id}/kpis.',
    row: rows.withoutClassicPaths,
    client: {
      ask: clients.unsentOfGroups,
      told: {
        classic: NONE,
        v1: [...operations('groups'), ...operations('group items'), ...linkings, ...operations('KPIs of a user')],
      },
    },
  },
  {
    name: 'users are read only',
    says: 'Full create, read, update, delete / read only. People are added and changed in the application.',
    row: rows.withUsersReadOnly,
    client: { ask: clients.unsentOfUsers, told: { classic: NONE, v1: ['add users', 'update users', 'remove users'] } },
  },
  {
    name: 'breakdown items',
    says: 'Groups and group items / Breakdown Items, a top-level resource at /v1/breakdownitems',
    row: rows.withBreakdownItems,
    client: {
      ask: clients.unsentOfBreakdownItems,
      told: {
        classic: operations('breakdown items'),
        v1: NONE,
      },
    },
  },
  {
    name: 'JSON only',
    says: 'JSON and XML / JSON only. 415: Content-Type not JSON. An Accept without JSON: 406, whatever the Content-Type.',
    row: rows.inJson,
  },
  {
    name: 'numbers and booleans are not taken as text',
    says: 'C also takes a string that is just a number, or true/false for a boolean, N refuses both.',
    row: rows.withStrictTypes,
    client: {
      ask: clients.numberInText,
      told: { classic: expect.objectContaining({ sort_order: 7 }) as unknown, v1: ['sort_order'] },
    },
  },
  {
    name: 'category and aggregate function are mandatory',
    says: 'POST /kpis without category_id takes the first, without aggregate_function takes SUM. N enforces both.',
    row: rows.withAllMandatory,
    client: {
      ask: clients.lenientKpi,
      told: {
        classic: expect.objectContaining({ category_id: 1, aggregate_function: 'SUM' }) as unknown,
        v1: ['category_id', 'aggregate_function'],
      },
    },
  },
  {
    name: '422 instead of 400 for fields',
    says: '400: a field that fails its rule (C). 422: a field that fails its rule (N).',
    row: rows.withFieldFaults,
  },
  {
    name: '422 instead of 400 for an Idempotency-Key of another body',
    says: 'Another body is 422 (N) or 400 (C).',
    row: rows.withReusedKey,
  },
  {
    name: '200 for a POST that updates an entry',
    says: 'When it updated an existing entry 200 in N, and 201 in C.',
    row: rows.withUpdatingPost,
  },
  {
    name: 'entries are of breakdown items',
    says: 'A KPI entry refers to a breakdown item through the field source_id. It may alternatively carry user_id.',
    row: rows.withSources,
    client: {
      ask: clients.entryOfItem,
      told: { classic: ['user_id'], v1: expect.objectContaining({ source_id: 2 }) as unknown },
    },
  },
  {
    name: 'an entry of an item shows which',
    says: 'Entries made in N for an item that is not a person are seen in C with user_id null.',
    client: {
      ask: clients.shownEntryOfItem,
      told: { classic: { user_id: null, source_id: null }, v1: { user_id: null, source_id: 2 } },
    },
  },
  {
    name: 'an entry of a user shows the item of that person',
    says: 'user_id resolves to the same place.',
    client: {
      ask: clients.shownEntryOfUser,
      told: { classic: { user_id: 1, source_id: null }, v1: { user_id: 1, source_id: 1 } },
    },
  },
  {
    name: 'the report is of breakdown items',
    says: "C's items are users; N's are breakdown items, persons and others.",
    client: { ask: clients.reportOfItem, told: { classic: [], v1: [{ itemId: 2, itemName: 'North' }] } },
  },
  {
    name: 'paths begin with /v1',
    says: 'Account-specific host, path prefix /api / shared host, path prefix /v1',
    row: rows.belowV1,
  },
  {
    name: 'refusals are problem details',
    says: 'Status code and message / application/problem+json, with type, title, status, detail, instance and errors.',
    row: rows.withProblems,
  },
]
