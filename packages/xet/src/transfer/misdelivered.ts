/** The storage gave something else than it was asked for: nobody may take it for the file. */

export class Misdelivered extends Error {
  override readonly name = 'Misdelivered'
}
