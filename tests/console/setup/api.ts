/** Sends a request to the API with a key. */
export async function askApi(url: string, key: string, cube: string, query: object): Promise<readonly Row[]> {
  const answer = await fetch(`${url}/v2/data/synchronous?cube=${cube}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(query),
  })
  const body = (await answer.json()) as { data: readonly Row[] }
  if (!answer.ok) throw new Error(JSON.stringify(body))
  return body.data
}

export type Row = Readonly<Record<string, string | number | null>>
