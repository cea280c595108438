import type { FastifyRequest } from 'fastify'

/** Where a request comes from. The connection of a caller who has hung up does not say any more. */
export const addressOf = ({ ip }: FastifyRequest): string => ip ?? 'gone'
