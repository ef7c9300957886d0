/** Writes hub-page.png: the status page of a hub. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import type { Browser } from 'playwright-core'

export async function photographHub(browser: Browser, folder: string): Promise<void> {
  const ports = { hub: await freePort(), storage: await freePort() }
  const home = mkdtempSync(join(tmpdir(), 'latchkey-screenshots-'))
  const service = serve(home, ports)
  try {
    await untilReady(service)
    const page = await browser.newPage({ viewport: { width: 720, height: 320 } })
    await page.goto(`http://127.0.0.1:${ports.hub}/`)
    const path = join(folder, 'hub-page.png')
    await page.screenshot({ path, fullPage: true })
    console.log(path)
  } finally {
    service.kill('SIGTERM')
    rmSync(home, { recursive: true, force: true })
  }
}

/** Under the names that the documentation uses, so that no port of this machine is in a picture. */
function serve(home: string, ports: Readonly<Record<'hub' | 'storage', number>>): ChildProcess {
  const addresses = [
    ...['--port', `${ports.hub}`, '--storage-port', `${ports.storage}`],
    ...['--public-url', 'https://hub.example'],
    ...['--cas-url', 'https://cas.example/r/{repo}/{ref}'],
  ]
  return spawn(process.execPath, [latchkeyBin, 'serve', ...addresses], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((done, fail) => {
    let log = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text
      if (log.includes('ready at')) done()
    })
    child.once('close', () => fail(new Error(log)))
  })
}
