/** A part in double quotes, behind `name=` or not. */
const QUOTED = /([^,"]*=)?\s*"((?:[^"]|"")*)"\s*(?=,|$)/y

/** The parts of a list with commas between them. As in CSV, a part in quotes may have commas, and quotes as `""`. */
export const partsOf = (list: string): string[] => {
  const parts: string[] = []
  for (let at = 0; at < list.length; at += 1) {
    QUOTED.lastIndex = at
    const [whole, name = '', quoted = ''] = QUOTED.exec(list) ?? []
    const comma = list.indexOf(',', at)
    const end = whole === undefined ? (comma < 0 ? list.length : comma) : at + whole.length
    parts.push(whole === undefined ? list.slice(at, end).trim() : name.trimStart() + quoted.replaceAll('""', '"'))
    at = end
  }
  return parts.filter((part) => part !== '')
}
