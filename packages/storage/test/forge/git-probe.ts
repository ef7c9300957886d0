/** What somebody who guesses hashes gets of a repository by git and by git-lfs. */

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import {
  blobOf,
  commitText,
  objectOf,
  type Packed,
  packet,
  packOf,
  pushBody,
  treeEntry,
  treeOf,
} from '@latchkey/testing/git/packs'
import type { ForgeStage, Large, Who } from './forge-stage.ts'

export interface GitObject {
  readonly hash: string
  readonly kind: string
}

export interface PushedRef {
  readonly ref: string
  readonly old: string
  readonly to: string
}

export type GitProbe = Awaited<ReturnType<typeof gitProbe>>

export async function gitProbe({ world, data }: ForgeStage, model: string) {
  const { uid } = (await world.done('repo show', { repository: `models/acme/${model}` })) as {
    uid: string
  }
  const gitDir = join(data, 'repositories', `${uid}.git`)
  const inGit = (words: readonly string[], input = '') =>
    execFileSync('git', ['--git-dir', gitDir, ...words], { input, encoding: 'utf8' }).trim()
  const post = (path: string, as: Who, type: string, body: Buffer | string, protocol = 0) =>
    fetch(`${world.hub.url}/acme/${model}.git/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.tokens[`${as}/token`]?.reveal()}`,
        'content-type': type,
        'git-protocol': `version=${protocol}`,
      },
      body,
    })
  /** What git says, without the ref and the lengths of packets. */
  const push = async ({ ref, old, to }: PushedRef, objects: readonly Packed[], as: Who) => {
    const body = pushBody([`${old} ${to} ${ref}`], packOf(objects))
    const type = 'application/x-git-receive-pack-request'
    const answer = await post('git-receive-pack', as, type, body)
    const text = (await answer.text()).replaceAll(ref, 'REF')
    return `${answer.status} ${text.replaceAll(/[0-9a-f]{4}(?=ok|ng|unpack)/g, '')}`
  }
  const none = '0'.repeat(40)
  const branch = (to: string, objects: readonly Packed[], as: Who) =>
    push({ ref: `refs/heads/probe-${to.slice(0, 8)}`, old: none, to }, objects, as)
  return {
    push,
    post,
    /** Everything that git has, whoever may see it. */
    objects(): readonly GitObject[] {
      const format = '--batch-check=%(objectname) %(objecttype)'
      const lines = inGit(['cat-file', '--batch-all-objects', format]).split('\n')
      return lines.map((line) => ({ hash: line.slice(0, 40), kind: line.slice(41) }))
    },
    /** What these commits lead to. */
    closure(commits: readonly string[]): ReadonlySet<string> {
      const lines = inGit(['rev-list', '--objects', '--stdin'], `${commits.join('\n')}\n`)
      return new Set(lines.split('\n').map((line) => line.slice(0, 40)))
    },
    text: (hash: string) => inGit(['cat-file', 'blob', hash]),
    /** What a client is told who wants the object. */
    async wants(hash: string, as: Who, protocol: 0 | 2): Promise<string> {
      const want = `want ${hash}\n`
      const lines = (all: readonly string[]) => Buffer.concat(all.map((line) => packet(line)))
      const flush = Buffer.from('0000')
      const body =
        protocol === 2
          ? [packet('command=fetch'), Buffer.from('0001'), lines([want, 'done\n']), flush]
          : [lines([want]), flush, lines(['done\n'])]
      const type = 'application/x-git-upload-pack-request'
      const answer = await post('git-upload-pack', as, type, Buffer.concat(body), protocol)
      return `${answer.status} ${(await readToEnd(answer)).replaceAll(hash, 'HASH')}`
    },
    /** What is said to pushes that name the object in every place where git takes it. */
    async named({ hash, kind }: GitObject, size: number, as: Who): Promise<readonly string[]> {
      const own = blobOf('of the prober')
      const folder = (mode: string) => treeOf(treeEntry(mode, 'x', hash))
      const under = (tree: string, ...parents: readonly string[]) =>
        objectOf('commit', commitText(tree, ...parents))
      const said: string[] = [await branch(hash, [], as)]
      const say = async (objects: readonly Packed[], tip: { readonly hash: string }) =>
        said.push((await branch(tip.hash, objects, as)).replaceAll(tip.hash, 'TIP'))
      if (kind === 'commit') {
        const tree = treeOf(treeEntry('100644', 'own', own.hash))
        const commit = under(tree.hash, hash)
        await say([own, tree, commit], commit)
      } else if (kind === 'tree') {
        const [commit, outer] = [under(hash), folder('40000')]
        await say([commit], commit)
        const nested = under(outer.hash)
        await say([outer, nested], nested)
      } else {
        const tree = folder('100644')
        const commit = under(tree.hash)
        await say([tree, commit], commit)
        // A delta that copies all of the object.
        const delta = Buffer.from([size, size, 0x90, size])
        await say([{ kind: 'ref', bytes: delta, base: hash }, tree, commit], commit)
      }
      return said
    },
    /** The SHA-256 of the large files for which git-lfs is told an address. */
    async downloads(files: readonly Large[], as: Who): Promise<ReadonlySet<string>> {
      const objects = files.map(({ oid, bytes }) => ({ oid, size: bytes.length }))
      const body = JSON.stringify({ operation: 'download', transfers: ['basic'], objects })
      const type = 'application/vnd.git-lfs+json'
      const answer = await post('info/lfs/objects/batch', as, type, body)
      if (answer.status !== 200) return new Set()
      const { objects: told } = (await answer.json()) as {
        readonly objects: readonly { readonly oid: string; readonly actions?: object }[]
      }
      return new Set(told.filter(({ actions }) => actions !== undefined).map(({ oid }) => oid))
    },
  }
}

/** Git breaks off when it has told what is wrong. */
async function readToEnd({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  try {
    for await (const part of body ?? []) parts.push(part)
  } catch {
    // What it has told has come.
  }
  return Buffer.concat(parts).toString('latin1')
}
