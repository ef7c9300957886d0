/** Downloads the modules that an example in Go needs. `go.sum` pins their bytes. */

import { findGo, goExample, goModulePath } from '@latchkey/testing/tools/go-program'
import { run } from './run.ts'

export async function installFromGo(): Promise<void> {
  const go = findGo()
  if (go === undefined) return
  const env = { ...process.env, GOPATH: goModulePath, GOFLAGS: '-modcacherw', GOWORK: 'off' }
  await run(go, ['mod', 'download'], { cwd: goExample, env })
}
