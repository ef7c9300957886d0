import { formatRepoRef, type RepoRef, repoId } from '@latchkey/protocol'

/** Models have no word in front. */
export function pageUrl(publicUrl: string, repo: RepoRef): string {
  const path = repo.type === 'model' ? repoId(repo) : formatRepoRef(repo)
  return `${publicUrl}/${path}`
}

export function nextLink(
  publicUrl: string,
  target: string,
  changed: Readonly<Record<string, string>>,
): readonly string[] {
  const next = new URL(target, publicUrl)
  for (const [name, value] of Object.entries(changed)) next.searchParams.set(name, value)
  return ['Link', `<${publicUrl}${next.pathname}${next.search}>; rel="next"`]
}
