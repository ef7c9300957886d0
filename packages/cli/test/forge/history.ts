/** A repository as people bring it from elsewhere: many commits, branches, tags and files of git-lfs. */

import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Written {
  readonly stream: string
  /** By SHA-256. */
  readonly large: ReadonlyMap<string, Buffer>
}

const person = (at: number) => `Ada <ada@example.org> ${1_700_000_000 + at * 60} +0100`
const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`

/** `git fast-import` reads it. Two branches leave the first one, and one of them comes back. */
function writeHistory(commits: number): Written {
  const large = new Map<string, Buffer>()
  const parts: string[] = []
  const mark = (at: number) => at + 1
  const commit = (at: number, branch: string, files: string, parents = '') => {
    const head = `commit refs/heads/${branch}\nmark :${mark(at)}\ncommitter ${person(at)}\n`
    parts.push(`${head}${data(`commit ${at}`)}${parents}${files}`)
  }
  const file = (path: string, text: string, mode = '100644') =>
    `M ${mode} inline ${path}\n${data(text)}`
  const largeFile = (path: string) => {
    const content = randomBytes(500 + large.size)
    const oid = createHash('sha256').update(content).digest('hex')
    large.set(oid, content)
    return file(
      path,
      `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`,
    )
  }
  const attributes = file('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n')
  const special = file('run.sh', '#!/bin/sh\n', '100755') + file('link', 'run.sh', '120000')
  const [leaves, returns] = [Math.floor(commits / 5), commits - 20]
  const branches = ['main', 'topic/one', 'topic/two'] as const
  const last = new Map<string, number>()
  for (let at = 0; at < commits; at += 1) {
    const branch = at < leaves || at >= returns ? 'main' : (branches[at % 3] ?? 'main')
    const from = last.get(branch) ?? last.get('main')
    const isMerge = at === returns
    const parents =
      (from === undefined ? '' : `from :${mark(from)}\n`) +
      (isMerge ? `merge :${mark(last.get('topic/one') ?? 0)}\n` : '')
    const files = [
      ...(at === 0 ? [attributes, special] : []),
      file(`folder-${at % 7}/größe ${at % 31}.txt`, `text of commit ${at}\n`),
      ...(at % 40 === 5 ? [largeFile(`large/${at % 3}.bin`)] : []),
      ...(at % 50 === 49 ? [`D folder-${(at - 1) % 7}/größe ${(at - 1) % 31}.txt\n`] : []),
    ]
    commit(at, branch, files.join(''), parents)
    last.set(branch, at)
  }
  parts.push(
    `reset refs/tags/light\nfrom :${mark(leaves)}\n\n`,
    `tag v1\nfrom :${mark(returns)}\ntagger ${person(commits)}\n${data('the first one')}`,
  )
  return { stream: parts.join(''), large }
}

/** A bare repository in the folder; gives the number of its large files. */
export async function makeHistory(
  folder: string,
  env: Readonly<Record<string, string>>,
  commits: number,
): Promise<number> {
  const { stream, large } = writeHistory(commits)
  await once(spawn('git', ['init', '--quiet', '--bare', '-b', 'main', folder], { env }), 'exit')
  const importing = spawn('git', ['fast-import', '--quiet'], {
    cwd: folder,
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  importing.stdin.end(stream)
  const [code] = await once(importing, 'exit')
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`)
  for (const [oid, content] of large) {
    const place = join(folder, 'lfs/objects', oid.slice(0, 2), oid.slice(2, 4))
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, oid), content)
  }
  return large.size
}
