/** Reads a file of expected failures: an id of a check on each line, comments after `#`. */
export function readExpectedFailures(
  text: string,
  checks: readonly { readonly id: string }[],
): readonly string[] | { readonly unknown: string } {
  const ids = text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
  const unknown = ids.find((id) => !checks.some((check) => check.id === id))
  return unknown === undefined ? ids : { unknown }
}
