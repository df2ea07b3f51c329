/** The parts of a list with commas between them; a comma within double quotes separates nothing. */
export const partsOf = (list: string): string[] =>
  [...list.matchAll(/(?:"[^"]*"|[^,"])+/g)]
    .map(([part]) => part.replaceAll('"', '').trim())
    .filter((part) => part !== '')
