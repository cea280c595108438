/** An emulated engine takes seconds for what takes milliseconds: then fewer examples must do. */
export const isEmulated = process.env.ADCUBE_ENGINE_NODE !== undefined
