/** What is kept of a SHA-256: one half to find a secret by, the other to compare. */
export type Digest = { readonly selector: string; readonly verifier: string }
