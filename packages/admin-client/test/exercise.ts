/** What programs do with the admin client, in any runtime: told in one line of JSON. */

import { createAdminClient, everyEntry, LatchkeyError } from '@latchkey/admin-client'

const [hubUrl = ''] = process.argv.slice(2)
const admin = createAdminClient({ hubUrl, hubToken: 'of-the-test' })

const names: string[] = []
for await (const { name } of everyEntry(admin.accountList, {})) names.push(name)
const { token } = await admin.hubTokenCreate({ account: 'ada', name: 'ci', kind: 'read' })
const error = await admin.accountDelete({ account: 'eve' }).catch((error) => error)
const code = error instanceof LatchkeyError ? error.code : String(error)

console.log(JSON.stringify({ names, token, code }))
