/** The reference says how people call a function, and what an option is if they leave it out. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reportFile } from '../api-report.ts'
import { described, folderOf, root } from '../packages.ts'
import { declarationsIn, importedNames, withoutDefault, withoutExample } from '../tags.ts'

const pages = globSync(
  ['README.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/**/*.{ts,js,mjs}'],
  { cwd: root, exclude: ['**/node_modules'] },
).map((page) => readFileSync(join(root, page), 'utf8'))

/** Options that do nothing if they are left out. */
const noDefault: readonly string[] = ['FetchGuardOptions.publicHandler']

/** Names whose tags are not written yet. */
const pending = `
createStorageClient
createAdminClient
AdminClientOptions.clock
AdminClientOptions.random
OperationOptions.signal
StorageClientOptions.fetch
ClientOptions.hubToken
ClientOptions.revision
ClientOptions.clock
ClientOptions.random
ClientOptions.refreshBufferSeconds
ClientOptions.retryTimeoutSeconds
ClientOptions.allowPlainHttp
ClientOptions.signal
blobReader
downloadFile
prepareDownload
createFileClient
parseHash
readParts
startUpload
StreamOptions.from
StreamOptions.pieceBytes
StreamOptions.onPlaced
DownloadOptions.from
TransferOptions.onProgress
TransferOptions.signal
UploadOptions.onAcknowledged
UploadOptions.onSettled
UploadOptions.pace
fastifyGate
guardFetch
guardNode
admittedOf
createGate
tokenFlaws
AuthenticatorOptions.origins
AuthenticatorOptions.onFailure
FetchGuardOptions.addressOf
NodeGuardOptions.addressOf
TrustOptions.issuer
TrustOptions.allowPlainHttp
TrustOptions.onKeyFailure
TrustOptions.pollSeconds
TrustOptions.onRevocationFailure
TrustOptions.revocations
PlaceOptions.isolation
OtherOptions.rules
OtherOptions.allowPaths
OtherOptions.leewaySeconds
OtherOptions.failuresPerMinute
OtherOptions.whenStale
OtherOptions.isRevoked
OtherOptions.clock
HttpHubLinkOptions.allowPlainHttp
HttpHubLinkOptions.issuer
HttpHubLinkOptions.leewaySeconds
HttpHubLinkOptions.pollSeconds
HttpHubLinkOptions.onKeyFailure
HttpHubLinkOptions.onRevocationFailure
HubKeysOptions.onFailure
HubKeysOptions.wait
GateRequest.address
HubRevocationsOptions.stopwatch
HubRevocationsOptions.leewaySeconds
HubRevocationsOptions.pollSeconds
HubRevocationsOptions.patienceSeconds
HubRevocationsOptions.onFailure
HubRevocationsOptions.random
FakeHubOptions.now
RevokeRequest.token
RevokeRequest.hubToken
RevokeRequest.account
RevokeRequest.namespace
RevokeRequest.repository
RevokeRequest.ref
RevokeRequest.all
TokenRequest.flaw
PublishedRevocationsOptions.milliseconds
readAssertion
ForwardAuthOptions.cacheSeconds
ForwardAuthOptions.clock
`.split('\n')

describe.each(described)('api/%s.d.ts', (name) => {
  const declarations = declarationsIn(readFileSync(reportFile(name), 'utf8'))
  const manifest = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))

  test('has @example on every function that a guide, a README or an example imports', () => {
    const called = new Set(pages.flatMap((page) => importedNames(page, manifest.name)))
    const bare = withoutExample(declarations, called).filter((call) => !pending.includes(call))
    expect(bare).toEqual([])
  })

  test('has @default on every option that people may leave out', () => {
    const excused = [...noDefault, ...pending]
    const bare = withoutDefault(declarations).filter((option) => !excused.includes(option))
    expect(bare).toEqual([])
  })
})
