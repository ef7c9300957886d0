/**
 * Stores folders, commits and tags as loose objects, byte for byte as git does: a git process for each takes longer than all
 * else of a commit. The bytes of files are a client's, so git stores these, and looks for collisions of SHA-1 in them.
 */

import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate, deflateSync, type ZlibOptions } from 'node:zlib'
import { nextSlice } from '@latchkey/service/limits/slices'
import type { GitCommands } from '../process/git-commands.ts'
import { type ObjectHash, readHash } from './object-hash.ts'

export type OwnKind = 'tree' | 'commit' | 'tag'

/** On the disk when the promise settles. Its name is, once the folders of the repository are synced. */
export async function writeObject(
  { folder, wrote }: Pick<GitCommands, 'folder' | 'wrote'>,
  kind: OwnKind,
  content: Uint8Array,
): Promise<ObjectHash> {
  const object = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content])
  const hash = await hashOf(object)
  const parent = join(folder, 'objects', hash.slice(0, 2))
  const file = join(parent, hash.slice(2))
  if (!(await isThere(file))) {
    const draft = draftIn(folder)
    try {
      await writeSynced(draft, await packed(object))
      await linkTo(file, { draft, parent })
    } finally {
      await rm(draft, { force: true })
    }
  }
  wrote(hash)
  return hash
}

/** Git removes such a file when it is old, and so does `recover`. */
export function draftIn(folder: string): string {
  return join(folder, 'objects', `tmp_obj_${randomUUID()}`)
}

const bytesAtOnce = 1024 * 1024

async function hashOf(object: Buffer): Promise<ObjectHash> {
  const hash = createHash('sha1')
  for (let at = 0; at < object.length; at += bytesAtOnce) {
    if (at > 0) await nextSlice()
    hash.update(object.subarray(at, at + bytesAtOnce))
  }
  return readHash(hash.digest('hex'))
}

/** As git does it for loose objects. */
const options: ZlibOptions = { level: 1 }
/** To ask another thread takes longer. */
const maxSyncBytes = 16 * 1024
const deflated = promisify<Uint8Array, ZlibOptions, Buffer>(deflate)

async function packed(object: Buffer): Promise<Buffer> {
  return object.length <= maxSyncBytes ? deflateSync(object, options) : deflated(object, options)
}

async function writeSynced(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o444)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

interface Draft {
  readonly draft: string
  readonly parent: string
}

/** A file that is there is left alone. */
async function linkTo(file: string, { draft, parent }: Draft): Promise<void> {
  for (let isNew = true; ; isNew = false) {
    try {
      return await link(draft, file)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EEXIST') return
      if (code !== 'ENOENT' || !isNew) throw error
      await mkdir(parent, { recursive: true })
    }
  }
}

async function isThere(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined
}
