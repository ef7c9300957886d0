/** The release command: shows a release, makes it on this machine, verifies it or publishes it. */

import { parseArgs } from 'node:util'
import { release, releaseFolder } from './release/make-release.ts'
import type { Refused } from './release/plan.ts'
import { publish } from './release/publish.ts'
import { verify } from './release/verify.ts'
import { isVersion } from './release/version.ts'

const usage = `Usage: npm run release -- [VERSION | major | minor | patch] [--dry-run] [--branch NAME]
       npm run release -- --verify VERSION
       npm run release -- --publish VERSION`

// Modes of files are part of a tarball, and must not depend on who makes it.
process.umask(0o022)

const refused = run(process.cwd(), process.argv.slice(2))
if (refused !== undefined) {
  console.error(refused.refusal)
  process.exitCode = 1
}

function run(root: string, words: string[]): Refused | undefined {
  // npm keeps options that stand before the two hyphens, and the release would be made.
  if (process.env['npm_config_dry_run'] === 'true') {
    return { refusal: 'npm has kept --dry-run for itself. Run: npm run release -- --dry-run' }
  }
  const [first, version = '', ...more] = words
  if (first === '--verify' || first === '--publish') {
    if (!isVersion(version) || more.length > 0) return { refusal: usage }
    const job = first === '--verify' ? verify : publish
    return job(root, releaseFolder(root, version), version)
  }
  const read = readWords(words)
  if (read === undefined || read.positionals.length > 1) return { refusal: usage }
  const { positionals, values } = read
  return release(root, {
    word: positionals[0],
    branch: values.branch,
    isDryRun: values['dry-run'],
    date: new Date().toISOString().slice(0, 10),
  })
}

function readWords(args: string[]) {
  const options = {
    'dry-run': { type: 'boolean', default: false },
    branch: { type: 'string', default: 'main' },
  } as const
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch {
    return undefined
  }
}
