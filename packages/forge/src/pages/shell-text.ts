/** Text from outside as a word of a shell command: a branch may be called `$(date)`. */

export function shellText(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
