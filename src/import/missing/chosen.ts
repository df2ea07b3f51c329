/** Returns a list without what has the name of something chosen. */
export const withoutDoubles = <T extends { readonly id: number }>(
  list: readonly T[],
  chosen: ReadonlyMap<number, number> | undefined,
  keyOf: (one: T) => string,
): readonly T[] => {
  if (!chosen || chosen.size === 0) return list
  const ids = new Set(chosen.values())
  const keys = new Map(list.flatMap((one) => (ids.has(one.id) ? [[keyOf(one), one.id] as const] : [])))
  return list.filter((one) => (keys.get(keyOf(one)) ?? one.id) === one.id)
}
