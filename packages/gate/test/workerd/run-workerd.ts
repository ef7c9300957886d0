/** A worker in workerd, the runtime of Cloudflare, on a free port of this machine. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { build } from 'vite'

export interface RunningWorkerd {
  readonly url: string
  /** All that the runtime and the worker have printed. */
  printed(): string
  stop(): Promise<void>
}

/** The oldest date on which workerd behaves as the gate needs it. */
const compatibilityDate = '2024-09-23'

export async function runWorkerd(
  program: string,
  entry: string,
  env: Readonly<Record<string, string>>,
  alias: Readonly<Record<string, string>> = {},
): Promise<RunningWorkerd> {
  const folder = sharedFolder()
  writeFileSync(join(folder, 'worker.mjs'), await bundleOf(entry, alias))
  writeFileSync(join(folder, 'config.capnp'), configOf(env))
  const child = spawn(program, ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const exited = once(child, 'exit')
  const [line] = await Promise.race([
    once(createInterface(child.stdio[3] as NodeJS.ReadableStream), 'line'),
    exited.then(() => Promise.reject(new Error(`workerd does not start: ${printed}`))),
  ])
  return {
    url: `http://127.0.0.1:${JSON.parse(line).port}`,
    printed: () => printed,
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function bundleOf(entry: string, alias: Readonly<Record<string, string>>): Promise<string> {
  const built = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    resolve: { alias, conditions: ['@latchkey/source', 'workerd', 'worker', 'module'] },
    build: {
      write: false,
      target: 'es2024',
      minify: false,
      lib: { entry, formats: ['es'] },
      rolldownOptions: { external: (id) => isBuiltin(id) },
    },
  })
  const [output] = [built].flat()
  if (output === undefined || !('output' in output)) throw new Error('vite has built nothing')
  return output.output[0].code
}

function configOf(env: Readonly<Record<string, string>>): string {
  const bindings = Object.entries(env).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)})`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  bindings = [${bindings.join(', ')}],
  compatibilityDate = "${compatibilityDate}",
  compatibilityFlags = ["nodejs_compat", "nodejs_compat_populate_process_env"],
);
`
}
