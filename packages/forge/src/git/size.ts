/** What a repository takes on the disk. */

import type { CallOptions, GitCommands } from './process/git-commands.ts'

/** Of all its objects, in packs and alone. */
export async function sizeBytes(
  commands: GitCommands,
  { signal }: Pick<CallOptions, 'signal'> = {},
): Promise<number> {
  const said = (await commands.run(['count-objects', '-v'], '', { signal })).toString('latin1')
  const kibibytes = [...said.matchAll(/^size(?:-pack|-garbage)?: (\d+)$/gm)]
  return kibibytes.reduce((sum, [, size]) => sum + Number(size) * 1024, 0)
}
