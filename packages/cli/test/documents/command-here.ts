/**
 * A program `latchkey` for a terminal. What ends by itself runs in the process of the test: one of its own takes most of its
 * time to load. In a soak every command is a process.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
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
  const socket = join(folder, 'socket')
  const server = createServer(async (request, response) => {
    await runCall(join(folder, request.url ?? '')).catch((error) => response.destroy(error))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  writeFileSync(join(folder, 'latchkey'), script(folder, socket), { mode: 0o755 })
  return () => void server.close()
}

/** Servers and followers are processes. Standard input is for the next command, unless this one reads it. */
const script = (folder: string, socket: string) => `#!/bin/sh
case "$*" in
  *--help*) ;;
  serve* | gate* | 'storage serve'* | *--follow*) exec ${inShell} "$@" ;;
esac
call=$(mktemp -d -p '${folder}')
case "$*" in
  login* | 'ref update'* | 'revoke token'* | *' -') cat > "$call/input" ;;
  *) : > "$call/input" ;;
esac
printf '%s\\0' "$@" > "$call/words"
env -0 > "$call/env"
curl -sS --unix-socket '${socket}' "http://here/\${call##*/}" || exit 70
cat "$call/stdout"
cat "$call/stderr" >&2
exit "$(cat "$call/code")"
`

async function runCall(call: string): Promise<void> {
  const read = (name: string) => readFileSync(join(call, name), 'utf8')
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
    const ended = await latchkeyHere(parts('words'), around)
    for (const [name, value] of Object.entries(ended)) writeFileSync(join(call, name), `${value}`)
  } finally {
    process.umask(before)
  }
}
