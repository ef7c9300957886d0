/** Whether git is here for the forge, and whether the repositories fit the directory. */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Check,
  type Finding,
  goodFinding,
  warningFinding,
  wrongFinding,
} from '@latchkey/service/checks'
import { typedWord } from '@latchkey/service/text'
import { markersFolder } from '../commits/markers.ts'
import {
  type Damage,
  findDamage,
  findGit,
  inspectRepositories,
  repositoriesFolder,
} from '../git/index.ts'

/** A look at all of them may take hours. */
const maxChecked = 5
const checkDeadlineMs = 10_000

export interface ForgeInstallation {
  readonly forge: {
    /** The data directory of the hub. */
    readonly data: string
    /** False where the settings turn it off. */
    readonly isServed: boolean
  }
  /** Runs the check with the uids of the directory's repositories; says why where that cannot be read. */
  readonly withRepositoryUids: (
    run: (uids: ReadonlySet<string>) => readonly Finding[],
  ) => Promise<readonly Finding[]>
}

export const repositories: Check<ForgeInstallation> = {
  name: 'repositories',
  async run({ forge: { data, isServed }, withRepositoryUids }) {
    const folder = repositoriesFolder(data)
    const found = await inspectRepositories(folder)
    if (found === undefined && !isServed) return []
    const git = await findGit().catch((error: unknown) => error)
    if (git instanceof Error || typeof git !== 'object' || git === null || !('program' in git)) {
      return [noGit(git, isServed)]
    }
    const { program, version } = git as Awaited<ReturnType<typeof findGit>>
    const uids = found?.uids ?? []
    const damaged = await Promise.all(
      uids.slice(0, maxChecked).map((uid) => findDamage({ program, folder }, uid, checkDeadlineMs)),
    )
    const wrongs = damaged.flatMap((one) => (typeof one === 'string' ? [] : [isDamaged(one.found)]))
    const others = await withRepositoryUids((knownUids) => unknownOnes(knownUids, uids, folder))
    const marked = pendingIn(data)
    const left = marked > 0 ? [isPending(marked)] : []
    if (wrongs.length + others.length + left.length > 0) return [...wrongs, ...others, ...left]
    const summary = `${uids.length} repositories, all known to the directory`
    return [goodFinding(`git ${version} is here; ${summary}${lookedThrough(damaged, uids.length)}`)]
  },
}

/** The others may lack objects, and the operator must know. */
function lookedThrough(damaged: readonly Damage[], all: number): string {
  const whole = damaged.filter((one) => one === 'none').length
  if (whole === all) return all === 0 ? '' : '; no object is missing'
  return `; ${whole} of them were looked through, and no object is missing. For the others run git fsck --connectivity-only`
}

function noGit(error: unknown, isServed: boolean): Finding {
  const reason = error instanceof Error ? error.message : String(error)
  const found = `repositories cannot be served: ${reason}`
  const todo = 'Install git, or serve without --forge; everything else runs.'
  return isServed ? wrongFinding(found, todo) : warningFinding(found, todo)
}

function isDamaged(found: string): Finding {
  return wrongFinding(
    found,
    'Stop the hub, and restore a backup; clones of the repository may have what is missing.',
  )
}

function unknownOnes(
  knownUids: ReadonlySet<string>,
  uids: readonly string[],
  folder: string,
): readonly Finding[] {
  const unknown = uids.filter((uid) => !knownUids.has(uid))
  const [first] = unknown
  if (first === undefined) return []
  const example = typedWord(join(folder, `${first}.git`))
  return [
    warningFinding(
      `${unknown.length} repositories in ${folder} are not in the directory, such as ${example}`,
      'The next start removes those that were deleted. Others are of another database: look at --database, or move them away.',
    ),
  ]
}

function isPending(marked: number): Finding {
  return warningFinding(
    `${marked} repositories were being changed when a hub ended`,
    'The next start of the hub brings them to what the directory has; while a hub runs, look again.',
  )
}

function pendingIn(data: string): number {
  try {
    return readdirSync(markersFolder(data)).length
  } catch {
    return 0
  }
}
