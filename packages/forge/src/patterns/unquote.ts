/** Names in double quotes with the escapes of C, as git writes them. */

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\', '"': '"' },
}

/** Undefined when the text is not in quotes, or an escape is none. */
export function unquote(
  given: string,
): { readonly text: string; readonly end: number } | undefined {
  const [whole, inside] = /^"((?:[^"\\]|\\[abfnrtv\\"]|\\[0-3][0-7]{2})*)"/.exec(given) ?? []
  if (whole === undefined || inside === undefined) return undefined
  const text = inside.replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? ''),
  )
  return { text, end: whole.length }
}
