import { credentialsFile, removeCredentials } from './credentials.ts'

export async function logoutCommand(): Promise<number> {
  const file = credentialsFile(process.env)
  await removeCredentials(file)
  process.stderr.write(`Removed ${file}. The key stays valid until it expires or is deleted.\n`)
  return 0
}
