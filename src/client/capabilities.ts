import { KpiError } from '../domain/errors.ts'
import type { Resource, Verb } from '../domain/schema.ts'
import { type Variant, verbsIn } from '../domain/variants.ts'

/** Names the variants in messages. */
export const VARIANT_NAMES: Record<Variant, string> = {
  classic: 'the classic interface (/api)',
  v1: 'the newer interface (/v1)',
}

const MISSING_VERB: Record<Verb, string> = {
  list: 'lists no',
  get: 'shows no',
  add: 'creates no',
  update: 'changes no',
  remove: 'deletes no',
}

/** Describes what a variant lacks, and what to use instead. */
type Lack = { readonly called: string; readonly instead: string }

/** Names the way to use the bundled service, which speaks both variants in process, for what a profile lacks. */
const IN_PROCESS = 'on the bundled service, the same command on its machine, without a profile or with --data-dir'

/** Names what to use for operations that only the classic variant has. */
export const USE_CLASSIC = `use a profile of the classic interface (a base URL that ends in /api), or the application (${IN_PROCESS})`

/** Names what to use for operations that only the newer variant has. */
export const NEWER_PROFILE = 'a profile of the newer interface (a base URL that ends in /v1)'

/** Lists what each variant lacks, by the path of the resource. */
const LACKS: Record<Variant, Readonly<Record<string, Lack>>> = {
  classic: {
    '/breakdownitems': {
      called: 'breakdown items',
      instead: `use kpi group-items, where the same items are called group items, in the groups of kpi groups, or ${NEWER_PROFILE}`,
    },
  },
  v1: {
    '/users': { called: 'people', instead: USE_CLASSIC },
    '/users/{user_id}/kpis': { called: 'assignments of KPIs', instead: USE_CLASSIC },
    '/users/{user_id}/groupitems': { called: 'group items of users', instead: USE_CLASSIC },
    '/kpientries/runs/{run}/groupitem': { called: 'group items of users', instead: USE_CLASSIC },
    '/groups': {
      called: 'groups',
      instead:
        'use kpi breakdown-items for what is in them; they are breakdowns here, which the application makes (on the bundled service: kpi service breakdowns)',
    },
    '/groups/{group_id}/items': {
      called: 'group items',
      instead: 'use kpi breakdown-items, where the same items are called breakdown items',
    },
  },
}

/** Describes an operation on a resource that a command needs. */
export type Capability = {
  readonly of: Pick<Resource, 'path' | 'verbs' | 'newer' | 'plural'>
  readonly verb: Verb
  /** Names the flag that needs the operation, if the command itself does not, and what to use instead. */
  readonly flag?: {
    readonly name: string
    readonly instead: string
    /** Explains what to do if neither variant has all that the command needs. */
    readonly together?: string
  }
  /** Marks it as optional: the command uses it if the service has it, and works without it. */
  readonly isOptional?: true
}

/** Describes what a command needs: one capability, or several together. */
export type Needs = Capability | readonly Capability[]

const needsIn = (needs: Needs): readonly Capability[] => ('of' in needs ? [needs] : needs)

const lacks = (variant: Variant, { of, verb }: Capability): boolean => !verbsIn(variant, of).includes(verb)

/** Tells whether a variant has all capabilities that a command needs. */
export const hasAll = (variant: Variant, needs: Needs): boolean => !needsIn(needs).some((one) => lacks(variant, one))

/** Returns the message that a variant lacks something, and what to use instead. */
const sentence = (variant: Variant, { of, verb, flag }: Capability): string => {
  const lack = LACKS[variant][of.path]
  const does = verbsIn(variant, of).length === 0 ? 'has no' : MISSING_VERB[verb]
  const sentence = `${VARIANT_NAMES[variant]} ${does} ${lack?.called ?? of.plural.replaceAll('_', ' ')}`
  return [flag?.name, sentence, flag?.instead ?? lack?.instead].filter((part) => part !== undefined).join(': ')
}

/** Refuses what a variant does not have, before anything is sent; the error names what to use instead. */
export const requireCapability = (variant: Variant, needs: Needs): void => {
  const missing = needsIn(needs).find((one) => one.isOptional !== true && lacks(variant, one))
  if (missing) throw new KpiError('unsupported', sentence(variant, missing))
}

/** Refuses needs that neither variant meets alone, on a service that speaks both. */
export const requireAllCapabilities = (needs: Needs): void => {
  if (hasAll('classic', needs) || hasAll('v1', needs)) return
  const { flag } = needsIn(needs).find((one) => one.flag?.together !== undefined && lacks('v1', one)) ?? {}
  if (flag) throw new KpiError('unsupported', `${flag.name} ${flag.together}`)
}

/** Refuses a flag for what only the bundled service does, where the answers so far come from another. */
export const requireBundled = (isBundled: boolean, flag: string, does: string, instead: string): void => {
  if (isBundled) return
  throw new KpiError(
    'unsupported',
    `${flag}: this service ${does}; only the bundled service does that (kpi serve); ${instead}`,
  )
}
