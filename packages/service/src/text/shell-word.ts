/** Text that a person may paste into a shell as one word, whatever is in it. */

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** As a person would type it: quoted only where a shell would read it otherwise. */
export function typedWord(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : shellWord(text)
}
