/** Who may turn a secret into text, and who may make a permit: short lists, kept by hand. */

import { codeOf, filesWith, sources } from '@latchkey/testing/source-files'
import { describe, expect, test } from 'vitest'

/** Each with its reason to see the text. */
const mayReveal: Readonly<Record<string, string>> = {
  'admin-client/src/wire/call-hub.ts': 'cuts the hub token out of what a hub responds',
  'admin-client/src/wire/secrets.ts':
    'sends a storage token that is to be revoked, and hands new hub tokens to who made them',
  'admin-api/src/nouns/hub-tokens.ts': 'shows a new hub token to who made it',
  'cli/src/client/current-login.ts': 'tells whether another command has replaced the login',
  'cli/src/client/device-login.ts': 'sends device code and refresh token to the hub of the login',
  'cli/src/client/job-login.ts': 'sends the id token of a CI job to its hub',
  'cli/src/client/own-things.ts':
    'sends the hub token of the login to its hub, and shows a new one to the person who made it',
  'cli/src/commands/token.ts': 'prints the access token for who asked for it',
  'cli/src/configuration/database-place.ts':
    'splits addresses of databases, and adds what the environment says to them',
  'cli/src/configuration/objects-kinds.ts':
    'gives the credentials of a bucket to the storage that uses it',
  'cli/src/credentials/credentials-file.ts':
    'writes a hub token, and what renews it, into the login file of its owner',
  'cli/src/demo/prepare-demo.ts': 'prints the hub tokens of the demo, and of no other data',
  'admin-api/src/link/forge-codec.ts': 'hands a storage token to the forge of its caller',
  'hub/src/link/tickets.ts': 'seals the session of a browser into a ticket',
  'cli/src/serve/forge-messages.ts': 'hands its credential to the process of the forge',
  'cli/src/serve/storage-messages.ts': 'hands its credential to the process of the storage',
  'client/src/hub/ask-hub.ts': 'sends the hub token to the hub',
  'client/src/hub/request-token.ts': 'cuts the hub token out of the errors of the hub',
  'client/src/identity/credential.ts': 'holds a hub token against the grammar and its predecessor',
  'client/src/storage/send-to-storage.ts': 'sends the access token to the storage',
  'forge/src/api/lfs-upload-batch.ts':
    'hands the access token to who uploads large files to the storage',
  'forge/src/large-files/proof.ts':
    'seals the access token into an address, for clients without credentials',
  'forge/src/link/ask-link.ts': 'sends the credential of the forge to its hub',
  'forge/src/large-files/ask-storage.ts': 'sends the access token to the storage',
  'gateway/src/gateway/assertion.ts': 'signs who is let in with the key shared with the storage',
  'gate/src/testing/hub-tokens.ts': 'gives a test the tokens of its fake hub',
  'gate/src/hub-link/ask-hub.ts': 'sends the credential of a storage to its hub',
  'gate/src/hub-link/http-hub-link.ts':
    'holds the credential of a storage against the grammar of a header',
  'hub/src/as-caller/asker.ts': 'asks as the session of a page',
  'hub/src/data/demo-tokens.ts': 'derives the hub tokens of the demo from its master key',
  'hub/src/http/serve-token-request.ts': 'hands the access token to who asked for it',
  'hub/src/identity/hub-token.ts': 'hashes a hub token and takes its hint',
  'hub/src/keys/rewrap.ts': 'compares two master keys, and names a file by a hash of one',
  'hub/src/keys/seal.ts': 'encrypts the signing keys with the master key',
  'hub/src/oauth/hub-token-wish.ts': 'encrypts a new hub token with the code that it is for',
  'hub/src/oauth/sealed-answer.ts': 'encrypts an answer with the credential that it is for',
  'hub/src/oauth/serve-device.ts': 'hands a device code to the program that asked for it',
  'hub/src/oauth/serve-token.ts': 'hands hub token and refresh token to the program that signed in',
  'hub/src/revocation/report/verify-own-token.ts':
    'verifies a storage token that is to be taken back',
  'hub/src/sign-in/account-page.ts': 'shows a new hub token to the person who made it',
  'hub/src/sign-in/open-providers.ts': 'authenticates the hub at an identity provider',
  'hub/src/sign-in/sealed-attempt.ts': 'encrypts the cookie of a sign-in that is under way',
  'hub/src/sign-in/session-cookie.ts': 'writes a session into its cookie',
  'hub/src/sign-in/session-port.ts': 'derives what stands in the forms of a session',
  'service/src/postgres/connections.ts': 'hands its password to the driver of the database',
  'storage/src/blob-url/root-key.ts': 'makes the keys that sign blob URLs',
  'storage/src/blob-url/shared-root-key.ts':
    'derives the keys that sign blob URLs from the master key of the storage',
  'storage/src/catalog-place/open-catalog.ts':
    'connects to the database, and hands its address to threads',
  'hub/src/trusted-publishers/exchange-id-token.ts':
    'hands a hub token to the CI job that asked for it',
}

describe('secrets and permits', () => {
  test('exactly the listed files reveal a secret', () => {
    expect(filesWith(/\.\s*reveal\b/)).toEqual(Object.keys(mayReveal).toSorted())
  })

  test('nobody reveals a secret under another name', () => {
    expect(filesWith(/\breveal\b/)).toEqual(
      [...Object.keys(mayReveal), 'protocol/src/secret.ts'].sort(),
    )
  })

  test('only the decision makes a permit', () => {
    const makers = sources.filter((file) => /\bpermit\b(?!ted)/.test(importsOf(file, 'permit.ts')))
    expect(makers).toEqual(['hub/src/permission/decide-permission.ts'])
  })

  test('no package re-exports the making of a permit', () => {
    expect(filesWith(/export\s[^\n]*from '[^']*permit\.ts'/)).toEqual([])
  })

  test('standard output and error are written by named files only', () => {
    expect(filesWith(/\bconsole\.|process\.std(?:out|err)\.write/)).toEqual([
      'cli/src/commands/serve.ts',
      'cli/src/output/explain-end.ts',
      'cli/src/output/show-result.ts',
      'cli/src/output/tell.ts',
      // A program of its own.
      'conform/src/command/main.ts',
      // Failures of the hub, and of rules that the storage's developer gave, unless he takes them himself.
      'gate/src/adapters/authenticate.ts',
      'gate/src/adapters/fastify.ts',
      'gate/src/check/options.ts',
    ])
  })
})

/** The names that a file imports as values from another. */
function importsOf(file: string, from: string): string {
  const found = codeOf(file).matchAll(/import\s+(type\s)?([^;]*?)\sfrom\s'([^']+)'/g)
  return Array.from(found, ([, isType, names = '', target = '']) =>
    isType === undefined && target.endsWith(`/${from}`) ? names.replace(/\btype \w+/g, '') : '',
  ).join(' ')
}
