import type { RevisionAddress } from '../addresses/find-route.ts'
/** `POST …/preupload/{revision}`: which files go into the commit itself, and which to the storage. */

import { isRefusal } from '@latchkey/protocol'
import type { TakeRoom } from '@latchkey/service/limits/shares'
import { parseTreePath } from '../git/index.ts'
import type { ForgeHandler } from '../handler/exchange.ts'
import { jsonMembers } from '../http/bodies.ts'
import { json } from '../http/reply.ts'
import { describeFiles } from '../large-files/describe-files.ts'
import { isFilled, type OpenRevision, openPermitted } from '../large-files/open-revision.ts'
import { pathRules } from '../large-files/path-rules.ts'
import { readPreupload } from '../large-files/read-preupload.ts'
import { findText, noText, type TextFile } from '../large-files/read-text.ts'
import { chooseUploadModes } from '../large-files/upload-modes.ts'
import { isFlagSet } from '../words/query.ts'

/** A thousand files with their first 512 bytes in base64, and the text of a `.gitignore`. */
const maxBytes = 2 * 1024 * 1024

export const preupload: ForgeHandler<RevisionAddress> = async (exchange, address, { git }) => {
  const { hub, query, signal } = exchange
  const permitted = isFlagSet(query, 'create_pr')
    ? await hub.openUpload({ ...address, scope: 'read' })
    : await hub.decide({ ...address, scope: 'write' })
  if (isRefusal(permitted)) return permitted
  const opened = await openPermitted(permitted, git)
  const attributes = await attributesOf(opened)
  // Both texts lie in memory while the request waits for git.
  const takeRoom: TakeRoom = (bytes) => exchange.takeRoom(bytes + attributes.bytes)
  const members = await jsonMembers({ ...exchange, takeRoom }, maxBytes)
  const offered = isRefusal(members) ? members : await readPreupload(members)
  if (isRefusal(offered)) return offered
  const { files, gitIgnore } = offered
  const rules = pathRules(git)
  const gitattributes = offered.gitAttributes ?? (await attributes.read())
  const modes = await chooseUploadModes(files, { rules, gitattributes, gitIgnore, signal })
  if (isRefusal(modes)) return modes
  const knownHashes = await hashesAt(
    opened,
    files.map(({ path }) => path),
  )
  return json({
    files: modes.map((mode) => {
      const oid = knownHashes.get(mode.path)
      return oid === undefined ? mode : { ...mode, oid }
    }),
    ...(opened.commit && { commitOid: opened.commit }),
  })
}

async function attributesOf({ repository, tree }: OpenRevision): Promise<TextFile> {
  return repository === undefined ? noText : findText(repository, tree, '.gitattributes')
}

/**
 * Hashes that clients compare with their own files: the SHA-256 of a large file, the hash of git
 * for every other.
 */
async function hashesAt(
  opened: OpenRevision,
  filePaths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (!isFilled(opened)) return new Map()
  const paths = filePaths.map((path) => parseTreePath(path)).filter((path) => path !== undefined)
  const entries = await opened.repository.findEntries(opened.tree, paths)
  const files = await describeFiles(opened.repository, [...entries.values()])
  const only = files.filter(({ type }) => type === 'file')
  return new Map(only.map(({ path, oid, lfs }) => [path, lfs?.oid ?? oid]))
}
