import { execFileSync } from 'node:child_process'

/** Lists the children of a process whose command contains a text. */
export const childrenOf = (pid: number, name: string): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === pid && args.join(' ').includes(name))
    .map(([child]) => Number(child))
