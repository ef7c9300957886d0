/** The name of a schema, which stands in statements as it is. */

export function schemaName(name: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(name)) return name
  throw new TypeError(`no plain name of a schema: ${name}`)
}
