import type { GitProcess } from './start-git.ts'

export async function collect(git: GitProcess): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of git.output()) parts.push(part)
  return Buffer.concat(parts)
}
