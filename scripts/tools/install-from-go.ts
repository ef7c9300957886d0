/** Downloads what Go has: modules of an example, which `go.sum` pins, and an object store, which its own hash pins. */

import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { findGo, goExample, goModulePath } from '@latchkey/testing/tools/go-program'
import { versitygw } from '@latchkey/testing/tools/s3-stores'
import { run } from './run.ts'

const environment = {
  ...process.env,
  GOPATH: goModulePath,
  GOFLAGS: '-modcacherw',
  GOWORK: 'off',
}

export async function installModulesOfExample(): Promise<void> {
  const go = findGo()
  if (go === undefined) return
  await run(go, ['mod', 'download'], { cwd: goExample, env: environment })
}

/** The `go.sum` of the module pins what it needs. */
export async function installVersitygw(): Promise<void> {
  const go = findGo()
  if (go === undefined) return
  const { module, version, sum, folder } = versitygw
  mkdirSync(folder, { recursive: true })
  const options = { cwd: folder, env: { ...environment, GOBIN: folder, CGO_ENABLED: '0' } }
  const words = ['mod', 'download', '-json', `${module}@${version}`]
  const { stdout } = spawnSync(go, words, { ...options, encoding: 'utf8' })
  const found = stdout ? JSON.parse(stdout).Sum : undefined
  if (found !== sum) {
    console.error(`${module}@${version} is not what was pinned: ${found}. It is not used.`)
    return
  }
  const smaller = ['-trimpath', '-ldflags=-s -w']
  await run(go, ['install', ...smaller, `${module}/cmd/versitygw@${version}`], options)
}
