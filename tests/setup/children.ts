import { execFileSync } from 'node:child_process'

/** The processes that a process has started, of those whose command has this in it. */
export const childrenOf = (pid: number, name: string): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === pid && args.join(' ').includes(name))
    .map(([child]) => Number(child))
