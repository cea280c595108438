/** Where the library does not run by itself, the server is emulated: it takes seconds for what takes milliseconds. */
export const isEmulated = process.arch !== 'x64'
