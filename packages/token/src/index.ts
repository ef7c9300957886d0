/** A claim set becomes a string and back. Keys and `now` are arguments. */

export * from './claims.ts'
export * from './key-set.ts'
export * from './sign-token.ts'
export * from './signing-key.ts'
export * from './verify-token.ts'
