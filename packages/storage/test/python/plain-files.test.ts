/** The client in Python against a hub and a storage: whole files, over connections that break. */

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { keystream } from '@latchkey/testing/keystream'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { isInstalled, pythonVerifier } from '@latchkey/testing/tools/python-environments'
import { expect, onTestFinished, test } from 'vitest'
import { openStage } from '../real-clients/stage.ts'

const isMissing = !isInstalled(pythonVerifier)
if (isMissing) {
  console.warn(`NOT TESTED: the packages of ${pythonVerifier.name} are not installed`)
}

const root = resolve(import.meta.dirname, '../../../..')
/** More than the storage takes at once. */
const content = keystream('plain files', 9 * 1024 * 1024 + 77)

// conformance: Embedded storage / Unmodified clients upload and download
test.skipIf(isMissing)(
  'latchkey-client uploads and downloads whole files, and goes on where a connection broke',
  async () => {
    const folder = temporaryFolder()
    const stage = await openStage()
    onTestFinished(stage.close)
    writeFileSync(join(folder, 'sent'), content)
    const { hub, hubTokens } = stage
    const child = spawn(pythonVerifier.python, [join(import.meta.dirname, 'plain_files.py')], {
      env: {
        PYTHONPATH: join(root, 'clients/python-client/src'),
        PYTHONPYCACHEPREFIX: join(root, 'node_modules/.cache/latchkey-python'),
      },
    })
    child.stdin.end(JSON.stringify({ hub: hub.url, token: hubTokens['writer/write'], folder }))
    const [printed, complaints] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(complaints).toBe('')
    const sha256 = createHash('sha256').update(content).digest('hex')
    const file = { hash: expect.stringMatching(/^[0-9a-f]{64}$/), sha256, size: content.length }
    expect(JSON.parse(printed)).toEqual([file, file, 200, file, 200])
    expect(readFileSync(join(folder, 'by-threads')).equals(content)).toBe(true)
    expect(readFileSync(join(folder, 'by-tasks')).equals(content)).toBe(true)
    expect(readFileSync(join(folder, 'empty')).length).toBe(0)

    const calls = stage.door.passed.map(({ call, status }) => `${call} ${status}`)
    // The first request of each kind was broken off, and the second one had less to send.
    expect(calls).toContain('HEAD /v1/files 200')
    expect(calls.filter((call) => /^GET .* 206$/.test(call))).toHaveLength(1)
  },
)
