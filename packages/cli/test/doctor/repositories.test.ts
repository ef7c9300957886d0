/** What the doctor says of the repositories of a forge: also how many of them it has looked through. */

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openGit } from '@latchkey/forge/git'
import { asRepositoryUid } from '@latchkey/protocol'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'

const isGitThere = spawnSync('git', ['--version']).status === 0

interface Finding {
  readonly check: string
  readonly result: string
}

test.skipIf(!isGitThere)(
  'objects are looked for in five repositories, and the line says so',
  async () => {
    const cwd = temporaryFolder()
    const data = join(cwd, 'data')
    // A relative folder, as by default.
    const around = { cwd, env: { LATCHKEY_DATA: 'data', LATCHKEY_PORT: '1' } }
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const input = JSON.stringify({
      namespaces: [{ name: 'acme' }],
      repositories: names.map((name) => ({ type: 'model', id: `acme/${name}` })),
    })
    await latchkeyHere(['apply', '-'], { ...around, input })
    const shown = await latchkeyHere(['repo', 'list', '--json'], around)
    const uids = (JSON.parse(shown.stdout) as { items: { uid: string }[] }).items.map(
      ({ uid }) => uid,
    )
    const git = await openGit({ folder: join(data, 'repositories') })
    for (const uid of uids) await git.create(asRepositoryUid(uid))
    git.close()
    const look = async () => {
      const { stdout } = await latchkeyHere(['doctor', '--forge', '--json'], around)
      const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
      return findings.filter(({ check }) => check === 'repositories')
    }
    expect(JSON.stringify(await look())).toMatch(
      /"good".*6 repositories, all known to the directory; 5 of them were looked through, and no object is missing\. For the others run git fsck/,
    )
    for (const uid of uids) {
      const main = join(data, 'repositories', `${uid}.git`, 'refs', 'heads', 'main')
      writeFileSync(main, `${'12'.repeat(20)}\n`)
    }
    expect((await look()).map(({ result }) => result)).toEqual(Array(5).fill('wrong'))
  },
)
