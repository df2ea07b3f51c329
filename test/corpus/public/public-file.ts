/** A public file: where it is from, how its bytes are known again, and what a person types to import it. */
export type PublicFile = {
  readonly file: string
  readonly origin: Readonly<Record<'repository' | 'commit' | 'path' | 'licence' | 'publisher', string>>
  readonly bytes: number
  /** The SHA-256 of the whole file, and of its cut. */
  readonly whole: string
  readonly cut: string
  readonly country: string
  /** The forms it has, by their letters in the README. */
  readonly forms: string
  /** What the import said of it before it had these flags. */
  readonly before: string
  /** The flags behind `kpi entries import FILE --create-missing`. */
  readonly args: readonly string[]
}
