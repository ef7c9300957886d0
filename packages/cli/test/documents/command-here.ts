/**
 * A program `latchkey` for a terminal. What ends by itself runs in the process of the test: one of its own takes most of its
 * time to load. In a soak every command is a process.
 */

import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { latchkeyHere } from '../run-here.ts'
import { inShell, putCommand } from '../run-latchkey.ts'

/** Gives the function that ends it; the program is in the folder, for a PATH with it. */
export async function putCommandHere(folder: string): Promise<() => void> {
  if (rounds(0, 1) === 1) {
    putCommand(folder)
    return () => {}
  }
  const server = createServer((caller) => void answer(folder, caller))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  writeFileSync(join(folder, 'latchkey'), script(folder, port), { mode: 0o755 })
  return () => void server.close()
}

/**
 * Servers and followers are processes. Standard input is for the next command, unless this one reads it. The shell does the
 * rest by itself: programs like mktemp, env and cat take longer than the command.
 */
const script = (folder: string, port: number) => `#!/usr/bin/env bash
case "$*" in
  *--help*) ;;
  serve* | gate* | 'storage serve'* | 'forge serve'* | *--follow*) exec ${inShell} "$@" ;;
esac
call='${folder}/call-'$$
case "$*" in
  login* | 'ref update'* | 'revoke token'* | *' -') cat > "$call.input" ;;
  *) : > "$call.input" ;;
esac
printf '%s\\0' "$@" > "$call.words"
for name in $(compgen -e); do printf '%s\\0' "$name=\${!name}"; done > "$call.env"
exec 3<> /dev/tcp/127.0.0.1/${port}
echo "$call" >&3
read -r code <&3 || exit 70
shown() { IFS= read -r -d '' text < "$1"; printf '%s' "$text"; }
shown "$call.stdout"
shown "$call.stderr" >&2
exit "$code"
`

async function answer(folder: string, caller: Socket): Promise<void> {
  caller.on('error', () => {})
  const [line] = await once(caller, 'data')
  const call = String(line).trim()
  const code = call.startsWith(folder) ? await runCall(call).catch(() => undefined) : undefined
  caller.end(code === undefined ? '' : `${code}\n`)
}

/** Gives the status of its end. */
async function runCall(call: string): Promise<number | null> {
  const read = (name: string) => readFileSync(`${call}.${name}`, 'utf8')
  const parts = (name: string) => read(name).split('\0').slice(0, -1)
  const env = Object.fromEntries(
    parts('env').map((each) => {
      const [name = ''] = each.split('=', 1)
      return [name, each.slice(name.length + 1)]
    }),
  )
  const before = process.umask(0o077)
  try {
    const around = { cwd: env['PWD'] ?? '', env, input: read('input') }
    const { code, ...shown } = await latchkeyHere(parts('words'), around)
    for (const [name, value] of Object.entries(shown)) writeFileSync(`${call}.${name}`, value)
    return code
  } finally {
    process.umask(before)
  }
}
