/** A query that names another method than the request: some frameworks would act on that one. */

/**
 * The parameter as Rails, Laravel, Symfony, WordPress and the override middlewares of Express read it.
 * PHP also reads a dot, a space or an opening bracket as `_`, drops spaces before a name, and ends it at a bracket or NUL.
 */
const methodName = /^[\s?]*[_. []method\s*(?:[[\0]|$)/i

export function namesMethod(query: string): boolean {
  if (!mayHold.test(query)) return false
  return query
    .split(/[&;]/)
    .some((parameter) => methodName.test(decoded(parameter.split('=', 1)[0] ?? '')))
}

/** Most queries hold neither of these, and are not taken apart. */
const mayHold = /method|%/i

/** Byte by byte, so that bytes which are no UTF-8 elsewhere in the name do not hide it. */
function decoded(name: string): string {
  return name
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
