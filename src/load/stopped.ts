/** Thrown where an import was asked to stop before it had sent anything. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}
