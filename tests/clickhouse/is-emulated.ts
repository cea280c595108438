/** True if the library cannot run on this machine and is emulated, which takes a thousand times as long. */
export const isEmulated = process.arch !== 'x64'
