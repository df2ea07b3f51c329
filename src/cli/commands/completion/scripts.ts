import { COMPLETE } from '../../args/raw-options.ts'

/** Names the shells for which there is a script. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof SHELLS)[number]

const BASH = `# Completion of kpi for bash. Load it in ~/.bashrc:  source <(kpi completion bash)
_kpi_complete() {
  local rest="\${COMP_LINE:0:COMP_POINT}" piece before='' line value quote='' i n=-1
  local -a words
  # Bash ends words at = and :, too, and before @, and replaces only what is behind the last of them.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if [[ $i -eq 0 || $rest == [[:space:]]* ]]; then n=$((n + 1)); words[n]=''; fi
    rest="\${rest#"\${rest%%[![:space:]]*}"}"
    piece="\${COMP_WORDS[i]}" before="\${words[n]}"
    if [[ $i -eq COMP_CWORD ]]; then piece="$rest"; fi
    rest="\${rest#"$piece"}"
    words[n]+="$piece"
  done
  case "$piece" in [=:]) before+="$piece" piece='' ;; [\\"\\']*) quote="\${piece:0:1}" ;; esac
  before="\${before//\\\\/}"
  before="\${before%@}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ':files' ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$piece")
      continue
    fi
    value="\${line%%$'\\t'*}"
    value="\${value:\${#before}}"
    if [ -z "$quote" ]; then value="$(printf '%q' "$value")" value="\${value//\\\\,/,}"; fi
    COMPREPLY+=("$value")
  done < <(kpi ${COMPLETE} "\${words[@]:1:n-1}" "=\${words[n]}" 2>/dev/null)
}
complete -F _kpi_complete kpi
`

const ZSH = `#compdef kpi
# Completion of kpi for zsh. Load it in ~/.zshrc, after compinit:  source <(kpi completion zsh)
_kpi() {
  local line
  local -a values
  for line in "\${(@f)$(kpi ${COMPLETE} "\${(@Q)words[2,CURRENT-1]}" "=\${(Q)words[CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ':files' ]]; then [[ $words[CURRENT] == --*=* ]] && compset -P '*='; _files
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
            set -l flag (string match -r -- '^--[\\w-]+=' "$current")
            for path in (__fish_complete_path (string replace -- "$flag" '' "$current"))
                echo "$flag$path"
            end
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
