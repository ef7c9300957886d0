/**
 * Declares each operation on the hub's database: its words, its route, its input and its response.
 * Has no database.
 */

export * from './input/directory-file.ts'
export * from './input/grants.ts'
export { type Parameter, parametersOf } from './input/parameters.ts'
export * from './input/publishers.ts'
export * from './input/read-input.ts'
export * from './input/read-input-in-parts.ts'
export * from './input/secret-shape.ts'
export * from './input/words.ts'
export * from './link/forge-questions.ts'
export * from './link/questions.ts'
export * from './nouns/apply.ts'
export * from './nouns/changes.ts'
export { maxShownHolders } from './nouns/commits.ts'
export * from './nouns/hub-tokens.ts'
export type { Revocation } from './nouns/revoke.ts'
export * from './openapi/open-api-document.ts'
export { jsonSchema } from './openapi/schemas.ts'
export * from './verbs/verb-over-http.ts'
export * from './verbs/verbs.ts'
