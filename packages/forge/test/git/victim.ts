/** Makes one commit when it is told to: the process that a test kills. The folder and its turn are arguments. */

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCommitHash } from '@latchkey/protocol'
import { addFile, commitEdits, main, openWorld, path } from './world.ts'

const [, , folder = '', round = '', from = ''] = process.argv
const before = parseCommitHash(from)
if (before === undefined) throw new Error('no commit to begin with')
const { git, repository } = await openWorld(folder)
// What it reads with is open, as in a process that has run for a while.
const deleted = await repository.listTree((await repository.treeOf(before)) ?? before, { limit: 1 })

process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))

const large = await addFile(repository, `folder/${round}`, round.repeat(100_000))
const small = await addFile(repository, `${round}`, round)
const gone = deleted?.entries.map((entry) => ({ kind: 'delete' as const, path: path(entry.path) }))
const edits = [large, small, ...(gone ?? []).slice(0, 1)]
const commit = await commitEdits(repository, edits, { parents: [before], message: round })
const prepared = await repository.prepareRefs([{ ref: main, old: before, new: commit }])
if (!prepared.ok) throw new Error(prepared.conflict)
// The directory's transaction.
writeFileSync(join(folder, 'directory.new'), commit)
renameSync(join(folder, 'directory.new'), join(folder, 'directory'))
await prepared.commit()
git.close()
process.stdout.write('done\n')
process.exit()
