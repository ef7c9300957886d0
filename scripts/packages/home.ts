/** Where the project lives, for manifests and the site. */

/** The repository, as `https://HOST/OWNER/NAME`; empty until there is one. */
export const repositoryUrl: string = ''
