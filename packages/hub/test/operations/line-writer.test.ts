/** The log of a hub on standard output, to its last line. */

import { askHub } from '@latchkey/testing/hub/ask-hub'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { serve } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, describe, expect, test } from 'vitest'

const folder = sharedFolder()
let prepared: Prepared
beforeAll(async () => {
  prepared = await prepareData(folder)
})

describe('the writer of log lines', () => {
  test('loses none of the lines before a stop', async () => {
    const { data } = prepared
    const hub = await serve(['--no-storage', '--data', data, '--limits-failures-per-minute', '0'], {
      cwd: folder,
    })
    const paths = Array.from({ length: 100 }, (_, n) => `read models/acme/bert@branch-${n}`)
    await Promise.all(paths.map((path) => askHub(hub.url, path)))
    const { stdout } = await hub.end('SIGTERM')
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string })
    expect(events.filter(({ event }) => event === 'token_refused')).toHaveLength(100)
    expect(events.at(-1)).toMatchObject({ event: 'hub_stopped' })
  })

  test('goes on without a reader that went away, and so does the hub', async () => {
    const { data } = prepared
    const hub = await serve(['--no-storage', '--data', data], { cwd: folder })
    hub.child.stdout?.destroy()
    const paths = Array.from({ length: 60 }, (_, n) => `read models/acme/bert@branch-${n}`)
    const heard = await Promise.all(paths.map((path) => askHub(hub.url, path)))
    expect(new Set(heard.map(({ status }) => status))).toEqual(new Set([401]))
    expect((await hub.end('SIGTERM')).code).toBe(0)
  })
})
