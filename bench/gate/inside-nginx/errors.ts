/** In the place of the services' own: njs has no classes. */

export const CannotStart = Error
