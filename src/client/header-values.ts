/** Finds a header of an answer by its name in small letters. */
export type Header = (name: string) => string | undefined

/** The whole number that a header says. */
export const numberIn = (text: string | undefined): number | null =>
  /^\d{1,15}$/.test(text ?? '') ? Number(text) : null

/** A text that travelled in a header, where it may have been percent-encoded. */
export const textIn = (text: string | undefined): string | null => {
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return text ?? null
  }
}
