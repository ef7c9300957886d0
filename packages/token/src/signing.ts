/** A claim set becomes a token: for the hub alone. */

export * from './sign-token.ts'
export * from './signing-key.ts'
