/** What the examples in the help of a resource's commands are made of. */
export type Samples = {
  /** One of them, as it is called. */
  readonly name: string
  /** The flags that make one. */
  readonly create: string
  /** The flags that change one. */
  readonly update: string
  /** The options of a list. */
  readonly list: string
}
