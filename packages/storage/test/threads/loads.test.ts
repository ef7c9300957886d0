/** A thread marks all that it has loaded whenever it collects garbage, once for every 64 MB that it reads. */

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const sources = join(import.meta.dirname, '../../src')
const recorder = `
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  await import(process.argv[1])
  console.log(urls.join('\\n'))
`

function loadedBy(work: string): string {
  const script = ['--input-type=module', '--eval', recorder, join(sources, work)]
  return execFileSync(process.execPath, script, { encoding: 'utf8' })
}

test.each(['checking/xorb-work.ts', 'files/content-work.ts'])(
  '%s loads no database and no backup',
  (work) => {
    const loaded = loadedBy(work)
    expect(loaded).toContain('/objects/disk/disk-store.ts')
    expect(loaded).not.toMatch(/kysely|service\/src\/(?:database|backup)|carry-objects/)
  },
)
