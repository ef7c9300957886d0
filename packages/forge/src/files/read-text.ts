/** Small files of a revision as text. */

import { type ObjectHash, parseTreePath, type Repository } from '../git/index.ts'

const usualMaxBytes = 1024 * 1024

/** Empty where there is no such file, or one that no program would read as a list of patterns. */
export async function readText(
  repository: Repository,
  tree: ObjectHash | undefined,
  name: string,
  { maxBytes = usualMaxBytes }: { readonly maxBytes?: number } = {},
): Promise<string> {
  const path = parseTreePath(name)
  if (tree === undefined || path === undefined) return ''
  const entry = (await repository.findEntries(tree, [path])).get(path)
  if (entry?.kind !== 'file') return ''
  const [info] = await repository.infoOf([entry.hash])
  if (info === undefined || info.size > maxBytes) return ''
  return (await repository.readObject(entry.hash, maxBytes))?.bytes.toString('utf8') ?? ''
}
