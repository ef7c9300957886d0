/** The word that somebody probably meant. */

/** Undefined when nothing is close enough to be worth suggesting. A word that another one contains is close: `token`, `hubToken`. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((known) => ({ known, distance: distanceOf(word, known) }))
    .sort((one, other) => one.distance - other.distance)
  if (best !== undefined && best.distance <= Math.max(2, word.length / 4)) return best.known
  const lower = word.toLowerCase()
  const contains = (one: string, other: string) => other.length > 2 && one.includes(other)
  return words.find((known) => {
    const name = known.toLowerCase()
    return contains(name, lower) || contains(lower, name)
  })
}

/** ` Did you mean …?`, or nothing. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = nearest(word, words)
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

/** How many letters have to change; upper and lower case are the same. */
function distanceOf(one: string, other: string): number {
  const [from, to] = [one.toLowerCase(), other.toLowerCase()]
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = at(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, replaced))
    }
    row = next
  }
  return at(row, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
