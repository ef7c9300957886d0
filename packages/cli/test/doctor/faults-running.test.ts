/** Every fault that shows while something runs, made for real, and the line that it gets. */

import { copyFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Flags } from '../../src/configuration/read-configuration.ts'
import { latchkeyHere } from '../run-here.ts'
import type { Serving } from '../run-latchkey.ts'
import { childOf } from '../serve/child-of.ts'
import { bothHere, hubHere, storageHere } from '../serve-here.ts'
import {
  dayMs,
  examine,
  examineAhead,
  hourMs,
  type Installation,
  installations,
  remove,
  serve,
  untilReady,
  writeTo,
} from './installation.ts'

const installation = installations()
const patience = 180_000
/** An examination takes much of a processor, here and at the hub. */
const settling = { timeout: 180_000, interval: 1500 }

/** One hub for the tests that leave it as it was. */
const running = (() => {
  const folder = sharedFolder()
  let shared: { readonly here: Installation; readonly hub: Serving } | undefined
  beforeAll(async () => {
    const here = await installation(folder)
    let close = async () => {}
    const hub = await serve(here, undefined, (closing) => {
      close = closing
    })
    shared = { here, hub }
    return close
  }, patience)
  return () => {
    if (shared === undefined) throw new Error('the hub was not started')
    return shared
  }
})()

/** Without a storage, until the test is over. */
async function hubAlone({ data, port }: Installation, more: Flags = {}): Promise<void> {
  const hub = await hubHere(data, { port: `${port}`, storage: false, ...more })
  onTestFinished(() => hub.stop())
}

/** Stopped as by Ctrl+Z; goes on when the test is over, however that ends: a stopped process outlives its parent. */
function stop(pid: number): void {
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(pid, 'SIGCONT'))
}

/** A service that is not ours; answers by path. */
function answering(answers: Readonly<Record<string, string>>): Promise<number> {
  return listening((request, response) => {
    response.end(answers[request.url ?? ''] ?? '<p>It works!</p>')
  })
}

async function listening(serve: RequestListener): Promise<number> {
  const server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('the hub', () => {
  test('is another program', async () => {
    const here = await installation()
    const port = await answering({})
    const { of } = await examine(here, ['--port', `${port}`])
    expect(of('wrong')).toEqual([`hub: the program at http://127.0.0.1:${port} is not a hub`])
  })

  test('is another program, whose answer does not end', async () => {
    const here = await installation()
    const port = await listening((_, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536, 'a')));
      }
      response.on('drain', more)
      more()
    })
    const { of } = await examine(here, ['--port', `${port}`])
    expect(of('wrong')).toEqual([`hub: the program at http://127.0.0.1:${port} is not a hub`])
  })

  test('has another version than the command, which is a warning', async () => {
    const here = await installation()
    const port = await answering({
      '/healthz': '{"status":"ok"}',
      '/readyz': '{"status":"ready","storage":"ready"}',
      '/openapi.json': '{"info":{"version":"99.0.0"}}',
    })
    const { of } = await examine(here, ['--port', `${port}`])
    expect([of('wrong'), of('warning')]).toEqual([
      [],
      [expect.stringMatching(/^hub: .* has version 99\.0\.0, and this command \d/)],
    ])
  })

  test(
    'is stopped: it listens, and answers nobody',
    async () => {
      const { here, hub } = running()
      stop(hub.child.pid ?? 0)
      const { of } = await examine(here)
      expect(of('wrong')).toEqual([
        `hub: http://127.0.0.1:${here.port} does not respond: no answer within 5 s`,
      ])
    },
    patience,
  )

  test(
    'is an hour behind this machine, or ahead of it',
    async () => {
      const { here } = running()
      expect((await examineAhead(here, hourMs)).of('wrong')).toContainEqual(
        expect.stringMatching(/^clock: the hub is (?:59|60) minutes behind this machine$/),
      )
      expect((await examineAhead(here, -hourMs)).of('wrong')).toContainEqual(
        expect.stringMatching(/^clock: the hub is (?:59|60) minutes ahead of this machine$/),
      )
    },
    patience,
  )
})

describe('the signing keys', () => {
  test('have none that signs while the hub does not run, which is a warning', async () => {
    const here = await installation()
    writeTo(here.data, 'latchkey.db', "DELETE FROM signing_keys WHERE purpose = 'tokens'")
    const { of } = await examine(here)
    expect([of('wrong'), of('warning')[0]]).toEqual([
      [],
      'signing keys: no key signs storage tokens',
    ])
  })
})

