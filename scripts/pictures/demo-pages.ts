/** Writes demo.png and explain.png: commands against a demo, and the page of its public model. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import { pythonClients } from '@latchkey/testing/tools/python-environments'
import type { Browser } from 'playwright-core'
import { runOnTerminal, terminalStyle } from './terminal.ts'

const hub = 'http://127.0.0.1:8080'
const model = 'acme/tiny-llama'

/** On the default ports, because they are in the pictures: it fails where one of them is taken. */
export async function photographDemo(browser: Browser, folder: string): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'latchkey-demo-'))
  const demo = serveDemo(cwd)
  try {
    const screen = await shownScreen(demo)
    const [token = ''] = screen.match(/lk_[0-9A-Za-z]{49}/) ?? []
    await photographUpload(browser, { cwd, token, path: join(folder, 'demo.png') })
    await photographExplain(browser, { cwd, token, path: join(folder, 'explain.png') })
  } finally {
    demo.kill('SIGTERM')
    await new Promise((done) => demo.once('close', done))
    rmSync(cwd, { recursive: true, force: true })
  }
}

interface Picture {
  readonly cwd: string
  readonly token: string
  readonly path: string
}

async function photographUpload(browser: Browser, { cwd, token, path }: Picture): Promise<void> {
  const env = {
    ...{ PATH: toolPath(), HOME: cwd, HF_ENDPOINT: hub, HF_TOKEN: token },
    ...{ HF_HUB_DISABLE_PROGRESS_BARS: '1', COLUMNS: '120' },
  }
  const run = (command: string) =>
    runOnTerminal(command, { cwd, env }).replaceAll(/^.*(?:Hint:|Still waiting).*\n/gm, '')
  const text = [
    run('date > now.txt'),
    run(`hf upload ${model} now.txt`).replace(/(commit\/[0-9a-f]{12})[0-9a-f]+/, '$1…'),
    run(`hf download ${model} --local-dir llama`).replaceAll(`${cwd}/`, '~/'),
    run('ls llama'),
    run(explainCommand).trimEnd(),
  ]
  const repository = await photographPage(browser, `${hub}/${model}`)
  const html = `<style>${terminalStyle}
  body { margin: 0; display: flex; gap: 16px; align-items: stretch; font-size: 0 }
  .terminal { width: 660px; flex: none }
  .page { border: 1px solid #d1d9e0; border-radius: 8px; overflow: hidden; flex: none; height: 478px }
  .page img { display: block; width: 560px }
</style><div class="terminal"><pre>${text.join('')}</pre></div><div class="page"><img src="data:image/png;base64,${repository}"></div>`
  await photographHtml(browser, { html, path, width: 1242 })
}

const explainCommand = 'latchkey explain token write models/acme/tiny-llama --as guest --demo'

async function photographExplain(browser: Browser, { cwd, path }: Picture): Promise<void> {
  const env = { PATH: toolPath(), HOME: cwd }
  const command =
    'latchkey explain token write models/acme/tiny-llama@release/1.0 --as ci-bot --demo'
  const html = `<style>${terminalStyle} body { margin: 0 }</style><div class="terminal"><pre>${runOnTerminal(command, { cwd, env }).trimEnd()}</pre></div>`
  await photographHtml(browser, { html, path, width: 860 })
}

interface HtmlPicture {
  readonly html: string
  readonly path: string
  readonly width: number
}

async function photographHtml(browser: Browser, { html, path, width }: HtmlPicture): Promise<void> {
  const viewport = { width, height: 200 }
  const page = await browser.newPage({ viewport, deviceScaleFactor: 1.3 })
  await page.setContent(`<!doctype html>${html}`)
  await page.locator('body').screenshot({ path, omitBackground: true })
  await page.close()
  console.log(path)
}

/** In base64. */
async function photographPage(browser: Browser, url: string): Promise<string> {
  const viewport = { width: 720, height: 643 }
  const page = await browser.newPage({ viewport, deviceScaleFactor: 1.5, colorScheme: 'light' })
  await page.goto(url)
  const bytes = await page.screenshot()
  await page.close()
  return bytes.toString('base64')
}

function serveDemo(cwd: string): ChildProcess {
  return spawn(process.execPath, [latchkeyBin, 'serve', '--demo'], {
    cwd,
    env: { PATH: toolPath(), HOME: cwd },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Our command, `hf`, and the programs of the machine. */
function toolPath(): string {
  const commands = join(import.meta.dirname, '../../node_modules/.bin')
  const hf = dirname(pythonClients.at(-1)?.python ?? '')
  return [commands, hf, process.env['PATH']].join(delimiter)
}

function shownScreen(demo: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let screen = ''
    demo.stdout?.setEncoding('utf8').on('data', (text: string) => {
      screen += text
      if (screen.includes('Ctrl+C')) done(screen)
    })
    demo.once('close', () => fail(new Error(`the demo ended: ${screen}`)))
  })
}
