// Runs the command on the Node that npm has installed beside it, when the Node that was called is too old.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

const bin = dirname(fileURLToPath(import.meta.url))

// As a package of this workspace; as a package of its own; as a package among others. No folder above is searched:
// another user may write there.
const places = ['../../../node_modules', '../node_modules', '../..']

/** False when there is no other Node. */
export function runOnNewerNode() {
  const node = places.map((place) => join(bin, place, '.bin/node')).find((file) => existsSync(file))
  if (node === undefined || realpathSync(node) === realpathSync(process.execPath)) return false
  const command = [join(bin, 'below-old-node.js'), ...process.argv.slice(2)]
  // The channel closes when this process is killed.
  const child = spawn(node, command, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  child.on('error', (error) => {
    process.stderr.write(`latchkey: ${node} cannot be run: ${error.message}\n`)
    process.exitCode = 3
  })
  const passOn = (signal) => child.kill(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) {
    // Ctrl+C reaches both processes; passed on, it would count twice.
    process.on(signal, signal === 'SIGINT' && isatty(0) ? () => {} : passOn)
  }
  child.on('exit', (code, signal) => {
    for (const one of signals) process.removeAllListeners(one)
    if (signal === null) process.exitCode = code
    else process.kill(process.pid, signal)
  })
  return true
}
