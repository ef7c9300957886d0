/** An index of the repositories that everybody may read: a list passes no private one. */

export const publicRepositories = `
CREATE INDEX public_repositories ON repositories (path) WHERE visibility = 'public';
`
