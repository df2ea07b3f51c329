import { COMPLETE } from '../../args/raw-options.ts'

/** Names the shells for which there is a script. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof SHELLS)[number]

const BASH = `# Completion of kpi for bash. Load it in ~/.bashrc:  source <(kpi completion bash)
_kpi_complete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line value quote=''
  case "$current" in [\\"\\']*) quote="\${current:0:1}" ;; esac
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ':files' ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
      continue
    fi
    value="\${line%%$'\\t'*}"
    if [ -n "$quote" ]; then COMPREPLY+=("$value"); else COMPREPLY+=("$(printf '%q' "$value")"); fi
  done < <(kpi ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "=$current" 2>/dev/null)
}
complete -F _kpi_complete kpi
`

const ZSH = `#compdef kpi
# Completion of kpi for zsh. Load it in ~/.zshrc, after compinit:  source <(kpi completion zsh)
_kpi() {
  local line
  local -a values
  for line in "\${(@f)$(kpi ${COMPLETE} "\${(@Q)words[2,CURRENT-1]}" "=\${(Q)words[CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ':files' ]]; then _files
    elif [[ -n $line ]]; then values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( $#values )) && _describe kpi values
}
compdef _kpi kpi
`

const FISH = `# Completion of kpi for fish. Write it to ~/.config/fish/completions/kpi.fish:  kpi completion fish > …
function __kpi_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (kpi ${COMPLETE} $words[2..] "=$current" 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c kpi -f -a '(__kpi_complete)'
`

const POWERSHELL = `# Completion of kpi for PowerShell. Load it in $PROFILE:  kpi completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName kpi -ScriptBlock {
  param($current, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object {
      if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() }
    })
  kpi ${COMPLETE} @words "=$current" 2>$null | ForEach-Object {
    if ($_ -eq ':files') { return [System.Management.Automation.CompletionCompleters]::CompleteFilename($current) }
    $value, $about = $_ -split "\`t", 2
    $text = if ($value -match '[^\\w@%+=:,./-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
  }
}
`

/** Holds the script of each shell. */
export const scripts: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL }
