/** A token becomes a claim set: everything a verifier needs. Keys and `now` are arguments. */

export * from './claims.ts'
export * from './cut-off.ts'
export * from './key-set.ts'
export * from './revocable.ts'
export * from './revocation-head.ts'
export * from './verify-token.ts'
