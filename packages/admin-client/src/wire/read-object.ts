/** The members of a JSON object, without the hub token that its sender has just been told. */
export function readObject(
  text: string,
  secret: string | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const cut = (part: string) =>
    secret === undefined ? part : part.replaceAll(secret, '[hub-token]')
  const withoutToken = (_: string, value: unknown) => {
    if (typeof value === 'string') return cut(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [cut(name), member]))
  }
  try {
    const value: unknown = JSON.parse(text, withoutToken)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
