/** A part in double quotes, behind `name=` or not, or one without. */
const PART = /([^,"]*=)?\s*"((?:[^"]|"")*)"\s*(?=,|$)|[^,]+/g

/** The parts of a list with commas between them. As in CSV, a part in quotes may have commas, and quotes as `""`. */
export const partsOf = (list: string): string[] =>
  [...list.matchAll(PART)]
    .map(([part, name = '', quoted]) =>
      quoted === undefined ? part.trim() : name.trimStart() + quoted.replaceAll('""', '"'),
    )
    .filter((part) => part !== '')
