import { COMPLETE } from '../../args/raw-options.ts'

/** Names the shells for which there is a script. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof SHELLS)[number]

const BASH = `# Completion of kpi for bash. Load it in ~/.bashrc:  source <(kpi completion bash)
_kpi_complete() {
  local line value
  COMPREPLY=()
  # Where readline inserts all (M-*), it drops the open quote, and what is quoted for there would be run.
  if [ "$COMP_TYPE" = 42 ]; then return; fi
  # Bash puts what is completed in the place of $2 alone, within its quotes; kpi quotes it for there.
  while IFS= read -r line; do
    if [ "$line" != ':files' ]; then
      COMPREPLY+=("\${line%%$'\\t'*}")
      continue
    fi
    compopt -o filenames 2>/dev/null
    while IFS= read -r value; do
      # A file is no flag, whatever its name begins with.
      if [[ $value == -* ]]; then value="./$value"; fi
      COMPREPLY+=("$value")
    done < <(compgen -f -- "$2")
  done < <(kpi ${COMPLETE} =bash "=$2" "=\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _kpi_complete kpi
`

const ZSH = `#compdef kpi
# Completion of kpi for zsh. Load it in ~/.zshrc, after compinit:  source <(kpi completion zsh)
_kpi() {
  # A quote that is open is closed, to be read.
  local current="\${words[CURRENT]}\${compstate[quote]}" line value about
  local -a values
  for line in "\${(@f)$(kpi ${COMPLETE} '=zsh' "\${(@Q)words[2,CURRENT-1]}" "=\${(Q)current}" 2>/dev/null)}"; do
    if [[ $line == ':files' ]]; then [[ $words[CURRENT] == --*=* ]] && compset -P '*='; _files
    elif [[ -n $line ]]; then
      value="\${line%%$'\\t'*}" about="\${\${line#*$'\\t'}%%$'\\t'*}"
      value="\${value//\\\\/\\\\\\\\}"
      values+=("\${value//:/\\\\:}:$about")
    fi
  done
  (( $#values )) && _describe kpi values
}
compdef _kpi kpi
`

const FISH = `# Completion of kpi for fish. Write it to ~/.config/fish/completions/kpi.fish:  kpi completion fish > …
function __kpi_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l current
    # A quote that is open is closed, to be read.
    for quote in '' '"' "'"
        set current (string unescape -- "$typed$quote"); and break
    end
    for line in (kpi ${COMPLETE} =fish $words[2..] "=$current" 2>/dev/null)
        if test "$line" = ':files'
            set -l flag (string match -r -- '^--[\\w-]+=' "$current")
            for path in (__fish_complete_path (string replace -- "$flag" '' "$current"))
                printf '%s\\n' "$flag$path"
            end
        else
            string replace -r -- '\\t[^\\t]*$' '' "$line"
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
  kpi ${COMPLETE} '=powershell' @words "=$current" 2>$null | ForEach-Object {
    if ($_ -eq ':files') { return [System.Management.Automation.CompletionCompleters]::CompleteFilename($current) }
    # What is inserted comes quoted from kpi.
    $text, $about, $value = $_ -split "\`t", 3
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
  }
}
`

/** Holds the script of each shell. */
export const scripts: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL }
