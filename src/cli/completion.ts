import tab from '@bomb.sh/tab/commander'
import { ShellCompDirective, type RootCommand } from '@bomb.sh/tab'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Command } from 'commander'
import { cubes, findCube } from '../catalog/cubes.ts'
import { namesOf } from '../query/parse-fields.ts'

const help = `
Examples:
  source <(adcube complete bash)    # in ~/.bashrc; needs the package bash-completion
  source <(adcube complete zsh)     # in ~/.zshrc, after compinit
  adcube complete fish > ~/.config/fish/completions/adcube.fish`

/** Adds the command `complete`, which prints the script for a shell and answers it. */
export function addCompletion(program: CommandUnknownOpts): void {
  const completion = tab(program as unknown as Command)
  completeNames(completion)
  program.commands.find((command) => command.name() === 'complete')?.addHelpText('after', help)
  // Without completions, the shell offers files. The library forbids that (its pull request 97).
  const { ShellCompDirectiveDefault: files, ShellCompDirectiveNoFileComp: noFiles } = ShellCompDirective
  Object.defineProperty(completion, 'directive', {
    get: () => (completion.completions.length > 0 ? noFiles : files),
    set: () => {},
  })
  program.hook('postAction', (_, command) => {
    if (command.name() === 'complete' && command.args[0] === 'bash')
      process.stdout.write('complete -o default -F __adcube_complete adcube\n')
  })
}

type Kind = 'dimensions' | 'metrics'

const offered: Readonly<Record<string, readonly Kind[]>> = {
  dimensions: ['dimensions'],
  metrics: ['metrics'],
  sort: ['dimensions', 'metrics'],
}

/** Offers names of fields, without spaces so that a shell needs no quotes, after the names that were typed. */
function completeNames({ commands }: RootCommand): void {
  for (const command of ['query', 'report']) {
    for (const [name, kinds] of Object.entries(offered)) {
      const option = commands.get(command)?.options.get(name)
      // Commands that are not used have no options.
      if (!option) continue
      option.handler = (complete) => {
        const cube = process.argv.map(findCube).find((found) => found !== undefined)
        const [, before = '', typed = ''] = /^(.*,)?(.*)$/.exec(process.argv.at(-1) ?? '') ?? []
        const isLower = typed !== '' && typed === typed.toLowerCase()
        const fields = (cube ? [cube] : cubes).flatMap((each) => kinds.flatMap((kind) => namesOf(each[kind])))
        for (const field of fields) {
          const word = field.match(/\w+/g)!.join('_')
          complete(before + (isLower ? word.toLowerCase() : word), field)
        }
      }
    }
  }
}
