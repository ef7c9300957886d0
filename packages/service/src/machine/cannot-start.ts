/** Why a service cannot start or its data cannot be opened, in one line for the operator. */

export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}
