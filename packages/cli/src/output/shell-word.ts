/** Text that a person may paste into a shell as one word, whatever is in it. */

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
