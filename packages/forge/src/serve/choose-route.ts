/** Which handler serves an address. */

import { isRefusal, type Refusal, type RepoRef, type Scope } from '@latchkey/protocol'
import type { Later } from '../addresses/by-method.ts'
import { type ApiAddress, readApiAddress } from '../addresses/read-api-address.ts'
import { type GitAddress, readGitAddress } from '../addresses/read-git-address.ts'
import { type LoginAddress, readLoginAddress } from '../addresses/read-login-address.ts'
import { type PageAddress, readPageAddress } from '../addresses/read-page-address.ts'
import { inSlot, turnOf } from '../api/change-in-turn.ts'
import { commit } from '../api/commit.ts'
import { commits } from '../api/commits.ts'
import { createBranch } from '../api/create-branch.ts'
import { createRepo } from '../api/create-repo.ts'
import { createTag } from '../api/create-tag.ts'
import { deleteBranch, deleteTag } from '../api/delete-ref.ts'
import { createDiscussion, showDiscussion } from '../api/discussions.ts'
import { advertiseRefs, uploadPack } from '../api/git-fetch.ts'
import { notYet } from '../api/later.ts'
import { lfsBatch } from '../api/lfs-batch.ts'
import { lfsObject } from '../api/lfs-object.ts'
import { listRepos } from '../api/list-repos.ts'
import { namedInBody } from '../api/named-in-body.ts'
import { namespaceRepos, ownRepos } from '../api/namespace-repos.ts'
import { pathsInfo } from '../api/paths-info.ts'
import { preupload } from '../api/preupload.ts'
import { refs } from '../api/refs.ts'
import { repoInfo } from '../api/repo-info.ts'
import { raw, resolve } from '../api/resolve.ts'
import { tree } from '../api/tree.ts'
import { validateYaml } from '../api/validate-yaml.ts'
import { whoami } from '../api/whoami.ts'
import type { Exchange, ForgeParts, Handle } from '../handler/exchange.ts'
import { jsonMembers } from '../http/bodies.ts'
import { json, type Reply } from '../http/reply.ts'
import { asPage } from '../pages/as-page.ts'
import { commitPage } from '../pages/commit-page.ts'
import { logIn, logOut, showLogin } from '../pages/login.ts'
import { repoPage, repoPageAt } from '../pages/repo-page.ts'

/** `DELETE /api/repos/delete`. */
const deleteRepo: Handle<unknown> = async (exchange, _address, parts) => {
  const { hub } = exchange
  const caller = await hub.whoami()
  if (isRefusal(caller)) return caller
  const members = await jsonMembers(exchange)
  if (isRefusal(members)) return members
  const repo = namedInBody(members, caller.name)
  if (isRefusal(repo)) return repo
  const found = await hub.decide({ repo, revision: undefined, scope: 'read' })
  if (isRefusal(found)) return found
  const { repositoryUid: uid } = found
  const deletion = async () => {
    await parts.markers.set(uid)
    const deleted = await hub.deleteRepository(repo)
    if (!isRefusal(deleted)) await parts.git.remove(deleted.uid)
    await parts.markers.clear(uid)
    if (isRefusal(deleted)) return deleted
    return json({})
  }
  return inSlot(exchange, parts, () => parts.inTurn(turnOf(exchange, uid), deletion))
}

/** `GET …/auth-check[/write]`: whether the caller may read, or write, the default branch. */
const authCheck: Handle<{
  readonly repo: RepoRef | undefined
  readonly scope: Scope
}> = async ({ hub }, { repo, scope }) => {
  const permitted = await hub.decide({ repo, revision: undefined, scope })
  return isRefusal(permitted) ? permitted : json({})
}

export type Address = ApiAddress | GitAddress | LoginAddress | PageAddress | Later | Refusal

/** Undefined for a target that the forge has nothing for. */
export function readAddress(method: string, target: string): Address | undefined {
  return (
    readApiAddress(method, target) ??
    readGitAddress(method, target) ??
    readLoginAddress(method, target) ??
    readPageAddress(method, target)
  )
}

export function isGitAddress(target: string): boolean {
  return ['GET', 'POST'].some((method) => {
    const address = readGitAddress(method, target)
    return address !== undefined && readApiAddress(method, target) === undefined
  })
}

export type Run = (exchange: Exchange, parts: ForgeParts) => Promise<Reply | Refusal>

export function chooseRoute(address: Exclude<Address, Later | Refusal>): Run {
  if ('service' in address) return ofGit(address)
  if ('form' in address) return ofLogin(address)
  return 'view' in address ? ofPage(address) : ofApi(address)
}

function ofGit(address: GitAddress): Run {
  switch (address.service) {
    case 'advertise-refs':
      return bind(advertiseRefs, address)
    case 'upload-pack':
      return bind(uploadPack, address)
    case 'lfs-batch':
      return bind(lfsBatch, address)
    case 'lfs-object':
      return bind(lfsObject, address)
  }
}

function ofLogin(address: LoginAddress): Run {
  switch (address.form) {
    case 'show-login':
      return bind(showLogin, address)
    case 'log-in':
      return bind(logIn, address)
    case 'log-out':
      return bind(logOut, address)
  }
}

function ofPage(address: PageAddress): Run {
  const page = repoPageAt(address)
  if (page !== undefined) return bind(asPage(repoPage), page)
  switch (address.view) {
    case 'resolve':
      return bind(resolve, address)
    case 'raw':
      return bind(raw, address)
    case 'commit':
      return bind(asPage(commitPage), address)
    default:
      return later('pages of a history')
  }
}

function ofApi(address: ApiAddress): Run {
  switch (address.route) {
    case 'whoami':
      return bind(whoami, address)
    case 'create-repo':
      return bind(createRepo, address)
    case 'delete-repo':
      return bind(deleteRepo, address)
    case 'validate-yaml':
      return bind(validateYaml, address)
    case 'repo-info':
      return bind(repoInfo, address)
    case 'tree':
      return bind(tree, address)
    case 'paths-info':
      return bind(pathsInfo, address)
    case 'refs':
      return bind(refs, address)
    case 'commits':
      return bind(commits, address)
    case 'preupload':
      return bind(preupload, address)
    case 'commit':
      return bind(commit, address)
    case 'list-repos':
      return bind(listRepos, address)
    case 'own-repos':
      return bind(ownRepos, address)
    case 'namespace-repos':
      return bind(namespaceRepos, address)
    case 'create-branch':
      return bind(createBranch, address)
    case 'delete-branch':
      return bind(deleteBranch, address)
    case 'create-tag':
      return bind(createTag, address)
    case 'delete-tag':
      return bind(deleteTag, address)
    case 'create-discussion':
      return bind(createDiscussion, address)
    case 'discussion':
      return bind(showDiscussion, address)
    case 'auth-check':
      return bind(authCheck, address)
  }
}

function bind<Asked>(handle: Handle<Asked>, address: Asked): Run {
  return (exchange, parts) => handle(exchange, address, parts)
}

function later(what: string): Run {
  return async () => notYet(what)
}
