/** Thrown where another process does the same work at this moment. */
export class Locked extends Error {
  override readonly name = 'Locked'
}
