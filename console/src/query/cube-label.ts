import type { Cube } from '../../../src/catalog/cube.ts'

/** "Platform performance" for platform-performance. */
export const cubeLabel = ({ alias }: Cube): string =>
  alias.charAt(0).toUpperCase() + alias.slice(1).replaceAll('-', ' ')
