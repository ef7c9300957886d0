/** The storage gave something else than it was asked for: nobody may take it for the file. */

export class Misdelivered extends Error {
  override readonly name = 'Misdelivered'
}

/** All of it came, and it is another file: what was put of it is worth nothing. */
export class OtherFile extends Misdelivered {}