describe('the embedded storage', () => {
  test(
    'is stopped, and behind the journal; when it goes on, all is well again',
    async () => {
      const { here, hub } = running()
      const storage = childOf(hub.child.pid)
      stop(storage)
      await latchkeyHere(['account', 'create', 'bob'], here)
      const { of } = await examine(here)
      expect(of('wrong')).toEqual([
        'storage: its process does not respond, or is not ready',
        expect.stringMatching(/^following: the storage is \d+ entries of the journal behind$/),
      ])
      process.kill(storage, 'SIGCONT')
      await untilReady(hub.url)
      await vi.waitFor(async () => expect((await examine(here)).of('wrong')).toEqual([]), settling)
    },
    patience,
  )

  test(
    'is not run by the hub, though these settings have one',
    async () => {
      const here = await installation()
      await hubAlone(here)
      await latchkeyHere(['account', 'create', 'bob'], here)
      expect((await examine(here)).of('wrong')[0]).toBe(
        'storage: the hub runs without a storage, and these settings have one',
      )
    },
    patience,
  )

  test(
    'has followed a journal of which an older copy was put back: told before the start and after it',
    async () => {
      const here = await installation()
      copyFileSync(join(here.data, 'latchkey.db'), join(here.cwd, 'old.db'))
      const first = await bothHere(here.data)
      await latchkeyHere(['account', 'create', 'bob'], here)
      await vi.waitFor(
        async () =>
          expect((await examine(here)).of('good')).toContainEqual(
            expect.stringMatching(/^following: the storage has followed the journal to its end/),
          ),
        settling,
      )
      await first.stop()
      remove(here.data, 'latchkey.db', 'latchkey.db-wal', 'latchkey.db-shm')
      copyFileSync(join(here.cwd, 'old.db'), join(here.data, 'latchkey.db'))
      expect((await examine(here)).of('wrong')).toEqual([
        expect.stringMatching(
          /^following: the storage has heard of entry \d+, and the journal of the hub ends at \d+$/,
        ),
      ])
      await serve(here)
      await vi.waitFor(
        async () =>
          expect((await examine(here)).of('wrong')).toEqual([
            expect.stringMatching(/^following: the storage may have missed removals/),
          ]),
        settling,
      )
    },
    patience,
  )
})

describe('a storage that runs alone', () => {
  const apart = async (): Promise<Installation & { readonly address: string }> => {
    const here = await installation()
    const port = await freePort()
    const address = `http://127.0.0.1:${port}/r/{repo}/{ref}`
    const flags = ['--port', `${here.port}`, '--no-storage', '--cas-url', address]
    return { ...here, flags, address }
  }
  const serveStorage = async (
    { cwd, port, address }: Installation & { readonly address: string },
    credential: string,
  ) => {
    const storage = await storageHere(
      {
        ...{ hub: `http://127.0.0.1:${port}`, casUrl: address },
        ...{ port: new URL(address).port, data: join(cwd, 'latchkey-storage-data') },
      },
      { LATCHKEY_STORAGE_CREDENTIAL: credential },
    )
    onTestFinished(storage.stop)
  }
  const stranger = `lk_${'c'.repeat(49)}`

  test('does not answer, which is a warning: clients may reach it from where they are', async () => {
    const here = await apart()
    const { of } = await examine(here)
    expect([of('wrong'), of('warning').at(-1)]).toEqual([
      [],
      expect.stringMatching(
        /^storage: http:\/\/127\.0\.0\.1:\d+ does not respond to this machine: ECONNREFUSED$/,
      ),
    ])
  })

  test('answers and does not say whether it is ready, because it is none of ours', async () => {
    const here = await apart()
    const port = await answering({})
    const { of } = await examine(here, ['--cas-url', `http://127.0.0.1:${port}`])
    expect([of('wrong'), of('skipped')]).toEqual([
      [],
      [`storage: http://127.0.0.1:${port} responds, but does not report whether it is ready`],
    ])
  })

  test(
    'has no hub and is not ready; then it has one that refuses it',
    async () => {
      const here = await apart()
      await serveStorage(here, stranger)
      expect((await examine(here)).of('wrong')).toEqual([
        expect.stringMatching(/^storage: .* is not ready, or does not reach its hub$/),
      ])
      await hubAlone(here, { casUrl: here.address })
      await vi.waitFor(
        async () =>
          expect((await examine(here)).of('wrong')).toEqual([
            expect.stringMatching(/^storage: the hub of .* rejects its credential$/),
          ]),
        settling,
      )
    },
    patience,
  )

  test(
    'follows its hub, and all is well',
    async () => {
      const here = await apart()
      const words = ['hub-token', 'create', 'ada', 'link', '--kind', 'storage', '--json']
      const { stdout } = await latchkeyHere(words, here)
      await hubAlone(here, { casUrl: here.address })
      await serveStorage(here, JSON.parse(stdout).token)
      await vi.waitFor(async () => {
        const { of } = await examine(here)
        expect([of('wrong'), of('warning')]).toEqual([[], []])
        expect(of('good').at(-1)).toMatch(/^storage: .* is ready, and follows this hub$/)
      }, settling)
    },
    patience,
  )
})

/** The last with the hub that tests share, which lacks a key from here on. */
describe('the signing keys of a hub that runs', () => {
  test(
    'have none that signs, or one whose successor is late, while the hub runs',
    async () => {
      const { here } = running()
      // By this clock the hub has missed the step for days.
      expect((await examineAhead(here, 50 * dayMs)).of('wrong')).toContainEqual(
        expect.stringMatching(
          /^signing keys: a step is due since [45] days: .{8}… gets a successor$/,
        ),
      )
      writeTo(here.data, 'latchkey.db', "DELETE FROM signing_keys WHERE purpose = 'revocations'")
      expect((await examine(here)).of('wrong')).toEqual(['signing keys: no key signs revocations'])
    },
    patience,
  )
})

/** From here on it does not work at all. */
describe('the hub that has run until now', () => {
  test(
    'has lost a table of its database, and is not ready',
    async () => {
      const { here } = running()
      writeTo(here.data, 'latchkey.db', 'ALTER TABLE settings RENAME TO gone')
      const { of } = await examine(here)
      expect(of('wrong')).toContainEqual(
        expect.stringMatching(/^hub: .* responds, but is not ready: The database does not answer/),
      )
    },
    patience,
  )
})
