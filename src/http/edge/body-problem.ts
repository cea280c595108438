import type { FastifyError } from 'fastify'
import type { Fault } from '../../query/faults.ts'
import { Problem } from '../../contract/problems.ts'

type Finding = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Record<string, unknown>
  readonly message?: string
  readonly parentSchema?: { readonly description?: string }
}

/** A body can have more faults than anybody wants to read. */
const faultsMax = 20

/** What a schema found wrong with a body, every fault with a pointer, as queries have it. */
export function bodyProblem({ validation }: FastifyError): Problem {
  const errors = ((validation ?? []) as unknown as readonly Finding[]).slice(0, faultsMax).map(toFault)
  return new Problem('invalid_body', errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' '), { errors })
}

function toFault({ keyword, instancePath, params, message, parentSchema }: Finding): Fault {
  const at = (name: unknown): string => `#${instancePath}/${String(name).slice(0, 60)}`
  if (keyword === 'required') return { pointer: at(params.missingProperty), detail: 'Required.' }
  if (keyword === 'additionalProperties') return { pointer: at(params.additionalProperty), detail: 'Unknown field.' }
  return { pointer: `#${instancePath}`, detail: parentSchema?.description ?? `It ${message}.` }
}
