/** The file of a module beside this one, in TypeScript as it is written or in JavaScript as it is published. */
export const siblingModule = (here: string, name: string): URL =>
  new URL(`./${name}${here.slice(here.lastIndexOf('.'))}`, here)
