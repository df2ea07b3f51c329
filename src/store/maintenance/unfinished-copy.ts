/** Describes the copy of an account that is not finished. */
export type UnfinishedCopy = {
  /** Names the account that is copied. */
  readonly account: string
  /** Tells which run works on it, or was the last one to do so. */
  readonly run: string
  /** Names the store that it is copied from. */
  readonly source: string
}

const NAME = /^(\S+) \(copy (\w+) of (.+)\)$/s

/** Says what to do about an unfinished copy. */
export const FINISH_COPY = 'finish it with the kpi service copy that began it, or remove it with that and --discard'

/**
 * Returns the name that an account has until its copy is finished: no account can be created under such a name, and no
 * host name leads to it.
 */
export const nameUnfinished = ({ account, run, source }: UnfinishedCopy): string =>
  `${account} (copy ${run} of ${source})`

/** Reads such a name; undefined if it is the name of an account. */
export const readUnfinished = (name: string): UnfinishedCopy | undefined => {
  const [, account, run, source] = NAME.exec(name) ?? []
  return account === undefined || run === undefined || source === undefined ? undefined : { account, run, source }
}
