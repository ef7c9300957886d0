/** `latchkey completion bash`: a script with which a shell completes what is typed at the TAB key. */

import { Command } from 'commander'
import { bashScript } from '../completion/bash.ts'
import { fishScript } from '../completion/fish.ts'
import { placesOf } from '../completion/places.ts'
import { zshScript } from '../completion/zsh.ts'
import { print } from '../output/show-result.ts'
import { choice } from './choice.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** Every command can be completed, so all of them are needed once a script is asked for. */
export function completionCommand(whole: () => Promise<Command>): Command {
  return new Command('completion')
    .description(
      'Prints a script that completes commands, flags and their values in a shell. The script runs no command when you press TAB; print it again after an update.',
    )
    .addArgument(choice('<shell>', 'the shell of the script', Object.keys(scripts)))
    .addHelpText('after', teaching)
    .action(async (shell: keyof typeof scripts) => {
      print(scripts[shell](placesOf(await whole())))
    })
}

const teaching = `
Examples:
  latchkey completion bash > ~/.local/share/bash-completion/completions/latchkey
  latchkey completion zsh > ~/.zfunc/_latchkey         with ~/.zfunc in fpath, before compinit
  latchkey completion fish > ~/.config/fish/completions/latchkey.fish

For this shell only: source <(latchkey completion bash)`
