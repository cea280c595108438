import type { FastifyRequest } from 'fastify'
import { originOf } from '../../access/throttle.ts'

/** The name under which an address is counted. A client that has hung up has no address any more. */
export const originOfRequest = ({ ip }: FastifyRequest): string => originOf(ip ?? 'gone')
