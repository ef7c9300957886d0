import { type ObjectHash, parseTreePath, type Repository } from '../git/index.ts'

const usualMaxBytes = 1024 * 1024

interface TextBounds {
  readonly maxBytes?: number
}

/** A text that is not read yet. */
export interface TextFile {
  readonly bytes: number
  read(): Promise<string>
}

export const noText: TextFile = { bytes: 0, read: async () => '' }

/** Empty where there is no such file, or one that no program would read as a list of patterns. */
export async function readText(
  repository: Repository,
  tree: ObjectHash | undefined,
  name: string,
  bounds: TextBounds = {},
): Promise<string> {
  return (await findText(repository, tree, name, bounds)).read()
}

export async function findText(
  repository: Repository,
  tree: ObjectHash | undefined,
  name: string,
  { maxBytes = usualMaxBytes }: TextBounds = {},
): Promise<TextFile> {
  const path = parseTreePath(name)
  if (tree === undefined || path === undefined) return noText
  const entry = (await repository.findEntries(tree, [path])).get(path)
  if (entry?.kind !== 'file') return noText
  const [info] = await repository.infoOf([entry.hash])
  if (info === undefined || info.size > maxBytes) return noText
  return {
    bytes: info.size,
    async read() {
      return (await repository.readObject(entry.hash, maxBytes))?.bytes.toString('utf8') ?? ''
    },
  }
}
