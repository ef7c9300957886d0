/** What a restore says about content that was removed after the backup and is back. */

export function returnedLines(repositories: readonly string[] = []): readonly string[] {
  return repositories.map(
    (path) =>
      `content of ${path} was removed after the backup (storage forget or gc) and is back: run latchkey storage forget again where it must not be\n`,
  )
}
