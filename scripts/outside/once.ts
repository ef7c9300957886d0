/** What is made once for the same words, and given to all who ask. */

export interface Once<Words extends readonly string[], Made> {
  (...words: Words): Promise<Made>
  /** Those that were made or are being made. */
  all(): readonly Promise<Made>[]
}

export function once<Words extends readonly string[], Made>(
  make: (...words: Words) => Promise<Made>,
): Once<Words, Made> {
  const made = new Map<string, Promise<Made>>()
  const given = (...words: Words): Promise<Made> => {
    const key = words.join('\n')
    const known = made.get(key) ?? make(...words)
    made.set(key, known)
    return known
  }
  return Object.assign(given, { all: () => [...made.values()] })
}
