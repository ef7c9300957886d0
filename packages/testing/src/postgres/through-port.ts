/** The URL of a database by another port of this machine, where a pooler or a line that breaks leads to it. */

export function throughPort(url: string, port: number): string {
  const other = new URL(url)
  other.port = `${port}`
  return other.href
}
