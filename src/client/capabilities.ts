import { KpiError } from '../domain/errors.ts'
import type { Resource, Verb } from '../domain/schema.ts'
import { type Variant, verbsIn } from '../domain/variants.ts'

/** How the variants are called. */
export const variantNames: Record<Variant, string> = {
  classic: 'the classic interface',
  v1: 'the newer interface (/v1)',
}

const DOES: Record<Verb, string> = {
  list: 'lists no',
  get: 'shows no',
  add: 'creates no',
  update: 'changes no',
  remove: 'deletes no',
}

/** What to use where a variant does not have something, by the path of the resource. */
const INSTEAD: Record<Variant, Readonly<Record<string, string>>> = {
  classic: {
    '/breakdownitems': 'use groups and their items: kpi groups, kpi group-items',
  },
  v1: {
    '/users': 'people are added and changed in the application, or with a classic profile',
    '/users/{user_id}/kpis': 'KPIs are assigned in the application, or with a classic profile',
    '/users/{user_id}/groupitems': 'group items are given to users in the application, or with a classic profile',
    '/groups': 'breakdowns are made in the application (kpi service breakdowns); their items are kpi breakdown-items',
    '/groups/{group_id}/items': 'use kpi breakdown-items',
  },
}

/** What is done to which resource. */
export type Capability = { readonly of: Pick<Resource, 'path' | 'verbs' | 'newer' | 'plural'>; readonly verb: Verb }

/** Refuses what a variant does not have, before anything is sent, and says what to use instead. */
export const mustHave = (variant: Variant, { of, verb }: Capability): void => {
  if (verbsIn(variant, of).includes(verb)) return
  const instead = INSTEAD[variant][of.path]
  const does = `${variantNames[variant]} ${DOES[verb]} ${of.plural.replaceAll('_', ' ')}`
  throw new KpiError('unsupported', instead === undefined ? does : `${does}: ${instead}`)
}
