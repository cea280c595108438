import type { Settings } from '../settings.ts'

/** A text without the passwords of the settings, whoever put them there. */
export function hideSecrets(text: string, { databaseUrl, clickhouseUrl, clickhouseReaderUrl }: Settings): string {
  const passwords = [databaseUrl, clickhouseUrl, clickhouseReaderUrl]
    .map((url) => (url === undefined ? '' : (URL.parse(url)?.password ?? '')))
    .flatMap((password) => [password, decode(password)])
    .filter((password) => password !== '')
  return passwords.reduce((rest, password) => rest.replaceAll(password, '…'), text)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
