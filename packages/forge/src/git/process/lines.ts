/** Reads the output of a process line by line. */

/** No line is longer than one that git writes for a ref and its hashes. */
export async function* linesOf(
  output: AsyncIterable<Buffer>,
): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const part of output) {
    const lines = (rest + part.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
