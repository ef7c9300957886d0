/**
 * When each error occurs and what the caller can do: docs/reference/errors.md is written from this. No entry of the
 * package leads here, because browsers load the package.
 */

import type { RefusalCode } from './refusal.ts'

/** The parts of the interface that respond with errors, in the order of the page. */
export const errorAreas = {
  token: 'Token request',
  gate: 'Storage request at the gate',
  storage: 'Storage request at the embedded storage',
  admin: 'Admin API',
  report: 'Reports of leaked tokens',
  link: 'Link of a storage or forge',
  forge: 'Repositories, files and commits',
  any: 'Any request',
} as const

export interface ErrorCase {
  readonly area: keyof typeof errorAreas
  readonly when: string
  readonly todo: string
}

const json = {
  when: 'The body is not announced as JSON.',
  todo: 'Send `Content-Type: application/json`.',
}

/** The rows of an area have the order of these codes; a token request is checked in that order. */
export const errorGuide: Readonly<Record<RefusalCode, readonly ErrorCase[]>> = {
  not_found: [
    {
      area: 'token',
      when: 'The path is not the path of a token request, or cannot be decoded.',
      todo: 'Compare it with `/api/{models|datasets|spaces}/{namespace}/{name}/storage-{read|write}-token/{revision}`. Encode the revision once.',
    },
    {
      area: 'gate',
      when: 'The token is valid, but the path names no repository and ref.',
      todo: 'Use the `casUrl` that came with the token.',
    },
    {
      area: 'storage',
      when: 'The storage has no such route.',
      todo: 'Use a route of the [storage API](storage-api.md).',
    },
  ],
  method_not_allowed: [
    {
      area: 'token',
      when: 'The method is neither GET nor HEAD. `Allow` lists the allowed methods.',
      todo: 'Use GET.',
    },
    {
      area: 'storage',
      when: 'The route has other methods. `Allow` lists them.',
      todo: 'Use one of them.',
    },
  ],
  hub_token_missing: [
    {
      area: 'token',
      when: 'The request has no `Authorization` header, or a scheme other than Bearer.',
      todo: 'Send `Authorization: Bearer <hub token>`.',
    },
  ],
  hub_token_invalid: [
    {
      area: 'token',
      when: 'The request has two `Authorization` headers, or the hub token is malformed, mistyped, unknown, revoked, expired, or of a disabled account.',
      todo: 'Get a new hub token. A checksum in the hub token detects typing errors.',
    },
  ],
  bad_request: [
    {
      area: 'gate',
      when: 'The request is ambiguous: a path that is not in its normal form, a `Latchkey-…` header, a header that names another method or URL, a query with `_method`, a protocol upgrade, a body on GET or HEAD, or two lengths of the body. The gate checks this before the token.',
      todo: 'Send the request in its plain form.',
    },
    {
      area: 'admin',
      when: 'The input does not match its description, or the request is not well-formed HTTP.',
      todo: 'See `path` in the response, and the OpenAPI document at `/openapi.json`.',
    },
    {
      area: 'report',
      when: 'The body is not a report, or has more than 1000 tokens.',
      todo: 'Send `{"token":"…"}`, `{"tokens":["…"]}`, or a list of `{"token":"…"}`.',
    },
    {
      area: 'link',
      when: 'The request does not match its description, or names more than 1000 uids.',
      todo: 'See `path` in the response, and the OpenAPI document at `/openapi.json`.',
    },
    {
      area: 'forge',
      when: 'The body, a path in it or the query does not match its description; the commit is to a tag or a commit; or another site made the browser send a form or a download.',
      todo: 'See the sentence in the response. Commit to a branch.',
    },
  ],
  storage_token_missing: [
    {
      area: 'gate',
      when: 'The `Authorization` header has no bearer token. The gate does not read query strings and cookies.',
      todo: 'Request a storage token from the hub, and send it as `Authorization: Bearer <token>`.',
    },
  ],
  storage_token_invalid: [
    {
      area: 'gate',
      when: 'The storage token is malformed, forged, revoked or expired, or it is for another hub or storage, or its key is unknown.',
      todo: 'Request a new storage token. Refresh it 30 s before `exp`.',
    },
  ],
  rate_limited: [
    {
      area: 'token',
      when: 'Too many requests used this hub token, or too many requests without a valid one came from this address.',
      todo: 'Wait for `Retry-After`. Keep a storage token until 30 s before `exp` instead of requesting one for each call.',
    },
    {
      area: 'gate',
      when: 'The address sent too many forged tokens. Valid tokens from it pass, unless its queue of signatures to verify is full.',
      todo: 'Wait for `Retry-After`.',
    },
    {
      area: 'storage',
      when: 'The account has too many requests that wait for the storage.',
      todo: 'Wait for `Retry-After`. Send fewer requests at a time.',
    },
    {
      area: 'report',
      when: 'Too many reports or tokens came from this address, or too many tokens in total.',
      todo: 'Wait for `Retry-After`, then send the report again.',
    },
  ],
  repository_not_found: [
    {
      area: 'token',
      when: 'The repository does not exist. With `hidePrivateRepositories`, also: the caller may not read it.',
      todo: 'Check type, namespace and name, and their upper and lower case.',
    },
  ],
  permission_denied: [
    {
      area: 'token',
      when: "The account's role or the hub token does not allow this token type for this repository or ref.",
      todo: 'See `missing` in the response. `latchkey explain` shows every step of the decision.',
    },
    {
      area: 'admin',
      when: 'The hub token is not of kind `admin`, lacks the admin scope, or would create a hub token or a right beyond itself.',
      todo: "See `missing` in the response. Use an admin hub token with more rights, or run the command on the hub's machine.",
    },
    {
      area: 'link',
      when: 'The hub token is of another kind.',
      todo: 'Give the storage a hub token of kind `storage`, and the forge one of kind `forge`.',
    },
    {
      area: 'forge',
      when: 'As for a token request. Also: creating a repository needs the role write in its namespace, deleting one the role admin, and git needs a hub token that reads every ref.',
      todo: 'See `missing` in the response.',
    },
  ],
  revision_not_found: [
    {
      area: 'token',
      when: 'The repository has no such branch, tag, ref or commit.',
      todo: 'Use a branch, a tag or a full commit hash.',
    },
  ],
  insufficient_scope: [
    {
      area: 'gate',
      when: 'The request needs write access, and the token is a read token.',
      todo: 'Request a write token.',
    },
  ],
  repository_mismatch: [
    {
      area: 'gate',
      when: 'The path names another repository than the token. A repository that was deleted and created again is another one.',
      todo: 'Request a token for that repository, and use the `casUrl` that comes with it.',
    },
  ],
  ref_mismatch: [
    {
      area: 'gate',
      when: 'The path names another ref than the token.',
      todo: 'Request a token for that ref, and use the `casUrl` that comes with it.',
    },
  ],
  gate_not_ready: [
    {
      area: 'gate',
      when: 'The gate has no keys, or its revocation list is more than a minute old, or it does not know the key of this token and cannot reach the hub.',
      todo: 'Wait. The operator finds `keys_not_fetched` or `revocations_not_fetched` in the log.',
    },
  ],
  upstream_unreachable: [
    {
      area: 'gate',
      when: 'The storage behind the gateway does not accept the connection, or closed it before it responded.',
      todo: 'Send the request again. Report the request id to the operator.',
    },
  ],
  upstream_timeout: [
    {
      area: 'gate',
      when: 'The storage behind the gateway took too long to accept the connection or to begin its response.',
      todo: 'Send the request again. Report the request id to the operator.',
    },
  ],
  resource_not_found: [
    {
      area: 'storage',
      when: 'This repository and ref do not have the xorb, file or chunk. A commit contains only content that was uploaded before the commit was recorded.',
      todo: 'Upload the content with a token for this ref. Record a commit after its uploads, or use a token for its branch.',
    },
    {
      area: 'admin',
      when: 'The account, namespace, ref, hub token or other resource that the request names does not exist.',
      todo: 'List the resources that exist.',
    },
  ],
  entry_not_found: [
    {
      area: 'forge',
      when: 'The revision has no file or folder with this path, or the storage does not show a large file to the caller. `X-Error-Code` is `EntryNotFound`.',
      todo: 'List the files of the revision.',
    },
  ],
  content_invalid: [
    {
      area: 'storage',
      when: 'A hash, a length, a compression or a reference of a xorb or shard is wrong; or a shard, or a request to copy content, has too many files, xorbs, chunk ranges or chunks. The sentence in the response says which and where.',
      todo: 'Upload it again from the source. Upload a shard after its xorbs, with a token for the same ref. If a shard has too many entries, send fewer files at a time.',
    },
  ],
  blob_url_invalid: [
    {
      area: 'storage',
      when: 'The URL of a blob was changed or has expired, its token was revoked, or it was used for other bytes.',
      todo: 'Request the reconstruction again; it comes with new URLs. If the token was revoked, request a new one first.',
    },
  ],
  range_not_satisfiable: [
    {
      area: 'storage',
      when: 'The range begins after the end. `Content-Range` has the length.',
      todo: 'Request a range within the length.',
    },
  ],
  quota_exceeded: [
    {
      area: 'storage',
      when: 'The repository would exceed a limit; the sentence in the response names the limit (`storage.quotaBytes`, `storage.quotaObjects`) and its value.',
      todo: 'Delete refs that you do not need, or ask the operator to remove files (`latchkey storage delete`) or to raise the limit.',
    },
    {
      area: 'forge',
      when: 'The namespace or the repository would exceed `forge.quotaRepositories`, `forge.quotaRefs`, `forge.quotaBytes` or a quota of the storage.',
      todo: 'Delete repositories or refs that you do not need, or ask the operator to raise the limit.',
    },
  ],
  conflict: [
    {
      area: 'admin',
      when: 'The change contradicts the current state, for example a name that is taken, a namespace that has repositories, a branch and a tag with one name, a ref that is not at the expected commit, or the last administrator.',
      todo: 'Resolve the contradiction first.',
    },
    {
      area: 'link',
      when: 'The hub has another forge, or another process serves the data directory of this one since.',
      todo: 'Stop one of the two. To move the hub to another forge, run `latchkey forge adopt`.',
    },
    {
      area: 'forge',
      when: 'A repository with this name exists, and `url` is its address; or other requests are moving the ref.',
      todo: 'Use that repository; send the commit again.',
    },
    {
      area: 'storage',
      when: 'Another request continues the upload of this file, or deleted it.',
      todo: 'Send one request at a time. Request the state of the upload with `HEAD`, and continue there.',
    },
  ],
  upload_offset_mismatch: [
    {
      area: 'storage',
      when: 'The body does not begin where the upload stopped, or a newer request continues the upload. `Upload-Offset` has the byte to continue at.',
      todo: 'Send the bytes from `Upload-Offset` on.',
    },
  ],
  cursor_unknown: [
    {
      area: 'admin',
      when: 'The journal has no entry with the number in `after`: its retention removed the entry, or a restored backup replaced the journal.',
      todo: 'Start again at the number in the message, and discard the data that you derived from earlier entries.',
    },
    {
      area: 'link',
      when: "The journal has no entry with the number in `after`. `number` is the journal's last.",
      todo: "Compare the storage's content with the hub's database before you remove content: `latchkey storage reconcile`.",
    },
  ],
  signature_invalid: [
    {
      area: 'report',
      when: 'The operator configured the keys of a partner, and none of them signed the list.',
      todo: 'Sign the exact body, or send `{"tokens":["…"]}`.',
    },
  ],
  precondition_failed: [
    {
      area: 'forge',
      when: 'The branch is not at `parentCommit`.',
      todo: 'Read the new commit, then commit again.',
    },
  ],
  body_too_large: [
    {
      area: 'storage',
      when: 'The xorb or shard has more than 64 MiB.',
      todo: 'Send smaller xorbs and shards.',
    },
    {
      area: 'admin',
      when: 'The body exceeds the [limit](limits.md) of the operation.',
      todo: "Apply a smaller file, or run the command on the hub's machine.",
    },
    {
      area: 'report',
      when: 'The body has more than 1 MiB.',
      todo: 'Send the tokens in several reports.',
    },
    {
      area: 'link',
      when: 'The body has more than 128 KiB.',
      todo: 'Request fewer uids at a time.',
    },
    {
      area: 'forge',
      when: 'The commit itself contains a file of more than 10 MiB, or the body exceeds the limit of the route.',
      todo: 'Upload the file as a large file. Make several commits.',
    },
  ],
  unsupported_media_type: [
    { area: 'admin', ...json },
    { area: 'report', ...json },
    { area: 'link', ...json },
  ],
  not_implemented: [
    {
      area: 'forge',
      when: 'Other hubs support this request, and Latchkey does not.',
      todo: 'The sentence in the response names the missing feature.',
    },
  ],
  hub_unavailable: [
    {
      area: 'forge',
      when: 'The hub does not respond to the forge, or rejects it. The sentence in the response says whether a change may have been made.',
      todo: 'Send the request again after `Retry-After`. The operator finds the reason in the log of the forge.',
    },
    {
      area: 'storage',
      when: 'The storage asks its hub before it acknowledges a write. The hub has not responded for 30 s, or rejects the credential of the storage. The storage stored no part of the upload.',
      todo: 'Send the upload again after `Retry-After`. The operator finds `hub_unreachable` in the log.',
    },
  ],
  storage_full: [
    {
      area: 'storage',
      when: 'The disk has no free space for the upload.',
      todo: 'Ask the operator to free space, then send the upload again.',
    },
    {
      area: 'admin',
      when: 'The disk has no free space. The hub changed nothing.',
      todo: 'Free space, then send the request again.',
    },
    {
      area: 'link',
      when: 'The disk of the hub has no free space. The hub made no new storage URLs.',
      todo: "Free space on the hub's disk. The storage sends the request again.",
    },
  ],
  request_timeout: [
    {
      area: 'gate',
      when: 'The body of an upload stalled, or arrived too slowly.',
      todo: 'Send the upload again.',
    },
    {
      area: 'report',
      when: 'The body did not arrive within 5 s.',
      todo: 'Send the report again, or send the tokens in several reports.',
    },
    {
      area: 'any',
      when: 'The request did not arrive completely in time.',
      todo: 'Send it again.',
    },
  ],
  misdirected_request: [
    {
      area: 'any',
      when: 'The request names a host in `Host` or in an absolute target that the listener was not configured for. `/healthz` and `/readyz` respond to any host.',
      todo: 'Use the URL from the configuration. The operator can add names with `--allowed-hosts`.',
    },
  ],
  headers_too_large: [
    {
      area: 'any',
      when: 'The headers have more than 96 KiB. A credential of 64 000 characters fits.',
      todo: 'Send fewer or shorter headers.',
    },
  ],
  internal_error: [
    {
      area: 'any',
      when: 'The hub failed. Its log has the reason under the request id.',
      todo: 'Send the request again. Report the request id to the operator.',
    },
  ],
  not_ready: [
    {
      area: 'storage',
      when: "PostgreSQL holds the storage's catalogue and does not respond, or is busy for too long. The storage may have stored the upload.",
      todo: 'Send it again after `Retry-After`; the storage does not store existing content twice. The operator finds the reason in the log.',
    },
    {
      area: 'storage',
      when: 'The request looks for a file by its SHA-256, and the storage is still hashing files of that length.',
      todo: 'Send the request again after `Retry-After`. The storage continues to hash in the meantime.',
    },
    {
      area: 'storage',
      when: 'The content of the repository moves to another storage. Downloads work in the meantime.',
      todo: 'Send the upload again after `Retry-After`, with a new storage token.',
    },
    {
      area: 'token',
      when: 'The content of the repository is on a storage that the configuration of the hub does not have.',
      todo: 'The operator adds the storage to `storages` and restarts the hub. Then send the request again.',
    },
    {
      area: 'report',
      when: 'Too many reports wait, or the hub could not write. The hub revoked no token of the report.',
      todo: 'Send the report again after `Retry-After`.',
    },
    {
      area: 'any',
      when: 'The hub has more requests than it can serve, and this request waited for 1.5 s. The hub did no work for it.',
      todo: 'Send it again after `Retry-After`. The operator finds help in [troubleshooting](../guides/troubleshoot.md).',
    },
    {
      area: 'any',
      when: 'At `/readyz`: the database does not respond. At `/readyz` and every token request: the hub has no usable signing key, because another master key encrypted its keys.',
      todo: "Look at the hub's log and disk. Start the hub with the master key of `latchkey keys rewrap`.",
    },
  ],
  stopping: [
    {
      area: 'any',
      when: 'The hub is shutting down.',
      todo: 'Send the request again in a moment.',
    },
  ],
}
