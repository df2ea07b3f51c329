/** Thrown where work was given up because somebody asked to stop, or its time was over. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}
