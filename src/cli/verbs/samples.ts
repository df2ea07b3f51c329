import type { Resource } from '../../domain/schema.ts'

/** The command of a resource: `group_items` is `kpi group-items`. */
export const commandOf = ({ plural }: Resource): string => plural.replaceAll('_', '-')

/** What the examples in the help of a resource's commands are made of. */
export type Samples = {
  /** One of them, as it is called. */
  readonly name: string
  /** The ids of two, where those are not 1 and 2. */
  readonly ids?: readonly [number, number]
  /** The flag that says where one is made, and a space, where one lies below another. */
  readonly under?: string
  /** The flags that make one. */
  readonly create: string
  /** The flags that change one. */
  readonly update: string
  /** The options of a list. */
  readonly list: string
}

/** One of a resource, as it is called, and ids. */
export type Called = Pick<Samples, 'name' | 'ids'>
