import { Argument } from '@commander-js/extra-typings'
import { addExamples } from '../../args/examples.ts'
import type { Register } from '../../cli.ts'
import { type Shell, SHELLS, scripts } from './scripts.ts'

const LOADING = `
Load it when your shell starts:
  bash        source <(kpi completion bash)                                 in ~/.bashrc
  zsh         source <(kpi completion zsh)                                  in ~/.zshrc, after compinit
  fish        mkdir -p ~/.config/fish/completions
              kpi completion fish > ~/.config/fish/completions/kpi.fish
  powershell  kpi completion powershell | Out-String | Invoke-Expression    in $PROFILE

Names of KPIs, people and the rest are those that earlier commands have read; nothing is sent to complete a word.`

/** Registers `kpi completion` */
export const completion: Register = (group, act) => {
  const command = group.addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
  command.addHelpText('after', LOADING)
  addExamples(command, 'completion bash', 'completion fish')
  act(command, async (cli, [shell]) => {
    const known: Shell | undefined = SHELLS.find((one) => one === shell)
    if (known) await cli.io.stdout.write(scripts[known])
  })
}
