/** One thing that was looked at, in words for the operator. `fail` is what the engine does not work with. */
export type EngineFinding = { readonly status: 'ok' | 'warn' | 'fail'; readonly detail: string }
