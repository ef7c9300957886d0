/** Writes the pictures in docs/images: the pages of a hub and its storage, as a browser shows them. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { openBrowser } from '@latchkey/testing/browser/open-browser'
import { freePort } from '@latchkey/testing/machine/free-port'
import { latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'

const images = resolve(import.meta.dirname, '../docs/images')
const ports = { hub: await freePort(), storage: await freePort() }
const home = mkdtempSync(join(tmpdir(), 'latchkey-screenshots-'))
const service = serve()
try {
  await untilReady(service)
  mkdirSync(images, { recursive: true })
  await photograph()
} finally {
  service.kill('SIGTERM')
  rmSync(home, { recursive: true, force: true })
}

/** Under the names that the documentation uses, so that no port of this machine is in a picture. */
function serve(): ChildProcess {
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
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('ready at')) done()
    })
    child.once('close', () => fail(new Error(said)))
  })
}

async function photograph(): Promise<void> {
  const browser = await openBrowser()
  try {
    for (const [name, port] of Object.entries(ports)) {
      const page = await browser.newPage({ viewport: { width: 720, height: 320 } })
      await page.goto(`http://127.0.0.1:${port}/`)
      const path = join(images, `${name}-page.png`)
      await page.screenshot({ path, fullPage: true })
      console.log(relative(process.cwd(), path))
    }
  } finally {
    await browser.close()
  }
}
