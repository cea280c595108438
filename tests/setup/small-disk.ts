import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from './at-end.ts'

/** Mounts a real file system of a few MB, which is gone after the file's tests; undefined if this user must not. */
export function mountDisk(mb: number) {
  const folder = mkdtempSync(join(tmpdir(), 'adcube-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mb}m,mode=700`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmdirSync(folder)
    process.stderr.write('Tests of a full disk are skipped: they mount a small one, which only root can.\n')
    return undefined
  }
  atEnd(() => {
    execFileSync('umount', ['--lazy', folder])
    rmdirSync(folder)
  })
  const filler = join(folder, 'filler')
  return {
    folder,
    /** Writes until a number of bytes is written or nothing more fits. */
    fill: (bytes = Infinity): void => {
      const file = openSync(filler, 'w')
      const piece = Buffer.alloc(4_096)
      try {
        for (let written = 0; written < bytes;) written += writeSync(file, piece)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(filler, { force: true }),
  }
}
